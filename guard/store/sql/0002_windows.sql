-- Names are long and repeated in every bucket: sums hold their numbers.
CREATE TABLE use_cases (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
);

CREATE TABLE keys (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
);

CREATE TABLE sums (
    use_case INTEGER NOT NULL,
    bucket INTEGER NOT NULL,
    key INTEGER NOT NULL,
    value REAL NOT NULL,
    PRIMARY KEY (use_case, bucket, key)
) WITHOUT ROWID;

CREATE TABLE evidence (
    use_case INTEGER NOT NULL,
    epoch TEXT NOT NULL,
    key INTEGER NOT NULL,
    value REAL NOT NULL,
    PRIMARY KEY (use_case, epoch, key)
) WITHOUT ROWID;

CREATE TABLE facts (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL
) WITHOUT ROWID;
