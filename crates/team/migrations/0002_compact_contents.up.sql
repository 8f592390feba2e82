-- Contents in a smaller form: two bytes for a trigram, of which only those of identifiers are kept, and rows that are never updated.
-- It cannot be computed here, so workers publish everything again; repositories, tokens and the audit log stay.

DELETE FROM package;
DELETE FROM entry;
UPDATE branch SET generation = 0, commit_id = NULL, tree = NULL, files = 0, bytes = 0, artefact = NULL, drift = 0, checked = NULL;
DELETE FROM artefact;
DROP TABLE content CASCADE;

CREATE TABLE content (
    id       bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    added    timestamptz NOT NULL DEFAULT now(),
    size     integer NOT NULL,
    hash     bytea NOT NULL UNIQUE, -- BLAKE3
    data     bytea NOT NULL,        -- one zstd frame
    terms    integer[] NOT NULL,    -- words, also those that identifiers consist of
    names    integer[] NOT NULL,    -- symbols that it defines
    trigrams smallint[]             -- those of letters, digits and underscores; NULL: too many, it may contain any text
);
ALTER TABLE content ALTER COLUMN data SET STORAGE EXTERNAL; -- it is compressed
-- A short list of pending keys: it is part of the size of an index.
CREATE INDEX content_by_term ON content USING gin (terms) WITH (gin_pending_list_limit = 256);
CREATE INDEX content_by_trigram ON content USING gin (trigrams) WITH (gin_pending_list_limit = 256);
CREATE INDEX content_by_name ON content USING gin (names) WITH (gin_pending_list_limit = 256);
CREATE INDEX content_unknown_trigrams ON content (id) WHERE trigrams IS NULL;
ALTER TABLE entry ADD FOREIGN KEY (content) REFERENCES content;

INSERT INTO job (branch) SELECT id FROM branch ON CONFLICT (branch) DO UPDATE SET again = job.worker IS NOT NULL, attempts = 0;
