-- Who looked, and who did what, about whom: no text. Rows are only ever added; they go by their age alone, after a year
-- (400 days), and nobody whom they name can have them removed. ``person`` is '' where it concerns the installation.
CREATE TABLE audit (
    stored INTEGER NOT NULL PRIMARY KEY,
    at INTEGER NOT NULL,
    person TEXT NOT NULL,
    with_companion TEXT NOT NULL,
    role TEXT NOT NULL,
    by_id TEXT NOT NULL,
    by_name TEXT NOT NULL,
    did TEXT NOT NULL
) STRICT;

CREATE INDEX audit_person ON audit (person, stored);
CREATE INDEX audit_age ON audit (at);

CREATE TRIGGER audit_unchanged BEFORE UPDATE ON audit
BEGIN SELECT RAISE(ABORT, 'what was recorded is not changed'); END;

CREATE TRIGGER audit_stays BEFORE DELETE ON audit
WHEN OLD.at > (SELECT newest_at FROM store WHERE one = 1) - 34560000000
BEGIN SELECT RAISE(ABORT, 'what was recorded stays for 400 days'); END;

-- The first form of this record.
INSERT INTO audit SELECT stored, at, user_id, companion, role, holder, name,
    CASE kind WHEN 'care.notes' THEN 'saw_notes' WHEN 'care.emotions' THEN 'saw_feelings'
        WHEN 'care.repetition' THEN 'saw_questions' WHEN 'care.trends' THEN 'saw_trends'
        WHEN 'care.summaries' THEN 'saw_summaries' WHEN 'care.history' THEN 'saw_words'
        WHEN 'care.escalations' THEN 'saw_alerts' ELSE 'watched' END
FROM looks;
DROP TABLE looks;
