-- Removes a caller from the queue for a hold, and ends a hold that the caller got without receiving
-- the reply.
--
-- ARGV: shard, host, caller. The reply is now, heads.

local s, caller = shard(p.shard), p.caller
advance(s)
guard(s)
local h = host(s, p.host)
local line = h.v[HOLDS]
for i = 1, #line, 2 do
	if line[i] == caller then
		table.remove(line, i)
		table.remove(line, i)
		break
	end
end
touch(h)
local slots = h.v[SLOTS]
for i = #slots - 1, 1, -2 do
	local lease = unpack(call('HGET', s.leases, slots[i]))
	if lease[3] == caller then giveBack(s, slots[i], lease, now, false) end
end
return {now, flush()}
