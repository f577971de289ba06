-- What messages mean, as vectors, where an embedder is configured. They are derived: an export leaves them out, and
-- whatever is missing is made again. A row belongs to its message and goes with it.

-- By whom the vectors are made now. Another embedder, or another dimension of the same, begins a new space: rows of
-- an older one are passed over and replaced one by one.
CREATE TABLE vector_space (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    space INTEGER NOT NULL,
    model TEXT NOT NULL,
    dimension INTEGER NOT NULL CHECK (dimension >= 1)
) STRICT;

-- Kept in the order in which a search reads them: one person's with one companion side by side.
CREATE TABLE vectors (
    user_id TEXT NOT NULL,
    companion TEXT NOT NULL,
    stored INTEGER NOT NULL REFERENCES messages (stored) ON DELETE CASCADE,
    space INTEGER NOT NULL,
    vector BLOB NOT NULL,
    PRIMARY KEY (user_id, companion, stored)
) STRICT, WITHOUT ROWID;

CREATE INDEX vectors_message ON vectors (stored);
