-- What the scripts for a crawl as a whole have in common. It stands before them, as
-- lib.lua does before those for a shard.
--
-- ARGV begins with the script, the worker, its instance, and the nonce of the call,
-- empty for one that may be made twice.

local ALL, WORKER, INSTANCE, NONCE = NS .. '{all}:', ARGV[2], ARGV[3], ARGV[4]
local MINE = ALL .. 'taken:' .. WORKER -- what this worker has taken of each counter
local call, pack, unpack = redis.call, cmsgpack.pack, cmsgpack.unpack

local clock = call('TIME')
local now = clock[1] * 1000000 + clock[2]

if call('HGET', ALL .. 'meta', 'id') ~= CRAWL then return redis.error_reply('GONE the crawl was deleted') end

-- A worker's record is an array under these numbers.
local WHO, OPEN, BEAT, STATUS = 1, 2, 3, 4 -- instance; 1: it did not close; when it was last heard of

local function worker(name)
	local raw = call('HGET', ALL .. 'workers', name)
	return raw and unpack(raw)
end

-- taken is the error for one whose name another has. A server that began anew may
-- have forgotten who has it.
local function taken(me)
	if not me or me[WHO] == INSTANCE then return nil end
	return redis.error_reply('TAKEN another has the worker\'s name')
end

-- said is what was answered to this call when it was made before, and answer
-- keeps what is.
local function said()
	local last = call('HGET', ALL .. 'last', INSTANCE)
	last = last and unpack(last)
	return last and last[1] == NONCE and last[2]
end

local function answer(a)
	call('HSET', ALL .. 'last', INSTANCE, pack({NONCE, a}))
	return {now, a}
end
