#!lua
-- uses: jobs
-- First those that come back, whose lease ran out or whose delay is over; then new ones. The entry
-- of one that comes back is claimed for its new worker; XAUTOCLAIM would go by the server's clock.
local leases = {}

local function has_stream(lane)
  return call("EXISTS", lane_key(lane)) == 1
end

local function hand(lane, key)
  local job, token = job_key(key), A.tokens[#leases + 1]
  local attempt = call("HINCRBY", job, "attempt", 1)
  call("HSET", job, "token", token, "worker", A.worker)
  call("ZREM", P .. "delayed:" .. lane, key)
  call("ZADD", P .. "leased:" .. lane, exact(A.ends_at), key)
  leases[#leases + 1] = { key, token, attempt, call("HMGET", job, unpack(JOB)) }
end

-- A job whose texts were lost is not handed to anybody, and not looked for again.
local function hand_if_kept(lane, key, entry)
  if call("EXISTS", job_key(key)) == 1 then
    hand(lane, key)
  else
    withdraw(key, lane, entry)
  end
end

local function take_due(lane, list, first, last)
  local room = #A.tokens - #leases
  local due = call("ZRANGEBYSCORE", list, first, last, "LIMIT", 0, room)
  for _, key in ipairs(due) do
    local entry = call("HGET", job_key(key), "entry") or "0-0"
    if has_stream(lane) then
      call("XCLAIM", lane_key(lane), GROUP, A.worker, 0, entry, "JUSTID")
    end
    hand_if_kept(lane, key, entry)
  end
end

-- Those that are too far ahead were taken by a clock that has been set back since.
local function take_back(lane, list)
  take_due(lane, list, "(" .. exact(A.now + A.longest_wait), "+inf")
  take_due(lane, list, "-inf", exact(A.now))
end

local function take_new(lane)
  local room = #A.tokens - #leases
  if room == 0 or not has_stream(lane) then
    return
  end
  local read = call("XREADGROUP", "GROUP", GROUP, A.worker, "COUNT", room,
    "STREAMS", lane_key(lane), ">")
  for _, entry in ipairs(read and read[1][2] or {}) do
    hand_if_kept(lane, entry[2][2], entry[1])
  end
end

-- Workers come with ever new names: those not seen for a day, and without a job, are forgotten.
local function forget_workers()
  local yesterday = exact(A.now - 86400)
  for _, worker in ipairs(call("ZRANGEBYSCORE", P .. "workers", "-inf", yesterday)) do
    for _, lane in ipairs(call("SMEMBERS", P .. "lanes")) do
      if has_stream(lane) and #call("XPENDING", lane_key(lane), GROUP, "-", "+", 1, worker) == 0 then
        call("XGROUP", "DELCONSUMER", lane_key(lane), GROUP, worker)
      end
    end
    call("ZREM", P .. "workers", worker)
  end
end

if call("ZADD", P .. "workers", exact(A.now), A.worker) == 1 then
  forget_workers()
end
for _, lane in ipairs(A.lanes) do
  take_back(lane, P .. "leased:" .. lane)
  take_back(lane, P .. "delayed:" .. lane)
end
for _, lane in ipairs(A.lanes) do
  take_new(lane)
end
return leases
