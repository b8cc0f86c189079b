-- A job is a hash with its texts, and an entry with its key in the stream of its lane. The entry is
-- in the pending list of the consumer group from the first lease to the end of the job.
--   waiting         all that are neither finished nor buried, by when they were offered
--   leased:<lane>   by the end of the lease       delayed:<lane>  by when the job is due again
--   ended           keys of finished ones, by when they ended
--   jobs_of_calls   "<call id>\0<key>", by name   erased          ids of erased calls
--   buried          the dead-letter stream        counters        numbers given out, offers refused
local GROUP = "workers"

local function job_key(key)
  return P .. "job:" .. key
end

local function lane_key(lane)
  return P .. "lane:" .. lane
end

local function erased(call_id)
  return call_id ~= "" and call("SISMEMBER", P .. "erased", call_id) == 1
end

local function seen(job)
  local ended_at = call("ZSCORE", P .. "ended", job.key)
  return call("EXISTS", job_key(job.key)) == 1
    or (ended_at and tonumber(ended_at) + A.remember_seconds > A.now)
    or erased(job.call_id)
end

-- The name of a lane and its stream may each be lost without the other: a group that is there stays.
local function open_lane(lane)
  local is_new = call("SADD", P .. "lanes", lane) == 1
  if is_new or call("EXISTS", lane_key(lane)) == 0 then
    redis.pcall("XGROUP", "CREATE", lane_key(lane), GROUP, "0", "MKSTREAM")
  end
end

local function queue(key, lane, offered_at)
  open_lane(lane)
  local number = append(lane_key(lane), "entry", "key", key)
  call("HSET", job_key(key), "entry", number .. "-0")
  call("ZADD", P .. "waiting", offered_at, key)
end

local function check_jobs()
  check({
    "EXISTS", "HDEL", "HGET", "HINCRBY", "HSET", "SADD", "SISMEMBER", "XADD", "XGROUP CREATE",
    "XINFO STREAM", "ZADD", "ZCARD", "ZSCORE",
  }, {
    hash = { P .. "counters" },
    set = { P .. "erased", P .. "lanes" },
    zset = { P .. "ended", P .. "jobs_of_calls", P .. "waiting" },
  })
  check_counters({ "entry", "full" })
end

local function wrong_job(job)
  local lane = lane_key(job.lane)
  return wrong_key({ hash = { job_key(job.key) }, stream = { lane } }) or wrong_end(lane)
end

local function offer(job)
  if seen(job) then
    return "duplicate"
  end
  if call("ZCARD", P .. "waiting") >= A.max_jobs then
    call("HINCRBY", P .. "counters", "full", 1)
    return "full"
  end
  call("HSET", job_key(job.key), "lane", job.lane, "use_case", job.use_case,
    "call_id", job.call_id, "payload", job.payload, "offered_at", exact(job.offered_at),
    "attempt", 0)
  if job.call_id ~= "" then
    call("ZADD", P .. "jobs_of_calls", 0, job.call_id .. "\0" .. job.key)
  end
  queue(job.key, job.lane, exact(job.offered_at))
  return "accepted"
end

local function offer_all(jobs)
  for _, job in ipairs(jobs) do
    offer(job)
  end
end

-- The lane and the entry of a job that is in the hands of this lease, or nothing.
local function lane_of(key, token)
  local lane, entry, holder = unpack(call("HMGET", job_key(key), "lane", "entry", "token"))
  if holder and holder == token then
    return lane, entry
  end
end

local function check_withdrawal(key, lane)
  check({ "DEL", "XACK", "XDEL", "ZREM", "ZREMRANGEBYRANK", "ZREMRANGEBYSCORE" }, {
    hash = { job_key(key) },
    stream = { lane_key(lane) },
    zset = { P .. "leased:" .. lane, P .. "delayed:" .. lane },
  })
end

local function withdraw(key, lane, entry)
  call("XACK", lane_key(lane), GROUP, entry)
  call("XDEL", lane_key(lane), entry)
  call("ZREM", P .. "leased:" .. lane, key)
  call("ZREM", P .. "delayed:" .. lane, key)
  call("ZREM", P .. "waiting", key)
end

local function delete(key, call_id)
  call("DEL", job_key(key))
  if call_id ~= "" then
    call("ZREM", P .. "jobs_of_calls", call_id .. "\0" .. key)
  end
end

-- Keep the key of an ended job for a while, so that it is not done again.
local function remember(key)
  call("ZADD", P .. "ended", exact(A.now), key)
  call("ZREMRANGEBYSCORE", P .. "ended", "-inf", exact(A.now - A.remember_seconds))
  call("ZREMRANGEBYRANK", P .. "ended", 0, -A.remember_keys - 1)
end

local JOB = { "lane", "use_case", "call_id", "payload", "offered_at" }
