#!lua
-- uses: checks audit cases
-- Whether it is new, and why it had to be left out, if so.
check_cases()
local case = fitting({ A.case }, wrong_case)[1]
return { case and open(case) or 0, left_out }
