-- Stores a note and the calls that end leases in other shards (an intent). If the worker dies
-- before it makes the calls, the next process of its name makes them.
--
-- ARGV: shard, worker, its instance, note, the calls. The reply is now.

local s = shard(p.shard)
if not named(s, p.worker, p.instance) then
	return redis.error_reply('TAKEN another has the worker\'s name')
end
call('HSET', s.p .. 'notes', p.worker, p.note)
call('HSET', s.p .. 'intents', p.worker, p.calls)
return {now}
