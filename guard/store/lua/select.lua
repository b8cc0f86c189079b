#!lua flags=no-writes
-- uses: cases
-- Ids of fitting cases in order of age, and where to go on. Walks the smallest of the indexes that
-- hold them all, `A.steps` cases at most, so that the server is never kept for long.
local function smallest(names)
  local best, size
  for _, name in ipairs(names) do
    local count = call("ZCARD", index_key(name))
    if not size or count < size then
      best, size = name, count
    end
  end
  return index_key(best)
end

local function among(value, list)
  for _, other in ipairs(cjson.decode(list)) do
    if other == value then
      return true
    end
  end
  return false
end

local FIELDS = { "use_case", "kind", "attribute", "state", "call_id" }
local LISTED = { "reasons", "voters", "holder", "held_until" }

local function plain(id)
  for i, value in ipairs(call("HMGET", case_key(id), unpack(FIELDS))) do
    local wanted = A.where[FIELDS[i]]
    if wanted and wanted ~= value then
      return false
    end
  end
  return true
end

local function fits(id)
  local reasons, voters, holder, held_until = unpack(call("HMGET", case_key(id), unpack(LISTED)))
  local held = holder ~= "" and tonumber(held_until) > A.now
  return not (A.where.reason and not among(A.where.reason, reasons))
    and not (A.where.not_voted_by and among(A.where.not_voted_by, voters))
    and not (A.free and held)
    and not (A.holder and not (held and holder == A.holder))
    and plain(id)
end

local ids = {}
local members = call("ZRANGE", smallest(A.indexes), A.start, A["end"], "BYLEX", "LIMIT", 0, A.steps)
for i, member in ipairs(members) do
  local id = string.sub(member, AGE + 1)
  if fits(id) then
    ids[#ids + 1] = id
  end
  if #ids == A.limit then
    return { "(" .. member, unpack(ids) }
  end
end
local more = #members == A.steps and "(" .. members[#members] or ""
return { more, unpack(ids) }
