-- The audit is a stream numbered 1-0, 2-0, ...; each case has the list of its numbers.
local function audit(actor, event, case_id, detail)
  local number = append(P .. "audit", "audit",
    "at", exact(A.now), "actor", actor, "event", event, "case_id", case_id, "detail", detail)
  if case_id ~= "" then
    call("RPUSH", P .. "audit:" .. case_id, number)
  end
end

local function check_audit()
  check({ "EXISTS", "HGET", "HINCRBY", "HSET", "RPUSH", "XADD", "XINFO STREAM" }, {
    hash = { P .. "counters" },
    stream = { P .. "audit" },
  })
  check_counters({ "audit" })
  refuse(wrong_end(P .. "audit"))
end
