-- Returns the times when shards next have work.
--
-- ARGV: shards. The reply is now, heads.

for i = REST, #ARGV do
	local s = shard(ARGV[i])
	s.heads = true
	counts(s)
end
return {now, flush()}
