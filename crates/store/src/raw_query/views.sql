-- The views of raw queries. Their names and columns are a contract: `view_docs.rs` documents each and has the version.
--
-- Each view reads one table and refers to a column of it other than the key, and reads everything else by subqueries. SQLite reports a table
-- that it reads without a column as if the user had named it, and the authorizer would refuse the view.

CREATE TEMP TABLE edge_row (
    source INTEGER, source_file INTEGER, target INTEGER, target_file INTEGER,
    kind TEXT NOT NULL, line INTEGER, rule TEXT, confidence TEXT
);

CREATE TEMP TABLE hit_row (
    rank INTEGER PRIMARY KEY, score REAL, symbol INTEGER, path TEXT, first_line INTEGER, last_line INTEGER
);

CREATE TEMP VIEW files AS
SELECT file.id AS id, path_text(file.path) AS path, path_directory(file.path) AS directory, path_text(file.name) AS name,
       (SELECT lang.name FROM main.lang WHERE lang.id = file.lang) AS language, role_word(file.role) AS role,
       file.status = 0 AS indexed, file.bytes AS bytes, file.lines AS lines, file.symbols AS symbols, file.chunks AS chunks,
       file.issues AS issues, file.generated AS generated
FROM main.file WHERE file.bytes >= 0;

CREATE TEMP VIEW symbols AS
SELECT symbol.id AS id, (SELECT name.text FROM main.name WHERE name.id = symbol.name) AS name,
       symbol_field('qualified_name', symbol.file, symbol.at,
           (SELECT data FROM main.outline WHERE outline.file = symbol.file)) AS qualified_name,
       kind_word(symbol.kind) AS kind, symbol.file AS file,
       (SELECT path_text(file.path) FROM main.file WHERE file.id = symbol.file) AS path,
       (SELECT lang.name FROM main.file JOIN main.lang ON lang.id = file.lang WHERE file.id = symbol.file) AS language,
       (SELECT role_word(file.role) FROM main.file WHERE file.id = symbol.file) AS role,
       symbol.parent AS container, visibility_word(symbol.visibility) AS visibility,
       modifier_words(symbol.modifiers) AS modifiers, symbol.first_line AS first_line, symbol.last_line AS last_line,
       symbol.last_line - symbol.first_line + 1 AS lines,
       symbol_field('signature', symbol.file, symbol.at,
           (SELECT data FROM main.outline WHERE outline.file = symbol.file)) AS signature,
       symbol_field('doc', symbol.file, symbol.at,
           (SELECT data FROM main.outline WHERE outline.file = symbol.file)) AS doc,
       symbol_field('returns', symbol.file, symbol.at,
           (SELECT data FROM main.outline WHERE outline.file = symbol.file)) AS returns,
       symbol_field('parameters', symbol.file, symbol.at,
           (SELECT data FROM main.outline WHERE outline.file = symbol.file)) AS parameters,
       symbol_field('attributes', symbol.file, symbol.at,
           (SELECT data FROM main.outline WHERE outline.file = symbol.file)) AS attributes,
       symbol_field('bases', symbol.file, symbol.at,
           (SELECT data FROM main.outline WHERE outline.file = symbol.file)) AS bases
FROM main.symbol WHERE symbol.first_line >= 0;

CREATE TEMP VIEW edges AS
SELECT source, source_file, target, target_file, kind, line, rule, confidence FROM temp.edge_row WHERE kind <> '';

CREATE TEMP VIEW calls AS
SELECT source AS caller, target AS callee, line, confidence FROM temp.edge_row
WHERE kind IN ('calls', 'constructs') AND source IS NOT NULL AND target IS NOT NULL;

CREATE TEMP VIEW uses AS
SELECT (SELECT path_text(file.path) FROM main.file WHERE file.id = edge_row.source_file) AS path, edge_row.line AS line,
       edge_row.kind AS kind, edge_row.source AS user,
       (SELECT name.text FROM main.symbol JOIN main.name ON name.id = symbol.name WHERE symbol.id = edge_row.source) AS user_name,
       edge_row.target AS used,
       (SELECT name.text FROM main.symbol JOIN main.name ON name.id = symbol.name WHERE symbol.id = edge_row.target) AS used_name,
       (SELECT path_text(file.path) FROM main.file WHERE file.id = edge_row.target_file) AS used_path,
       edge_row.confidence AS confidence
FROM temp.edge_row WHERE kind <> '';

CREATE TEMP VIEW chunks AS
SELECT chunk.id AS id, chunk.file AS file, (SELECT path_text(file.path) FROM main.file WHERE file.id = chunk.file) AS path,
       chunk.symbol AS symbol, chunk.first_line AS first_line, chunk.last_line AS last_line
FROM main.chunk WHERE chunk.first_line >= 0;

CREATE TEMP VIEW hits AS
SELECT rank, score, symbol, path, first_line, last_line FROM temp.hit_row WHERE first_line >= 0;
