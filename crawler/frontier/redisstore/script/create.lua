-- Creates a crawl, unless it exists.
--
-- KEYS: the record of the crawl. ARGV: its fields and values. The reply is the record.

if redis.call('HEXISTS', KEYS[1], 'id') == 0 then redis.call('HSET', KEYS[1], unpack(ARGV)) end
return redis.call('HGETALL', KEYS[1])
