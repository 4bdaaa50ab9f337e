-- Says that a worker is there and how it is, and tells how the others are and what
-- was told.
--
-- ARGV: 1 for a worker, s for a status, the status, number of the first message.
-- The answer is now, how long the run has lasted, the messages, number of the next,
-- and of each worker name, status, time since it was heard of, whether it is there.

local PART = 1000 -- messages at a time
if ARGV[5] == '1' then
	local me = worker(WORKER)
	local err = taken(me)
	if err then return err end
	me = me or {INSTANCE, 1, now, ''}
	me[BEAT] = now
	if ARGV[6] ~= '' then me[STATUS] = ARGV[7] end
	call('HSET', ALL .. 'workers', WORKER, pack(me))
end
-- A server that began anew may have fewer than it had.
local from = math.min(tonumber(ARGV[8]), call('LLEN', ALL .. 'messages'))
local told = call('LRANGE', ALL .. 'messages', from, from + PART - 1)
local workers, all = {}, call('HGETALL', ALL .. 'workers')
for i = 1, #all, 2 do
	local w = unpack(all[i + 1])
	workers[#workers + 1] = {all[i], w[STATUS], math.max(now - w[BEAT], 0), w[OPEN]}
end
local began = tonumber(call('HGET', ALL .. 'meta', 'began') or now)
return {now, math.max(now - began, 0), told, from + #told, workers}
