#!lua
-- uses: jobs
local lane = lane_of(A.key, A.token)
if not lane then
  return 0
end
call("ZADD", P .. "leased:" .. lane, exact(A.ends_at), A.key)
return 1
