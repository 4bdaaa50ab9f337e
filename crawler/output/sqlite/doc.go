// Package sqlite writes what a crawl finds into a database, crawl.sqlite, for
// questions that no report has foreseen. It is a format of package output.
//
// A crawl is a graph: pages, and the links between them, held against what sitemaps
// list and what robots.txt allows. The interesting questions join these, which is
// what SQL is for. The file can be opened by sqlite3 and by whatever else knows
// SQLite, also while the crawl runs.
//
// # Tables and views
//
// The tables pages, rejected, sitemaps, entries and robots have a row for each line
// that the crawl writes to the file of that name, and columns of the names that the
// lines have (group_name for group, which is a word of SQL). What a line leaves out
// is NULL. Lists and objects are JSON, for the functions of SQLite that read it.
// Times are UTC with milliseconds, and sort as text. The table meta says by which
// format and software the file was written. What each column means stands in the
// schema (.schema in sqlite3), with these views:
//
//	links              from_url, to_url: every link once, as links.jsonl has them
//	broken_links       to_url, status, detail, from_url
//	untitled_pages     url, via, bytes
//	redirects          url, status, location, links: how many pages link to it
//	duplicates         url, original, canonical
//	blocking_rules     robots_url, line, rule, group_name, urls, example
//	unfetched_entries  url, sitemap, reason, detail
//	unlinked_entries   url, sitemap
//	unlisted_pages     url, via, source
//
// Below links are the tables link, which has two numbers for a link, and urls, which
// has the text that belongs to them, since a URL is linked to many times over.
//
// # Questions
//
// Which links are broken, and where do they stand?
//
//	SELECT to_url, status, detail, from_url FROM broken_links ORDER BY to_url, from_url;
//
// Which pages have no title?
//
//	SELECT url FROM untitled_pages ORDER BY url;
//
// Which pages were found by a redirect, and what are they?
//
//	SELECT via AS redirect, url AS target, status FROM pages WHERE source = 'redirect' ORDER BY redirect;
//
// Which redirects could the links to them spare?
//
//	SELECT url, status, location, links FROM redirects WHERE links > 0 ORDER BY links DESC, url;
//
// Which pages are there more than once?
//
//	SELECT original, count(*) AS copies, group_concat(url, ' ') AS urls FROM duplicates GROUP BY original ORDER BY original;
//
// What did which line of robots.txt keep away?
//
//	SELECT robots_url, line, rule, urls FROM blocking_rules ORDER BY robots_url, line, rule;
//
// Where are the links that robots.txt closes?
//
//	SELECT r.url, r.rule, l.from_url FROM rejected r JOIN links l ON l.to_url = r.url
//	WHERE r.reason = 'disallowed' ORDER BY r.url, l.from_url;
//
// What do sitemaps list that was not fetched, and why?
//
//	SELECT url, sitemap, reason FROM unfetched_entries ORDER BY url, sitemap;
//
// What do sitemaps list that no page links to?
//
//	SELECT url, sitemap FROM unlinked_entries ORDER BY url, sitemap;
//
// Which pages stand in no sitemap?
//
//	SELECT url FROM unlisted_pages ORDER BY url;
//
// What answers with which status?
//
//	SELECT status, count(*) AS pages FROM pages GROUP BY status ORDER BY status;
//
// Which URLs are linked to most?
//
//	SELECT to_url, count(*) AS links FROM links GROUP BY to_url ORDER BY links DESC, to_url LIMIT 10;
//
// Which pages ask not to be indexed, and where do they say so?
//
//	SELECT url, json_extract(value, '$.source') AS source FROM pages, json_each(directives)
//	WHERE json_extract(value, '$.rule') = 'noindex' ORDER BY url, source;
//
// What did a rule for a field (extract) find?
//
//	SELECT url, json_extract(fields, '$.heading') AS heading FROM pages WHERE fields IS NOT NULL ORDER BY url;
//
// Which robots.txt could not be had, and what came of it?
//
//	SELECT origin, outcome, status FROM robots WHERE origin IN (SELECT origin FROM robots WHERE outcome = 'unreachable') ORDER BY id;
//
// The views that ask for links, and those that hold pages against sitemaps, say what
// the crawl saw. One that was stopped, or wrote no links, has not seen all of them.
//
// # While the crawl runs
//
// The database has a write-ahead log, crawl.sqlite-wal, so that others may read it
// at any time; each sees what was committed when its query began. Somebody who writes
// to it makes the crawl wait, and ends it after [Options].Wait with [ErrLocked]. When
// the crawl ends all is in the one file.
//
// A commit is one transaction. It survives the death of the process by itself
// (synchronous = NORMAL), and is forced to the disk (FULL) where the crawl wants to
// survive that of the machine. The mark that a commit returns is the highest id of
// each table: a crawl that goes on deletes the rows beyond. Where rows are missing, or the
// database is shorter than it was, the crawl writes it anew from the lines of JSON. These
// have no robots.txt but the last of each origin.
//
// # What it costs
//
// A page with 30 links takes some 0.2 ms of one processor and 2 KB: that much is a
// crawl at full speed slowed down by, and one that waits a second between two requests
// will not notice. Written out in each link instead of once, the URLs would take more
// than 8 KB. Memory does not grow with the crawl: SQLite keeps 16 MiB of the file, the
// sink the numbers of the last 65,536 URLs at most.
//
// # What a site may send
//
// Texts are values of prepared statements, so nothing in them is SQL. They become
// valid UTF-8 without NUL, at which the functions of SQLite would end a text; what
// does not fit becomes U+FFFD. Only the body of a robots.txt is kept octet for octet,
// as a BLOB.
package sqlite
