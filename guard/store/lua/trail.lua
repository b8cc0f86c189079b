#!lua flags=no-writes
-- uses:
-- The audit after a number, of one case or of all.
if A.case_id == "" then
  return call("XRANGE", P .. "audit", string.format("(%.0f-0", A.after), "+", "COUNT", A.limit)
end
local entries = {}
for _, number in ipairs(call("LRANGE", P .. "audit:" .. A.case_id, 0, -1)) do
  if tonumber(number) > A.after and #entries < A.limit then
    entries[#entries + 1] = call("XRANGE", P .. "audit", number .. "-0", number .. "-0")[1]
  end
end
return entries
