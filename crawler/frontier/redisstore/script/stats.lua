-- Counts the URLs of shards by state.
--
-- ARGV: shards. The reply is now; for each shard added, pending, scheduled, leased, done, dropped,
-- hosts, when a URL is due next, and its number; heads.

local all = {}
for i = REST, #ARGV do
	local s = shard(ARGV[i])
	advance(s)
	for _, h in ipairs(s.touched) do place(h) end
	local c = counts(s)
	all[#all + 1] = {c[ADDED], c[PENDING], c[SCHEDULED], c[LEASED], c[DONE], c[DROPPED], c[HOSTS],
		min((first(s.due)), (first(s.later))), tonumber(s.k)}
end
return {now, all, flush()}
