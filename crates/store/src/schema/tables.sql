-- The tables of index.db. All keys are integers; what is shown but never searched stays in the outline.

CREATE TABLE meta (
    one         INTEGER PRIMARY KEY CHECK (one = 1),
    extractor   INTEGER NOT NULL, -- version of the extractor
    resolver    INTEGER NOT NULL, -- version of the resolver
    embedder    INTEGER NOT NULL, -- version of the embedder; a file without vectors still waits for them
    generation  INTEGER NOT NULL, -- incremented by every change set
    next_file   INTEGER NOT NULL, -- ids are never reused
    next_symbol INTEGER NOT NULL,
    next_chunk  INTEGER NOT NULL,
    next_name   INTEGER NOT NULL,
    owed        INTEGER NOT NULL  -- number of files that are owed resolution
) STRICT;

CREATE TABLE lang (
    id   INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
) STRICT;

-- One small row per file, so that a scan of all files is fast.
CREATE TABLE file (
    id        INTEGER PRIMARY KEY,
    path      BLOB NOT NULL,
    name      BLOB NOT NULL,    -- the file name
    lang      INTEGER,          -- NULL: no language
    role      INTEGER NOT NULL,
    status    INTEGER NOT NULL, -- 0: indexed; otherwise the reason why not
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
    project   INTEGER NOT NULL, -- 1: a project file, which says where modules are
    unparsed  INTEGER NOT NULL  -- 1: the parser gave up, so that no symbols are known
) STRICT;

-- The outline of a file. The id lists have the id of each of its symbols and chunks.
CREATE TABLE outline (
    file    INTEGER PRIMARY KEY,
    symbols BLOB NOT NULL,
    chunks  BLOB NOT NULL,
    data    BLOB NOT NULL
) STRICT;

CREATE TABLE name (
    id   INTEGER PRIMARY KEY,
    text TEXT NOT NULL,
    hash INTEGER NOT NULL -- some bits of a hash of the text
) STRICT;

CREATE TABLE symbol (
    id         INTEGER PRIMARY KEY,
    name       INTEGER NOT NULL,
    file       INTEGER NOT NULL,
    at         INTEGER NOT NULL, -- index in the outline
    kind       INTEGER NOT NULL,
    visibility INTEGER NOT NULL,
    modifiers  INTEGER NOT NULL,
    parent     INTEGER,          -- id of its container
    first_line INTEGER NOT NULL,
    last_line  INTEGER NOT NULL
) STRICT;

-- Attributes and bases of symbols.
CREATE TABLE tag (
    name   INTEGER NOT NULL,
    what   INTEGER NOT NULL, -- 0: attribute, 1: base
    symbol INTEGER NOT NULL,
    PRIMARY KEY (name, what, symbol)
) STRICT, WITHOUT ROWID;

CREATE TABLE chunk (
    id         INTEGER PRIMARY KEY,
    file       INTEGER NOT NULL,
    at         INTEGER NOT NULL, -- index in the outline
    kind       INTEGER NOT NULL,
    symbol     INTEGER,          -- id of the innermost symbol that contains it
    first_line INTEGER NOT NULL,
    last_line  INTEGER NOT NULL
) STRICT;

-- The graph by target: adjacency lists of edges. A node is the id of a symbol, or minus the id of a file. The key is the target
-- and the group of the sources (adjacency_lists.rs).
CREATE TABLE edge (
    key  INTEGER PRIMARY KEY,
    data BLOB NOT NULL
) STRICT;

-- Foreign edges by source: those that were found in another file than that of their source.
CREATE TABLE foreign_edge (
    source INTEGER NOT NULL,
    target INTEGER NOT NULL,
    kind   INTEGER NOT NULL,
    line   INTEGER NOT NULL, -- in the file of source
    owner  INTEGER NOT NULL, -- the file in which it was found
    proof  INTEGER NOT NULL, -- rule * 4 + confidence
    PRIMARY KEY (source, target, kind, line, owner)
) STRICT, WITHOUT ROWID;

-- The graphs of files; an empty graph has no row.
CREATE TABLE graph (
    file INTEGER PRIMARY KEY,
    names BLOB NOT NULL, -- name dependencies, as in the table below
    files BLOB NOT NULL, -- file dependencies
    data  BLOB NOT NULL,
    surface BLOB NOT NULL -- what the file says about the surface of the program; empty for most files
) STRICT;

-- Files whose graph is missing or out of date: they are owed resolution.
CREATE TABLE owed (
    file INTEGER PRIMARY KEY
) STRICT;

-- Name dependencies: the files that must be resolved again when a name changes its meaning. The key is the name and the group
-- of the files (adjacency_lists.rs).
CREATE TABLE name_dependency (
    key  INTEGER PRIMARY KEY,
    data BLOB NOT NULL
) STRICT;
