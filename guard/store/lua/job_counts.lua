#!lua flags=no-writes
-- uses: jobs
-- waiting, delayed, leased, buried, refused, when the oldest was offered
local delayed, leased = 0, 0
local after = "(" .. exact(A.now)
for _, lane in ipairs(call("SMEMBERS", P .. "lanes")) do
  delayed = delayed + call("ZCOUNT", P .. "delayed:" .. lane, after, "+inf")
  leased = leased + call("ZCOUNT", P .. "leased:" .. lane, after, "+inf")
end
return {
  call("ZCARD", P .. "waiting"), delayed, leased, call("XLEN", P .. "buried"),
  tonumber(call("HGET", P .. "counters", "full") or "0"),
  call("ZRANGE", P .. "waiting", 0, 0, "WITHSCORES")[2] or "",
}
