#!lua
-- uses: jobs
local lane = lane_of(A.key, A.token)
if not lane then
  return 0
end
call("HDEL", job_key(A.key), "token", "worker")
call("HSET", job_key(A.key), "error", A.error)
call("ZREM", P .. "leased:" .. lane, A.key)
call("ZADD", P .. "delayed:" .. lane, exact(A.due_at), A.key)
return 1
