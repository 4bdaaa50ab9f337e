-- Checks whether the server of each shard was restarted or replaced. Then requests may be in
-- flight that it does not know, so all hosts of the shard wait their delay from now. The same
-- holds if no worker was running.
--
-- ARGV: 1 if no worker was running; 1 if the crawl is being created; shards. The reply is now,
-- the run of the server.

local run = string.match(call('INFO', 'server'), 'run_id:(%w+)')
for i = REST, #ARGV do
	local s = shard(ARGV[i])
	local c = counts(s, p.first == '1')
	if p.alone == '1' or c[RUN] ~= run then
		-- A worker that is alone needs some time until the crawl is open.
		c[BOOT], c[BOOTS], c[RUN] = p.alone == '1' and after(20000) or now, c[BOOTS] + 1, run
		call('SET', s.state, pack(c))
	end
end
return {now, run}
