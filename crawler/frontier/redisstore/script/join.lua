-- Registers a worker, or unregisters it if no other process has its name.
--
-- ARGV: in or out, the time after its last Sync for which a worker counts as running. The reply is
-- now, the number of other running workers.

local way, silence = p.way, tonumber(p.silence)
local others, there = 0, 0
local all = call('HGETALL', ALL .. 'workers')
for i = 1, #all, 2 do
	local w = unpack(all[i + 1])
	if w[OPEN] == 1 and now - w[BEAT] < silence then
		there = there + 1
		if all[i] ~= WORKER then others = others + 1 end
	end
end
local me = worker(WORKER)
if way == 'in' then
	if call('HEXISTS', ALL .. 'meta', 'deleted') == 1 then return redis.error_reply('GONE the crawl is being deleted') end
	if there == 0 then call('HSET', ALL .. 'meta', 'began', string.format('%.0f', now)) end
	if me then call('HDEL', ALL .. 'last', me[WHO]) end
	call('HSET', ALL .. 'workers', WORKER, pack({INSTANCE, 1, now, me and me[STATUS] or ''}))
elseif me and not taken(me) then
	me[OPEN] = 0
	call('HSET', ALL .. 'workers', WORKER, pack(me))
end
return {now, others}
