#!lua flags=no-writes
-- uses: cases filter
-- Ids of fitting cases with a priority, the highest first and of equal ones the oldest, and at which
-- of them to go on. Looks at `A.steps` cases at most, so that the server is never kept for long.
local function is_behind(member, score)
  local priority = -tonumber(score)
  return not A.behind or priority < A.behind.priority
    or (priority == A.behind.priority and string.sub(member, 1, AGE) > A.behind.age)
end

local ids = {}
local stop = A.start + A.steps
local found = call("ZRANGE", index_key(A.index), A.start, stop - 1, "WITHSCORES")
for i = 1, #found, 2 do
  local id = string.sub(found[i], AGE + 1)
  if is_behind(found[i], found[i + 1]) and fits(id) then
    ids[#ids + 1] = id
  end
end
return { #found == 2 * A.steps and stop or -1, unpack(ids) }
