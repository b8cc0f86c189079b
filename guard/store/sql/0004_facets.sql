-- What people filter by stands in the index, so that looking for the few cases that fit among many
-- does not read the cases that do not.
DROP INDEX cases_by_state;

CREATE INDEX cases_by_state ON cases (state, opened_at, id, kind, attribute, use_case, held_until);

DROP INDEX cases_by_use_case;

CREATE INDEX cases_by_use_case ON cases (use_case, state, opened_at, id, kind, attribute, held_until);
