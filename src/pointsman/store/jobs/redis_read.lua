#!lua flags=no-writes
-- Jobs as of one moment, and what a shard has to give out. ARGV[i] is a call in MessagePack, (kind, number of its keys,
-- ...), with KEYS as in redis_write.lua.

local HELD, STREAMS, PARKED, DEAD, OWN = KEYS[1], 5, 11, 14, 17
local call = redis.call

-- (ids, fields), keys: their jobs. Gives of each its fields, and its element of `held`.
local function jobs(o, key)
  local found = {}
  for i, id in ipairs(o[1]) do
    local fields = call('HMGET', KEYS[key + i - 1], unpack(o[2]))
    fields[#fields + 1] = call('HGET', HELD, id)
    found[i] = fields
  end
  return found
end

-- (1 for `held` too, how many entries of each stream are to be shown). Gives how many entries of each stream nobody was
-- given, the last entry of each that somebody was given, all of `held`, and of each stream the first that nobody was given:
-- (entry-id, its fields).
local function look(o)
  local waiting, last, first = {}, {}, {}
  for stream = 1, 6 do
    local key = KEYS[STREAMS + stream]
    waiting[stream], last[stream], first[stream] = call('XLEN', key), '0-0', {}
    local groups = waiting[stream] > 0 and redis.pcall('XINFO', 'GROUPS', key)
    if groups and not groups.err and groups[1] then
      local group = groups[1]
      for i = 1, #group, 2 do
        if group[i] == 'pending' then
          waiting[stream] = waiting[stream] - group[i + 1]
        elseif group[i] == 'last-delivered-id' then
          last[stream] = group[i + 1]
        end
      end
    end
    if o[2] > 0 and waiting[stream] > 0 then
      first[stream] = call('XRANGE', key, '(' .. last[stream], '+', 'COUNT', o[2])
    end
  end
  return {waiting, last, o[1] == 1 and call('HGETALL', HELD) or {}, first}
end

-- Gives how many jobs are parked in each queue, then how many are dead.
local function sizes()
  local found = {}
  for queue = 1, 3 do
    found[queue] = call('ZCARD', KEYS[PARKED + queue])
    found[queue + 3] = call('ZCARD', KEYS[DEAD + queue])
  end
  return found
end

local kinds = {jobs, look, sizes}
local key, replies = OWN + 1, {}
for i, blob in ipairs(ARGV) do
  local o = cmsgpack.unpack(blob)
  replies[i] = kinds[o[1]](o[3], key)
  key = key + o[2]
end
return replies
