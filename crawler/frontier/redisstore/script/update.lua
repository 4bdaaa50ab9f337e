-- Changes settings of a host.
--
-- ARGV: shard, host, delay or '', slots or '', time until the end of the block or '', then pairs of
-- origin and robots.txt record. The reply is now, heads.

local s = shard(p.shard)
advance(s)
guard(s)
local h = host(s, p.host)
local v = h.v
if p.delay ~= '' then v[DELAY] = tonumber(p.delay) end
if p.slots ~= '' then v[LIMIT] = tonumber(p.slots) end
if p.block ~= '' then v[BLOCKED] = max(v[BLOCKED], after(tonumber(p.block))) end
if #ARGV >= REST then
	local robots = robotsOf(h)
	for i = REST, #ARGV, 2 do robots[ARGV[i]] = ARGV[i + 1] end
	v[ROBOTS] = 1
	call('HSET', s.p .. 'robots', h.name, pack(robots))
end
touch(h)
return {now, flush()}
