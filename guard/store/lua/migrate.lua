#!lua
-- uses:
-- Brings the store to the present version; what is there already stays, so that it may run again
-- and beside others. Version 1 kept all accounts in one fact, and a fact per reviewer.
local facts = P .. "facts"

local function account(kept)
  return string.format(
    '{"role":%s,"password_hash":%s,"session_version":%.0f,"disabled":%s}',
    cjson.encode(kept.role),
    cjson.encode(string.format("$scrypt$n=%.0f,r=%.0f,p=%.0f$%s$%s",
      kept.n, kept.r, kept.p, kept.salt, kept.hash)),
    kept.generation or 0, tostring(kept.disabled == true))
end

local function cursor(kept)
  local at, votes = kept.passed, kept.votes or {}
  return string.format('{"skipped_at":%s,"recent_votes":%s}',
    type(at) == "number" and exact(at) or "null", #votes == 0 and "[]" or cjson.encode(votes))
end

local users = call("HGET", facts, "users")
for name, kept in pairs(users and cjson.decode(users) or {}) do
  call("HSETNX", P .. "accounts", name, account(kept))
end
for _, name in ipairs(call("HKEYS", facts)) do
  if string.sub(name, 1, 10) == "review/of/" then
    local kept = cjson.decode(call("HGET", facts, name))
    call("HSETNX", P .. "cursors", string.sub(name, 11), cursor(kept))
    call("HDEL", facts, name)
  end
end
call("HDEL", facts, "users")
call("HSET", P .. "settings", "version", A.version)
return 1
