// Package sqlite writes the results of a crawl into a database, crawl.sqlite. It is a format
// of package output, for questions that the report does not answer.
//
// Any program that supports SQLite can open the file, even while the crawl is running:
//
//	SELECT to_url, status, detail, from_url FROM broken_links ORDER BY to_url, from_url;
//
// The file questions.sql has more examples. README.md describes storage and cost.
//
// # Tables and views
//
// The tables "pages", "rejected", "sitemaps", "entries", "checks", "permissions" and "robots" have a
// row for each line of the JSON lines file of that name. Columns have the names of the JSON fields (group_name for group,
// which is an SQL keyword). A missing field is NULL. Lists and objects are JSON. Times are UTC
// with milliseconds, and sort as text. The table "meta" contains the format version and the software.
// The schema explains each column (.schema in sqlite3) and these views:
//
//	links              from_url, to_url, text, rel, kind: each link once, as in links.jsonl
//	resources          from_url, to_url: what a page or stylesheet uses, such as images
//	broken_links       to_url, status, detail, from_url
//	untitled_pages     url, found_on, bytes
//	redirects          url, status, location, links: number of pages that link to it
//	duplicates         url, original, canonical
//	blocking_rules     robots_url, line, rule, group_name, urls, example
//	unfetched_entries  url, sitemap, reason, detail
//	unlinked_entries   url, sitemap
//	unlisted_pages     url, found_on, source
//
// The columns text, rel and kind of links are NULL unless the crawl lists links in full.
// Views of links and sitemaps show only what the crawl saw. A crawl that was stopped, or that
// recorded no links, has not seen everything. In a recrawl, an unchanged page (304) keeps the
// content and the links of the previous crawl.
//
// # Concurrent access
//
// Other programs may read the database at any time. A query sees what was committed when it
// began. A program that writes to the database blocks the crawl, which fails with [ErrLocked]
// after [Options.BusyTimeout]. When the crawl ends, all data is in the one file.
//
// # Untrusted text
//
// Text is passed as bound parameters and never becomes SQL. It is converted to valid UTF-8
// without NUL, since SQLite's functions end a string at NUL. Only the body of a robots.txt
// is stored unchanged, as a BLOB.
package sqlite
