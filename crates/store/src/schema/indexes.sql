-- The indexes of index.db, built at the end of a bulk load.

CREATE UNIQUE INDEX file_by_path ON file (path);
-- Prefix and hash identify a name almost uniquely, so that the index need not contain the whole text.
CREATE INDEX name_by_text ON name (substr(text, 1, 6), hash);
CREATE INDEX symbol_by_name ON symbol (name);
CREATE INDEX file_by_name ON file (name);
CREATE INDEX graph_surface ON graph (file) WHERE surface <> x'';
CREATE INDEX file_project ON file (path) WHERE project = 1;
-- Files and directories that may contain an answer and were not read: too large (1), unreadable (5), or not parsed.
CREATE INDEX file_unread ON file (path) WHERE status = 1 OR status = 5 OR unparsed = 1;
