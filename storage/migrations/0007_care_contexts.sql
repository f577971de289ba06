-- What caregivers tell a companion about a person, whole, as it was told last (dementia storage design, users).

CREATE TABLE care_contexts (
    user_id TEXT NOT NULL,
    companion TEXT NOT NULL,
    name TEXT NOT NULL,
    context BLOB NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (user_id, companion)
) STRICT, WITHOUT ROWID;
