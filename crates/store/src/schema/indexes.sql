-- The indexes of index.db, built after a bulk load.

CREATE UNIQUE INDEX file_by_path ON file (path);
-- The first letters and the mark find a name among few; the whole of it need not stand here once more.
CREATE INDEX name_by_text ON name (substr(text, 1, 6), mark);
CREATE INDEX symbol_by_name ON symbol (name);
CREATE INDEX file_by_name ON file (name);
CREATE INDEX file_with_manifest ON file (path) WHERE manifest = 1;
-- Files and folders that could hold an answer and were not read: too large (1), unreadable (5), or not parsed.
CREATE INDEX file_unread ON file (path) WHERE status = 1 OR status = 5 OR unparsed = 1;
