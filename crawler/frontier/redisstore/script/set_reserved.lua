-- Sets this worker's share of each counter.
--
-- ARGV: pairs of counter and share. The reply is now.

local err = taken(worker(WORKER))
if err then return err end
local more = {}
for i = REST, #ARGV, 2 do more[ARGV[i]] = tonumber(ARGV[i + 1]) end
local all = call('HGETALL', MINE)
for i = 1, #all, 2 do
	more[all[i]] = (more[all[i]] or 0) - tonumber(all[i + 1])
end
for counter, n in pairs(more) do
	if n ~= 0 then
		call('HINCRBY', ALL .. 'totals', counter, string.format('%.0f', n))
		if call('HINCRBY', MINE, counter, string.format('%.0f', n)) == 0 then call('HDEL', MINE, counter) end
	end
end
return {now}
