-- One row per person, where version 4 kept everybody in one fact.
CREATE TABLE accounts (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL
) WITHOUT ROWID;

INSERT INTO accounts
SELECT user.key, json_object(
    'role', json_extract(user.value, '$.role'),
    'password_hash', printf('$scrypt$n=%d,r=%d,p=%d$%s$%s',
        json_extract(user.value, '$.n'), json_extract(user.value, '$.r'),
        json_extract(user.value, '$.p'), json_extract(user.value, '$.salt'),
        json_extract(user.value, '$.hash')),
    'session_version', coalesce(json_extract(user.value, '$.generation'), 0),
    'disabled', json(CASE json_extract(user.value, '$.disabled') WHEN 1 THEN 'true' ELSE 'false' END))
FROM facts, json_each(facts.value) AS user WHERE facts.name = 'users';

-- Where reviewers are in the queue.
CREATE TABLE cursors (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL
) WITHOUT ROWID;

INSERT INTO cursors
SELECT substr(name, 11), json_object(
    'skipped_at', json_extract(value, '$.passed'),
    'recent_votes', json(coalesce(json_extract(value, '$.votes'), '[]')))
FROM facts WHERE substr(name, 1, 10) = 'review/of/';

DELETE FROM facts WHERE name = 'users' OR substr(name, 1, 10) = 'review/of/';
