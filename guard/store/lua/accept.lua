#!lua
-- uses: audit jobs sums cases
-- What a process had in its spool, and how far it was read, in one step.
local before = call("HGET", P .. "spools", A.spool)
if tonumber(before or "0") >= A.position then
  return 0
end
offer_all(A.jobs)
post_all(A.postings)
open_all(A.cases)
call("HSET", P .. "spools", A.spool, exact(A.position))
return 1
