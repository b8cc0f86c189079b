#!lua
-- uses: checks audit jobs sums cases
-- What a process had in its spool, and how far it was read, in one step: whether it is new, and what
-- had to be left out. The position is written first, so that nothing counts twice whatever happens.
check({ "HSET" }, { hash = { P .. "spools" } })
local before = call("HGET", P .. "spools", A.spool)
if tonumber(before or "0") >= A.position then
  return { 0, {} }
end
check_jobs()
check_cases()
plan_all(A.postings)
local jobs, cases = fitting(A.jobs, wrong_job), fitting(A.cases, wrong_case)
call("HSET", P .. "spools", A.spool, exact(A.position))
post_planned()
offer_all(jobs)
open_all(cases)
return { 1, left_out }
