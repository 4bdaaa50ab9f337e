-- Extends leases.
--
-- ARGV: duration; then shard and token of each lease. The reply is now, a digit for each lease,
-- heads.

local length, found = after(tonumber(p.duration)), {}
for i = REST, #ARGV, 2 do
	local s, token = shard(ARGV[i]), ARGV[i + 1]
	local lease = find(s, token)
	found[#found + 1] = lease and '1' or '0'
	if lease then
		guard(s)
		if tonumber(call('ZSCORE', s.expiry, token)) < length then
			call('ZADD', s.expiry, digits(length), token)
		end
	end
end
return {now, table.concat(found), flush()}
