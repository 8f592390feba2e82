-- The terms of the chunks of indexed files, turned around, and their vectors: what ranked search reads.

-- Files whose terms were turned around together. A file that changed or went leaves a hole in its segment.
CREATE TABLE term_segment (
    id    INTEGER PRIMARY KEY,
    files BLOB NOT NULL -- see terms.rs: for each file its id and its chunks; for each chunk how long it is
) STRICT;

-- Lists of places with marks, for a run of terms each. The key is the segment and the number of the first term.
CREATE TABLE term_block (
    key  INTEGER PRIMARY KEY,
    data BLOB NOT NULL
) STRICT;

-- The terms of files that changed lately.
CREATE TABLE term_recent (
    file INTEGER PRIMARY KEY,
    data BLOB NOT NULL
) STRICT;

-- The vectors of the chunks of a file, one after the other in the order of the outline, and behind them how many chunks share
-- each; cut into small rows, which leave little of a page empty. The key is the file and the number of the row.
CREATE TABLE vector (
    key  INTEGER PRIMARY KEY,
    data BLOB NOT NULL
) STRICT;
