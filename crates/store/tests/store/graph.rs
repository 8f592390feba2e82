//! The graph: any series of change sets ends where a load of the result ends, and what is read is what was given.
#![allow(clippy::unwrap_used, reason = "a test fails where it must not")]

use crate::support::{Place, file, id, listing, outline, put, remove};
use orient_model::{
    Confidence, Edge, EdgeKind, ExternalReference, Node, Reason, RefKind, RepoPath, Resolved, Rule,
    UnresolvedReference,
};
use orient_store::{
    BulkWriter, Change, FileFilter, FileId, GraphReader, NodeId, PreparedGraph, Snapshot, StoreError,
    SymbolEntry, Writer,
};
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::path::Path;

/// The number of a file as the resolver knows it.
fn number(file: FileId) -> u32 {
    u32::try_from(file.0).unwrap()
}

type Tree = BTreeMap<String, String>;

/// What the resolver of these tests asks: which file is at a path, and who bears a name.
trait Ask {
    fn file(&self, path: &str) -> FileId;
    fn named(&self, name: &str) -> Vec<SymbolEntry>;
    fn node(&self, node: Node) -> Option<NodeId>;
}

struct Loaded<'d>(&'d orient_store::InMemorySymbolTable);

impl Ask for Loaded<'_> {
    fn file(&self, path: &str) -> FileId {
        self.0.file_at(&RepoPath::from(path)).unwrap()
    }
    fn named(&self, name: &str) -> Vec<SymbolEntry> {
        self.0.symbols_named(name, &["x"])
    }
    fn node(&self, node: Node) -> Option<NodeId> {
        self.0.node(node)
    }
}

impl Ask for GraphReader<'_> {
    fn file(&self, path: &str) -> FileId {
        GraphReader::file(self, &RepoPath::from(path)).unwrap().unwrap().id
    }
    fn named(&self, name: &str) -> Vec<SymbolEntry> {
        GraphReader::symbols_named(self, name, &["x"]).unwrap()
    }
    fn node(&self, node: Node) -> Option<NodeId> {
        let file = FileId(i64::from(node.file));
        let Some(at) = node.symbol else { return Some(NodeId::from(file)) };
        self.symbol_ids(file).unwrap().get(at as usize).copied().map(NodeId::from)
    }
}

/// `note uses X` leads from the symbol before it to all that bear the name; `note serves X` leads from those here;
/// `note needs X` leads outside.
fn resolve(ask: &dyn Ask, path: &str, text: &str) -> PreparedGraph {
    let file = ask.file(path);
    let here = |symbol| Node { file: number(file), symbol };
    let (mut resolved, mut symbol) = (Resolved::default(), None);
    for (line, content) in (1..).zip(text.lines()) {
        let words: Vec<&str> = content.split_whitespace().collect();
        let [what, rest @ ..] = words.as_slice() else { continue };
        match (*what, rest) {
            ("note", [verb, name]) => {
                let found = ask.named(name);
                resolved.name_dependencies.push((*name).to_owned());
                for &SymbolEntry { file: other, at, .. } in &found {
                    let there = Node { file: number(other), symbol: Some(at) };
                    let (from, to, kind) = match *verb {
                        "uses" => (here(symbol), there, EdgeKind::Calls),
                        "serves" => (there, here(symbol), EdgeKind::Dispatches),
                        _ => continue,
                    };
                    let edge = Edge { from, kind, to, line, confidence: Confidence::Exact, rule: Rule::Name };
                    // A second proof of the same edge, less sure: never seen again.
                    let other = Edge { confidence: Confidence::Probable, rule: Rule::Scope, ..edge };
                    resolved.edges.extend([other, edge]);
                }
                let (kind, name) = (RefKind::Call, (*name).to_owned());
                if *verb == "needs" {
                    resolved.external.push(ExternalReference {
                        from: symbol,
                        kind,
                        package: "p".to_owned(),
                        name,
                        line,
                    });
                } else if found.is_empty() {
                    resolved.unresolved.push(UnresolvedReference {
                        from: symbol,
                        kind,
                        name,
                        line,
                        reason: Reason::Unknown,
                    });
                }
            }
            ("note", _) => {}
            _ => symbol = Some(symbol.map_or(0, |at: u32| at + 1)),
        }
    }
    assert_eq!(outline(text).symbols.len() as u32, symbol.map_or(0, |at| at + 1), "{text}");
    PreparedGraph::new(file, &resolved, &mut |node| ask.node(node))
}

/// Everything the graph says, without ids.
fn shown(snapshot: &Snapshot) -> Vec<String> {
    let reader = snapshot.reader();
    let node = |node: NodeId| match (node.symbol(), node.file()) {
        (Some(symbol), _) => {
            let row = snapshot.symbol(symbol).unwrap().unwrap();
            format!("{}#{}", row.path.display(), row.at)
        }
        (_, Some(file)) => snapshot.file_by_id(file).unwrap().unwrap().path.display().into_owned(),
        _ => unreachable!(),
    };
    let edge = |edge: &orient_store::EdgeRow| {
        let (source, target) = (node(edge.source), node(edge.target));
        format!("{source} {:?} {target} {} {:?} {:?}", edge.kind, edge.line, edge.confidence, edge.rule)
    };
    let mut lines = Vec::new();
    for file in snapshot.files(&FileFilter::default(), 0, usize::MAX).unwrap().rows {
        let graph = reader.graph(file.id).unwrap();
        lines.extend(graph.edges.iter().map(edge));
        lines.extend(
            graph.external.iter().map(|row| format!("{} needs {} {}", node(row.source), row.name, row.line)),
        );
        lines.extend(
            graph
                .unresolved
                .iter()
                .map(|row| format!("{} lacks {} {}", node(row.source), row.name, row.line)),
        );
        let symbols = snapshot.symbol_ids(file.id).unwrap().into_iter().map(NodeId::from);
        for symbol in symbols.chain([NodeId::from(file.id)]) {
            lines.extend(reader.incoming(symbol).unwrap().iter().map(|row| format!("to {}", edge(row))));
            let from = reader.foreign_edges_from(symbol).unwrap();
            lines.extend(from.iter().map(|row| format!("from {}", edge(row))));
        }
    }
    for name in NAMES {
        let mut files: Vec<String> =
            reader.dependents_of_name(name).unwrap().into_iter().map(|id| node(id.into())).collect();
        files.sort();
        lines.push(format!("{name} asked by {files:?}"));
    }
    lines.sort();
    lines
}

fn loaded(tree: &Tree) -> Snapshot {
    let mut bulk = BulkWriter::in_memory(Path::new("memory"), 1).unwrap();
    for (path, text) in tree {
        bulk.put(&file(path, text)).unwrap();
    }
    let mut bulk = bulk.graph();
    let table = bulk.symbol_table();
    for (path, text) in tree {
        bulk.put(&resolve(&Loaded(&table), path, text)).unwrap();
    }
    bulk.into_snapshot().unwrap()
}

/// Fails unless what was gathered in memory answers as the database does.
fn same_names(reader: &GraphReader<'_>, gathered: &orient_store::InMemorySymbolTable, path: &str) {
    let memory = Loaded(gathered);
    assert_eq!(memory.file(path), Ask::file(reader, path));
    for name in NAMES {
        assert_eq!(memory.named(name), Ask::named(reader, name), "{name}");
    }
    let file = number(memory.file(path));
    for symbol in [None, Some(0), Some(1), Some(2), Some(9)] {
        let node = Node { file, symbol };
        assert_eq!(memory.node(node), Ask::node(reader, node), "{path} {symbol:?}");
    }
}

/// Applies changes, and resolves all files again.
fn apply(writer: &mut Writer<'_>, tree: &Tree, changes: &[Change]) -> Result<Vec<FileId>, StoreError> {
    let mut set = writer.begin()?;
    changes.iter().try_for_each(|change| set.push(change))?;
    set.settle()?;
    let severed = set.severed();
    let gathered = set.reader().symbol_table(u64::MAX)?.expect("there is no limit");
    for (path, text) in tree {
        let graph = resolve(&set.reader(), path, text);
        same_names(&set.reader(), &gathered, path);
        set.put_graph(&graph)?;
    }
    set.commit().map(|_| severed)
}

const NAMES: &[&str] = &["A", "run", "f", "ghost"];

fn change_sets() -> impl Strategy<Value = Vec<Vec<(usize, Option<String>)>>> {
    let line = prop::sample::select(vec![
        "class A",
        "  method run",
        "function f",
        "note uses A",
        "note uses f",
        "note uses ghost",
        "note serves run",
        "note needs f",
        "note",
        "constant A :Base",
    ]);
    let text = prop::collection::vec(line, 0..8).prop_map(|lines| lines.join("\n"));
    let change = (0..5usize, prop::option::weighted(0.75, text));
    prop::collection::vec(prop::collection::vec(change, 0..4), 0..6)
}

/// Brings a tree one set of changes further.
fn step(tree: &mut Tree, set: &[(usize, Option<String>)]) -> Vec<Change> {
    let before = tree.clone();
    for (path, text) in set {
        let path = format!("dir{}/f{}.x", path % 2, path / 2);
        match text {
            Some(text) => drop(tree.insert(path, text.clone())),
            None => drop(tree.remove(&path)),
        }
    }
    let removed = before.keys().filter(|path| !tree.contains_key(*path)).map(|path| remove(path));
    let changed = tree.iter().filter(|(path, text)| before.get(*path) != Some(text));
    removed.chain(changed.map(|(path, text)| put(path, text))).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_series_of_change_sets_ends_where_a_load_of_the_result_ends(sets in change_sets()) {
        let mut tree = Tree::new();
        let mut writer = Writer::in_memory(Path::new("memory"), 1).unwrap();
        for set in &sets {
            let changes = step(&mut tree, set);
            apply(&mut writer, &tree, &changes).unwrap();
        }
        let (snapshot, fresh) = (writer.into_snapshot().unwrap(), loaded(&tree));
        prop_assert_eq!(snapshot.check().unwrap(), Vec::<String>::new());
        prop_assert_eq!(fresh.check().unwrap(), Vec::<String>::new());
        prop_assert_eq!(shown(&snapshot), shown(&fresh));
        prop_assert_eq!(listing(&snapshot), listing(&fresh));
    }
}

fn tree(files: &[(&str, &str)]) -> Tree {
    files.iter().map(|&(path, text)| (path.to_owned(), text.to_owned())).collect()
}

#[test]
fn edges_are_read_from_both_ends_and_with_their_surest_proof() {
    let snapshot = loaded(&tree(&[
        ("a.x", "function a\nnote uses b"),
        ("b.x", "function b\nfunction c\nnote uses b"),
        ("c.x", "class C\nnote serves b"),
        ("d.x", "note uses b\nnote uses b"),
    ]));
    let (a, b, c, big) = (id(&snapshot, "a"), id(&snapshot, "b"), id(&snapshot, "c"), id(&snapshot, "C"));
    let reader = snapshot.reader();
    let d = NodeId::from(reader.file(&RepoPath::from("d.x")).unwrap().unwrap().id);
    let incoming = reader.incoming(b.into()).unwrap();
    let sources: Vec<_> = incoming.iter().map(|edge| (edge.source, edge.line)).collect();
    assert_eq!(sources, [(d, 1), (d, 2), (a.into(), 2), (c.into(), 3)]);
    assert!(incoming.iter().all(|edge| (edge.confidence, edge.rule) == (Confidence::Exact, Rule::Name)));
    let elsewhere = reader.foreign_edges_from(b.into()).unwrap();
    assert_eq!(elsewhere.iter().map(|edge| edge.target).collect::<Vec<_>>(), [big.into()]);
    let graph = reader.graph(reader.file_of(big.into()).unwrap().unwrap()).unwrap();
    assert_eq!((graph.own, graph.edges.len(), graph.from(b.into())), (0, 1, [].as_slice()));
    let graph = reader.graph(d.file().unwrap()).unwrap();
    assert_eq!((graph.own, graph.from(d).len()), (2, 2));
    assert_eq!(reader.dependents_of_name("b").unwrap().len(), 4);
    assert_eq!(reader.dependents_of_name("nobody").unwrap(), []);
}

#[test]
fn files_with_edges_to_removed_symbols_are_reported() {
    let mut files = tree(&[
        ("a.x", "function a\nnote uses b"),
        ("b.x", "function b\nfunction c"),
        ("c.x", "note uses c"),
        ("d.x", "class D\nnote serves b"),
    ]);
    let mut writer = Writer::in_memory(Path::new("memory"), 1).unwrap();
    let puts = files.iter().map(|(path, text)| put(path, text)).collect::<Vec<_>>();
    apply(&mut writer, &files, &puts).unwrap();
    let ids: Vec<FileId> = (1..=4).map(FileId).collect();
    files.insert("b.x".to_owned(), "function c".to_owned());
    assert_eq!(apply(&mut writer, &files, &[put("b.x", "function c")]).unwrap(), [ids[0], ids[3]]);
    files.remove("b.x");
    assert_eq!(apply(&mut writer, &files, &[remove("b.x")]).unwrap(), [ids[2]]);
}

#[test]
fn files_are_found_by_directory_and_by_the_end_of_their_path() {
    let paths = ["a.x", "lib/a.x", "lib/deep/er/b.x", "lib/deep.x", "lib/deep0.x", "lib/z.x", "lib.x", "z.x"];
    let place = Place::with(&paths.map(|path| (path, "function f")));
    let snapshot = place.open();
    let mut bulk = BulkWriter::in_memory(Path::new("memory"), 1).unwrap();
    // Out of order: the lists are by path nevertheless.
    paths.iter().rev().for_each(|path| bulk.put(&file(path, "function f")).unwrap());
    let bulk = bulk.graph();
    let table = bulk.symbol_table();
    let expected: &[(&str, &[&str])] = &[
        ("", &["a.x", "lib.x", "z.x"]),
        ("lib", &["lib/a.x", "lib/deep.x", "lib/deep0.x", "lib/z.x"]),
        ("lib/deep", &[]),
        ("lib/deep/er", &["lib/deep/er/b.x"]),
        ("nowhere", &[]),
    ];
    let path_of = |id: FileId| snapshot.file_by_id(id).unwrap().unwrap().path.display().into_owned();
    let noted = |id: FileId| table.file(id).unwrap().path.display().into_owned();
    for (directory, files) in expected {
        let stored = snapshot.reader().files_in_directory(directory.as_bytes()).unwrap();
        assert_eq!(stored.into_iter().map(path_of).collect::<Vec<_>>(), *files, "{directory}");
        let loaded = table.files_in_directory(directory.as_bytes());
        assert_eq!(loaded.into_iter().map(noted).collect::<Vec<_>>(), *files, "{directory}");
    }
    let endings: &[(&str, &[&str])] = &[
        ("a.x", &["a.x", "lib/a.x"]),
        ("lib/a.x", &["lib/a.x"]),
        ("er/b.x", &["lib/deep/er/b.x"]),
        (".x", &[]),
    ];
    for (end, files) in endings {
        let stored = snapshot.reader().files_ending_with(end.as_bytes()).unwrap();
        assert_eq!(stored.into_iter().map(path_of).collect::<Vec<_>>(), *files, "{end}");
        let loaded = table.files_ending_with(end.as_bytes());
        assert_eq!(loaded.into_iter().map(noted).collect::<Vec<_>>(), *files, "{end}");
    }
    let under = snapshot.reader().indexed_under(b"lib/deep").unwrap();
    assert_eq!(under.iter().map(|file| file.path.display()).collect::<Vec<_>>(), ["lib/deep/er/b.x"]);
    assert_eq!(snapshot.reader().indexed_under(b"").unwrap().len(), paths.len());
    let named: Vec<_> =
        table.symbols_named("f", &["x"]).into_iter().map(|bearer| noted(bearer.file)).collect();
    let mut sorted = paths.map(str::to_owned);
    sorted.sort();
    assert_eq!(named, sorted);
    assert_eq!(table.node(Node { file: 1, symbol: Some(1) }), None, "the file has one symbol alone");
}

#[test]
fn damage_to_the_graph_is_found() {
    let files = tree(&[("a.x", "function a\nnote uses b"), ("b.x", "function b")]);
    let mut writer = Writer::in_memory(Path::new("memory"), 1).unwrap();
    let puts = files.iter().map(|(path, text)| put(path, text)).collect::<Vec<_>>();
    apply(&mut writer, &files, &puts).unwrap();
    // Nobody resolves again what pointed at the symbol that goes.
    writer.apply([put("b.x", "function other")]).unwrap();
    let faults = writer.into_snapshot().unwrap().check().unwrap();
    assert_eq!(faults, ["a.x: the target of an edge of its graph does not exist"]);
}
