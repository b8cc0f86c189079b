#!lua flags=no-writes
-- uses: jobs
-- waiting, delayed, leased, buried, refused, when the oldest was offered
local delayed, leased = 0, 0
local after, last = "(" .. exact(A.now), exact(A.now + A.longest_wait)
for _, lane in ipairs(call("SMEMBERS", P .. "lanes")) do
  delayed = delayed + call("ZCOUNT", P .. "delayed:" .. lane, after, last)
  leased = leased + call("ZCOUNT", P .. "leased:" .. lane, after, last)
end
return {
  call("ZCARD", P .. "waiting"), delayed, leased, call("XLEN", P .. "buried"),
  tonumber(call("HGET", P .. "counters", "full") or "0") or 0,
  call("ZRANGE", P .. "waiting", 0, 0, "WITHSCORES")[2] or "",
}
