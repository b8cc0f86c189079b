#!lua
-- uses: checks jobs
check_jobs()
local wrong = wrong_job(A.job)
if wrong then
  error({ err = "WRONGTYPE " .. wrong })
end
return offer(A.job)
