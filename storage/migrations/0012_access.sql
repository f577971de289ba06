-- What lets a device, a program of a person's, or an admin in. A token is kept as its digest alone.
CREATE TABLE tokens (
    id TEXT NOT NULL PRIMARY KEY,
    digest TEXT NOT NULL UNIQUE,
    role TEXT NOT NULL CHECK (role IN ('device', 'person', 'admin')),
    paired INTEGER NOT NULL CHECK (paired IN (0, 1)),
    name TEXT NOT NULL,
    for_user TEXT,
    at INTEGER NOT NULL,
    ended_at INTEGER,
    CHECK (role <> 'person' OR for_user IS NOT NULL),
    CHECK (role <> 'admin' OR for_user IS NULL)
) STRICT, WITHOUT ROWID;

-- A row while open mode is over: it ends with the first device.
CREATE TABLE doorway (
    one INTEGER NOT NULL PRIMARY KEY CHECK (one = 1),
    ended_at INTEGER NOT NULL
) STRICT;

-- People as staff know them, over all companions.
CREATE TABLE persons (
    user_id TEXT NOT NULL PRIMARY KEY,
    name TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('active', 'inactive', 'archived')),
    at INTEGER NOT NULL,
    pin_salt BLOB,
    pin_key BLOB,
    pin_misses INTEGER NOT NULL DEFAULT 0,
    CHECK ((pin_salt IS NULL) = (pin_key IS NULL))
) STRICT, WITHOUT ROWID;
