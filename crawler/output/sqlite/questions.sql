-- Examples of questions to crawl.sqlite: sqlite3 example/crawl.sqlite < questions.sql

-- Which links are broken, and on which pages are they?
SELECT to_url, status, detail, from_url FROM broken_links ORDER BY to_url, from_url;

-- Which pages have no title?
SELECT url FROM untitled_pages ORDER BY url;

-- Which pages are targets of redirects, and what is their status?
SELECT found_on AS redirect, url AS target, status FROM pages WHERE source = 'redirect' ORDER BY redirect;

-- Which redirects have links that could point to the target instead?
SELECT url, status, location, links FROM redirects WHERE links > 0 ORDER BY links DESC, url;

-- Which pages have copies?
SELECT original, count(*) AS copies, group_concat(url, ' ') AS urls FROM duplicates GROUP BY original ORDER BY original;

-- How many URLs does each line of robots.txt disallow?
SELECT robots_url, line, rule, urls FROM blocking_rules ORDER BY robots_url, line, rule;

-- Which links lead to disallowed URLs?
SELECT r.url, r.rule, l.from_url FROM rejected r JOIN links l ON l.to_url = r.url
WHERE r.reason = 'disallowed' ORDER BY r.url, l.from_url;

-- Which sitemap entries were not fetched, and why?
SELECT url, sitemap, reason FROM unfetched_entries ORDER BY url, sitemap;

-- Which sitemap entries have no link to them?
SELECT url, sitemap FROM unlinked_entries ORDER BY url, sitemap;

-- Which pages are not in a sitemap?
SELECT url FROM unlisted_pages ORDER BY url;

-- How many pages have each status?
SELECT status, count(*) AS pages FROM pages GROUP BY status ORDER BY status;

-- Which URLs have the most links to them?
SELECT to_url, count(*) AS links FROM links GROUP BY to_url ORDER BY links DESC, to_url LIMIT 10;

-- Which pages have noindex, and where?
SELECT url, json_extract(value, '$.source') AS source FROM pages, json_each(directives)
WHERE json_extract(value, '$.rule') = 'noindex' ORDER BY url, source;

-- What did a field of an extract rule match?
SELECT url, json_extract(fields, '$.heading') AS heading FROM pages WHERE fields IS NOT NULL ORDER BY url;

-- Which pages must not be used to train AI models, and which statement says so?
SELECT p.url, json_extract(value, '$.source.kind') AS source, json_extract(value, '$.raw') AS statement
FROM permissions p, json_each(statements)
WHERE p.train_ai = 'disallowed' AND json_extract(value, '$.values.train-ai') = 'disallowed' ORDER BY p.url, source, statement;

-- Which statements about the same page contradict each other?
SELECT p.url, v.key AS purpose, json_extract(a.value, '$.source.kind') AS allowed_by, json_extract(d.value, '$.source.kind') AS disallowed_by
FROM permissions p, json_each(p.statements) a, json_each(a.value, '$.values') v, json_each(p.statements) d
WHERE v.value = 'allowed' AND json_extract(d.value, '$.values."' || v.key || '"') = 'disallowed' ORDER BY p.url, purpose, allowed_by, disallowed_by;

-- Which robots.txt files were unreachable, and what was the outcome of each fetch?
SELECT origin, outcome, status FROM robots WHERE origin IN (SELECT origin FROM robots WHERE outcome = 'unreachable') ORDER BY id;

-- Which images, scripts and other assets are broken, and which pages and stylesheets use them?
SELECT c.url, c.status, c.reason, u.from_url FROM checks c JOIN resources u ON u.to_url = c.url
WHERE c.result = 'broken' ORDER BY c.url, u.from_url;
