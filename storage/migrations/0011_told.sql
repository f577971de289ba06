-- When the person was told that somebody else consented for them, or that somebody was given a role for them.

ALTER TABLE consents ADD COLUMN told_at INTEGER;
ALTER TABLE grants ADD COLUMN told_at INTEGER;

CREATE INDEX consents_untold ON consents (user_id) WHERE told_at IS NULL AND giver <> '' AND ended_at IS NULL;
CREATE INDEX grants_untold ON grants (for_user) WHERE told_at IS NULL AND ended_at IS NULL;
