-- Changes settings of a host.
--
-- ARGV: shard, host, delay or '', slots or '', time until the end of the block or '', then pairs of
-- origin and robots.txt record. The reply is now, heads.

local s = shard(ARGV[5])
advance(s)
guard(s)
local h = host(s, ARGV[6])
local v = h.v
if ARGV[7] ~= '' then v[DELAY] = tonumber(ARGV[7]) end
if ARGV[8] ~= '' then v[LIMIT] = tonumber(ARGV[8]) end
if ARGV[9] ~= '' then v[BLOCKED] = max(v[BLOCKED], after(tonumber(ARGV[9]))) end
if #ARGV > 9 then
	local robots = robotsOf(h)
	for i = 10, #ARGV, 2 do robots[ARGV[i]] = ARGV[i + 1] end
	v[ROBOTS] = 1
	call('HSET', s.p .. 'robots', h.name, pack(robots))
end
touch(h)
return {now, flush()}
