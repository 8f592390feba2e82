DROP INDEX repository_by_address;
ALTER TABLE repository DROP COLUMN address_key;
