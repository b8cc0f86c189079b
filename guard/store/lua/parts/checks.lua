-- A script that fails keeps what it has written, and would write it again when it is sent again. So
-- all that can fail is looked at before the first write: what this user may do, that no key holds
-- anything but what is kept there, and that numbers can be counted up. A record whose own keys are
-- wrong is left out, since one use case must not hold up the others; a wrong key that all share ends
-- the script.
local left_out = {}

local function wrong_kind(key, kind)
  local found = call("TYPE", key).ok
  if found ~= "none" and found ~= kind then
    return "the key " .. key .. " holds a " .. found .. " and not a " .. kind
  end
end

-- The first wrong one of { kind = { key, ... }, ... }, or nothing.
local function wrong_key(kinds)
  for kind, keys in pairs(kinds) do
    for _, key in ipairs(keys) do
      local wrong = wrong_kind(key, kind)
      if wrong then
        return wrong
      end
    end
  end
end

local function leave_out(what)
  left_out[#left_out + 1] = what
end

local function may(command, ...)
  if command == "XGROUP CREATE" then
    return redis.acl_check_cmd("XGROUP", "CREATE", ...)
  elseif command == "XINFO STREAM" then
    return redis.acl_check_cmd("XINFO", "STREAM", (...))
  elseif command == "DEL" or command == "EXISTS" then -- whose arguments are all keys
    return redis.acl_check_cmd(command, (...))
  end
  return redis.acl_check_cmd(command, ...)
end

-- Ends the script if something is wrong.
local function refuse(wrong)
  if wrong then
    error({ err = "WRONGTYPE " .. wrong })
  end
end

-- kinds: of the keys that all records share.
local function check(commands, kinds)
  for _, command in ipairs(commands) do
    if not may(command, P .. "checked", "1", "1") then
      error({ err = "NOPERM this user may not run " .. command })
    end
  end
  refuse(wrong_key(kinds))
end

-- Numbers of entries are written with 14 digits, and nothing comes after the last one of a stream.
local MOST = 1e14

-- What is wrong with a stream, whose type is right, or nothing.
local function wrong_end(stream)
  if call("EXISTS", stream) == 1 and last_number(stream) >= MOST then
    return "the key " .. stream .. " holds an entry whose number is too large"
  end
end

local function check_counters(names)
  for _, name in ipairs(names) do
    local kept = call("HGET", P .. "counters", name) or "0"
    local is_whole = kept == "0" or string.match(kept, "^[1-9]%d*$")
    if not is_whole or tonumber(kept) >= MOST then
      refuse("the key " .. P .. "counters holds no number to count from at " .. name)
    end
  end
end

-- Those of a list that `wrong_of` finds nothing wrong with; the others are left out.
local function fitting(records, wrong_of)
  local kept = {}
  for _, record in ipairs(records) do
    local wrong = wrong_of(record)
    if wrong then
      leave_out(wrong)
    else
      kept[#kept + 1] = record
    end
  end
  return kept
end
