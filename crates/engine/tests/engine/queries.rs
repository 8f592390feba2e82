//! Queries on a snapshot: files, symbols, outlines, source.

use crate::support::{Bench, refresh, settle};
use orient_engine::{DefinitionQuery, FileQuery, Lookup, NameMatch, PathPattern, Snapshot};
use orient_model::RepoPath;

const FILES: &[(&str, &str)] = &[
    (
        "src/shop.py",
        "class Shop:\n    \"\"\"Sells.\"\"\"\n    def open(self, at: int) -> bool:\n        return True\n\ndef close(): pass\n",
    ),
    ("src/door.py", "class Door:\n    def open(self): pass\n"),
    ("lib/twice.py", "def again(): pass\ndef again(): return 2\n"),
    ("notes.txt", "nothing\n"),
];

fn snapshot(bench: &Bench) -> Snapshot {
    let engine = bench.engine();
    refresh(&engine);
    engine.snapshot().expect("a snapshot")
}

fn pattern(text: &str) -> PathPattern {
    text.parse().expect("a pattern")
}

fn handles(lookup: &Lookup) -> Vec<String> {
    match lookup {
        Lookup::One(one) => vec![one.handle.to_string()],
        Lookup::Many { candidates, .. } => candidates.iter().map(|one| one.handle.to_string()).collect(),
        Lookup::Nothing { similar } => similar.iter().map(|name| format!("{name}?")).collect(),
    }
}

#[test]
fn a_dump_contains_searchable_tags() {
    let bench = Bench::new(&[("a.py", "@app.route('/')\nclass Shop(base.Place): pass\n")]);
    let engine = bench.engine();
    refresh(&engine);
    let dump = crate::support::dump(&engine);
    let tags: Vec<&str> = dump.lines().filter(|line| line.starts_with("tag\t")).collect();
    assert_eq!(
        tags,
        [
            "tag\t0\tattribute\tapp.route",
            "tag\t0\tattribute\troute",
            "tag\t0\tbase\tPlace",
            "tag\t0\tbase\tbase.Place"
        ]
    );
}

#[test]
fn files_are_filtered_by_pattern_language_and_status() {
    let bench = Bench::new(FILES);
    bench.put("blob", [0; 4]);
    let snapshot = snapshot(&bench);
    let paths = |query: &FileQuery| -> Vec<String> {
        let page = snapshot.files(query, 0, 10).expect("files");
        assert_eq!(page.total, page.rows.len());
        page.rows.iter().map(|file| file.path.display().into_owned()).collect()
    };
    let all = FileQuery::default();
    assert_eq!(paths(&all), ["blob", "lib/twice.py", "notes.txt", "src/door.py", "src/shop.py"]);
    assert_eq!(
        paths(&FileQuery { path: Some(pattern("src")), ..all.clone() }),
        ["src/door.py", "src/shop.py"]
    );
    assert_eq!(paths(&FileQuery { path: Some(pattern("*.txt")), ..all.clone() }), ["notes.txt"]);
    assert_eq!(paths(&FileQuery { indexed: Some(false), ..all.clone() }), ["blob"]);
    assert_eq!(paths(&FileQuery { languages: vec!["python".to_owned()], ..all.clone() }).len(), 3);
    let second = snapshot.files(&all, 1, 1).expect("files");
    assert_eq!((second.total, second.rows[0].path.clone()), (5, "lib/twice.py".into()));
    let blob = snapshot.file(&RepoPath::from("blob")).expect("no fault").expect("known");
    assert_eq!(Snapshot::skip_reason(&blob).map(|reason| reason.to_string()), Some("binary".to_owned()));
}

#[test]
fn a_name_resolves_to_one_symbol_or_its_candidates() {
    let bench = Bench::new(FILES);
    let snapshot = snapshot(&bench);
    let look = |text: &str| handles(&snapshot.symbol(text).expect(text));
    assert_eq!(look("Shop"), ["src/shop.py#Shop"]);
    assert_eq!(look("Shop.open"), ["src/shop.py#Shop.open"]);
    assert_eq!(look("Shop::open"), ["src/shop.py#Shop.open"]);
    assert_eq!(look("open"), ["src/door.py#Door.open", "src/shop.py#Shop.open"]);
    assert_eq!(look("src/door.py#Door.open"), ["src/door.py#Door.open"]);
    assert_eq!(look("door.py#open"), ["src/door.py#Door.open"]);
    assert_eq!(look("again"), ["lib/twice.py#again", "lib/twice.py#again~2"]);
    assert_eq!(look("lib/twice.py#again~2"), ["lib/twice.py#again~2"]);
    assert_eq!(look("lib/twice.py#again"), ["lib/twice.py#again"], "the handle of the first");
    assert_eq!(look("Shopp"), ["Shop?"]);
    assert_eq!(look("src/door.py#Shop"), ["Shop?"]);
}

#[test]
fn the_handle_of_an_overload_has_its_parameter_types() {
    let text = "class Cart {\n    void add(int n) {}\n    void add(java.util.List<Item> items, int n) {}\n    void go() {}\n}\n";
    let bench = Bench::new(&[("Cart.java", text)]);
    let snapshot = snapshot(&bench);
    let look = |text: &str| handles(&snapshot.symbol(text).expect(text));
    let both = ["Cart.java#Cart.add(int)", "Cart.java#Cart.add(List,int)"];
    assert_eq!(look("Cart.add"), both);
    assert_eq!(look("Cart.java#Cart.add"), both, "which one is not said");
    assert_eq!(look("Cart.java#Cart.add(List,int)"), both[1..]);
    assert_eq!(look("Cart.java#Cart.add~2"), both[1..], "the older form");
    assert_eq!(look("Cart.java#Cart.go"), ["Cart.java#Cart.go"]);
}

#[test]
fn symbol_queries_return_definitions() {
    let bench = Bench::new(FILES);
    let snapshot = snapshot(&bench);
    let query = DefinitionQuery {
        name: NameMatch::Exact("open".to_owned()),
        path: Some(pattern("src/shop.py")),
        ..DefinitionQuery::default()
    };
    let page = snapshot.symbols(&query, 0, 10).expect("symbols");
    assert_eq!(page.total, 1);
    let open = &page.rows[0];
    assert_eq!((open.handle.to_string().as_str(), open.depth), ("src/shop.py#Shop.open", 1));
    assert_eq!((open.span.first_line, open.returns.as_deref()), (3, Some("bool")));
    assert_eq!(open.params.last().and_then(|param| param.ty.as_deref()), Some("int"));
    let outlines = snapshot.outlines(&pattern("src"), 0, 10).expect("outlines");
    let names: Vec<String> = outlines
        .rows
        .iter()
        .flat_map(|held| held.definitions().map(|one| one.name).collect::<Vec<_>>())
        .collect();
    assert_eq!(names, ["Door", "open", "Shop", "open", "close"]);
}

#[test]
fn source_is_read_from_the_current_file_and_reports_differences() {
    let bench = Bench::new(FILES);
    let snapshot = snapshot(&bench);
    let Lookup::One(open) = snapshot.symbol("Shop.open").expect("no fault") else { panic!("one symbol") };
    let file = snapshot.file(&open.path).expect("no fault").expect("known");
    let source = snapshot.source(&file, open.span, 0).expect("readable");
    assert_eq!(source.lines, ["    def open(self, at: int) -> bool:", "        return True"]);
    assert_eq!((source.first_line, source.differs), (3, false));
    assert_eq!(snapshot.source(&file, open.span, 1).expect("readable").first_line, 2);
    bench.put("src/shop.py", "x = 1\n");
    assert!(snapshot.source(&file, open.span, 0).expect("readable").differs);
    bench.remove("src/shop.py");
    let gone = snapshot.source(&file, open.span, 0).expect_err("gone").to_string();
    assert_eq!(gone, "src/shop.py cannot be shown: gone before it was read");
}

#[test]
fn status_counts_files_and_languages() {
    let bench = Bench::new(FILES);
    bench.put("blob", [0; 4]);
    let status = snapshot(&bench).status().expect("a status");
    assert_eq!((status.sizes.files, status.sizes.symbols, status.generation), (5, 7, 1));
    assert_eq!(status.skipped, [("binary", 1)]);
    assert!(status.cache_bytes > 0 && status.index.ends_with("index.db"));
}

#[test]
fn symbol_ids_survive_edits_and_renames() {
    let bench = Bench::new(FILES);
    let id = |text: &str| match snapshot(&bench).symbol(text).expect("no fault") {
        Lookup::One(one) => one.id,
        other => panic!("{text}: {other:?}"),
    };
    let before = (id("Shop.open"), id("close"), id("Door"));
    bench.put("src/shop.py", format!("# moved down\n\n{}def more(): pass\n", FILES[0].1));
    assert_eq!((id("Shop.open"), id("close")), (before.0, before.1), "an edit");
    std::fs::rename(bench.root().join("src/door.py"), bench.root().join("door2.py")).expect("renamed");
    assert_eq!(id("Door"), before.2, "a move");
}

/// A read-only store. Tests that run as root can write anywhere and skip this.
#[cfg(unix)]
#[test]
fn a_read_only_store_is_refreshed_in_memory() {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;
    fn set(path: &std::path::Path, mode: u32) {
        if path.is_dir() {
            fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("permissions");
            for entry in fs::read_dir(path).expect("readable").flatten() {
                set(&entry.path(), mode);
            }
        }
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("permissions");
    }
    let bench = Bench::new(FILES);
    settle();
    bench.refresh();
    set(&bench.store(), 0o555);
    let powerful = fs::write(bench.store().join("probe"), "").is_ok();
    if !powerful {
        let engine = bench.engine();
        assert!(!refresh(&engine).in_memory, "without changes nothing is held");
        bench.put("src/shop.py", "def changed(): pass\n");
        let changed = refresh(&engine);
        assert_eq!((changed.in_memory, changed.changed), (true, 1));
        assert_eq!(crate::support::dump(&engine), crate::support::fresh(&bench.root(), 1));
        bench.put("src/new.py", "def new(): pass\n");
        assert_eq!(refresh(&engine).added, 1);
        assert_eq!(crate::support::dump(&engine), crate::support::fresh(&bench.root(), 1));
        let nowhere = crate::support::open(&bench.root(), &bench.store().join("deeper"), 2);
        assert!(refresh(&nowhere).in_memory);
        assert_eq!(crate::support::dump(&nowhere), crate::support::fresh(&bench.root(), 1));
    }
    set(&bench.store(), 0o755);
}
