-- Questions to crawl.sqlite, as examples: sqlite3 example/crawl.sqlite < questions.sql

-- Which links are broken, and where do they stand?
SELECT to_url, status, detail, from_url FROM broken_links ORDER BY to_url, from_url;

-- Which pages have no title?
SELECT url FROM untitled_pages ORDER BY url;

-- Which pages were found by a redirect, and what are they?
SELECT found_on AS redirect, url AS target, status FROM pages WHERE source = 'redirect' ORDER BY redirect;

-- Which redirects could the links to them spare?
SELECT url, status, location, links FROM redirects WHERE links > 0 ORDER BY links DESC, url;

-- Which pages are there more than once?
SELECT original, count(*) AS copies, group_concat(url, ' ') AS urls FROM duplicates GROUP BY original ORDER BY original;

-- What did which line of robots.txt keep away?
SELECT robots_url, line, rule, urls FROM blocking_rules ORDER BY robots_url, line, rule;

-- Where are the links that robots.txt closes?
SELECT r.url, r.rule, l.from_url FROM rejected r JOIN links l ON l.to_url = r.url
WHERE r.reason = 'disallowed' ORDER BY r.url, l.from_url;

-- What do sitemaps list that was not fetched, and why?
SELECT url, sitemap, reason FROM unfetched_entries ORDER BY url, sitemap;

-- What do sitemaps list that no page links to?
SELECT url, sitemap FROM unlinked_entries ORDER BY url, sitemap;

-- Which pages stand in no sitemap?
SELECT url FROM unlisted_pages ORDER BY url;

-- What answers with which status?
SELECT status, count(*) AS pages FROM pages GROUP BY status ORDER BY status;

-- Which URLs are linked to most?
SELECT to_url, count(*) AS links FROM links GROUP BY to_url ORDER BY links DESC, to_url LIMIT 10;

-- Which pages ask not to be indexed, and where do they say so?
SELECT url, json_extract(value, '$.source') AS source FROM pages, json_each(directives)
WHERE json_extract(value, '$.rule') = 'noindex' ORDER BY url, source;

-- What did a rule for a field (extract) find?
SELECT url, json_extract(fields, '$.heading') AS heading FROM pages WHERE fields IS NOT NULL ORDER BY url;

-- Which robots.txt could not be had, and what came of it?
SELECT origin, outcome, status FROM robots WHERE origin IN (SELECT origin FROM robots WHERE outcome = 'unreachable') ORDER BY id;
