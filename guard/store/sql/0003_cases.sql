-- The body comes last, so that looking for a case does not read it.
CREATE TABLE cases (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL,
    use_case TEXT NOT NULL,
    call_id TEXT NOT NULL,
    attribute TEXT NOT NULL,
    opened_at REAL NOT NULL,
    reviewers INTEGER NOT NULL,
    state TEXT NOT NULL DEFAULT 'open',
    holder TEXT NOT NULL DEFAULT '',
    held_until REAL NOT NULL DEFAULT 0,
    verdict TEXT NOT NULL DEFAULT '',
    closed_at REAL,
    decided_by TEXT NOT NULL DEFAULT '',
    note TEXT NOT NULL DEFAULT '',
    reasons TEXT NOT NULL,
    group_names TEXT NOT NULL,
    body TEXT NOT NULL
);

CREATE INDEX cases_by_age ON cases (opened_at, id);

CREATE INDEX cases_by_state ON cases (state, opened_at, id);

CREATE INDEX cases_by_use_case ON cases (use_case, state, opened_at, id);

CREATE INDEX cases_by_call ON cases (call_id);

CREATE INDEX cases_held ON cases (holder) WHERE holder <> '';

CREATE TABLE case_reasons (
    case_id TEXT NOT NULL,
    reason TEXT NOT NULL,
    PRIMARY KEY (case_id, reason)
) WITHOUT ROWID;

CREATE TABLE votes (
    case_id TEXT NOT NULL,
    reviewer TEXT NOT NULL,
    verdict TEXT NOT NULL,
    at_seconds REAL NOT NULL,
    reason TEXT NOT NULL,
    note TEXT NOT NULL,
    seconds_taken REAL,
    PRIMARY KEY (case_id, reviewer)
) WITHOUT ROWID;

CREATE TABLE case_counts (
    use_case TEXT NOT NULL,
    state TEXT NOT NULL,
    cases INTEGER NOT NULL,
    PRIMARY KEY (use_case, state)
) WITHOUT ROWID;

CREATE TRIGGER a_case_more AFTER INSERT ON cases BEGIN
    INSERT INTO case_counts VALUES (NEW.use_case, NEW.state, 1)
    ON CONFLICT DO UPDATE SET cases = cases + 1;
END;

CREATE TRIGGER a_case_less AFTER DELETE ON cases BEGIN
    UPDATE case_counts SET cases = cases - 1
    WHERE use_case = OLD.use_case AND state = OLD.state;
END;

CREATE TRIGGER a_case_elsewhere AFTER UPDATE OF state ON cases WHEN OLD.state <> NEW.state BEGIN
    UPDATE case_counts SET cases = cases - 1
    WHERE use_case = OLD.use_case AND state = OLD.state;
    INSERT INTO case_counts VALUES (NEW.use_case, NEW.state, 1)
    ON CONFLICT DO UPDATE SET cases = cases + 1;
END;

-- Ids of cases that were erased: none is filed again.
CREATE TABLE erased_cases (
    id TEXT PRIMARY KEY
) WITHOUT ROWID;

CREATE TABLE audit (
    number INTEGER PRIMARY KEY,
    at_seconds REAL NOT NULL,
    actor TEXT NOT NULL,
    event TEXT NOT NULL,
    case_id TEXT NOT NULL,
    detail TEXT NOT NULL
);

CREATE INDEX audit_by_case ON audit (case_id, number);

CREATE TRIGGER audit_is_not_changed BEFORE UPDATE ON audit BEGIN
    SELECT RAISE (ABORT, 'the audit is only ever added to');
END;

CREATE TRIGGER audit_is_not_deleted BEFORE DELETE ON audit BEGIN
    SELECT RAISE (ABORT, 'the audit is only ever added to');
END;
