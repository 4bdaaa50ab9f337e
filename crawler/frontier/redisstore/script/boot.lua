-- Looks whether the server that has a shard began to run since, or is another:
-- requests may then be on their way that it does not know of. All hosts of the
-- shard are then due no earlier than their delay from now. So they are when
-- nobody worked on the crawl until now.
--
-- ARGV: 1 when nobody worked on it, 1 when it is only just being made; shards. The
-- answer is now, the run of the server.

local run = string.match(call('INFO', 'server'), 'run_id:(%w+)')
for i = 7, #ARGV do
	local s = shard(ARGV[i])
	local c = counts(s, ARGV[6] == '1')
	if ARGV[5] == '1' or c[RUN] ~= run then
		-- Who is alone has a moment to go until the crawl is open.
		c[BOOT], c[BOOTS], c[RUN] = ARGV[5] == '1' and after(20000) or now, c[BOOTS] + 1, run
		call('SET', s.state, pack(c))
	end
end
return {now, run}
