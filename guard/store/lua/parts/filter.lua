-- Whether a case is one of those that A.where wants.
local function among(value, list)
  for _, other in ipairs(cjson.decode(list)) do
    if other == value then
      return true
    end
  end
  return false
end

local FIELDS = { "use_case", "kind", "attribute", "state", "call_id" }
local LISTED = { "reasons", "voters", "holder", "held_until", "priority" }

local function plain(id)
  for i, value in ipairs(call("HMGET", case_key(id), unpack(FIELDS))) do
    local wanted = A.where[FIELDS[i]]
    if wanted and wanted ~= value then
      return false
    end
  end
  return true
end

local function fits_as_kept(id)
  local reasons, voters, holder, held_until, priority =
    unpack(call("HMGET", case_key(id), unpack(LISTED)))
  local until_then = tonumber(held_until)
  local held = holder ~= "" and until_then > A.now and until_then <= A.now + A.longest_wait
  return not (A.where.reason and not among(A.where.reason, reasons))
    and not (A.where.not_voted_by and among(A.where.not_voted_by, voters))
    and not (A.free and held)
    and not (A.holder and not (held and holder == A.holder))
    and not (A.unranked and priority and tonumber(priority) > 0)
    and plain(id)
end

-- What cannot be read fits: whoever reads it leaves it out and says so.
local function fits(id)
  local is_read, answer = pcall(fits_as_kept, id)
  return not is_read or answer
end
