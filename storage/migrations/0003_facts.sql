-- What is kept of a person beyond their talks. A fact belongs to one (user_id, companion); ``said`` orders facts
-- by when they were said (the store's counter), whatever the order in which they are found.

CREATE TABLE facts (
    id TEXT NOT NULL PRIMARY KEY,
    user_id TEXT NOT NULL,
    companion TEXT NOT NULL,
    stored INTEGER NOT NULL,
    said INTEGER NOT NULL,
    subject TEXT NOT NULL,
    attribute TEXT NOT NULL,
    value TEXT NOT NULL,
    kind TEXT NOT NULL,
    tense TEXT NOT NULL CHECK (tense IN ('past', 'present', 'future')),
    category TEXT NOT NULL,
    language TEXT NOT NULL,
    origin TEXT NOT NULL CHECK (origin IN ('extracted', 'said', 'edited', 'imported')),
    status TEXT NOT NULL CHECK (status IN ('active', 'proposed', 'superseded', 'retracted')),
    -- How sure one is: as at the first mention, a step more for each further one, up to the most.
    began REAL NOT NULL CHECK (began BETWEEN 0 AND 1),
    step REAL NOT NULL CHECK (step BETWEEN 0 AND 1),
    most REAL NOT NULL CHECK (most BETWEEN 0 AND 1),
    mentions INTEGER NOT NULL CHECK (mentions >= 1),
    confidence REAL GENERATED ALWAYS AS
        (MAX(began, MIN(most, ROUND(began + step * (mentions - 1), 4)))) VIRTUAL,
    pinned INTEGER NOT NULL DEFAULT 0 CHECK (pinned IN (0, 1)),
    enabled INTEGER NOT NULL DEFAULT 1 CHECK (enabled IN (0, 1)),
    valid_from INTEGER NOT NULL,
    valid_to INTEGER,
    recorded_at INTEGER NOT NULL,
    first_at INTEGER NOT NULL,
    last_at INTEGER NOT NULL,
    used_at INTEGER,
    uses INTEGER NOT NULL DEFAULT 0,
    -- What ended it: a later fact, or a message that took it back; ``ended`` is when that was said.
    superseded_by TEXT,
    ended_message TEXT,
    ended INTEGER,
    replaces TEXT,
    -- The edited facts that a proposal goes against, as JSON.
    against TEXT NOT NULL DEFAULT '[]',
    -- A message of this very person that says it; whatever was extracted has one.
    grounds TEXT REFERENCES messages (id) ON DELETE CASCADE,
    CHECK (origin <> 'extracted' OR grounds IS NOT NULL),
    CHECK ((status IN ('superseded', 'retracted')) = (ended IS NOT NULL)),
    UNIQUE (id, user_id, companion),
    FOREIGN KEY (user_id, companion) REFERENCES users (user_id, companion)
) STRICT;

CREATE INDEX facts_person ON facts (user_id, companion, status, stored);
CREATE INDEX facts_superseded ON facts (superseded_by) WHERE superseded_by IS NOT NULL;
CREATE INDEX facts_ended ON facts (ended_message) WHERE ended_message IS NOT NULL;
CREATE INDEX facts_replaces ON facts (replaces) WHERE replaces IS NOT NULL;
CREATE INDEX facts_grounds ON facts (grounds) WHERE grounds IS NOT NULL;

CREATE TABLE fact_sources (
    fact TEXT NOT NULL,
    user_id TEXT NOT NULL,
    companion TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('message', 'command', 'import', 'edit')),
    source TEXT NOT NULL,
    message TEXT REFERENCES messages (id) ON DELETE CASCADE,
    said INTEGER NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (fact, kind, source),
    CHECK ((kind = 'message') = (message IS NOT NULL)),
    FOREIGN KEY (fact, user_id, companion) REFERENCES facts (id, user_id, companion) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE INDEX fact_sources_message ON fact_sources (message) WHERE message IS NOT NULL;

-- Only the person's own words ground a fact: a message of that user with that companion, that is still there.
CREATE TRIGGER facts_grounded BEFORE INSERT ON facts WHEN NEW.grounds IS NOT NULL AND NOT EXISTS
    (SELECT 1 FROM messages WHERE id = NEW.grounds AND user_id = NEW.user_id AND companion = NEW.companion
        AND role = 'user' AND removed = 0)
BEGIN
    SELECT RAISE(ABORT, 'a fact needs a message of its person');
END;

CREATE TRIGGER facts_grounded_anew BEFORE UPDATE OF grounds, user_id, companion ON facts
    WHEN NEW.grounds IS NOT NULL AND NOT EXISTS
    (SELECT 1 FROM messages WHERE id = NEW.grounds AND user_id = NEW.user_id AND companion = NEW.companion
        AND role = 'user' AND removed = 0)
BEGIN
    SELECT RAISE(ABORT, 'a fact needs a message of its person');
END;

CREATE TRIGGER fact_sources_owned BEFORE INSERT ON fact_sources WHEN NEW.message IS NOT NULL AND NOT EXISTS
    (SELECT 1 FROM messages WHERE id = NEW.message AND user_id = NEW.user_id AND companion = NEW.companion
        AND role = 'user' AND removed = 0)
BEGIN
    SELECT RAISE(ABORT, 'a source is a message of its person');
END;

-- No fact outlives the words it stands on, whichever way they go.
CREATE TRIGGER facts_without_words AFTER UPDATE OF removed ON messages WHEN NEW.removed = 1
BEGIN
    DELETE FROM facts WHERE grounds = NEW.id;
    DELETE FROM fact_sources WHERE message = NEW.id;
END;

-- What was forgotten is not found again in what was said before. Words are digests under a key of this store.
CREATE TABLE forgotten (
    user_id TEXT NOT NULL,
    companion TEXT NOT NULL,
    fact TEXT NOT NULL,
    subject TEXT NOT NULL,
    words TEXT NOT NULL,
    number INTEGER NOT NULL,
    PRIMARY KEY (user_id, companion, fact)
) STRICT, WITHOUT ROWID;

CREATE TABLE digest_key (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    key BLOB NOT NULL
) STRICT;

INSERT INTO digest_key VALUES (1, randomblob(32));

-- Remembering as a whole: a revision that every change raises, the stretches (of the counter) in which it was
-- switched off, and what the person's last change replaced, for taking it back.
CREATE TABLE memories (
    user_id TEXT NOT NULL,
    companion TEXT NOT NULL,
    revision INTEGER NOT NULL DEFAULT 0,
    off TEXT NOT NULL DEFAULT '[]',
    undo BLOB,
    undo_at INTEGER,
    PRIMARY KEY (user_id, companion)
) STRICT, WITHOUT ROWID;

CREATE INDEX memories_undo ON memories (undo_at) WHERE undo_at IS NOT NULL;

-- Which memories were before the model for an answer, and which were left out, with the reason; no text.
CREATE TABLE memory_uses (
    response TEXT NOT NULL PRIMARY KEY,
    answer TEXT NOT NULL REFERENCES messages (id) ON DELETE CASCADE,
    user_id TEXT NOT NULL,
    companion TEXT NOT NULL,
    at INTEGER NOT NULL,
    content BLOB NOT NULL
) STRICT;

CREATE INDEX memory_uses_answer ON memory_uses (answer);
