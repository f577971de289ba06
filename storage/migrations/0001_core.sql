-- What was said, to whom it belongs, and what was read in it. Times are milliseconds since 1970 (UTC) and are
-- for information and for retention; order is always a position in a conversation or a number of the one
-- counter of the store. Every table carries its owner, (user_id, companion).

CREATE TABLE store (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    epoch TEXT NOT NULL,
    counter INTEGER NOT NULL,
    newest_at INTEGER NOT NULL,
    purged_at INTEGER
) STRICT;

CREATE TABLE users (
    user_id TEXT NOT NULL,
    companion TEXT NOT NULL,
    status TEXT NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'inactive', 'archived')),
    created_at INTEGER NOT NULL,
    last_active_at INTEGER NOT NULL,
    active_conversation TEXT,
    PRIMARY KEY (user_id, companion)
) STRICT, WITHOUT ROWID;

CREATE TABLE conversations (
    id TEXT NOT NULL PRIMARY KEY,
    user_id TEXT NOT NULL,
    companion TEXT NOT NULL,
    schema_version INTEGER NOT NULL DEFAULT 1,
    session_type TEXT NOT NULL,
    parent_mode INTEGER NOT NULL CHECK (parent_mode IN (0, 1)),
    message_limit INTEGER NOT NULL,
    title TEXT NOT NULL,
    title_given INTEGER NOT NULL CHECK (title_given IN (0, 1)),
    title_folded TEXT NOT NULL,
    preview TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    activity INTEGER NOT NULL,
    last_position INTEGER NOT NULL DEFAULT 0,
    message_count INTEGER NOT NULL DEFAULT 0,
    user_message_count INTEGER NOT NULL DEFAULT 0,
    revision INTEGER NOT NULL DEFAULT 0,
    archived INTEGER NOT NULL DEFAULT 0 CHECK (archived IN (0, 1)),
    archived_at INTEGER,
    closed INTEGER,
    closed_at INTEGER,
    close_reason TEXT CHECK (close_reason IN ('asked', 'silence', 'replaced', 'drained')),
    dominant_emotion TEXT,
    escalated INTEGER NOT NULL DEFAULT 0 CHECK (escalated IN (0, 1)),
    -- Who holds the conversation where several servers share a store: a stale owner_epoch writes nothing.
    owner TEXT,
    owner_epoch INTEGER NOT NULL DEFAULT 0,
    owner_until INTEGER,
    UNIQUE (id, user_id, companion),
    FOREIGN KEY (user_id, companion) REFERENCES users (user_id, companion)
) STRICT;

CREATE INDEX conversations_listed ON conversations (user_id, companion, archived, activity);
CREATE INDEX conversations_listed_all ON conversations (user_id, archived, activity);
CREATE INDEX conversations_closed ON conversations (user_id, companion, closed) WHERE closed IS NOT NULL;
CREATE INDEX conversations_open ON conversations (activity) WHERE closed IS NULL;
CREATE INDEX conversations_archived ON conversations (archived_at) WHERE archived = 1;

CREATE TABLE messages (
    stored INTEGER NOT NULL PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    user_id TEXT NOT NULL,
    companion TEXT NOT NULL,
    conversation TEXT NOT NULL,
    position INTEGER NOT NULL CHECK (position >= 1),
    role TEXT NOT NULL CHECK (role IN ('user', 'assistant')),
    text TEXT,
    at INTEGER NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('completed', 'cancelled', 'interrupted', 'failed')),
    removed INTEGER NOT NULL DEFAULT 0 CHECK (removed IN (0, 1)),
    settled INTEGER NOT NULL CHECK (settled IN (0, 1)),
    source TEXT CHECK (source IN ('model', 'fallback', 'safety')),
    answers TEXT,
    response TEXT,
    intent TEXT,
    narrative TEXT,
    context BLOB,
    model TEXT,
    processing_ms INTEGER,
    prompt_tokens INTEGER,
    completion_tokens INTEGER,
    tool_calls BLOB,
    UNIQUE (conversation, position),
    CHECK ((text IS NULL) = (removed = 1)),
    FOREIGN KEY (conversation, user_id, companion)
        REFERENCES conversations (id, user_id, companion) ON DELETE CASCADE
) STRICT;

CREATE UNIQUE INDEX messages_one_answer ON messages (answers) WHERE answers IS NOT NULL;
CREATE UNIQUE INDEX messages_response ON messages (response) WHERE response IS NOT NULL;
CREATE INDEX messages_unanswered ON messages (conversation, position) WHERE settled = 0;

-- What a message states about the person, read when it was said, for keyword recall.
CREATE TABLE statements (
    message TEXT NOT NULL PRIMARY KEY REFERENCES messages (id) ON DELETE CASCADE,
    user_id TEXT NOT NULL,
    companion TEXT NOT NULL,
    conversation TEXT NOT NULL,
    stored INTEGER NOT NULL,
    content BLOB NOT NULL,
    FOREIGN KEY (conversation, user_id, companion)
        REFERENCES conversations (id, user_id, companion) ON DELETE CASCADE
) STRICT;

CREATE INDEX statements_person ON statements (user_id, companion, stored);
CREATE INDEX statements_conversation ON statements (conversation);

CREATE TABLE sessions (
    session TEXT NOT NULL PRIMARY KEY,
    user_id TEXT NOT NULL,
    companion TEXT NOT NULL,
    space TEXT NOT NULL,
    conversation TEXT,
    at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX sessions_conversation ON sessions (conversation) WHERE conversation IS NOT NULL;

-- A command of a message stays for ever, others until their result is pruned. Without a digest the content it
-- had was removed; its id is still taken.
CREATE TABLE commands (
    space TEXT NOT NULL,
    id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    companion TEXT NOT NULL,
    digest TEXT,
    message TEXT,
    conversation TEXT,
    result BLOB,
    at INTEGER NOT NULL,
    PRIMARY KEY (space, id)
) STRICT;

CREATE INDEX commands_results ON commands (at) WHERE message IS NULL;
CREATE INDEX commands_message ON commands (message) WHERE message IS NOT NULL;

CREATE TABLE open_responses (
    response TEXT NOT NULL PRIMARY KEY,
    user_id TEXT NOT NULL,
    companion TEXT NOT NULL,
    conversation TEXT NOT NULL,
    message TEXT NOT NULL,
    answer TEXT NOT NULL,
    text TEXT NOT NULL,
    at INTEGER NOT NULL,
    FOREIGN KEY (conversation, user_id, companion)
        REFERENCES conversations (id, user_id, companion) ON DELETE CASCADE
) STRICT;

CREATE INDEX open_responses_conversation ON open_responses (conversation);

CREATE TABLE emotions (
    stored INTEGER NOT NULL PRIMARY KEY,
    message TEXT NOT NULL UNIQUE REFERENCES messages (id) ON DELETE CASCADE,
    user_id TEXT NOT NULL,
    companion TEXT NOT NULL,
    conversation TEXT NOT NULL,
    at INTEGER NOT NULL,
    emotion TEXT NOT NULL,
    intensity INTEGER NOT NULL,
    confidence REAL NOT NULL,
    distress REAL NOT NULL,
    trajectory TEXT NOT NULL,
    flags TEXT NOT NULL,
    crisis_category TEXT,
    crisis_severity INTEGER,
    topics TEXT NOT NULL
) STRICT;

CREATE INDEX emotions_conversation ON emotions (conversation, stored);
CREATE INDEX emotions_user ON emotions (user_id, companion, at);

CREATE TABLE repetitions (
    stored INTEGER NOT NULL PRIMARY KEY,
    message TEXT NOT NULL UNIQUE REFERENCES messages (id) ON DELETE CASCADE,
    user_id TEXT NOT NULL,
    companion TEXT NOT NULL,
    conversation TEXT NOT NULL,
    at INTEGER NOT NULL,
    fingerprint TEXT NOT NULL,
    question_type TEXT NOT NULL,
    question_object TEXT NOT NULL,
    repeat_of TEXT,
    repeat_count INTEGER NOT NULL,
    response_given TEXT
) STRICT;

CREATE INDEX repetitions_conversation ON repetitions (conversation, stored);
CREATE INDEX repetitions_user ON repetitions (user_id, companion, at, question_type);

CREATE TABLE narrative_uses (
    stored INTEGER NOT NULL PRIMARY KEY,
    answer TEXT NOT NULL UNIQUE REFERENCES messages (id) ON DELETE CASCADE,
    user_id TEXT NOT NULL,
    companion TEXT NOT NULL,
    conversation TEXT NOT NULL,
    at INTEGER NOT NULL,
    narrative TEXT NOT NULL,
    mode TEXT NOT NULL CHECK (mode IN ('seed', 'fallback')),
    category TEXT NOT NULL,
    emotion TEXT NOT NULL
) STRICT;

CREATE INDEX narrative_uses_conversation ON narrative_uses (conversation, stored);
CREATE INDEX narrative_uses_user ON narrative_uses (user_id, companion, narrative, stored);
CREATE INDEX narrative_uses_category ON narrative_uses (user_id, companion, category, at);

CREATE TABLE anchors (
    stored INTEGER NOT NULL PRIMARY KEY,
    message TEXT NOT NULL REFERENCES messages (id) ON DELETE CASCADE,
    user_id TEXT NOT NULL,
    companion TEXT NOT NULL,
    conversation TEXT NOT NULL,
    anchor TEXT NOT NULL,
    UNIQUE (message, anchor)
) STRICT;

CREATE INDEX anchors_conversation ON anchors (conversation, stored);

CREATE TABLE jobs (
    id TEXT NOT NULL PRIMARY KEY,
    user_id TEXT NOT NULL,
    companion TEXT NOT NULL,
    conversation TEXT NOT NULL,
    kind TEXT NOT NULL,
    first INTEGER NOT NULL,
    last INTEGER NOT NULL,
    revision INTEGER NOT NULL,
    stored INTEGER NOT NULL,
    at INTEGER NOT NULL,
    state TEXT NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'running', 'done', 'parked')),
    attempts INTEGER NOT NULL DEFAULT 0,
    not_before INTEGER NOT NULL DEFAULT 0,
    lease_until INTEGER,
    worker TEXT,
    reason TEXT,
    ended_at INTEGER,
    UNIQUE (kind, conversation, first, last, revision),
    FOREIGN KEY (conversation, user_id, companion)
        REFERENCES conversations (id, user_id, companion) ON DELETE CASCADE
) STRICT;

CREATE INDEX jobs_state ON jobs (state, stored);
CREATE INDEX jobs_conversation ON jobs (conversation, stored);

CREATE TABLE summaries (
    id TEXT NOT NULL PRIMARY KEY,
    user_id TEXT NOT NULL,
    companion TEXT NOT NULL,
    conversation TEXT NOT NULL,
    job TEXT NOT NULL,
    stored INTEGER NOT NULL,
    at INTEGER NOT NULL,
    content BLOB NOT NULL,
    covers_first INTEGER NOT NULL,
    covers_last INTEGER NOT NULL,
    partial INTEGER NOT NULL CHECK (partial IN (0, 1)),
    made_by TEXT NOT NULL,
    tokens INTEGER NOT NULL,
    archived_at INTEGER,
    FOREIGN KEY (conversation, user_id, companion)
        REFERENCES conversations (id, user_id, companion) ON DELETE CASCADE
) STRICT;

CREATE INDEX summaries_conversation ON summaries (conversation, stored);

-- What an extractor found in a talk, as it proposed it, with the messages it rests on.
CREATE TABLE extracts (
    job TEXT NOT NULL PRIMARY KEY,
    user_id TEXT NOT NULL,
    companion TEXT NOT NULL,
    conversation TEXT NOT NULL,
    stored INTEGER NOT NULL,
    at INTEGER NOT NULL,
    kind TEXT NOT NULL,
    content BLOB NOT NULL,
    FOREIGN KEY (conversation, user_id, companion)
        REFERENCES conversations (id, user_id, companion) ON DELETE CASCADE
) STRICT;

CREATE INDEX extracts_conversation ON extracts (conversation, stored);

CREATE TABLE settings (
    user_id TEXT NOT NULL,
    companion TEXT NOT NULL,
    key TEXT NOT NULL,
    value TEXT NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (user_id, companion, key)
) STRICT, WITHOUT ROWID;

CREATE TABLE profiles (
    user_id TEXT NOT NULL,
    companion TEXT NOT NULL,
    profile BLOB NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (user_id, companion)
) STRICT, WITHOUT ROWID;

CREATE TABLE check_ins (
    id TEXT NOT NULL PRIMARY KEY,
    user_id TEXT NOT NULL,
    companion TEXT NOT NULL,
    conversation TEXT,
    stored INTEGER NOT NULL,
    at INTEGER NOT NULL,
    mood INTEGER CHECK (mood BETWEEN 1 AND 10),
    sleep INTEGER CHECK (sleep BETWEEN 1 AND 10),
    anxiety INTEGER CHECK (anxiety BETWEEN 1 AND 10),
    stressors TEXT NOT NULL,
    wins TEXT NOT NULL
) STRICT;

CREATE INDEX check_ins_user ON check_ins (user_id, companion, stored);
CREATE INDEX check_ins_conversation ON check_ins (conversation, stored) WHERE conversation IS NOT NULL;

CREATE TABLE alerts (
    id TEXT NOT NULL PRIMARY KEY,
    user_id TEXT NOT NULL,
    companion TEXT NOT NULL,
    conversation TEXT,
    message TEXT,
    stored INTEGER NOT NULL,
    at INTEGER NOT NULL,
    category TEXT NOT NULL,
    level INTEGER NOT NULL,
    recipients TEXT NOT NULL
) STRICT;

CREATE INDEX alerts_user ON alerts (user_id, companion, stored);
CREATE INDEX alerts_conversation ON alerts (conversation) WHERE conversation IS NOT NULL;

CREATE TABLE feedback (
    response TEXT NOT NULL PRIMARY KEY,
    answer TEXT NOT NULL REFERENCES messages (id) ON DELETE CASCADE,
    user_id TEXT NOT NULL,
    companion TEXT NOT NULL,
    value INTEGER,
    action TEXT CHECK (action IN ('inserted', 'copied')),
    at INTEGER NOT NULL
) STRICT;

CREATE INDEX feedback_answer ON feedback (answer);
