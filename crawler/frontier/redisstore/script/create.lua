-- Makes a crawl, or tells what it was made with.
--
-- KEYS: the record of the crawl. ARGV: its fields and values.

if redis.call('EXISTS', KEYS[1]) == 0 then redis.call('HSET', KEYS[1], unpack(ARGV)) end
return redis.call('HGETALL', KEYS[1])
