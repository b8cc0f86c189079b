#!lua flags=no-writes
-- uses: cases filter
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
