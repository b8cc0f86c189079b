#!lua
-- uses: jobs
local lane, entry = lane_of(A.key, A.token)
if not lane then
  return 0
end
withdraw(A.key, lane, entry)
local grave = call("HINCRBY", P .. "counters", "entry", 1) .. "-0"
local attempts = call("HGET", job_key(A.key), "attempt")
call("XADD", P .. "buried", grave,
  "key", A.key, "attempts", attempts, "error", A.error, "buried_at", exact(A.now))
call("HDEL", job_key(A.key), "token", "worker", "entry", "error")
call("HSET", job_key(A.key), "grave", grave)
return 1
