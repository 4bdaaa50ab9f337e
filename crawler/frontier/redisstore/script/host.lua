-- Returns the record of a host.
--
-- ARGV: shard, host. The reply is now, delay, slots, time until the end of the block, time until
-- it is due, counts, pairs of origin and robots.txt record, heads.

local s = shard(p.shard)
advance(s)
local h = host(s, p.host)
local v = h.v
local robots = {}
for origin, record in pairs(robotsOf(h)) do
	robots[#robots + 1] = origin
	robots[#robots + 1] = record
end
local counted = {v[ADDED], v[PENDING], v[SCHEDULED], v[LEASED], v[DONE], v[DROPPED]}
return {now, v[DELAY], v[LIMIT], max(v[BLOCKED] - now, 0), max(dueOf(v) - now, 0), counted, robots, flush()}
