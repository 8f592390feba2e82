-- The tables of index.db. Integer keys throughout; what is only shown, not asked for, stays inside the outline.

CREATE TABLE meta (
    one         INTEGER PRIMARY KEY CHECK (one = 1),
    extractor   INTEGER NOT NULL, -- version of the extraction all outlines come from
    resolver    INTEGER NOT NULL, -- version of the resolution all edges come from
    embedder    INTEGER NOT NULL, -- version of what made all vectors; a file without any has yet to get them
    generation  INTEGER NOT NULL, -- grows with every change set
    next_file   INTEGER NOT NULL, -- ids are never given twice
    next_symbol INTEGER NOT NULL,
    next_chunk  INTEGER NOT NULL,
    next_name   INTEGER NOT NULL,
    owed        INTEGER NOT NULL  -- how many files have yet to be resolved
) STRICT;

CREATE TABLE lang (
    id   INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
) STRICT;

-- One row per file, small, so that the list of known files is read at the speed of the disk.
CREATE TABLE file (
    id        INTEGER PRIMARY KEY,
    path      BLOB NOT NULL,
    name      BLOB NOT NULL,    -- the last part of the path
    lang      INTEGER,          -- NULL: no language
    role      INTEGER NOT NULL,
    status    INTEGER NOT NULL, -- 0: indexed; else why not
    detail    TEXT,
    size      INTEGER NOT NULL, -- the stamp: size, mtime, ctime, inode
    mtime     INTEGER NOT NULL,
    ctime     INTEGER NOT NULL,
    inode     INTEGER NOT NULL,
    hash      BLOB,             -- NULL: content was not read
    bytes     INTEGER NOT NULL,
    lines     INTEGER NOT NULL,
    symbols   INTEGER NOT NULL,
    chunks    INTEGER NOT NULL,
    issues    INTEGER NOT NULL,
    generated INTEGER NOT NULL,
    manifest  INTEGER NOT NULL, -- 1: says where modules are
    unparsed  INTEGER NOT NULL  -- 1: the parser gave up, so that no symbols are known
) STRICT;

-- What a file holds. The id lists give, for each place in the outline, the id of its symbol or chunk.
CREATE TABLE outline (
    file    INTEGER PRIMARY KEY,
    symbols BLOB NOT NULL,
    chunks  BLOB NOT NULL,
    data    BLOB NOT NULL
) STRICT;

CREATE TABLE name (
    id   INTEGER PRIMARY KEY,
    text TEXT NOT NULL,
    mark INTEGER NOT NULL -- some bits of a hash of the text
) STRICT;

CREATE TABLE symbol (
    id         INTEGER PRIMARY KEY,
    name       INTEGER NOT NULL,
    file       INTEGER NOT NULL,
    at         INTEGER NOT NULL, -- place in the outline
    kind       INTEGER NOT NULL,
    visibility INTEGER NOT NULL,
    modifiers  INTEGER NOT NULL,
    parent     INTEGER,          -- id of the symbol around it
    first_line INTEGER NOT NULL,
    last_line  INTEGER NOT NULL
) STRICT;

-- Words said about a symbol: attributes and bases.
CREATE TABLE tag (
    name   INTEGER NOT NULL,
    what   INTEGER NOT NULL, -- 0: attribute, 1: base
    symbol INTEGER NOT NULL,
    PRIMARY KEY (name, what, symbol)
) STRICT, WITHOUT ROWID;

CREATE TABLE chunk (
    id         INTEGER PRIMARY KEY,
    file       INTEGER NOT NULL,
    at         INTEGER NOT NULL, -- place in the outline
    kind       INTEGER NOT NULL,
    symbol     INTEGER,          -- id of the innermost symbol around it
    first_line INTEGER NOT NULL,
    last_line  INTEGER NOT NULL
) STRICT;

-- Who points at a symbol, or at a file: the graph, by where it leads. Nodes are ids of symbols, or minus ids of files. The key
-- is the target and the neighbourhood of the sources (bundles.rs).
CREATE TABLE edge (
    key  INTEGER PRIMARY KEY,
    data BLOB NOT NULL
) STRICT;

-- Those of them that the file of their source does not know of, by where they start.
CREATE TABLE elsewhere (
    source INTEGER NOT NULL,
    target INTEGER NOT NULL,
    kind   INTEGER NOT NULL,
    line   INTEGER NOT NULL, -- in the file of source
    owner  INTEGER NOT NULL, -- the file that gave rise to it
    proof  INTEGER NOT NULL, -- rule * 4 + confidence
    PRIMARY KEY (source, target, kind, line, owner)
) STRICT, WITHOUT ROWID;

-- All that resolving a file gave; a file that gave nothing has no row.
CREATE TABLE graph (
    file INTEGER PRIMARY KEY,
    asks   BLOB NOT NULL, -- the names it asks for, as in the table below
    looked BLOB NOT NULL, -- the other files it looked at
    data   BLOB NOT NULL
) STRICT;

-- Files whose graph is that of an earlier state, or missing: they have yet to be resolved.
CREATE TABLE owed (
    file INTEGER PRIMARY KEY
) STRICT;

-- Which files depend on what bears a name elsewhere: who must be resolved again when that changes. The key is the name and
-- the neighbourhood of the files (bundles.rs).
CREATE TABLE ask (
    key  INTEGER PRIMARY KEY,
    data BLOB NOT NULL
) STRICT;
