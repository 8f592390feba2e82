ALTER TABLE schema_version DROP COLUMN oldest_program;
