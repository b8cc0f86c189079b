-- What every script has: where its keys are, and what it was given.
local P = KEYS[1] .. ":"
local A = cjson.decode(ARGV[1])
local call = redis.call

-- Every bit of a number, as text. Lua's own conversion keeps 14 digits.
local function exact(number)
  return string.format("%.17g", number)
end
