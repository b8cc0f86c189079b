#!lua flags=no-writes
-- uses:
-- The lanes that have jobs, or had.
return call("SMEMBERS", P .. "lanes")
