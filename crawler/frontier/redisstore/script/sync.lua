-- Records that a worker is running, with its status. Returns published messages and all workers.
--
-- ARGV: 1 for a worker, s if a status follows, the status, number of the first message. The reply is
-- now, the duration of the run, the messages, the number of the next, and for each worker name,
-- status, time since its last Sync, and whether it has not closed.

local PART = 1000 -- maximum number of messages
if p.runs == '1' then
	local me = worker(WORKER)
	local err = taken(me)
	if err then return err end
	me = me or {INSTANCE, 1, now, ''}
	me[BEAT] = now
	if p.changed ~= '' then me[STATUS] = p.status end
	call('HSET', ALL .. 'workers', WORKER, pack(me))
end
-- A restarted server may have lost messages.
local from = math.min(tonumber(p.from), call('LLEN', ALL .. 'messages'))
local told = call('LRANGE', ALL .. 'messages', from, from + PART - 1)
local workers, all = {}, call('HGETALL', ALL .. 'workers')
for i = 1, #all, 2 do
	local w = unpack(all[i + 1])
	workers[#workers + 1] = {all[i], w[STATUS], math.max(now - w[BEAT], 0), w[OPEN]}
end
local began = tonumber(call('HGET', ALL .. 'meta', 'began') or now)
return {now, math.max(now - began, 0), told, from + #told, workers}
