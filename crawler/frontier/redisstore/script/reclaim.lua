-- Gives back the leases of a worker whose process has ended, or those of one of its calls whose
-- reply was lost, so that no request was made.
--
-- ARGV: worker, nonce or '', shards. The reply is now, the number of leases, heads.

local worker, nonce, n = p.worker, p.nonce, 0
for i = REST, #ARGV do
	local s = shard(ARGV[i])
	advance(s)
	local all = call('HGETALL', s.leases)
	for j = 1, #all, 2 do
		local lease = unpack(all[j + 1])
		if lease[2] == worker and (nonce == '' or nonce == lease[3]) then
			guard(s)
			giveBack(s, all[j], lease, now, nonce == '')
			n = n + 1
		end
	end
end
return {now, n, flush()}
