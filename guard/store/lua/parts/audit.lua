-- The audit is a stream numbered 1-0, 2-0, ...; each case has the list of its numbers.
local function audit(actor, event, case_id, detail)
  local number = call("HINCRBY", P .. "counters", "audit", 1)
  call("XADD", P .. "audit", number .. "-0",
    "at", exact(A.now), "actor", actor, "event", event, "case_id", case_id, "detail", detail)
  if case_id ~= "" then
    call("RPUSH", P .. "audit:" .. case_id, number)
  end
end

local function check_audit()
  check({ "HINCRBY", "RPUSH", "XADD" }, { hash = { P .. "counters" }, stream = { P .. "audit" } })
end
