CREATE TABLE meta (
  key   TEXT PRIMARY KEY, -- format (a number), software, created_at
  value TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE pages (
  id            INTEGER PRIMARY KEY, -- in the order in which they were written
  url           TEXT NOT NULL,
  status        INTEGER NOT NULL,
  title         TEXT NOT NULL,
  depth         INTEGER NOT NULL,    -- links away from a start URL or a sitemap entry
  found_on      TEXT NOT NULL,       -- the page, sitemap or redirect it was found in; empty for a start URL
  source        TEXT NOT NULL,       -- start, sitemap, link or redirect
  location      TEXT,                -- of a redirect, as the site wrote it: it may be relative
  content_type  TEXT NOT NULL,
  bytes         INTEGER NOT NULL,    -- of the body that was read, decoded
  links         INTEGER NOT NULL,    -- that the page holds, of every kind, repeated ones too
  canonical     TEXT,                -- as the site wrote it: it may be relative
  directives    TEXT,                -- JSON: [{"rule": ..., "source": ...}, ...]
  content_usage TEXT,                -- JSON: {"train-ai": false, ...}
  withheld      TEXT,                -- the directive for which title and content are left out
  fetched_at    TEXT,                -- 2026-05-04T10:00:00.000Z
  duration_ms   INTEGER NOT NULL,    -- from the start of the request to the end of the body
  attempt       INTEGER NOT NULL,
  hash          TEXT,                -- of the body
  unchanged     INTEGER NOT NULL,    -- 1: the site says so, or the body is the one of the last fetch
  duplicate_of  TEXT,                -- a page fetched before with the same body
  fields        TEXT,                -- JSON: {"price": "3", "tags": ["a", "b"], ...}
  truncated     TEXT,                -- the limit that cut the body short: max-body or ratio
  links_skipped INTEGER,             -- of links, those to URLs beyond a limit, which are skipped
  cut_by        TEXT                 -- JSON: ["max-body", "max-links", ...], the limits that cut something off
);
CREATE INDEX pages_url ON pages (url);

CREATE TABLE rejected (
  id         INTEGER PRIMARY KEY,
  url        TEXT NOT NULL,
  reason     TEXT NOT NULL,    -- disallowed, robots-unreachable, out-of-scope, ...
  rule       TEXT NOT NULL,    -- the deciding line of robots.txt; empty where no rule decided
  line       INTEGER NOT NULL, -- its number, from 1
  robots_url TEXT NOT NULL,    -- the robots.txt it stands in
  group_name TEXT,             -- the User-agent of the rule
  depth      INTEGER NOT NULL,
  found_on   TEXT NOT NULL,
  source     TEXT NOT NULL,
  detail     TEXT,             -- more, for a person
  retry_at   TEXT              -- of robots-unreachable and deferred: the earliest time to try again
);
CREATE INDEX rejected_url ON rejected (url);

-- Links are by far the most rows. A URL is linked to many times, so its text stands
-- in urls once; the view links has the texts.
CREATE TABLE urls (
  id  INTEGER PRIMARY KEY,
  url TEXT NOT NULL UNIQUE
);
CREATE TABLE link (
  id      INTEGER PRIMARY KEY,
  from_id INTEGER NOT NULL REFERENCES urls,
  to_id   INTEGER NOT NULL REFERENCES urls
);
CREATE INDEX link_from ON link (from_id);
CREATE INDEX link_to ON link (to_id);

CREATE TABLE sitemaps (
  id         INTEGER PRIMARY KEY,
  url        TEXT NOT NULL,
  status     INTEGER NOT NULL,
  host       TEXT NOT NULL,    -- the origin whose robots.txt listed it, by itself or by an index
  found_on   TEXT NOT NULL,    -- the robots.txt or index it is listed in; empty: it was looked for
  nested     INTEGER NOT NULL, -- so many indexes down
  pages      INTEGER NOT NULL, -- entries that are pages
  sitemaps   INTEGER NOT NULL, -- entries that are sitemaps
  detail     TEXT,
  fetched_at TEXT
);

CREATE TABLE entries (
  id      INTEGER PRIMARY KEY,
  url     TEXT NOT NULL,
  sitemap TEXT NOT NULL, -- the file that lists it
  lastmod TEXT           -- in UTC; of a date alone, its first moment
);
CREATE INDEX entries_url ON entries (url);

CREATE TABLE robots (
  id         INTEGER PRIMARY KEY,
  origin     TEXT NOT NULL,
  url        TEXT NOT NULL,    -- that the last answer came from; of redirects the last
  outcome    TEXT NOT NULL,    -- rules, allow-all or unreachable
  status     INTEGER NOT NULL, -- of the last answer; 0: none came
  error      TEXT,
  fetched_at TEXT,
  expires_at TEXT,             -- until when it is used
  retry_at   TEXT,             -- when it is asked for again after an outage
  body       BLOB              -- octet for octet: CAST(body AS TEXT) to search it
);

CREATE VIEW links AS
SELECT f.url AS from_url, t.url AS to_url
FROM link JOIN urls f ON f.id = link.from_id JOIN urls t ON t.id = link.to_id;

-- Links to what answers with an error, or not at all. A page that links to itself
-- does not count. CROSS JOIN keeps the order: what is broken is little, links are many.
CREATE VIEW broken_links AS
SELECT b.url AS to_url, b.status, b.detail, f.url AS from_url
FROM (
  SELECT url, status, NULL AS detail FROM pages WHERE status >= 400
  UNION ALL
  SELECT url, NULL, detail FROM rejected WHERE reason = 'failed'
) b
CROSS JOIN urls t ON t.url = b.url
CROSS JOIN link ON link.to_id = t.id
CROSS JOIN urls f ON f.id = link.from_id
WHERE f.id <> t.id;

-- HTML pages that are there and have no title. One whose content is withheld may
-- have one.
CREATE VIEW untitled_pages AS
SELECT url, found_on, bytes FROM pages
WHERE status BETWEEN 200 AND 299 AND title = '' AND withheld IS NULL
  AND (content_type LIKE 'text/html%' OR content_type LIKE 'application/xhtml+xml%');

-- Redirects, and how many pages link to each.
CREATE VIEW redirects AS
SELECT url, status, location,
  (SELECT count(*) FROM urls JOIN link ON link.to_id = urls.id WHERE urls.url = pages.url) AS links
FROM pages WHERE location IS NOT NULL;

-- Pages with the body of a page that was fetched before.
CREATE VIEW duplicates AS
SELECT url, duplicate_of AS original, canonical
FROM pages WHERE duplicate_of IS NOT NULL;

-- The lines of robots.txt that kept something away.
CREATE VIEW blocking_rules AS
SELECT robots_url, line, rule, group_name, count(*) AS urls, min(url) AS example
FROM rejected WHERE reason = 'disallowed'
GROUP BY robots_url, line, rule, group_name;

-- What sitemaps list and the crawl has not fetched, and why. Without a reason it was
-- not come to.
CREATE VIEW unfetched_entries AS
SELECT entries.url, entries.sitemap, rejected.reason, rejected.detail
FROM entries LEFT JOIN rejected ON rejected.url = entries.url
WHERE NOT EXISTS (SELECT 1 FROM pages WHERE pages.url = entries.url);

-- What sitemaps list and no other page links to. It needs the links of the crawl.
CREATE VIEW unlinked_entries AS
SELECT entries.url, entries.sitemap
FROM entries
WHERE NOT EXISTS (
  SELECT 1 FROM urls JOIN link ON link.to_id = urls.id
  WHERE urls.url = entries.url AND link.from_id <> urls.id
);

-- HTML pages that are there and stand in no sitemap.
CREATE VIEW unlisted_pages AS
SELECT url, found_on, source FROM pages
WHERE status BETWEEN 200 AND 299
  AND (content_type LIKE 'text/html%' OR content_type LIKE 'application/xhtml+xml%')
  AND NOT EXISTS (SELECT 1 FROM entries WHERE entries.url = pages.url);
