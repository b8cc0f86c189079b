#!lua
-- uses: checks sums
-- Whether it is done, and what had to be left out.
plan_all(A.postings)
post_planned()
return { 1, left_out }
