-- Marks a crawl as being deleted, unless workers are running or it has another format.
--
-- KEYS: the record of the crawl, its workers. ARGV: the time after its last Sync for which a
-- worker counts as running; the format. The reply is the record of the crawl.

local record = redis.call('HGETALL', KEYS[1])
if #record == 0 or redis.call('HGET', KEYS[1], 'format') ~= ARGV[2] then return record end
local clock = redis.call('TIME')
local now = clock[1] * 1000000 + clock[2]
local all = redis.call('HGETALL', KEYS[2])
for i = 1, #all, 2 do
	local w = cmsgpack.unpack(all[i + 1])
	if w[2] == 1 and now - w[3] < tonumber(ARGV[1]) then
		return redis.error_reply('INUSE by ' .. all[i])
	end
end
redis.call('HSET', KEYS[1], 'deleted', '1')
return record
