-- The secret that signs the notifications of a repository's host. A signature can only be checked with the secret itself, so it is
-- stored as it is; all that it permits is to ask for a comparison with the source.
ALTER TABLE repository ADD COLUMN hook_secret text;
