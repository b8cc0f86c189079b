-- What the store was made with.
CREATE TABLE made_with (
    name TEXT PRIMARY KEY,
    value NOT NULL
) WITHOUT ROWID;

-- Numbers that are read often and would be slow to count.
CREATE TABLE counters (
    name TEXT PRIMARY KEY,
    value INTEGER NOT NULL
) WITHOUT ROWID;

INSERT INTO counters VALUES ('jobs', 0), ('full', 0);

-- Jobs that are neither finished nor buried. free_at: from then on a job may be handed out.
-- token: of its last lease, '' when it was never handed out or given back.
CREATE TABLE jobs (
    number INTEGER PRIMARY KEY,
    key TEXT NOT NULL UNIQUE,
    lane TEXT NOT NULL,
    use_case TEXT NOT NULL,
    call_id TEXT NOT NULL,
    offered_at REAL NOT NULL,
    free_at REAL NOT NULL,
    attempt INTEGER NOT NULL DEFAULT 0,
    token TEXT NOT NULL DEFAULT '',
    payload TEXT NOT NULL
);

-- Holds all that counting needs, so that no payload is read for it.
CREATE INDEX jobs_by_lane ON jobs (lane, free_at, number, token, offered_at);

CREATE INDEX jobs_by_call ON jobs (call_id);

CREATE TRIGGER a_job_more AFTER INSERT ON jobs BEGIN
    UPDATE counters SET value = value + 1 WHERE name = 'jobs';
END;

CREATE TRIGGER a_job_less AFTER DELETE ON jobs BEGIN
    UPDATE counters SET value = value - 1 WHERE name = 'jobs';
END;

CREATE TABLE buried (
    number INTEGER PRIMARY KEY,
    key TEXT NOT NULL UNIQUE,
    lane TEXT NOT NULL,
    use_case TEXT NOT NULL,
    call_id TEXT NOT NULL,
    offered_at REAL NOT NULL,
    payload TEXT NOT NULL,
    attempts INTEGER NOT NULL,
    error TEXT NOT NULL,
    buried_at REAL NOT NULL
);

CREATE INDEX buried_by_time ON buried (buried_at);

CREATE INDEX buried_by_call ON buried (call_id);

-- Finished jobs, by a digest of the key, so that none is done again.
CREATE TABLE ended (
    digest BLOB PRIMARY KEY,
    ended_at REAL NOT NULL
) WITHOUT ROWID;

CREATE INDEX ended_by_time ON ended (ended_at);

-- Calls that were erased: what comes in for them later is left out.
CREATE TABLE erased_calls (
    call_id TEXT PRIMARY KEY
) WITHOUT ROWID;

-- How far each spool was taken in.
CREATE TABLE positions (
    spool TEXT PRIMARY KEY,
    seen INTEGER NOT NULL
) WITHOUT ROWID;
