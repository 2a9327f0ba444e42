#!lua
-- The one way in which jobs change. Calls that wait at the same time come as one batch: ARGV[i] is a call in MessagePack,
-- (kind, number of its keys, ...), and its keys follow those of the shard in KEYS, in the order of the calls. The reply
-- has one element for each. A call checks all that it has to check before it writes: it happens whole or not at all. The
-- server refuses the script before it starts where it has no memory or disk left, or is a replica.
--
-- A job is a hash; `entry` says where in a stream it waits ("stream entry-id"), "" where it does not. Who has it, or from
-- when on it may be had, is in the hash `held`: (stream, entry-id, token, beat, patience in seconds, worker, 1 for a lease
-- and 0 for a delay). Claiming does not touch the job itself: its token is then the one in `held`.

local HELD, IDS, OPEN, OVER, VALUES = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local STREAMS, PARKED, DEAD, OWN = 5, 11, 14, 17  -- KEYS[STREAMS + 2 * queue] is fresh, the one before it given back
local GROUP = 'workers'
local call, pack, unpack_one = redis.call, cmsgpack.pack, cmsgpack.unpack

-- `facts` are what never changes of a job: (queue, kind, caller, created, key, parent, expires, webhook, turn).
local function enqueue(stream, id, token, facts)
  return stream .. ' ' .. call('XADD', KEYS[STREAMS + stream], '*', 'id', id, 'token', token, 'created', facts[4],
    'turn', facts[9])
end

local function holder(id)
  local found = call('HGET', HELD, id)
  return found and unpack_one(found)
end

local function hold(id, stream, entry, token, beat, patience, worker, lease)
  call('HSET', HELD, id, pack({stream, entry, token, beat, patience, worker, lease}))
end

-- (id, facts, step, body, op), keys: job, trace, its caller's, its parent's if it has one
local function create(o, key)
  local id, op, job = o[1], o[5], KEYS[key]
  local last = call('HGET', job, 'op')
  if last then
    return last == op and 1 or 0
  end
  local facts = unpack_one(o[2])
  local entry = enqueue(2 * facts[1], id, 0, facts)
  call('HSET', job, 'facts', o[2], 'body', o[4], 'version', 1, 'token', 0, 'place', 'received active - 0',
    'updated', facts[4], 'op', op, 'entry', entry)
  call('RPUSH', KEYS[key + 1], o[3])
  call('ZADD', IDS, 0, id)
  call('ZADD', OPEN, 0, id)
  call('ZADD', KEYS[key + 2], 0, id)
  if facts[6] then
    call('ZADD', KEYS[key + 3], 0, id)
  end
  return 1
end

local function read_group(stream, most)
  local found = redis.pcall('XREADGROUP', 'GROUP', GROUP, GROUP, 'COUNT', most, 'STREAMS', KEYS[STREAMS + stream], '>')
  if found and found.err then
    if not found.err:find('NOGROUP', 1, true) then
      error(found.err)
    end
    call('XGROUP', 'CREATE', KEYS[STREAMS + stream], GROUP, '0', 'MKSTREAM')
    return read_group(stream, most)
  end
  return found and found[1][2] or {}
end

-- (worker, lease, most, queues), each queue (number, ids, tokens, beats) of those that somebody saw unchanged for long
-- enough; keys: their jobs. Gives id and token of each that is claimed now.
local function claim(o, key)
  local worker, lease, left = o[1], o[2], o[3]
  local got = {}
  local function take(id, stream, entry, token)
    hold(id, stream, entry, token, 0, lease, worker, 1)
    got[#got + 1] = id
    got[#got + 1] = token
    left = left - 1
  end
  for _, queue in ipairs(o[4]) do
    local number, ids, tokens, beats = queue[1], queue[2], queue[3], queue[4]
    for i, id in ipairs(ids) do
      local old = left > 0 and holder(id)
      if old and old[3] == tokens[i] and old[4] == beats[i] then
        take(id, old[1], old[2], old[3] + 1)
        if old[7] == 1 then
          call('HINCRBY', KEYS[key], 'lost', 1)
        end
      end
      key = key + 1
    end
    for stream = 2 * number - 1, 2 * number do
      if left > 0 then
        for _, found in ipairs(read_group(stream, left)) do
          take(found[2][2], stream, found[1], tonumber(found[2][4]) + 1)
        end
      end
    end
  end
  return got
end

-- (lease, ids, tokens). Gives the beat of each that is still held, else -1.
local function renew(o)
  local beats = {}
  for i, id in ipairs(o[2]) do
    local old = holder(id)
    if old and old[7] == 1 and old[3] == o[3][i] then
      hold(id, old[1], old[2], old[3], old[4] + 1, o[1], old[6], 1)
      beats[i] = old[4] + 1
    else
      beats[i] = -1
    end
  end
  return beats
end

-- A Step: the job is unparked because no child of it is left.
local function unparked(version, state, at, token)
  return '\153' .. pack(version, 'unparked', state, 'active', at, '', token) .. '\192\128'
end

-- One of its children has come to its end.
local function count_in_parent(job, trace, id, at)
  local h = call('HMGET', job, 'version', 'token', 'place', 'left', 'spent', 'facts')
  if not h[1] then
    return
  end
  local left = math.max(tonumber(h[4] or 0) - 1, 0)
  call('HSET', job, 'left', left, 'spent', tonumber(h[5] or 0) + 1)
  local state, disposition, rest = h[3]:match('^(%S+) (%S+) (.+)$')
  if left == 0 and disposition == 'parked' then
    local version, facts = tonumber(h[1]) + 1, unpack_one(h[6])
    local queue = facts[1]
    call('RPUSH', trace, unparked(version, state, at, tonumber(h[2])))
    call('ZREM', KEYS[PARKED + queue], id)
    call('HSET', job, 'version', version, 'place', state .. ' active ' .. rest, 'updated', at,
      'entry', enqueue(2 * queue - 1, id, tonumber(h[2]), facts))
  end
end

-- (id, version, token, op, at, steps, place, hold, delay, fence, again, failures, left, fields, parent, spawn); -1 and ""
-- leave a value as it is, spawned are (number of its keys, creation); keys: job, trace, its parent's job and trace, then
-- those of what is spawned. Gives version, token, what became of its element of `held` (1 where it stays, 0 where there is
-- none, else the beat of a delay), and its queue; only the first two where the change was made before. Version 0: fenced;
-- -1: that is not its parent.
local function advance(o, key)
  local id, version, token, op, at = o[1], o[2], o[3], o[4], o[5]
  local job, trace = KEYS[key], KEYS[key + 1]
  local h = call('HMGET', job, 'version', 'token', 'place', 'op', 'gave', 'entry', 'left', 'spent', 'facts', 'counted')
  if not h[1] then
    return {0, 0}
  end
  if h[4] == op then
    return unpack_one(h[5])
  end
  local old = holder(id)
  local stored = old and old[3] or tonumber(h[2])
  if tonumber(h[1]) ~= version or stored ~= token then
    return {0, 0}
  end
  local facts = unpack_one(h[9])
  local queue, parent = facts[1], facts[6] or ''
  if parent ~= o[15] then
    return {-1, 0}
  end

  local place = o[7] == '' and h[3] or o[7]
  local state, disposition, rest = place:match('^(%S+) (%S+) (.+)$')
  local left = tonumber(h[7] or 0)
  if o[13] >= 0 then
    left = math.max(o[13] - tonumber(h[8] or 0), 0)
  end
  local steps, delay = o[6], o[9]
  version = version + #steps
  if disposition == 'parked' and left == 0 then
    disposition = 'active'
    place = state .. ' active ' .. rest
    version = version + 1
    delay = 0
  end
  local dead, parked = disposition == 'dead', disposition == 'parked'
  local over = dead or state == 'completed'

  local entry, stands = h[6], 0
  if old and old[7] == 1 then
    token = token + o[10]
  end
  if #steps < version - o[2] then
    steps[#steps + 1] = unparked(version, state, at, token)
  end
  local waits = not old and entry ~= ''  -- in its place, and may stay there
  if not over and not parked and ((o[8] == 1 and old) or (waits and (o[8] == 1 or delay == 0))) then
    stands = old and 1 or 0
  else
    local stream, pending = 2 * queue - 1, ''
    if old then
      stream, pending = old[1], old[2]
    elseif waits then
      local at_stream, waiting = entry:match('^(%d+) (.+)$')
      call('XDEL', KEYS[STREAMS + at_stream], waiting)
    end
    local later = delay > 0 and not over and not parked
    if later then
      stands = -version
      hold(id, stream, pending, token, stands, delay, '', 0)
    elseif old then
      call('HDEL', HELD, id)
      if pending ~= '' then
        call('XACK', KEYS[STREAMS + stream], GROUP, pending)
        call('XDEL', KEYS[STREAMS + stream], pending)
      end
    end
    entry = (later or over or parked) and '' or enqueue(2 * queue - 1, id, token, facts)
  end

  local before, been = h[3]:match('^(%S+) (%S+)')
  if been == 'parked' and not parked then
    call('ZREM', KEYS[PARKED + queue], id)
  elseif parked and been ~= 'parked' then
    call('ZADD', KEYS[PARKED + queue], 0, id)
  end
  if been == 'dead' and not dead then
    call('ZREM', KEYS[DEAD + queue], id)
  elseif dead and been ~= 'dead' then
    call('ZADD', KEYS[DEAD + queue], 0, id)
  end
  if over then
    call('ZADD', OVER, at, id)
    call('ZREM', OPEN, id)
  elseif been == 'dead' or before == 'completed' then
    call('ZREM', OVER, id)
    call('ZADD', OPEN, 0, id)
  end

  local fields = o[14]
  if o[11] == 1 then
    call('HINCRBY', job, 'generation', 1)
    call('HSET', job, 'failures', o[12], 'lost', 0)
  elseif o[12] ~= 0 then
    call('HINCRBY', job, 'failures', o[12])
  end
  if o[13] >= 0 then
    fields[#fields + 1] = 'left'
    fields[#fields + 1] = left
  end
  local counts = over and parent ~= '' and not h[10]
  if counts then
    fields[#fields + 1] = 'counted'
    fields[#fields + 1] = 1
  end
  call('HSET', job, 'version', version, 'token', token, 'place', place, 'updated', at, 'op', op, 'gave', pack({version, token}),
    'entry', entry, unpack(fields))
  if #steps > 0 then
    call('RPUSH', trace, unpack(steps))
  end

  local at_spawn = key + (parent == '' and 2 or 4)
  for _, spawned in ipairs(o[16]) do
    create(spawned[2], at_spawn)
    at_spawn = at_spawn + spawned[1]
  end
  if counts then
    count_in_parent(KEYS[key + 2], KEYS[key + 3], parent, at)
  end
  return {version, token, stands, queue}
end

-- (value or "", what it replaces or ""): a caller's name for a job, or none any more. Gives what was there before, false
-- where nothing was.
local function name(o, key)
  local there = call('GET', KEYS[key])
  if o[1] == '' then
    if there == o[2] then
      call('DEL', KEYS[key])
    end
  elseif not there or there == o[2] then
    call('SET', KEYS[key], o[1])
  end
  return there
end

-- (name, value, milliseconds)
local function put(o, key)
  call('SET', KEYS[key], o[2], 'PX', o[3])
  call('ZADD', VALUES, 0, o[1])
  return 1
end

-- (names), keys: their values. Those whose time is over are no longer listed.
local function sweep(o, key)
  for i, value in ipairs(o) do
    if call('EXISTS', KEYS[key + i - 1]) == 0 then
      call('ZREM', VALUES, value)
    end
  end
  return 1
end

local kinds = {create, claim, renew, advance, name, put, sweep}
local key, replies = OWN + 1, {}
for i, blob in ipairs(ARGV) do
  local o = unpack_one(blob)
  replies[i] = kinds[o[1]](o[3], key)
  key = key + o[2]
end
return replies
