-- Tells which commands of those that scripts and the store are made of the user may
-- not give. A server before Redis 7 cannot say.
--
-- KEYS: any key of the crawl. ARGV: the channel, then commands that take a key.

local missing = {}
local function try(command, ...)
	if not redis.acl_check_cmd(command, ...) then missing[#missing + 1] = command end
end
if redis.acl_check_cmd then
	for i = 2, #ARGV do try(ARGV[i], KEYS[1], '0', '0') end
	try('time')
	try('info', 'server')
	try('publish', ARGV[1], '')
	try('subscribe', ARGV[1])
	try('evalsha', string.rep('0', 40), '1', KEYS[1])
end
return missing
