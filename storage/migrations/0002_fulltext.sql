-- Full text. A message's row is written when its successor is stored or its conversation ended, and holds what it
-- is found by: its own words, those of the two messages before and of the one after, the parts of its long words,
-- and whose it is. The table keeps the very strings it indexed, so that a deletion takes every term with it.

CREATE VIRTUAL TABLE search USING fts5 (
    own, earlier, later, parts, scope,
    tokenize = 'porter unicode61 remove_diacritics 2'
);

ALTER TABLE conversations ADD COLUMN indexed INTEGER NOT NULL DEFAULT 0;

CREATE INDEX conversations_unindexed ON conversations (activity)
    WHERE indexed < last_position - (closed IS NULL);
