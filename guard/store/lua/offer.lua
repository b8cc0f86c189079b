#!lua
-- uses: jobs
return offer(A.job)
