#!lua
-- uses: audit jobs sums cases
-- The end of a job, its sums, its cases and the jobs that follow, all or nothing: the lease is looked
-- at before any write.
local lane, entry = lane_of(A.key, A.token)
if not lane then
  return 0
end
local call_id = call("HGET", job_key(A.key), "call_id")
withdraw(A.key, lane, entry)
delete(A.key, call_id)
remember(A.key)
offer_all(A.jobs)
post_all(A.postings)
open_all(A.cases)
return 1
