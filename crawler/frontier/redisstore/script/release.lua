-- Ends a hold, unless it has ended.
--
-- ARGV: shard, token, delay of the host. The reply is now, heads.

local s, token, delay = shard(p.shard), p.token, tonumber(p.delay)
local lease = find(s, token)
if lease and lease[5] == '' then
	guard(s)
	local h = host(s, lease[1])
	local start = close(h, token)
	if delay > 0 then requested(h, start, now, delay) end
end
return {now, flush()}
