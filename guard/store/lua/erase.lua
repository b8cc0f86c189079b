#!lua
-- uses: audit jobs cases
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

local function erase_case(id)
  local age, indexes = unpack(call("HMGET", case_key(id), "age", "indexes"))
  index(age .. id, nil, cjson.decode(indexes), {})
  call("DEL", case_key(id))
  call("SADD", P .. "erased_cases", id)
  audit(A.by, "erased", id, A.call_id)
  count = count + 1
end

local ids = {}
for i, member in ipairs(call("ZRANGE", index_key("call=" .. A.call_id), 0, -1)) do
  ids[i] = string.sub(member, AGE + 1)
end
table.sort(ids)
for _, id in ipairs(ids) do
  erase_case(id)
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
