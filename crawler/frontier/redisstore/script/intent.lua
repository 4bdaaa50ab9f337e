-- Writes down a note together with the ends of leases that are to follow in other
-- shards, so that whoever has the worker's name next can bring it to an end.
--
-- ARGV: shard, worker, its instance, note, the calls. The answer is now.

local p = NS .. '{s' .. ARGV[5] .. '}:'
if not named(p, ARGV[6], ARGV[7]) then
	return redis.error_reply('TAKEN another has the worker\'s name')
end
call('HSET', p .. 'notes', ARGV[6], ARGV[8])
call('HSET', p .. 'intents', ARGV[6], ARGV[9])
return {now}
