-- Who looked at what of a person, and when: never what was seen. Those who are named in it cannot delete it.

CREATE TABLE looks (
    id TEXT NOT NULL PRIMARY KEY,
    user_id TEXT NOT NULL,
    companion TEXT NOT NULL,
    stored INTEGER NOT NULL,
    at INTEGER NOT NULL,
    holder TEXT NOT NULL,
    role TEXT NOT NULL,
    name TEXT NOT NULL,
    kind TEXT NOT NULL,
    conversation TEXT
) STRICT;

CREATE INDEX looks_person ON looks (user_id, stored);
