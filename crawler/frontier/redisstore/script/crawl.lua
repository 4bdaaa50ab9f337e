-- Common functions of the operations on a whole crawl. They are prepended to these, as lib.lua is to
-- the operations on a shard.
--
-- ARGV begins with the operation, the worker, its instance, and the nonce of the call, or '' for a
-- call that may be executed twice.

local ALL, WORKER, INSTANCE, NONCE = NS .. '{all}:', common.worker, common.instance, common.nonce
local MINE = ALL .. 'taken:' .. WORKER -- this worker's share of each counter
local call, pack, unpack = redis.call, cmsgpack.pack, cmsgpack.unpack

local clock = call('TIME')
local now = clock[1] * 1000000 + clock[2]

if call('HGET', ALL .. 'meta', 'id') ~= CRAWL then return redis.error_reply('GONE the crawl was deleted') end

-- Indexes of a worker's record, an array.
local WHO, OPEN, BEAT, STATUS = 1, 2, 3, 4 -- instance; 1: not closed; time of its last Sync; status

local function worker(name)
	local raw = call('HGET', ALL .. 'workers', name)
	return raw and unpack(raw)
end

-- taken returns the error if another process has the worker's name. A restarted server may have
-- forgotten who has it.
local function taken(me)
	if not me or me[WHO] == INSTANCE then return nil end
	return redis.error_reply('TAKEN another has the worker\'s name')
end

-- said returns the reply to an earlier execution of this call, if any. answer stores the reply.
local function said()
	local last = call('HGET', ALL .. 'last', INSTANCE)
	last = last and unpack(last)
	return last and last[1] == NONCE and last[2]
end

local function answer(a)
	call('HSET', ALL .. 'last', INSTANCE, pack({NONCE, a}))
	return {now, a}
end
