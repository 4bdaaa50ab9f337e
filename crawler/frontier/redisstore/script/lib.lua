-- Common functions of the operations on a shard. They and all operations are one script; common.operation
-- selects the operation. CRAWL is the id of the crawl, and NS the prefix of its keys, which
-- README.md describes.
--
-- All times are integers in microseconds on the clock of Redis. A double represents them exactly
-- until the year 2255. Callers pass times relative to now.

local newDelay, newLimit, INSTANCE = tonumber(common.delay), tonumber(common.slots), common.instance
local spread = unpack
local call, pack, unpack = redis.call, cmsgpack.pack, cmsgpack.unpack
local max, min = math.max, math.min
local FAR = 9e15 -- the latest time; also used for later ones

local clock = call('TIME')
local now = clock[1] * 1000000 + clock[2]

local function digits(x) return string.format('%.0f', x) end
local function after(d) return min(now + d, FAR) end

-- Indexes of a host's record, an array.
local DELAY, LIMIT, CLOCK, BLOCKED = 1, 2, 3, 4
local SINCE, SCORE = 5, 6 -- when it entered the due set, and its score there; 0: not in the set
local ADDED, PENDING, SCHEDULED, LEASED, DONE, DROPPED = 7, 8, 9, 10, 11, 12
local BACK, BOOTS, ROBOTS = 13, 14, 15 -- pending entries; restarts that it has been adjusted to; 1: has robots.txt records
local SLOTS = 16 -- token, start, token, start …
local BANDS = 17 -- priority, number of the first URL, length of each list, by priority
local HOLDS = 18 -- caller and end of its reservation, for each waiting hold

-- Indexes of a shard's record. Counts have the same indexes as in a host's record.
local SEQ, BOOT, RUN, HOSTS, ID = 1, 2, 3, 4, 5

local shards, order = {}, {} -- shards that this call uses

local function shard(k)
	local s = shards[k]
	if not s then
		local p = NS .. '{s' .. k .. '}:'
		s = {k = k, p = p, due = p .. 'due', later = p .. 'later', expiry = p .. 'expiry', leases = p .. 'leases',
			entries = p .. 'entries', hosts = p .. 'hosts', state = p .. 'state', known = {}, touched = {}}
		shards[k] = s
		order[#order + 1] = s
	end
	return s
end

-- counts returns a shard's record. It is missing if the crawl was deleted or is being created.
local function counts(s, make)
	local c = s.c
	if not c then
		local raw = call('GET', s.state)
		c = raw and unpack(raw)
		if not c and make then c = {0, 0, '', 0, CRAWL, 0, 0, 0, 0, 0, 0, 0, 0, 0} end
		if not c or c[ID] ~= CRAWL then error('GONE the crawl was deleted, or its server came back without it') end
		s.c = c
	end
	return c
end

-- named reports whether the instance still has the worker's name. A restarted server may have
-- forgotten who has it.
local function named(s, worker, instance)
	counts(s) -- fails if the crawl was deleted
	local has = call('HGET', s.p .. 'workers', worker)
	if not has then call('HSET', s.p .. 'workers', worker, instance) end
	return not has or has == instance
end

-- guard makes a write before the script changes anything. A server without memory rejects the first
-- write, or none, so a script is rejected as a whole or not at all.
local guarded = false
local function guard(s)
	if not guarded then
		counts(s)
		call('INCR', s.p .. 'calls')
		guarded = true
	end
end


local function nextNumber(s)
	local c = counts(s)
	s.changed = true
	c[SEQ] = c[SEQ] + 1
	return c[SEQ]
end

-- host returns a host, and creates an unknown one.
local function host(s, name)
	local h = s.known[name]
	if h then return h end
	local c = counts(s)
	local raw = call('HGET', s.hosts, name)
	h = {name = name, s = s, new = not raw}
	if raw then
		h.v = unpack(raw)
		if h.v[BOOTS] ~= c[BOOTS] then -- requests may have been in flight
			if h.v[DELAY] > 0 then h.v[CLOCK] = max(h.v[CLOCK], min(c[BOOT] + h.v[DELAY], FAR)) end
			h.v[BOOTS] = c[BOOTS]
		end
	else
		h.v = {newDelay, newLimit, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, c[BOOTS], 0, {}, {}, {}}
	end
	s.known[name] = h
	return h
end

-- robotsOf returns the robots.txt records of h by origin.
local function robotsOf(h)
	local raw = h.v[ROBOTS] == 1 and call('HGET', h.s.p .. 'robots', h.name)
	return raw and unpack(raw) or {}
end

-- touch marks h as changed, so that flush writes it.
local function touch(h)
	if not h.touched then
		h.touched = true
		h.s.touched[#h.s.touched + 1] = h
	end
end

local function count(h, state, n)
	local c = counts(h.s)
	h.s.changed = true
	h.v[state] = h.v[state] + n
	c[state] = c[state] + n
end

-- dueOf returns the earliest time of the next request (ROB-POL-02).
local function dueOf(v)
	local due = max(v[CLOCK], v[BLOCKED])
	if v[LIMIT] > 1 then
		for i = 2, #v[SLOTS], 2 do due = max(due, min(v[SLOTS][i] + v[DELAY], FAR)) end
	end
	return due
end

-- reserved returns the time until which waiting holds keep leases from a host.
local function reserved(v)
	local last, live = 0, {}
	for i = 1, #v[HOLDS], 2 do
		if v[HOLDS][i + 1] > now then
			live[#live + 1] = v[HOLDS][i]
			live[#live + 1] = v[HOLDS][i + 1]
			last = max(last, v[HOLDS][i + 1])
		end
	end
	v[HOLDS] = live
	return last
end

local function first(key)
	local r = call('ZRANGE', key, 0, 0, 'WITHSCORES')
	if r[1] then return tonumber(r[2]), r[1] end
	return FAR * 2
end

-- lower records that s has a URL that is due earlier than all others.
local function lower(s, at)
	if not s.first then s.first = (first(s.due)) end
	if at < s.first then s.first, s.lowered = at, true end
end

-- place updates h in the due set, which is ordered by the time when h became due or, if later,
-- entered the set. It removes h if nothing can be leased from it.
local function place(h)
	local s, v = h.s, h.v
	local score = 0
	if v[PENDING] > 0 and #v[SLOTS] < 2 * v[LIMIT] then
		if v[SINCE] == 0 then v[SINCE] = now + (h.place or 0) end
		score = max(dueOf(v), v[SINCE], #v[HOLDS] > 0 and reserved(v) or 0)
	else
		v[SINCE] = 0
	end
	if score == v[SCORE] then return end
	v[SCORE] = score
	if score == 0 then
		call('ZREM', s.due, h.name)
	else
		lower(s, score)
		call('ZADD', s.due, digits(score), h.name)
	end
end

-- entryBack makes an entry scheduled or, if its time has passed, pending. An entry is host,
-- priority, attempts, URL with Meta, validators or ''.
local function entryBack(h, id, entry, ready)
	local s = h.s
	touch(h)
	call('HSET', s.entries, id, pack(entry))
	if ready > now then
		lower(s, ready)
		call('ZADD', s.later, digits(ready), id)
		if s.ready then s.ready = min(s.ready, ready) end
		count(h, SCHEDULED, 1)
		return
	end
	call('ZADD', s.p .. 'back:' .. h.name, entry[2], id)
	h.v[BACK] = h.v[BACK] + 1
	count(h, PENDING, 1)
end

-- enqueue queues a new or revisited URL after the waiting URLs of its host.
local function enqueue(h, priority, ready, url, validators)
	local s, v = h.s, h.v
	touch(h)
	if ready > now then
		entryBack(h, string.format('%012x', nextNumber(s)), {h.name, priority, 0, url, validators}, ready)
		return
	end
	local bands, i = v[BANDS], 1
	while bands[i] and bands[i] < priority do i = i + 3 end
	if bands[i] ~= priority then
		-- Numbers only grow, so a list that was empty for a while does not use a number
		-- twice. A call adds at most a few thousand URLs.
		table.insert(bands, i, 0)
		table.insert(bands, i, nextNumber(s) * 10000)
		table.insert(bands, i, priority)
	end
	bands[i + 2] = bands[i + 2] + 1
	if validators == '' then url = 'u' .. url else url = 'v' .. pack({url, validators}) end
	call('RPUSH', s.p .. 'queue:' .. priority .. ':' .. h.name, url)
	count(h, PENDING, 1)
end

-- open occupies a slot of h, for a lease or a hold, and returns its token.
local function open(h, length, nonce)
	local token = string.format('%x.%s', nextNumber(h.s), nonce)
	local slots = h.v[SLOTS]
	slots[#slots + 1] = token
	slots[#slots + 1] = now
	touch(h)
	call('ZADD', h.s.expiry, digits(after(length)), token)
	if h.s.expires then h.s.expires = min(h.s.expires, after(length)) end
	return token
end

-- close frees a slot and returns when it was opened.
local function close(h, token)
	local s, slots = h.s, h.v[SLOTS]
	touch(h)
	call('HDEL', s.leases, token)
	call('ZREM', s.expiry, token)
	for i = 1, #slots, 2 do
		if slots[i] == token then
			local start = slots[i + 1]
			table.remove(slots, i)
			table.remove(slots, i)
			return start
		end
	end
	return now
end

-- requested sets the clock of a host after a request.
local function requested(h, start, stop, delay)
	local v = h.v
	if v[LIMIT] > 1 then stop = start end
	v[CLOCK] = max(v[CLOCK], min(stop + max(delay, v[DELAY]), FAR))
end

-- A lease is host, worker, nonce of the call, number of the order in it, id or
-- '' for a hold, priority, attempts, URL with Meta, validators or ''.

-- giveBack ends an unfinished lease. made says whether a request may have been made.
local function giveBack(s, token, lease, at, made)
	local h = host(s, lease[1])
	local start = close(h, token)
	if made then requested(h, start, at, 0) end
	if lease[5] ~= '' then
		count(h, LEASED, -1)
		entryBack(h, lease[5], {lease[1], lease[6], made and lease[7] or lease[7] - 1, lease[8], lease[9]}, 0)
	end
end

-- advance updates a shard to the current time: it gives back expired leases, and makes scheduled
-- URLs pending that are due. It does at most PART of each in one call.
local PART = 1000
local function advance(s)
	if s.heads then return end
	s.heads = true
	s.expires, s.ready = (first(s.expiry)), (first(s.later))
	if s.expires <= now then
		guard(s)
		local r = call('ZRANGEBYSCORE', s.expiry, '-inf', digits(now), 'WITHSCORES', 'LIMIT', 0, PART)
		for i = 1, #r, 2 do
			giveBack(s, r[i], unpack(call('HGET', s.leases, r[i])), tonumber(r[i + 1]), true)
		end
		s.expires = (first(s.expiry))
	end
	if s.ready <= now then
		guard(s)
		for _, id in ipairs(call('ZRANGEBYSCORE', s.later, '-inf', digits(now), 'LIMIT', 0, PART)) do
			local entry = unpack(call('HGET', s.entries, id))
			local h = host(s, entry[1])
			call('ZREM', s.later, id)
			count(h, SCHEDULED, -1)
			entryBack(h, id, entry, 0)
		end
		s.ready = (first(s.later))
	end
end

-- find returns a lease that has not expired.
local function find(s, token)
	local raw = call('HGET', s.leases, token)
	if not raw or tonumber(call('ZSCORE', s.expiry, token)) <= now then return nil end
	return unpack(raw)
end

-- flush writes all changes, publishes which shards have work earlier than other workers expect, and
-- returns the heads: shards and the times when they next have work.
local function flush()
	local heads, news = {}, {INSTANCE}
	for _, s in ipairs(order) do
		local set = {}
		for _, h in ipairs(s.touched) do
			h.place = nil
			place(h)
			set[#set + 1] = h.name
			set[#set + 1] = pack(h.v)
			if #h.v[HOLDS] > 0 then news[#news + 1] = 'h' .. h.name end
			if #set >= 1000 then
				call('HSET', s.hosts, spread(set))
				set = {}
			end
		end
		if #set > 0 then call('HSET', s.hosts, spread(set)) end
		if s.changed then call('SET', s.state, pack(s.c)) end
		if s.heads or s.lowered then
			local head = min((first(s.due)), s.ready or (first(s.later)), s.expires or (first(s.expiry)))
			heads[#heads + 1] = tonumber(s.k)
			heads[#heads + 1] = head
			if s.lowered then news[#news + 1] = 's' .. s.k .. ' ' .. digits(now) .. ' ' .. digits(head) end
		end
	end
	if #news > 1 then call('PUBLISH', NS .. 'wake', table.concat(news, '\n')) end
	return heads
end
