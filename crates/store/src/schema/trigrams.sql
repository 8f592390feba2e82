-- The inverted index of trigrams: it excludes files from a text search.

-- Segments: immutable sets of posting lists over many files.
CREATE TABLE trigram_segment (
    id    INTEGER PRIMARY KEY,
    files BLOB NOT NULL -- the layout: for each document the id of its file in four bytes; 0 is a tombstone
) STRICT;

-- Blocks of posting lists. The key is the segment and the first trigram of the block.
CREATE TABLE trigram_block (
    key  INTEGER PRIMARY KEY,
    data BLOB NOT NULL
) STRICT;

-- The trigrams of recently changed files, which are not in a segment yet.
CREATE TABLE trigram_recent (
    file INTEGER PRIMARY KEY,
    data BLOB NOT NULL
) STRICT;
