-- Tells what is known of a host.
--
-- ARGV: shard, host. The answer is now, delay, slots, wait until the end of the
-- block, wait until it is due, counts, the record of robots.txt or false, heads.

local s = shard(ARGV[5])
advance(s)
local h = host(s, ARGV[6])
local v = h.v
local robots = v[ROBOTS] == 1 and call('HGET', s.p .. 'robots', h.name)
local counted = {v[ADDED], v[PENDING], v[SCHEDULED], v[LEASED], v[DONE], v[DROPPED]}
return {now, v[DELAY], v[LIMIT], max(v[BLOCKED] - now, 0), max(dueOf(v) - now, 0), counted, robots, flush()}
