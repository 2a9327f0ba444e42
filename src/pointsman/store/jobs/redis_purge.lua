#!lua flags=allow-oom
-- Removes jobs that are over, as far as they still are, no child of theirs is left and no parent of theirs is under way. ARGV: the moment before which they
-- were last changed, then id, queue number and parent ("" for none) of each; KEYS as in redis_write.lua, then of each: job,
-- trace, its caller's, its children's, its parent's (its own children's where it has none). Gives 1 for each that is gone.

local HELD, IDS, OVER, DEAD, OWN = KEYS[1], KEYS[2], KEYS[4], 14, 17
local call = redis.call

local gone, key = {}, OWN + 1
for i = 2, #ARGV, 3 do
  local id, queue, parent = ARGV[i], tonumber(ARGV[i + 1]), ARGV[i + 2]
  local changed = call('ZSCORE', OVER, id)
  local needed = parent ~= '' and call('ZSCORE', IDS, parent) and not call('ZSCORE', OVER, parent)
  if changed and tonumber(changed) < tonumber(ARGV[1]) and call('ZCARD', KEYS[key + 3]) == 0 and not needed then
    call('UNLINK', KEYS[key], KEYS[key + 1])
    call('ZREM', IDS, id)
    call('ZREM', OVER, id)
    call('ZREM', KEYS[DEAD + queue], id)
    call('ZREM', KEYS[key + 2], id)
    if parent ~= '' then
      call('ZREM', KEYS[key + 4], id)
    end
    gone[#gone + 1] = 1
  else
    gone[#gone + 1] = 0
  end
  key = key + 5
end
return gone
