#!lua
-- uses: sums
post_all(A.postings)
return 1
