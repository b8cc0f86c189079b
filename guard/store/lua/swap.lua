#!lua
-- uses:
-- Keeps a text under a name, or none, if what is expected is what is there.
local key = P .. A.place
if (call("HGET", key, A.name) or nil) ~= A.expected then
  return 0
end
if A.new then
  call("HSET", key, A.name, A.new)
else
  call("HDEL", key, A.name)
end
return 1
