-- Who may see what of a person's talks. ``companion`` is a family of companions: a student's parent consents once for
-- all teachers. A record is never changed but by its end.

CREATE TABLE consents (
    id TEXT NOT NULL PRIMARY KEY,
    user_id TEXT NOT NULL,
    companion TEXT NOT NULL,
    stored INTEGER NOT NULL,
    giver TEXT NOT NULL,
    name TEXT NOT NULL,
    basis TEXT NOT NULL CHECK (basis IN ('self', 'parent', 'legal_representative', 'best_interest')),
    scope TEXT NOT NULL CHECK (scope IN ('notes', 'summaries', 'trends', 'transcripts', 'watching')),
    allowed INTEGER NOT NULL CHECK (allowed IN (0, 1)),
    since INTEGER NOT NULL,
    review_at INTEGER,
    ended_at INTEGER,
    CHECK ((basis = 'self') = (giver = '')),
    CHECK ((allowed = 1) = (review_at IS NOT NULL)),
    CHECK (allowed = 1 OR basis = 'self')
) STRICT;

CREATE UNIQUE INDEX consents_standing ON consents (user_id, companion, giver, scope) WHERE ended_at IS NULL;
CREATE INDEX consents_person ON consents (user_id, companion, stored);

-- Who holds a role beside the person. A token is kept as its digest alone.
CREATE TABLE grants (
    id TEXT NOT NULL PRIMARY KEY,
    digest TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    role TEXT NOT NULL CHECK (role IN ('caregiver', 'safeguarding')),
    for_user TEXT NOT NULL CHECK (for_user <> ''),
    for_companion TEXT NOT NULL,
    basis TEXT CHECK (basis IN ('parent', 'legal_representative', 'best_interest')),
    at INTEGER NOT NULL,
    ended_at INTEGER,
    CHECK (basis IS NULL OR role = 'caregiver')
) STRICT, WITHOUT ROWID;

CREATE INDEX grants_user ON grants (for_user) WHERE ended_at IS NULL;
