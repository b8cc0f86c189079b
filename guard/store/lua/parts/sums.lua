-- Sums are added as doubles and kept with all their bits, as the other stores do it. HINCRBYFLOAT
-- keeps 17 digits after the point whatever the size, and costs a command for each key.
local CHUNK = 1000

local function add_some(key, names, sums)
  local changed = {}
  for i, value in ipairs(call("HMGET", key, unpack(names))) do
    changed[#changed + 1] = names[i]
    changed[#changed + 1] = exact(tonumber(value or "0") + sums[names[i]])
  end
  call("HSET", key, unpack(changed))
end

local function add(key, sums)
  local names = {}
  for name in pairs(sums) do
    names[#names + 1] = name
    if #names == CHUNK then
      add_some(key, names, sums)
      names = {}
    end
  end
  if #names > 0 then
    add_some(key, names, sums)
  end
end

local function epoch_key(use_case, epoch)
  return P .. "epoch:" .. #use_case .. ":" .. use_case .. ":" .. epoch
end

local function post(posting)
  local use_case = posting.use_case
  if next(posting.sums) then
    add(P .. "bucket:" .. posting.bucket .. ":" .. use_case, posting.sums)
    call("ZADD", P .. "buckets:" .. use_case, posting.bucket, posting.bucket)
    call("SADD", P .. "use_cases", use_case)
  end
  for epoch, sums in pairs(posting.evidence) do
    add(epoch_key(use_case, epoch), sums)
    call("SADD", P .. "epochs:" .. use_case, epoch)
    call("SADD", P .. "use_cases", use_case)
  end
end

local function post_all(postings)
  for _, posting in ipairs(postings) do
    post(posting)
  end
end
