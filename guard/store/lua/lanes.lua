#!lua flags=no-writes
-- uses: jobs
-- The lanes that have jobs.
local found = {}
for _, lane in ipairs(call("SMEMBERS", P .. "lanes")) do
  local handed = call("ZCARD", P .. "delayed:" .. lane) + call("ZCARD", P .. "leased:" .. lane)
  if handed + call("XLEN", lane_key(lane)) > 0 then
    found[#found + 1] = lane
  end
end
return found
