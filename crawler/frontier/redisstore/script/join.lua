-- Brings a worker into the list of those that have the crawl open, or out of it
-- when it still has its name.
--
-- KEYS: the list. ARGV: worker, instance, in or out. The answer is how many others are in it.

if ARGV[3] == 'in' then
	redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
elseif redis.call('HGET', KEYS[1], ARGV[1]) == ARGV[2] then
	redis.call('HDEL', KEYS[1], ARGV[1])
	return redis.call('HLEN', KEYS[1])
end
return redis.call('HLEN', KEYS[1]) - 1
