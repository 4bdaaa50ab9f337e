-- Stores a note and the calls that end leases in other shards (an intent). If the worker dies
-- before it makes the calls, the next process of its name makes them.
--
-- ARGV: shard, worker, its instance, note, the calls. The reply is now.

local s = shard(ARGV[5])
if not named(s, ARGV[6], ARGV[7]) then
	return redis.error_reply('TAKEN another has the worker\'s name')
end
call('HSET', s.p .. 'notes', ARGV[6], ARGV[8])
call('HSET', s.p .. 'intents', ARGV[6], ARGV[9])
return {now}
