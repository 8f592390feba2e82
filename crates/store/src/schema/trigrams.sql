-- The trigrams of the indexed texts, turned around: what leaves files out of a text search.

-- Texts that were turned around together. A text that changed or went leaves a hole in its segment.
CREATE TABLE gram_segment (
    id    INTEGER PRIMARY KEY,
    files BLOB NOT NULL -- for each place the id of its file, four bytes; 0 where there is none any more
) STRICT;

-- Lists of places, for a run of trigrams each. The key is the segment and the first trigram.
CREATE TABLE gram_block (
    key  INTEGER PRIMARY KEY,
    data BLOB NOT NULL
) STRICT;

-- The trigrams of files that changed lately, as they are: too few to be worth a segment.
CREATE TABLE gram_recent (
    file INTEGER PRIMARY KEY,
    data BLOB NOT NULL
) STRICT;
