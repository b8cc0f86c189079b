#!lua flags=no-writes
-- uses: cases
-- When the oldest case in one of these states was opened.
local first
for _, state in ipairs(A.states) do
  local member = call("ZRANGE", index_key("state=" .. state), 0, 0)[1]
  if member and (not first or member < first) then
    first = member
  end
end
return first and call("HGET", case_key(string.sub(first, AGE + 1)), "opened_at") or ""
