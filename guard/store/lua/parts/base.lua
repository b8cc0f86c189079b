-- What every script has: where its keys are, and what it was given.
local P = KEYS[1] .. ":"
local A = cjson.decode(ARGV[1])
local call = redis.call

-- Every bit of a number, as text. Lua's own conversion keeps 14 digits.
local function exact(number)
  return string.format("%.17g", number)
end

local function last_number(stream)
  local info = call("XINFO", "STREAM", stream)
  for i = 1, #info, 2 do
    if info[i] == "last-generated-id" then
      return tonumber(string.match(info[i + 1], "^%d+"))
    end
  end
end

-- The number of a new entry of a stream, from a counter. One that was lost begins below the numbers
-- that the stream has had, which are refused: then it goes on after those.
local function append(stream, counter, ...)
  local number = call("HINCRBY", P .. "counters", counter, 1)
  if type(redis.pcall("XADD", stream, number .. "-0", ...)) == "table" then
    number = last_number(stream) + 1
    call("HSET", P .. "counters", counter, number)
    call("XADD", stream, number .. "-0", ...)
  end
  return number
end
