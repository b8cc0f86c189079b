-- case_is_known
SELECT EXISTS (SELECT 1 FROM cases WHERE id = :id)
    OR EXISTS (SELECT 1 FROM erased_cases WHERE id = :id)
    OR EXISTS (SELECT 1 FROM erased_calls WHERE call_id = :call_id);

-- insert_case
INSERT INTO cases (id, kind, use_case, call_id, attribute, opened_at, reviewers, priority,
                   state, reasons, group_names, body)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- insert_reason
INSERT INTO case_reasons VALUES (?, ?);

-- update_case
UPDATE cases SET state = ?, holder = ?, held_until = ?, verdict = ?, closed_at = ?,
                 decided_by = ?, note = ?
WHERE id = ?;

-- opened_at
SELECT opened_at FROM cases WHERE id = ?;

-- case_counts
SELECT use_case, state, cases FROM case_counts WHERE cases > 0;

-- oldest_open_at
SELECT min(opened_at) FROM (
    SELECT min(opened_at) AS opened_at FROM cases WHERE state = 'open'
    UNION ALL SELECT min(opened_at) FROM cases WHERE state = 'disputed'
);

-- votes
SELECT case_id, reviewer, verdict, at_seconds, reason, note, seconds_taken FROM votes
WHERE case_id = ?;

-- insert_vote
INSERT INTO votes (case_id, reviewer, verdict, at_seconds, reason, note, seconds_taken)
VALUES (?, ?, ?, ?, ?, ?, ?);

-- delete_votes
DELETE FROM votes WHERE case_id = ?;

-- delete_reasons
DELETE FROM case_reasons WHERE case_id = ?;

-- erase_cases
DELETE FROM cases WHERE call_id = ? RETURNING id;

-- remember_erased_case
INSERT INTO erased_cases VALUES (?);

-- insert_audit
INSERT INTO audit (at_seconds, actor, event, case_id, detail) VALUES (?, ?, ?, ?, ?);

-- audit
SELECT number, at_seconds, actor, event, case_id, detail FROM audit
WHERE number > ? ORDER BY number LIMIT ?;

-- audit_of_case
SELECT number, at_seconds, actor, event, case_id, detail FROM audit
WHERE case_id = ? AND number > ? ORDER BY number LIMIT ?;
