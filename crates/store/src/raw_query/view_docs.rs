//! The documentation of the views of raw queries, and examples. A test compares it with the views themselves.

/// The version of the views. It changes when a column is removed, renamed or changes its meaning; not when one is added.
pub const VIEWS_VERSION: u32 = 1;

/// A view that raw queries may read.
pub struct ViewDoc {
    /// Its name.
    pub name: &'static str,
    /// What a row is.
    pub about: &'static str,
    /// Its columns: name, type and meaning.
    pub columns: &'static [(&'static str, &'static str, &'static str)],
}

/// A command with a raw query, without the leading `orient`, and what it shows.
pub struct QueryExample {
    /// The command.
    pub command: &'static str,
    /// What it shows.
    pub about: &'static str,
}

/// Examples.
pub const QUERY_EXAMPLES: [QueryExample; 5] = [
    QueryExample {
        command: "query 'SELECT language, count(*), sum(lines) FROM files GROUP BY language'",
        about: "files and lines by language",
    },
    QueryExample {
        command: "query 'SELECT path, name FROM symbols WHERE path REGEXP \"^src/\" AND lines > 100'",
        about: "long definitions of a directory",
    },
    QueryExample {
        command: "query --search 'retry' 'SELECT path, score FROM hits WHERE path LIKE \"src/%\"'",
        about: "ranked search, filtered",
    },
    QueryExample {
        command: "query 'SELECT used_path, used_name, count(*) AS n FROM uses WHERE kind = \"calls\" GROUP BY used ORDER BY n DESC'",
        about: "how often each function is called",
    },
    QueryExample { command: "query --schema", about: "the views and their columns" },
];

/// The views.
pub const VIEWS: &[ViewDoc] = &[
    ViewDoc {
        name: "files",
        about: "A file of the tree.",
        columns: &[
            ("id", "integer", "the file"),
            ("path", "text", "from the root"),
            ("directory", "text", "the directory; empty at the root"),
            ("name", "text", "the file name"),
            ("language", "text", "NULL without one"),
            ("role", "text", "source, test, generated, vendored, doc, config"),
            ("indexed", "integer", "0 if it was not read"),
            ("bytes", "integer", "its size"),
            ("lines", "integer", "its lines"),
            ("symbols", "integer", "its definitions"),
            ("chunks", "integer", "its units of retrieval"),
            ("issues", "integer", "its parse issues"),
            ("generated", "integer", "1 if its text says that a program wrote it"),
        ],
    },
    ViewDoc {
        name: "symbols",
        about: "A definition.",
        columns: &[
            ("id", "integer", "the symbol"),
            ("name", "text", "without container"),
            ("qualified_name", "text", "with containers"),
            ("kind", "text", "function, method, class, …"),
            ("file", "integer", "files.id"),
            ("path", "text", "of its file"),
            ("language", "text", "of its file"),
            ("role", "text", "of its file"),
            ("container", "integer", "symbols.id of what it is defined in, or NULL"),
            ("visibility", "text", "public, protected, internal, private"),
            ("modifiers", "text", "words separated by spaces: static async …"),
            ("first_line", "integer", "where it begins"),
            ("last_line", "integer", "where it ends"),
            ("lines", "integer", "its length"),
            ("signature", "text", "its header as written"),
            ("doc", "text", "its documentation"),
            ("returns", "text", "its return or value type as written"),
            ("parameters", "integer", "number of parameters"),
            ("attributes", "text", "attributes and decorators, one per line"),
            ("bases", "text", "what it inherits from, one per line"),
        ],
    },
    ViewDoc {
        name: "edges",
        about: "A relation between two nodes of the graph. A node is a symbol, or a file if the symbol is NULL.",
        columns: &[
            ("source", "integer", "symbols.id, or NULL"),
            ("source_file", "integer", "files.id"),
            ("target", "integer", "symbols.id, or NULL"),
            ("target_file", "integer", "files.id"),
            (
                "kind",
                "text",
                "calls, constructs, references, type_of, inherits, implements, overrides, imports, …",
            ),
            ("line", "integer", "of the evidence, in the file of the source"),
            ("rule", "text", "the rule that proved it"),
            ("confidence", "text", "exact, probable, approximate"),
        ],
    },
    ViewDoc {
        name: "calls",
        about: "A call or construction of a symbol by a symbol.",
        columns: &[
            ("caller", "integer", "symbols.id"),
            ("callee", "integer", "symbols.id"),
            ("line", "integer", "in the file of the caller"),
            ("confidence", "text", "exact, probable, approximate"),
        ],
    },
    ViewDoc {
        name: "uses",
        about: "An edge with names and paths.",
        columns: &[
            ("path", "text", "of the user"),
            ("line", "integer", "of the use"),
            ("kind", "text", "as in edges"),
            ("user", "integer", "symbols.id, or NULL for a file"),
            ("user_name", "text", "its name"),
            ("used", "integer", "symbols.id, or NULL for a file"),
            ("used_name", "text", "its name"),
            ("used_path", "text", "its file"),
            ("confidence", "text", "exact, probable, approximate"),
        ],
    },
    ViewDoc {
        name: "chunks",
        about: "A unit of retrieval.",
        columns: &[
            ("id", "integer", "the chunk"),
            ("file", "integer", "files.id"),
            ("path", "text", "of its file"),
            ("symbol", "integer", "symbols.id of the innermost symbol, or NULL"),
            ("first_line", "integer", "where it begins"),
            ("last_line", "integer", "where it ends"),
        ],
    },
    ViewDoc {
        name: "hits",
        about: "A result of the ranked search that the argument `search` asks for; empty without it.",
        columns: &[
            ("rank", "integer", "from 1"),
            ("score", "real", "higher is better"),
            ("symbol", "integer", "symbols.id, or NULL"),
            ("path", "text", "of its file"),
            ("first_line", "integer", "where it begins"),
            ("last_line", "integer", "where it ends"),
        ],
    },
];
