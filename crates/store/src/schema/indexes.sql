-- The indexes of index.db, built after a bulk load.

CREATE UNIQUE INDEX file_by_path ON file (path);
CREATE UNIQUE INDEX name_by_text ON name (text);
CREATE INDEX symbol_by_name ON symbol (name);
