CREATE OR REPLACE VIEW readable AS
SELECT t.id AS token, r.id AS repository
FROM token t
JOIN repository r ON t.all_repositories
    OR EXISTS (SELECT FROM token_repository g WHERE g.token = t.id AND g.repository = r.id)
WHERE t.revoked IS NULL AND (t.expires IS NULL OR t.expires > now());
DROP TABLE group_repository;
DROP TABLE token_group;
DELETE FROM token WHERE subject IS NOT NULL;
ALTER TABLE token DROP COLUMN subject;
