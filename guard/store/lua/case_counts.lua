#!lua flags=no-writes
-- uses: cases
local counts = {}
for _, use_case in ipairs(call("SMEMBERS", P .. "cases_use_cases")) do
  for _, state in ipairs(A.states) do
    local count = call("ZCARD", index_key("state=" .. state .. "/use_case=" .. use_case))
    if count > 0 then
      counts[#counts + 1] = { use_case, state, count }
    end
  end
end
return counts
