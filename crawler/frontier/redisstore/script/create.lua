-- Makes a crawl, or tells what it was made with.
--
-- KEYS: the record of the crawl. ARGV: its fields and values. The answer is whether
-- it was made, and the record.

local made = redis.call('HEXISTS', KEYS[1], 'id') == 0
if made then redis.call('HSET', KEYS[1], unpack(ARGV)) end
return {made and 1 or 0, redis.call('HGETALL', KEYS[1])}
