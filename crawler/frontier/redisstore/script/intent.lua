-- Writes down a note together with the ends of leases that are to follow in other
-- shards, so that whoever has the worker's name next can bring it to an end.
--
-- ARGV: shard, worker, its instance, note, the calls. The answer is now.

local s = shard(ARGV[5])
if not named(s, ARGV[6], ARGV[7]) then
	return redis.error_reply('TAKEN another has the worker\'s name')
end
call('HSET', s.p .. 'notes', ARGV[6], ARGV[8])
call('HSET', s.p .. 'intents', ARGV[6], ARGV[9])
return {now}
