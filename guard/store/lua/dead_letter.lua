#!lua
-- uses: checks jobs
local lane, entry = lane_of(A.key, A.token)
if not lane then
  return 0
end
check_withdrawal(A.key, lane)
check_jobs()
check({}, { stream = { P .. "buried" } })
refuse(wrong_end(P .. "buried"))
withdraw(A.key, lane, entry)
local attempts = call("HGET", job_key(A.key), "attempt")
local number = append(P .. "buried", "entry",
  "key", A.key, "attempts", attempts, "error", A.error, "buried_at", exact(A.now))
call("HDEL", job_key(A.key), "token", "worker", "entry", "error")
call("HSET", job_key(A.key), "grave", number .. "-0")
return 1
