#!lua
-- uses: audit
audit(A.actor, A.event, A.case_id, A.detail)
return 1
