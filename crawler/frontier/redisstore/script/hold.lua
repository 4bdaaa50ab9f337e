-- Acquires a hold of a host, or queues the caller for one. Its reservation keeps leases from the
-- host until it expires. Another call renews it.
--
-- ARGV: shard, host, caller, duration of the hold, duration of the reservation, worker. The reply
-- is now, the token or '', when to try again, heads.

local s, name, caller, length, reserve, worker = shard(p.shard), p.host, p.caller, tonumber(p.duration), tonumber(p.reservation), p.worker
advance(s)
guard(s)
local h = host(s, name)
local v = h.v
reserved(v)
local token, ask = '', 0
local due, mine = dueOf(v), nil
for i = 1, #v[HOLDS], 2 do
	if v[HOLDS][i] == caller then mine = i end
end
touch(h)
if due <= now and #v[SLOTS] < 2 * v[LIMIT] and (#v[HOLDS] == 0 or mine == 1) then
	if mine then
		table.remove(v[HOLDS], mine)
		table.remove(v[HOLDS], mine)
	end
	token = open(h, length, caller)
	call('HSET', s.leases, token, pack({name, worker, caller, 0, '', 0, 0, '', ''}))
else
	if mine then
		v[HOLDS][mine + 1] = now + reserve
	else
		v[HOLDS][#v[HOLDS] + 1] = caller
		v[HOLDS][#v[HOLDS] + 1] = now + reserve
	end
	ask = #v[SLOTS] < 2 * v[LIMIT] and due > now and due or (first(s.expiry))
end
local heads = flush()
return {now, token, ask, heads}
