-- What a student showed to have learned, apart from facts and summaries, with the messages that show it.

CREATE TABLE learnings (
    stored INTEGER NOT NULL PRIMARY KEY,
    job TEXT NOT NULL,
    user_id TEXT NOT NULL,
    companion TEXT NOT NULL,
    conversation TEXT NOT NULL,
    at INTEGER NOT NULL,
    topic TEXT NOT NULL,
    learned TEXT NOT NULL,
    FOREIGN KEY (conversation, user_id, companion)
        REFERENCES conversations (id, user_id, companion) ON DELETE CASCADE
) STRICT;

CREATE INDEX learnings_person ON learnings (user_id, companion, stored);
CREATE INDEX learnings_conversation ON learnings (conversation);

CREATE TABLE learning_sources (
    learning INTEGER NOT NULL REFERENCES learnings (stored) ON DELETE CASCADE,
    message TEXT NOT NULL REFERENCES messages (id) ON DELETE CASCADE,
    PRIMARY KEY (learning, message)
) STRICT, WITHOUT ROWID;

CREATE INDEX learning_sources_message ON learning_sources (message);

-- Summaries that are in use, by whose they are.
CREATE INDEX summaries_kept ON summaries (user_id, companion, at) WHERE archived_at IS NULL;
