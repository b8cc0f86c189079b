-- name_use_case
INSERT OR IGNORE INTO use_cases (name) VALUES (?);

-- name_key
INSERT OR IGNORE INTO keys (name) VALUES (?);

-- add_sum
INSERT INTO sums (use_case, bucket, key, value)
VALUES ((SELECT id FROM use_cases WHERE name = ?), ?, (SELECT id FROM keys WHERE name = ?), ?)
ON CONFLICT DO UPDATE SET value = value + excluded.value;

-- add_evidence
INSERT INTO evidence (use_case, epoch, key, value)
VALUES ((SELECT id FROM use_cases WHERE name = ?), ?, (SELECT id FROM keys WHERE name = ?), ?)
ON CONFLICT DO UPDATE SET value = value + excluded.value;

-- total
SELECT keys.name, sum(value) FROM sums JOIN keys ON keys.id = sums.key
WHERE use_case = (SELECT id FROM use_cases WHERE name = ?) AND bucket >= ? AND bucket < ?
GROUP BY sums.key;

-- series
SELECT bucket, keys.name, value FROM sums JOIN keys ON keys.id = sums.key
WHERE use_case = (SELECT id FROM use_cases WHERE name = ?) AND bucket >= ? AND bucket < ?
ORDER BY bucket;

-- evidence
SELECT keys.name, value FROM evidence JOIN keys ON keys.id = evidence.key
WHERE use_case = (SELECT id FROM use_cases WHERE name = ?) AND epoch = ?;

-- use_cases
SELECT name FROM use_cases
WHERE EXISTS (SELECT 1 FROM sums WHERE sums.use_case = use_cases.id)
   OR EXISTS (SELECT 1 FROM evidence WHERE evidence.use_case = use_cases.id)
ORDER BY name;

-- count_old_buckets
SELECT count(*) FROM (
    SELECT DISTINCT use_case, bucket FROM sums
    WHERE use_case IN (SELECT id FROM use_cases) AND bucket < ?
);

-- delete_old_buckets
DELETE FROM sums WHERE use_case IN (SELECT id FROM use_cases) AND bucket < ?;

-- keep_position
INSERT INTO positions VALUES (?, ?)
ON CONFLICT DO UPDATE SET seen = excluded.seen WHERE seen < excluded.seen;

-- position
SELECT seen FROM positions WHERE spool = ?;
