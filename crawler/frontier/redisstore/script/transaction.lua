-- Adds URLs to shards, finishes leases with their outcomes, and leases the next URLs, atomically.
--
-- ARGV, after the common arguments: nonce; worker; whether the call is repeated; shard of the
-- note or ''; the note; the worker's instance; a shard and the run of its server that the
-- worker knows, or ''; orders of leases; the shards to lease from, at most one; sections. Each
-- list begins with its length.
--
--	order    maximum of leases, maximum per host, duration
--	section  shard, list of hosts, list of outcomes
--	host     name, list of items
--	item     a for Add or r for Revisit, bucket, hash, priority, wait, URL with Meta;
--	         A for Add if the first call omitted the item
--	outcome  token, result, wait, delay of the host, bucket, hash, v or '', validators
--
-- The reply is now, a digit for each item, a digit for each outcome, the leases, and the heads
-- of the shards.

local nonce, worker, again = p.nonce, p.worker, p.again == '1'
local noteShard, note, instance = p.noteShard, p.note, p.instance
local at = REST - 1
local function arg()
	at = at + 1
	return ARGV[at]
end

local HASDONE, ISDROPPED = '1', '2' -- the last digit of a hash; 0: pending, scheduled or leased

local function take(h, mode, bucket, hash, priority, wait, url)
	local s = h.s
	local seen = s.p .. 'seen:' .. bucket
	local was = call('SMISMEMBER', seen, hash .. '0', hash .. HASDONE, hash .. ISDROPPED)
	if was[1] == 1 then return '0' end
	local validators, h = '', host(s, h.name)
	if was[2] == 1 or was[3] == 1 then
		if mode ~= 'r' then return '0' end
		guard(s)
		call('SREM', seen, hash .. HASDONE, hash .. ISDROPPED)
		count(h, was[2] == 1 and DONE or DROPPED, -1)
		validators = call('HGET', s.p .. 'over:' .. bucket, hash) or ''
		if validators ~= '' then call('HDEL', s.p .. 'over:' .. bucket, hash) end
	else
		guard(s)
		if h.v[ADDED] == 0 then
			local c = counts(s)
			s.changed = true
			c[HOSTS] = c[HOSTS] + 1
		end
		count(h, ADDED, 1)
	end
	call('SADD', seen, hash .. '0')
	enqueue(h, priority, wait > 0 and after(wait) or 0, url, validators)
	return '1'
end

local function finish(s, token, result, wait, delay, bucket, hash, fresh, validators)
	local lease = find(s, token)
	if not lease or lease[5] == '' then return '0' end
	guard(s)
	local h = host(s, lease[1])
	local start = close(h, token)
	if delay > 0 then requested(h, start, now, delay) end
	count(h, LEASED, -1)
	if fresh == '' then validators = lease[9] end
	local attempts, over = lease[7], nil
	if result == '4' then
		over = ISDROPPED
		count(h, DROPPED, 1)
	elseif result == '1' and wait == '' then
		over = HASDONE
		count(h, DONE, 1)
	elseif result == '1' then
		attempts = 0
	elseif result == '3' then
		attempts = attempts - 1
	end
	if over then
		call('SADD', s.p .. 'seen:' .. bucket, hash .. over)
		call('SREM', s.p .. 'seen:' .. bucket, hash .. '0')
		if validators ~= '' then call('HSET', s.p .. 'over:' .. bucket, hash, validators) end
	else
		local d = tonumber(wait) or 0
		entryBack(h, lease[5], {lease[1], lease[6], attempts, lease[8], validators}, d > 0 and after(d) or 0)
	end
	return '1'
end

local leases, given = {}, 0

local function tell(s, token, lease, expires)
	leases[#leases + 1] = {lease[4], tonumber(s.k), lease[1], token, lease[6], lease[7], expires - now, lease[8], lease[9]}
end

-- pop removes the first URL of h.
local function pop(h)
	local s, v = h.s, h.v
	local bands = v[BANDS]
	if v[BACK] > 0 then
		local priority, id = first(s.p .. 'back:' .. h.name)
		if id and (not bands[1] or priority <= bands[1]) then
			call('ZREM', s.p .. 'back:' .. h.name, id)
			local entry = unpack(call('HGET', s.entries, id))
			call('HDEL', s.entries, id)
			v[BACK] = v[BACK] - 1
			return id, entry[2], entry[3], entry[4], entry[5]
		end
	end
	local priority = bands[1]
	local url = call('LPOP', s.p .. 'queue:' .. priority .. ':' .. h.name)
	bands[2], bands[3] = bands[2] + 1, bands[3] - 1
	if bands[3] == 0 then
		for _ = 1, 3 do table.remove(bands, 1) end
	end
	local id, validators = string.format('%012x', nextNumber(s)), ''
	if string.sub(url, 1, 1) == 'v' then
		local both = unpack(string.sub(url, 2))
		url, validators = both[1], both[2]
	else
		url = string.sub(url, 2)
	end
	return id, priority, 0, url, validators
end

local function lease(h, number, length)
	local s, v = h.s, h.v
	guard(s)
	local id, priority, attempts, url, validators = pop(h)
	count(h, PENDING, -1)
	count(h, LEASED, 1)
	local token = open(h, length, nonce .. '-' .. given)
	local l = {h.name, worker, nonce, number, id, priority, attempts + 1, url, validators}
	call('HSET', s.leases, token, pack(l))
	given = given + 1
	-- The host comes after all hosts that are due by now, and after the hosts of earlier leases
	-- of this call.
	h.place = given
	v[SINCE] = 0
	tell(s, token, l, after(length))
end

-- fill leases for one order, from hosts in the order in which they became due.
local BOUNCES = 1000
local function fill(s, number, most, perHost, length)
	local n, bounces, taken, full = 0, 0, {}, {}
	while n < most and bounces < BOUNCES do
		local top, name = first(s.due)
		if top > now + given then break end
		local h = host(s, name)
		guard(s)
		touch(h)
		local due = dueOf(h.v)
		if #h.v[HOLDS] > 0 then due = max(due, reserved(h.v)) end
		if due > now then -- it was delayed by a restart, or is due in this microsecond
			bounces = bounces + 1
			place(h)
			if h.v[SCORE] <= now + given then break end
		else
			lease(h, number, length)
			n = n + 1
			taken[h.name] = (taken[h.name] or 0) + 1
			if taken[h.name] < perHost then
				place(h)
			else
				call('ZREM', s.due, h.name)
				h.v[SCORE] = 0
				full[#full + 1] = h
			end
		end
	end
	for _, h in ipairs(full) do place(h) end
end

if p.basis ~= '' and counts(shard(p.basisShard))[RUN] ~= p.basis then
	return redis.error_reply('STALE the server was restarted, and may have forgotten what the worker omits')
end

if noteShard ~= '' and not named(shard(noteShard), worker, instance) then
	return redis.error_reply('TAKEN another has the worker\'s name')
end

local orders = {}
for _ = 1, tonumber(arg()) do
	orders[#orders + 1] = {tonumber(arg()), tonumber(arg()), tonumber(arg())}
end
local from
for _ = 1, tonumber(arg()) do from = shard(arg()) end

local items, outcomes = {}, {}
local sections = tonumber(arg())
local before = again and call('GET', KEYS[1])
if before then
	before = unpack(before)
	if before[1] ~= nonce then before = nil end
end
local known = {} -- results of the items of the first call
for _ = 1, sections do
	local s = shard(arg())
	for _ = 1, tonumber(arg()) do
		local h = {s = s, name = arg()}
		for _ = 1, tonumber(arg()) do
			local mode, bucket, hash, priority, wait, url = arg(), arg(), arg(), tonumber(arg()), tonumber(arg()), arg()
			local answer
			if before and mode ~= 'A' then
				answer = string.sub(before[2], #known + 1, #known + 1)
			else
				answer = take(h, mode, bucket, hash, priority, wait, url)
			end
			items[#items + 1] = answer
			if mode ~= 'A' then known[#known + 1] = answer end
		end
	end
	for _ = 1, tonumber(arg()) do
		local token, result, wait, delay = arg(), arg(), arg(), tonumber(arg())
		local bucket, hash, fresh, validators = arg(), arg(), arg(), arg()
		if not before then
			outcomes[#outcomes + 1] = finish(s, token, result, wait, delay, bucket, hash, fresh, validators)
		end
	end
end
items, outcomes = table.concat(items), before and before[3] or table.concat(outcomes)
if not before and noteShard ~= '' then
	call('HSET', shard(noteShard).p .. 'notes', worker, note)
end

local found = false
if from and again then -- the leases of the call whose reply was lost
	local all = call('HGETALL', from.leases)
	for i = 1, #all, 2 do
		local l = unpack(all[i + 1])
		if l[3] == nonce then
			found = true
			tell(from, all[i], l, tonumber(call('ZSCORE', from.expiry, all[i])))
		end
	end
end
if from and not found then
	advance(from)
	for _, h in ipairs(from.touched) do place(h) end
	for number, o in ipairs(orders) do fill(from, number, o[1], o[2], o[3]) end
end

local heads = flush()
if not before and guarded then
	-- For a repeated call, if the reply is lost.
	call('SET', KEYS[1], pack({nonce, table.concat(known), outcomes}), 'EX', 604800)
end
return {now, items, outcomes, leases, heads}
