-- Sums are added as doubles and kept with all their bits, as the other stores do it. HINCRBYFLOAT
-- keeps 17 digits after the point whatever the size, and costs a command for each key.
-- They are planned first, all of them, and then written, so that nothing is written if one is wrong.
local CHUNK = 1000
local sums_after = {}
local listed = {}

local function plan_some(key, names, sums, plan)
  local found = redis.pcall("HMGET", key, unpack(names))
  if found.err and string.find(found.err, "WRONGTYPE", 1, true) then
    return "the key " .. key .. " holds no sums"
  elseif found.err then
    error(found)
  end
  local planned = sums_after[key] or {}
  for i, name in ipairs(names) do
    local before = planned[name] or tonumber(found[i] or "0")
    if not before then
      return "the key " .. key .. " holds no number at " .. name
    end
    plan[name] = before + sums[name]
  end
end

-- What is wrong with the key of some sums, or nothing; then `plan` has what they will be.
local function plan_sums(key, sums, plan)
  local names, wrong = {}, nil
  for name in pairs(sums) do
    names[#names + 1] = name
    if #names == CHUNK then
      wrong = wrong or plan_some(key, names, sums, plan)
      names = {}
    end
  end
  return wrong or #names > 0 and plan_some(key, names, sums, plan) or nil
end

local function write_sums(key, sums)
  local flat = {}
  for name, value in pairs(sums) do
    flat[#flat + 1] = name
    flat[#flat + 1] = exact(value)
    if #flat == 2 * CHUNK then
      call("HSET", key, unpack(flat))
      flat = {}
    end
  end
  if #flat > 0 then
    call("HSET", key, unpack(flat))
  end
end

local function epoch_key(use_case, epoch)
  return P .. "epoch:" .. #use_case .. ":" .. use_case .. ":" .. epoch
end

-- What is wrong with the keys of a posting, or nothing; then `plans` has its sums by their keys.
local function plan_posting(posting, plans)
  local use_case = posting.use_case
  if next(posting.sums) then
    local key = P .. "bucket:" .. posting.bucket .. ":" .. use_case
    plans[key] = {}
    local wrong = wrong_kind(P .. "buckets:" .. use_case, "zset")
      or plan_sums(key, posting.sums, plans[key])
    if wrong then
      return wrong
    end
  end
  for epoch, sums in pairs(posting.evidence) do
    local key = epoch_key(use_case, epoch)
    plans[key] = {}
    local wrong = wrong_kind(P .. "epochs:" .. use_case, "set") or plan_sums(key, sums, plans[key])
    if wrong then
      return wrong
    end
  end
end

local function plan_posted(posting)
  local plans = {}
  local wrong = plan_posting(posting, plans)
  if wrong then
    leave_out(wrong)
    return
  end
  for key, plan in pairs(plans) do
    sums_after[key] = sums_after[key] or {}
    for name, value in pairs(plan) do
      sums_after[key][name] = value
    end
  end
  listed[#listed + 1] = posting
end

local function list(posting)
  local use_case = posting.use_case
  if next(posting.sums) then
    call("ZADD", P .. "buckets:" .. use_case, posting.bucket, posting.bucket)
    call("SADD", P .. "use_cases", use_case)
  end
  for epoch in pairs(posting.evidence) do
    call("SADD", P .. "epochs:" .. use_case, epoch)
    call("SADD", P .. "use_cases", use_case)
  end
end

local function plan_all(postings)
  check({ "HMGET", "HSET", "SADD", "ZADD" }, { set = { P .. "use_cases" } })
  for _, posting in ipairs(postings) do
    plan_posted(posting)
  end
end

local function post_planned()
  for key, sums in pairs(sums_after) do
    write_sums(key, sums)
  end
  for _, posting in ipairs(listed) do
    list(posting)
  end
end
