-- People that an identity provider vouches for, and the repositories that its groups may read.

-- A person with a set of groups is a token without a text: its hash is one of issuer, subject and groups.
ALTER TABLE token ADD COLUMN subject text; -- issuer and subject; NULL: a token that we created

CREATE TABLE token_group (
    token bigint NOT NULL REFERENCES token ON DELETE CASCADE,
    name  text NOT NULL,
    PRIMARY KEY (token, name)
);

CREATE TABLE group_repository (
    name       text NOT NULL,
    repository bigint REFERENCES repository ON DELETE CASCADE, -- NULL: all, also later ones
    UNIQUE NULLS NOT DISTINCT (name, repository)
);

CREATE OR REPLACE VIEW readable AS
SELECT t.id AS token, r.id AS repository
FROM token t
JOIN repository r ON t.all_repositories
    OR EXISTS (SELECT FROM token_repository g WHERE g.token = t.id AND g.repository = r.id)
    OR EXISTS (SELECT FROM token_group m JOIN group_repository g ON g.name = m.name
        WHERE m.token = t.id AND (g.repository = r.id OR g.repository IS NULL))
WHERE t.revoked IS NULL AND (t.expires IS NULL OR t.expires > now());
