-- Only what was raised here waits for somebody: an alert that came in with a file does not.
ALTER TABLE alerts ADD COLUMN raised INTEGER NOT NULL DEFAULT 0 CHECK (raised IN (0, 1));

-- Who looks after an alert: each for themselves, the first in a role for all who have it.
CREATE TABLE alert_marks (
    alert TEXT NOT NULL REFERENCES alerts (id) ON DELETE CASCADE,
    holder TEXT NOT NULL,
    role TEXT NOT NULL CHECK (role IN ('caregiver', 'safeguarding')),
    name TEXT NOT NULL,
    stored INTEGER NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (alert, holder)
) STRICT, WITHOUT ROWID;

-- What the safeguarding contact lets family know: a message that had been kept from them. A record is never changed
-- but by its end.
CREATE TABLE releases (
    id TEXT NOT NULL PRIMARY KEY,
    user_id TEXT NOT NULL,
    companion TEXT NOT NULL,
    message TEXT NOT NULL REFERENCES messages (id) ON DELETE CASCADE,
    conversation TEXT NOT NULL,
    alert TEXT NOT NULL,
    giver TEXT NOT NULL,
    name TEXT NOT NULL,
    stored INTEGER NOT NULL,
    at INTEGER NOT NULL,
    ended_at INTEGER
) STRICT;

CREATE UNIQUE INDEX releases_standing ON releases (message) WHERE ended_at IS NULL;
CREATE INDEX releases_message ON releases (message);
CREATE INDEX releases_conversation ON releases (conversation) WHERE ended_at IS NULL;

CREATE INDEX alerts_person ON alerts (user_id, stored);
