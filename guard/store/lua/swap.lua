#!lua
-- uses:
local now = call("HGET", P .. "facts", A.name)
if (now or nil) ~= A.expected then
  return 0
end
call("HSET", P .. "facts", A.name, A.new)
return 1
