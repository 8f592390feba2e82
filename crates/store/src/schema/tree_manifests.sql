-- Tree manifests: which files and stamps the index was compared with. Without one, the next refresh walks the tree.
CREATE TABLE tree_manifest (
    kind INTEGER PRIMARY KEY,
    data BLOB NOT NULL
) STRICT;
