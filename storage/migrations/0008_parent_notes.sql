-- Notes to the parents of a student, one a lesson (tutor document, ParentNote). ``read_at`` is when one first read it.

CREATE TABLE parent_notes (
    id TEXT NOT NULL PRIMARY KEY,
    user_id TEXT NOT NULL,
    companion TEXT NOT NULL,
    conversation TEXT NOT NULL UNIQUE,
    job TEXT NOT NULL,
    stored INTEGER NOT NULL,
    at INTEGER NOT NULL,
    subject TEXT NOT NULL,
    minutes INTEGER NOT NULL,
    content BLOB NOT NULL,
    made_by TEXT NOT NULL,
    read_at INTEGER,
    FOREIGN KEY (conversation, user_id, companion)
        REFERENCES conversations (id, user_id, companion) ON DELETE CASCADE
) STRICT;

CREATE INDEX parent_notes_person ON parent_notes (user_id, stored);
