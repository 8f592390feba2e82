DELETE FROM package;
DELETE FROM entry;
UPDATE branch SET generation = 0, commit_id = NULL, tree = NULL, files = 0, bytes = 0, artefact = NULL, drift = 0, checked = NULL;
DELETE FROM artefact;
DROP TABLE content CASCADE;

CREATE TABLE content (
    id       bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    hash     bytea NOT NULL UNIQUE,
    size     bigint NOT NULL,
    data     bytea NOT NULL,
    terms    integer[] NOT NULL,
    trigrams integer[],
    names    integer[],
    added    timestamptz NOT NULL DEFAULT now()
);
ALTER TABLE content ALTER COLUMN data SET STORAGE EXTERNAL;
CREATE INDEX content_by_term ON content USING gin (terms);
CREATE INDEX content_by_trigram ON content USING gin (trigrams);
CREATE INDEX content_by_name ON content USING gin (names);
CREATE INDEX content_unknown_trigrams ON content (id) WHERE trigrams IS NULL;
ALTER TABLE entry ADD FOREIGN KEY (content) REFERENCES content;

INSERT INTO job (branch) SELECT id FROM branch ON CONFLICT (branch) DO UPDATE SET again = job.worker IS NOT NULL, attempts = 0;
