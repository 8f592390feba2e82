ALTER TABLE repository DROP COLUMN hook_secret;
