-- Adds to a counter, up to a limit, and records this worker's share. A negative number gives back
-- from the share.
--
-- ARGV: counter, number, limit. The reply is now, the number that was added.

local before = said()
if before then return {now, before} end
local err = taken(worker(WORKER))
if err then return err end
local counter, n, most = p.counter, tonumber(p.number), tonumber(p.limit)
if n > 0 then
	n = math.max(math.min(n, most - tonumber(call('HGET', ALL .. 'totals', counter) or 0)), 0)
else
	n = math.max(n, -tonumber(call('HGET', MINE, counter) or 0))
end
if n ~= 0 then
	call('HINCRBY', ALL .. 'totals', counter, string.format('%.0f', n))
	call('HINCRBY', MINE, counter, string.format('%.0f', n))
end
return answer(n)
