-- Leaves the line for a hold.
--
-- ARGV: shard, host, caller. The answer is now, heads.

local s, caller = shard(ARGV[5]), ARGV[7]
advance(s)
guard(s)
local h = host(s, ARGV[6])
local line = h.v[HOLDS]
for i = 1, #line, 2 do
	if line[i] == caller then
		table.remove(line, i)
		table.remove(line, i)
		break
	end
end
touch(h)
return {now, flush()}
