#!lua
-- uses: checks audit cases
-- A case as it stands after a change, if nobody else has changed it meanwhile: 1, 0 where somebody
-- has, or what is wrong with its keys.
local key = case_key(A.id)
local version, age, priority, before =
  unpack(call("HMGET", key, "version", "age", "priority", "indexes"))
if not version or tonumber(version) ~= A.version then
  return 0
end
check_audit()
local left = indexes_in(before)
if not (left and age) then
  return "the key " .. key .. " holds no case"
end
local wrong = wrong_case({ fields = { id = A.id }, indexes = A.indexes })
  or wrong_case({ fields = { id = A.id }, indexes = left })
if wrong then
  return wrong
end
call("HSET", key, "version", A.version + 1, "standing", A.standing, "voters", A.voters,
  "state", A.state, "holder", A.holder, "held_until", exact(A.held_until),
  "indexes", cjson.encode(A.indexes))
index(age .. A.id, tonumber(priority or "") and priority or "0", left, A.indexes)
for _, entry in ipairs(A.entries) do
  audit(A.actor, entry[1], A.id, entry[2])
end
return 1
