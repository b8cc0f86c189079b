#!lua
-- uses: checks audit jobs sums cases
-- The end of a job, its sums, its cases and the jobs that follow, all or nothing, and what had to be
-- left out: the lease is looked at before any write.
local lane, entry = lane_of(A.key, A.token)
if not lane then
  return { 0, {} }
end
check_withdrawal(A.key, lane)
check_jobs()
check_cases()
plan_all(A.postings)
local jobs, cases = fitting(A.jobs, wrong_job), fitting(A.cases, wrong_case)
local call_id = call("HGET", job_key(A.key), "call_id") or ""
withdraw(A.key, lane, entry)
delete(A.key, call_id)
remember(A.key)
post_planned()
offer_all(jobs)
open_all(cases)
return { 1, left_out }
