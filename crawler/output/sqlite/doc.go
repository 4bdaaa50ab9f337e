// Package sqlite writes what a crawl finds into a database, crawl.sqlite, for questions
// that no report has foreseen. It is a format of package output.
//
// A crawl is a graph: pages, and the links between them, compared with what sitemaps list
// and robots.txt allows. Such questions join tables, which is what SQL is for. Every
// program that knows SQLite can open the file, also while the crawl runs:
//
//	SELECT to_url, status, detail, from_url FROM broken_links ORDER BY to_url, from_url;
//
// The file questions.sql has more.
//
// # Tables and views
//
// The tables pages, rejected, sitemaps, entries and robots have a row for each line of the
// file of that name, and columns of the names that the lines have (group_name for group,
// which is a word of SQL). What a line leaves out is NULL. Lists and objects are JSON.
// Times are UTC with milliseconds, and sort as text. The table meta has the format and the
// software that wrote the file. The schema explains each column (.schema in sqlite3) and
// these views:
//
//	links              from_url, to_url: every link once, as links.jsonl has them
//	broken_links       to_url, status, detail, from_url
//	untitled_pages     url, found_on, bytes
//	redirects          url, status, location, links: how many pages link to it
//	duplicates         url, original, canonical
//	blocking_rules     robots_url, line, rule, group_name, urls, example
//	unfetched_entries  url, sitemap, reason, detail
//	unlinked_entries   url, sitemap
//	unlisted_pages     url, found_on, source
//
// Links are stored in the tables link, which has two numbers for a link, and urls, which
// has their text. Views of links and of sitemaps say what the crawl saw: one that was
// stopped, or wrote no links, has not seen all of them. In a recrawl the links of an unchanged
// page (304) are those of the crawl before.
//
// # While the crawl runs
//
// The database has a write-ahead log, so that others may read it at any time; each sees
// what was committed when its query began. A program that writes to it makes the crawl
// wait, and ends it after [Options].Wait with [ErrLocked]. When the crawl ends, everything
// is in the one file.
//
// A commit is one transaction. It survives the death of the process (synchronous = NORMAL),
// and on demand that of the machine (FULL). Its mark is the highest id of each table: a
// crawl that resumes deletes the rows beyond. Where rows are missing, the crawl writes the
// database anew from the lines of JSON, which have only the last robots.txt of each origin.
//
// # Cost
//
// A page with 30 links takes 0.2 ms of one processor and 2 KB; with URLs written out in
// each link it would be 8 KB. Memory does not grow with the crawl: SQLite keeps 16 MiB of
// the file, the sink the numbers of the last 65,536 URLs at most.
//
// # What a site may send
//
// Texts are values of prepared statements, so nothing in them is SQL. They become valid
// UTF-8 without NUL, at which the functions of SQLite would end a text. Only the body of a
// robots.txt is kept octet for octet, as a BLOB.
package sqlite
