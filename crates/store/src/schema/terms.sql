-- The inverted index of terms, and the vectors: ranked search reads both.

-- Segments: immutable sets of posting lists over the chunks of many files.
CREATE TABLE term_segment (
    id    INTEGER PRIMARY KEY,
    files BLOB NOT NULL -- the layout, see postings/terms.rs: the files, their chunks, the lengths of these
) STRICT;

-- Blocks of posting lists. The key is the segment and the hash of the first term of the block.
CREATE TABLE term_block (
    key  INTEGER PRIMARY KEY,
    data BLOB NOT NULL
) STRICT;

-- The terms of recently changed files, which are not in a segment yet.
CREATE TABLE term_recent (
    file INTEGER PRIMARY KEY,
    data BLOB NOT NULL
) STRICT;

-- The vectors of the chunks of a file in the order of its outline, followed by the number of chunks that share each. Split
-- over rows that pack well into pages; the key is the file and the number of the row.
CREATE TABLE vector (
    key  INTEGER PRIMARY KEY,
    data BLOB NOT NULL
) STRICT;
