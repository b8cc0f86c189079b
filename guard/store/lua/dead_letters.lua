#!lua flags=no-writes
-- uses: jobs
local graves = {}
for i, entry in ipairs(call("XREVRANGE", P .. "buried", "+", "-", "COUNT", A.limit)) do
  local fields = entry[2]
  local job = call("HMGET", job_key(fields[2]), unpack(JOB))
  graves[i] = { fields[2], fields[4], fields[6], fields[8], job }
end
return graves
