-- When people were told that they talk with a program: the event of a session that told them, and never a word.

CREATE TABLE disclosures (
    session TEXT NOT NULL,
    seq INTEGER NOT NULL,
    user_id TEXT NOT NULL,
    companion TEXT NOT NULL,
    stored INTEGER NOT NULL,
    at INTEGER NOT NULL,
    conversation TEXT,
    occasion TEXT NOT NULL CHECK (occasion IN ('start', 'reminder')),
    PRIMARY KEY (session, seq)
) STRICT, WITHOUT ROWID;

CREATE INDEX disclosures_user ON disclosures (user_id, companion, stored);
