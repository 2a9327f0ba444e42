#!lua
-- One step. KEYS: names that are kept (all with score 0, so that they can be found by their beginning), the same by when
-- they end (milliseconds since the epoch), and the value. ARGV: what, its name, how long it lasts in milliseconds, and
-- put (value); add (amount) gives the total; swap (value, 1 where something is expected and else 0, what) gives 1 or 0.

local NAMES, ENDS, VALUE = KEYS[1], KEYS[2], KEYS[3]
local what, name, lasting = ARGV[1], ARGV[2], tonumber(ARGV[3])
local call = redis.call
local time = call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local over = call('ZRANGE', ENDS, '-inf', now, 'BYSCORE', 'LIMIT', 0, 50)
if #over > 0 then
  call('ZREM', NAMES, unpack(over))
  call('ZREM', ENDS, unpack(over))
end

local function listed()
  call('ZADD', NAMES, 0, name)
  call('ZADD', ENDS, now + lasting, name)
end

if what == 'delete' then
  call('DEL', VALUE)
  call('ZREM', NAMES, name)
  call('ZREM', ENDS, name)
  return 1
end
if what == 'add' then
  local total = call('INCRBY', VALUE, ARGV[4])
  call('PEXPIRE', VALUE, lasting)
  listed()
  return total
end
if what == 'swap' then
  local found = call('GET', VALUE)
  if ARGV[5] == '1' and found ~= ARGV[6] or ARGV[5] == '0' and found then
    return 0
  end
end
call('SET', VALUE, ARGV[4], 'PX', lasting)
listed()
return 1
