-- A case is a hash. Each index is a sorted set of "<age><id>", all with score 0, so that it is in
-- the order of these names; in those named "queue/..." the score is the priority, negative, so that
-- the highest comes first. Which indexes a case is in stands in its field `indexes`.
local AGE = 16

local function case_key(id)
  return P .. "case:" .. id
end

local function index_key(name)
  return P .. "cases:" .. name
end

-- The names that a case keeps of its indexes, or nothing where it keeps something else there.
local function indexes_in(kept)
  local is_read, names = pcall(cjson.decode, kept)
  if not is_read or type(names) ~= "table" then
    return nil
  end
  for _, name in ipairs(names) do
    if type(name) ~= "string" then
      return nil
    end
  end
  return names
end

local function is_queue(name)
  return string.sub(name, 1, 6) == "queue/"
end

-- Put a case that is in the indexes `before` into those of `after`.
local function index(member, priority, before, after)
  local stays = {}
  for _, name in ipairs(after) do
    stays[name] = true
    call("ZADD", index_key(name), is_queue(name) and "-" .. priority or 0, member)
  end
  for _, name in ipairs(before) do
    if not stays[name] then
      call("ZREM", index_key(name), member)
    end
  end
end

local function check_cases()
  check_audit()
  check({ "EXISTS", "HSET", "SADD", "SISMEMBER", "ZADD" }, {
    set = { P .. "cases_use_cases", P .. "erased", P .. "erased_cases" },
  })
end

local function wrong_case(case)
  local id, indexes = case.fields.id, {}
  for i, name in ipairs(case.indexes) do
    indexes[i] = index_key(name)
  end
  return wrong_key({ hash = { case_key(id) }, list = { P .. "audit:" .. id }, zset = indexes })
end

local function open(case)
  local id = case.fields.id
  if call("EXISTS", case_key(id)) == 1
    or call("SISMEMBER", P .. "erased_cases", id) == 1
    or call("SISMEMBER", P .. "erased", case.fields.call_id) == 1 then
    return 0
  end
  local flat = { "indexes", cjson.encode(case.indexes) }
  for name, value in pairs(case.fields) do
    flat[#flat + 1] = name
    flat[#flat + 1] = value
  end
  call("HSET", case_key(id), unpack(flat))
  call("SADD", P .. "cases_use_cases", case.fields.use_case)
  index(case.fields.age .. id, case.fields.priority, {}, case.indexes)
  audit("guard", "opened", id, "")
  return 1
end

local function open_all(cases)
  for _, case in ipairs(cases) do
    open(case)
  end
end
