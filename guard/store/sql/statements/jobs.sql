-- job_is_known
SELECT EXISTS (SELECT 1 FROM jobs WHERE key = :key)
    OR EXISTS (SELECT 1 FROM buried WHERE key = :key)
    OR EXISTS (SELECT 1 FROM ended WHERE digest = :digest AND ended_at > :forgotten)
    OR EXISTS (SELECT 1 FROM erased_calls WHERE call_id = :call_id);

-- waiting_jobs
SELECT value FROM counters WHERE name = 'jobs';

-- count_refused_offer
UPDATE counters SET value = value + 1 WHERE name = 'full';

-- insert_job
INSERT INTO jobs (key, lane, use_case, call_id, payload, offered_at, free_at)
VALUES (?, ?, ?, ?, ?, ?, ?);

-- due_jobs
SELECT free_at, number FROM jobs
WHERE lane = ? AND free_at <= ? ORDER BY free_at, number LIMIT ?;

-- jobs_too_far_ahead
SELECT free_at, number FROM jobs
WHERE lane = ? AND free_at > ? ORDER BY free_at, number LIMIT ?;

-- lease_job
UPDATE jobs SET attempt = attempt + 1, token = ?, free_at = ? WHERE number = ?
RETURNING attempt, key, lane, use_case, call_id, payload, offered_at;

-- renew_lease
UPDATE jobs SET free_at = ? WHERE key = ? AND token = ?;

-- return_job
UPDATE jobs SET free_at = ?, token = '' WHERE key = ? AND token = ?;

-- delete_job
DELETE FROM jobs WHERE key = ? AND token = ?;

-- insert_dead_letter
INSERT INTO buried (key, lane, use_case, call_id, payload, offered_at, attempts, error, buried_at)
SELECT key, lane, use_case, call_id, payload, offered_at, attempt, ?, ?
FROM jobs WHERE key = ? AND token = ?;

-- dead_letters
SELECT attempts, error, buried_at, key, lane, use_case, call_id, payload, offered_at FROM buried
ORDER BY buried_at DESC, number DESC LIMIT ?;

-- delete_dead_letter
DELETE FROM buried WHERE key = ?
RETURNING key, lane, use_case, call_id, payload, offered_at;

-- lanes
WITH RECURSIVE found (lane) AS (
  SELECT min(lane) FROM jobs
  UNION ALL
  SELECT (SELECT min(lane) FROM jobs WHERE lane > found.lane) FROM found WHERE found.lane IS NOT NULL
)
SELECT lane FROM found WHERE lane IS NOT NULL;

-- job_counts
SELECT count(*) FILTER (WHERE free_at <= :now OR free_at > :until),
       count(*) FILTER (WHERE free_at > :now AND free_at <= :until AND token = ''),
       count(*) FILTER (WHERE free_at > :now AND free_at <= :until AND token <> ''),
       (SELECT count(*) FROM buried),
       (SELECT value FROM counters WHERE name = 'full'),
       min(offered_at)
FROM jobs;

-- remember_key
INSERT OR REPLACE INTO ended VALUES (?, ?);

-- forget_keys
DELETE FROM ended WHERE digest IN (SELECT digest FROM ended WHERE ended_at <= ? LIMIT 10);

-- erase_call
INSERT OR IGNORE INTO erased_calls VALUES (?);

-- erase_jobs
DELETE FROM jobs WHERE call_id = ? RETURNING key;

-- erase_dead_letters
DELETE FROM buried WHERE call_id = ? RETURNING key;
