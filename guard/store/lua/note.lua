#!lua
-- uses: checks audit
check_audit()
audit(A.actor, A.event, A.case_id, A.detail)
return 1
