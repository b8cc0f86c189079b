#!lua
-- uses: checks jobs
check_jobs()
refuse(wrong_job(A.job))
return offer(A.job)
