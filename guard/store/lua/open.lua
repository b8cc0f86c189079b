#!lua
-- uses: audit cases
return open(A.case)
