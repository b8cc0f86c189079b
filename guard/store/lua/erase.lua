#!lua
-- uses: checks audit jobs cases
local count = 0

local function erase_job(key)
  local lane, entry, grave = unpack(call("HMGET", job_key(key), "lane", "entry", "grave"))
  if grave then
    call("XDEL", P .. "buried", grave)
  else
    withdraw(key, lane, entry)
  end
  delete(key, A.call_id)
  audit(A.by, "erased", "", key)
  count = count + 1
end

-- A case that cannot be read has texts all the same; a key of another type is not ours.
local function erase_case(member)
  local id = string.sub(member, AGE + 1)
  local indexes = indexes_in(call("HGET", case_key(id), "indexes"))
  index(member, nil, indexes or { "all", "call=" .. A.call_id }, {})
  call("DEL", case_key(id))
  call("SADD", P .. "erased_cases", id)
  audit(A.by, "erased", id, A.call_id)
  count = count + 1
end

check_audit()
local members = {}
for _, member in ipairs(call("ZRANGE", index_key("call=" .. A.call_id), 0, -1)) do
  if not wrong_kind(case_key(string.sub(member, AGE + 1)), "hash") then
    members[#members + 1] = member
  end
end
table.sort(members, function(one, other)
  return string.sub(one, AGE + 1) < string.sub(other, AGE + 1)
end)
for _, member in ipairs(members) do
  erase_case(member)
end
local prefix = A.call_id .. "\0"
local of_call = call("ZRANGEBYLEX", P .. "jobs_of_calls", "[" .. prefix, "(" .. A.call_id .. "\1")
for _, member in ipairs(of_call) do
  local key = string.sub(member, #prefix + 1)
  if call("HGET", job_key(key), "call_id") == A.call_id then
    erase_job(key)
  end
end
call("SADD", P .. "erased", A.call_id)
return count
