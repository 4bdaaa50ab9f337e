-- Says how much of each counter is this worker's, whatever was noted before.
--
-- ARGV: counter and how much of each. The answer is now.

local err = taken(worker(WORKER))
if err then return err end
local before, mine = call('HGET', ALL .. 'taken', WORKER), {}
before = before and unpack(before) or {}
for i = 5, #ARGV, 2 do mine[ARGV[i]] = tonumber(ARGV[i + 1]) end
for counter, n in pairs(mine) do
	call('HINCRBY', ALL .. 'totals', counter, string.format('%.0f', n - (before[counter] or 0)))
end
for counter, n in pairs(before) do
	if not mine[counter] then call('HINCRBY', ALL .. 'totals', counter, string.format('%.0f', -n)) end
end
call('HSET', ALL .. 'taken', WORKER, pack(mine))
return {now}
