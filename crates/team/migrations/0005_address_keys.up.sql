-- A hash of where a repository is fetched from, the same for all spellings, so that a client can say which repository it has itself.
-- The program fills it in.
ALTER TABLE repository ADD COLUMN address_key text;
CREATE INDEX repository_by_address ON repository (address_key);
