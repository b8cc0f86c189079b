#!lua flags=no-writes
-- uses: cases
-- When the oldest case in one of these states was opened, without those that cannot be read.
local first, opened_at

local function look_at(member)
  local kept = redis.pcall("HGET", case_key(string.sub(member, AGE + 1)), "opened_at")
  if type(kept) == "string" and tonumber(kept) then
    first, opened_at = member, kept
    return true
  end
end

for _, state in ipairs(A.states) do
  for _, member in ipairs(call("ZRANGE", index_key("state=" .. state), 0, A.steps - 1)) do
    if first and member >= first or look_at(member) then
      break
    end
  end
end
return opened_at or ""
