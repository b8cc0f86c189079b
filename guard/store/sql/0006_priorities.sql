-- Which cases come first. The column stands behind the body: what orders the queue by it is an index
-- that holds all that people filter by.
ALTER TABLE cases ADD COLUMN priority REAL NOT NULL DEFAULT 0;

CREATE INDEX cases_queue ON cases (
    state, priority DESC, opened_at, id, kind, attribute, use_case, held_until
);

CREATE INDEX cases_queue_of_use_case ON cases (
    use_case, state, priority DESC, opened_at, id, kind, attribute, held_until
);
