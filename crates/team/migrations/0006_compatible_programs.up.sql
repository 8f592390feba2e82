-- Which programs may use the schema while it is newer than they are, so that nodes and workers can be replaced one after another.
ALTER TABLE schema_version ADD COLUMN oldest_program integer NOT NULL DEFAULT 6; -- the version of the schema that a program was made for
