-- What the engine remembers of the tree as a whole, to see at a glance that nothing changed. Losing a sheet costs a walk.
CREATE TABLE sheet (
    kind INTEGER PRIMARY KEY,
    data BLOB NOT NULL
) STRICT;
