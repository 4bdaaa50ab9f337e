-- Returns the permissions that the user lacks, in the syntax of ACL SETUSER: commands that scripts
-- and the store use, and channels. Before Redis 7 it returns none.
--
-- KEYS: any key of the crawl. ARGV: the channel, the pattern of all channels, then commands
-- that take a key.

local missing = {}
local function try(command, ...)
	if not redis.acl_check_cmd(command, ...) then missing[#missing + 1] = '+' .. command end
end
if redis.acl_check_cmd then
	for i = 3, #ARGV do try(ARGV[i], KEYS[1], '0', '0') end
	try('time')
	try('info', 'server')
	if not redis.acl_check_cmd('publish', ARGV[1], '')
		-- It is rejected. The message says whether for the channel or the command.
		and redis.pcall('publish', ARGV[1], '').err:find('channel') then
		missing[#missing + 1] = '&' .. ARGV[2]
	else
		try('publish', ARGV[1], '')
		try('subscribe', ARGV[1])
	end
	try('evalsha', string.rep('0', 40), '1', KEYS[1])
end
return missing
