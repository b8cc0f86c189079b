#!lua
-- uses: sums
local function expire(use_case)
  local buckets = P .. "buckets:" .. use_case
  local old = call("ZRANGEBYSCORE", buckets, "-inf", "(" .. A.before_bucket)
  for _, bucket in ipairs(old) do
    call("UNLINK", P .. "bucket:" .. bucket .. ":" .. use_case)
  end
  call("ZREMRANGEBYSCORE", buckets, "-inf", "(" .. A.before_bucket)
  if call("EXISTS", buckets, P .. "epochs:" .. use_case) == 0 then
    call("SREM", P .. "use_cases", use_case)
  end
  return #old
end

local count = 0
for _, use_case in ipairs(call("SMEMBERS", P .. "use_cases")) do
  count = count + expire(use_case)
end
return count
