-- Who has read a note to the parents: each for themselves. ``parent_notes.read_at`` stays when anybody first did.

CREATE TABLE note_reads (
    note TEXT NOT NULL REFERENCES parent_notes (id) ON DELETE CASCADE,
    holder TEXT NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (note, holder)
) STRICT, WITHOUT ROWID;
