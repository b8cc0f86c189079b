#!lua
-- uses: checks jobs
local grave, lane, offered_at =
  unpack(call("HMGET", job_key(A.key), "grave", "lane", "offered_at"))
if not grave then
  return 0
end
check_jobs()
refuse(wrong_job({ key = A.key, lane = lane }))
check({ "XDEL" }, { stream = { P .. "buried" } })
call("XDEL", P .. "buried", grave)
call("HDEL", job_key(A.key), "grave")
call("HSET", job_key(A.key), "attempt", 0)
queue(A.key, lane, offered_at)
return 1
