CREATE TABLE meta (
  key   TEXT PRIMARY KEY, -- format (a number), software, created_at
  value TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE pages (
  id            INTEGER PRIMARY KEY, -- in the order in which they were written
  url           TEXT NOT NULL,
  status        INTEGER NOT NULL,
  title         TEXT NOT NULL,
  depth         INTEGER NOT NULL,    -- number of links from a start URL or a sitemap entry
  found_on      TEXT NOT NULL,       -- the page, sitemap or redirect that has its URL; empty for a start URL
  source        TEXT NOT NULL,       -- start, sitemap, link or redirect
  location      TEXT,                -- of a redirect, absolute and with its fragment; as sent if it is not an http or https URL
  content_type  TEXT NOT NULL,
  bytes         INTEGER NOT NULL,    -- of the body that was read, after decoding; with status 304 of the fetch before
  links         INTEGER NOT NULL,    -- links in the page, of every kind, with repetitions
  canonical     TEXT,                -- absolute
  directives    TEXT,                -- JSON: [{"rule": ..., "source": ...}, ...]
  withheld      TEXT,                -- the directive because of which title and content are left out
  fetched_at    TEXT,                -- 2026-05-04T10:00:00.000Z
  duration_ms   INTEGER NOT NULL,    -- from the start of the request to the end of the body
  attempt       INTEGER NOT NULL,
  hash          TEXT,                -- of the body
  unchanged     INTEGER NOT NULL,    -- 1: status 304, or the same body as in the last fetch
  duplicate_of  TEXT,                -- an earlier page with the same body
  fields        TEXT,                -- JSON: {"price": "3", "tags": ["a", "b"], ...}
  truncated     TEXT,                -- the limit that cut the body: max-body or ratio
  links_skipped INTEGER,             -- links that a limit skipped
  limits_reached TEXT,               -- JSON: ["max-body", "max-links", ...]: all limits that cut the page
  h1            TEXT,                -- text of the first h1
  description   TEXT,                -- meta name=description
  lang          TEXT,                -- of the html element
  words         INTEGER NOT NULL,    -- of the visible text
  hreflang      TEXT,                -- JSON: [{"lang": "de", "url": ...}, ...]
  headers       TEXT,                -- JSON: {"etag": ..., ...}
  redirects     TEXT,                -- JSON: [URL, ...]: the redirects that led here, in order
  h1_count      INTEGER NOT NULL,    -- number of h1 elements, if there are several; else 0
  encoding      TEXT,                -- of a page that was read as HTML or XHTML, such as utf-8
  malformed     TEXT,                -- where and why an XHTML page is not well-formed
  images_without_alt INTEGER NOT NULL, -- number of img elements without an alt attribute
  needs_javascript INTEGER NOT NULL  -- 1: it has scripts, and without them no text, image, form field or link
);
CREATE INDEX pages_url ON pages (url);

CREATE TABLE rejected (
  id         INTEGER PRIMARY KEY,
  url        TEXT NOT NULL,
  reason     TEXT NOT NULL,    -- disallowed, robots-unreachable, out-of-scope, ...
  rule       TEXT NOT NULL,    -- the line of robots.txt that disallows the URL; else empty
  line       INTEGER NOT NULL, -- line number, from 1
  robots_url TEXT NOT NULL,    -- the robots.txt or tdmrep.json with the rule
  group_name TEXT,             -- the User-agent of the rule
  depth      INTEGER NOT NULL,
  found_on   TEXT NOT NULL,
  source     TEXT NOT NULL,
  detail     TEXT,             -- explanation
  retry_at   TEXT              -- for robots-unreachable and deferred: the earliest time to retry
);
CREATE INDEX rejected_url ON rejected (url);

-- Links are by far the most rows. The text of each URL is stored once, in urls. Use the view
-- links.
CREATE TABLE urls (
  id  INTEGER PRIMARY KEY,
  url TEXT NOT NULL UNIQUE
);
CREATE TABLE link (
  id      INTEGER PRIMARY KEY,
  from_id INTEGER NOT NULL REFERENCES urls,
  to_id   INTEGER NOT NULL REFERENCES urls,
  text    TEXT, -- of the first link of the page to the URL, as rel and kind; NULL unless links are listed in full
  rel     TEXT,
  kind    TEXT  -- its element: a, area, frame, link, meta or header
);
CREATE INDEX link_from ON link (from_id);
CREATE INDEX link_to ON link (to_id);

CREATE TABLE sitemaps (
  id          INTEGER PRIMARY KEY,
  url         TEXT NOT NULL,
  status      INTEGER NOT NULL,
  origin      TEXT NOT NULL,    -- the origin whose robots.txt lists it, directly or through an index
  found_on    TEXT NOT NULL,    -- the robots.txt or index that lists it; empty: default location
  index_depth INTEGER NOT NULL, -- number of sitemap indexes between it and robots.txt
  pages       INTEGER NOT NULL, -- entries that are pages
  sitemaps    INTEGER NOT NULL, -- entries that are sitemaps
  detail      TEXT,
  fetched_at  TEXT,
  reason      TEXT              -- max-sitemap-entries: the limit of the crawl ended the reading
);

CREATE TABLE entries (
  id      INTEGER PRIMARY KEY,
  url     TEXT NOT NULL,
  sitemap TEXT NOT NULL, -- the file that lists it
  lastmod TEXT           -- in UTC; a date without time is its first moment
);
CREATE INDEX entries_url ON entries (url);

CREATE TABLE robots (
  id         INTEGER PRIMARY KEY,
  origin     TEXT NOT NULL,
  url        TEXT NOT NULL,    -- URL of the last response, after redirects
  outcome    TEXT NOT NULL,    -- rules, allow-all or unreachable
  status     INTEGER NOT NULL, -- of the last response; 0: no response
  error      TEXT,
  fetched_at TEXT,
  expires_at TEXT,             -- end of its validity
  retry_at   TEXT,             -- next fetch after an outage
  body       BLOB              -- unchanged; search it with CAST(body AS TEXT)
);

CREATE TABLE checks (
  id           INTEGER PRIMARY KEY,
  url          TEXT NOT NULL,
  result       TEXT NOT NULL,    -- ok, redirected, broken or unverified
  kind         TEXT NOT NULL,    -- how the first page uses it: a, img, stylesheet, css, canonical, ...
  found_on     TEXT NOT NULL,    -- the first page or stylesheet that uses it, or the redirect to it
  status       INTEGER NOT NULL, -- 0: no response
  location     TEXT,             -- of a redirect, absolute
  reason       TEXT,             -- why it was not requested, or had no response
  detail       TEXT,
  content_type TEXT,
  bytes        INTEGER NOT NULL,
  noindex      TEXT,             -- the directive of a page that was read
  canonical    TEXT,             -- of a page that was read
  hreflang     TEXT,             -- JSON: [{"lang": "de", "url": ...}, ...]
  fetched_at   TEXT,
  duration_ms  INTEGER NOT NULL
);
CREATE INDEX checks_url ON checks (url);

-- What pages and stylesheets use, such as images. Use the view resources.
CREATE TABLE resource (
  id      INTEGER PRIMARY KEY,
  from_id INTEGER NOT NULL REFERENCES urls,
  to_id   INTEGER NOT NULL REFERENCES urls
);
CREATE INDEX resource_from ON resource (from_id);
CREATE INDEX resource_to ON resource (to_id);

CREATE VIEW resources AS
SELECT f.url AS from_url, t.url AS to_url
FROM resource JOIN urls f ON f.id = resource.from_id JOIN urls t ON t.id = resource.to_id;

-- What a page may be used for. A value is allowed, disallowed or unknown.
CREATE TABLE permissions (
  id         INTEGER PRIMARY KEY,
  url        TEXT NOT NULL,
  fetched_at TEXT,
  robots     TEXT,          -- SHA-256 of the robots.txt that applied; its text is robots/versions/HASH
  tdmrep     TEXT,          -- SHA-256 of the tdmrep.json that applied
  search     TEXT NOT NULL,
  ai_input   TEXT NOT NULL,
  train_ai   TEXT NOT NULL,
  tdm        TEXT NOT NULL,
  archive    TEXT NOT NULL,
  statements TEXT,          -- JSON: [{"kind": ..., "source": ..., "raw": ..., "values": ...}, ...]
  withheld   TEXT,          -- the purpose of the crawl that the page disallows, and why
  tdmrep_problem TEXT       -- why tdmrep.json states nothing, such as unreachable: status 503
);
CREATE INDEX permissions_url ON permissions (url);

CREATE VIEW links AS
SELECT f.url AS from_url, t.url AS to_url, link.text, link.rel, link.kind
FROM link JOIN urls f ON f.id = link.from_id JOIN urls t ON t.id = link.to_id;

-- Links to URLs with status 4xx or 5xx, or without a response, except links of a page to itself.
-- CROSS JOIN fixes the join order: broken URLs are few, links are many.
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

-- HTML pages with content (status 2xx, or 304 in a recrawl) and without a title, except withheld ones.
CREATE VIEW untitled_pages AS
SELECT url, found_on, bytes FROM pages
WHERE (status BETWEEN 200 AND 299 OR status = 304 AND coalesce(hash, withheld) IS NOT NULL) AND title = '' AND withheld IS NULL
  AND (content_type LIKE 'text/html%' OR content_type LIKE 'application/xhtml+xml%');

-- Redirects, with the number of pages that link to each.
CREATE VIEW redirects AS
SELECT url, status, location,
  (SELECT count(*) FROM urls JOIN link ON link.to_id = urls.id WHERE urls.url = pages.url) AS links
FROM pages WHERE location IS NOT NULL;

-- Pages with the body of an earlier page.
CREATE VIEW duplicates AS
SELECT url, duplicate_of AS original, canonical
FROM pages WHERE duplicate_of IS NOT NULL;

-- Lines of robots.txt that disallow URLs.
CREATE VIEW blocking_rules AS
SELECT robots_url, line, rule, group_name, count(*) AS urls, min(url) AS example
FROM rejected WHERE reason = 'disallowed'
GROUP BY robots_url, line, rule, group_name;

-- Sitemap entries that were not fetched, with the reason; NULL: not reached.
CREATE VIEW unfetched_entries AS
SELECT entries.url, entries.sitemap, rejected.reason, rejected.detail
FROM entries LEFT JOIN rejected ON rejected.url = entries.url
WHERE NOT EXISTS (SELECT 1 FROM pages WHERE pages.url = entries.url);

-- Sitemap entries that no other page links to. The crawl must record links.
CREATE VIEW unlinked_entries AS
SELECT entries.url, entries.sitemap
FROM entries
WHERE NOT EXISTS (
  SELECT 1 FROM urls JOIN link ON link.to_id = urls.id
  WHERE urls.url = entries.url AND link.from_id <> urls.id
);

-- HTML pages with content that are in no sitemap.
CREATE VIEW unlisted_pages AS
SELECT url, found_on, source FROM pages
WHERE (status BETWEEN 200 AND 299 OR status = 304 AND coalesce(hash, withheld) IS NOT NULL)
  AND (content_type LIKE 'text/html%' OR content_type LIKE 'application/xhtml+xml%')
  AND NOT EXISTS (SELECT 1 FROM entries WHERE entries.url = pages.url);
