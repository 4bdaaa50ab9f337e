-- Lists the waiting URLs of a shard in parts. It changes nothing.
--
-- ARGV: shard, then one of
--
--	hosts, cursor                        next cursor; host, priority, first number, length of each list
--	entries, cursor                      next cursor; id, host, priority, URL with Meta, wait of each entry
--	queue, host, priority, from, to      URLs with Meta between these numbers, and the number after the last

local s, what = shard(p.shard), p.what

if what == 'hosts' then
	local r, lists = call('HSCAN', s.hosts, p.at, 'COUNT', 500), {}
	for i = 1, #r[2], 2 do
		local bands = unpack(r[2][i + 1])[BANDS]
		for j = 1, #bands, 3 do
			lists[#lists + 1] = {r[2][i], bands[j], bands[j + 1], bands[j + 2]}
		end
	end
	return {r[1], lists}
end

if what == 'entries' then
	local r, entries = call('HSCAN', s.entries, p.at, 'COUNT', 500), {}
	for i = 1, #r[2], 2 do
		local entry = unpack(r[2][i + 1])
		local ready = tonumber(call('ZSCORE', s.later, r[2][i]) or 0)
		entries[#entries + 1] = {r[2][i], entry[1], entry[2], entry[4], max(ready - now, 0)}
	end
	return {r[1], entries}
end

local raw = call('HGET', s.hosts, p.at)
local from, to, bands = tonumber(p.first), tonumber(p.last), raw and unpack(raw)[BANDS] or {}
for j = 1, #bands, 3 do
	if bands[j] == tonumber(p.priority) then
		local first = bands[j + 1]
		from = max(from, first)
		to = min(to, from + 500, first + bands[j + 2])
		if from >= to then break end
		local urls = call('LRANGE', s.p .. 'queue:' .. p.priority .. ':' .. p.at, from - first, to - first - 1)
		for i, url in ipairs(urls) do
			if string.sub(url, 1, 1) == 'v' then urls[i] = unpack(string.sub(url, 2))[1] else urls[i] = string.sub(url, 2) end
		end
		return {urls, to}
	end
end
return {{}, to}
