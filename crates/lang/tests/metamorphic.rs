//! Metamorphic tests: changes whose effect on the meaning of a program is known must have exactly that effect on the graph.
//! Every tree of the documents under `packs/*/resolution` is changed: renaming a symbol everywhere changes only its name; a
//! copy that no file imports changes nothing; a local binding of a name inside a function redirects the references there
//! and no others.

use orient_lang::{Registry, extract};
use orient_model::{ContentHash, Modules, Node, Role, SymbolKind};
use orient_resolve::{FileFacts, MemoryRepository, Repository, Resolver};
use orient_testkit::Document;
use std::collections::BTreeSet;
use std::path::Path;

/// A tree: the paths and texts of its files.
type Tree = Vec<(String, String)>;

#[test]
fn renaming_a_symbol_everywhere_changes_only_its_name() {
    let mut renamed = 0;
    for (title, tree) in trees() {
        let before = graph(&tree);
        for name in names(&tree) {
            let fresh = format!("{name}Zz");
            let after: Tree =
                tree.iter().map(|(path, text)| (path.clone(), replaced(text, &name, &fresh))).collect();
            let expected: BTreeSet<String> =
                before.iter().map(|line| replaced(line, &name, &fresh)).collect();
            assert_same(&expected, &graph(&after), &format!("{title}: `{name}` became `{fresh}`"));
            renamed += 1;
        }
    }
    assert!(renamed > 100, "only {renamed} names were changed");
}

#[test]
fn a_copy_that_no_file_imports_changes_nothing() {
    let mut twins = 0;
    for (title, tree) in trees() {
        let before = graph(&tree);
        for (path, text) in tree.iter().filter(|(path, _)| sees_imports_only(path)) {
            let mut after = tree.clone();
            after.push((format!("unrelated/deep/{path}"), text.clone()));
            let mut found = graph(&after);
            found.retain(|line| !line.starts_with("unrelated/"));
            assert_same(&before, &found, &format!("{title}: a twin of {path}"));
            twins += 1;
        }
    }
    assert!(twins > 20, "only {twins} twins were made");
}

#[test]
fn a_local_binding_redirects_only_the_references_in_its_function() {
    // A path, a program with a placeholder, and the local binding that replaces the placeholder.
    let programs = [
        ("a.py", "def f(): pass\n\ndef use():\n    BIND\n    f()\n\ndef other():\n    f()\n", "f = 1"),
        (
            "a.ts",
            "function f() {}\nfunction use() {\n  BIND\n  f();\n}\nfunction other() { f(); }\n",
            "const f = 1;",
        ),
        ("a.go", "package a\nfunc f() {}\nfunc use() {\n\tBIND\n\tf()\n}\nfunc other() { f() }\n", "f := 1"),
        ("a.rs", "fn f() {}\nfn using() {\n    BIND\n    f();\n}\nfn other() { f(); }\n", "let f = 1;"),
        (
            "a.c",
            "void f(void) {}\nvoid use(void) {\n  BIND\n  f();\n}\nvoid other(void) { f(); }\n",
            "int f = 1;",
        ),
    ];
    for (path, text, bind) in programs {
        let calls = |bind: &str| {
            let mut lines = graph(&vec![(path.to_owned(), text.replace("BIND", bind))]);
            lines.retain(|line| line.contains(" calls ") && line.ends_with("#f"));
            lines
        };
        let (before, after) = (calls(""), calls(bind));
        let gone: Vec<&String> = before.difference(&after).collect();
        assert_eq!(gone.len(), 1, "{path}: {before:?} became {after:?}");
        assert!(gone[0].contains("#us"), "{path}: {gone:?}");
        assert!(after.is_subset(&before), "{path}: {after:?}");
    }
}

/// The trees of all documents.
fn trees() -> Vec<(String, Tree)> {
    let packs = Path::new(env!("CARGO_MANIFEST_DIR")).join("packs");
    let mut paths = Vec::new();
    for pack in std::fs::read_dir(packs).expect("packs are there").flatten() {
        if let Ok(documents) = std::fs::read_dir(pack.path().join("resolution")) {
            paths.extend(documents.flatten().map(|entry| entry.path()));
        }
    }
    paths.sort();
    let mut trees = Vec::new();
    for path in paths {
        let text = std::fs::read_to_string(&path).expect("documents are text");
        for case in &Document::parse(&text).cases {
            let files =
                case.blocks.iter().filter_map(|block| Some((block.file.clone()?, block.text.clone())));
            trees.push((format!("{}: {}", path.display(), case.title), files.collect()));
        }
    }
    trees
}

fn world(tree: &Tree) -> MemoryRepository {
    let registry = Registry::builtin();
    let files = tree.iter().map(|(path, text)| {
        let pack = registry.detect(path.as_bytes(), text.as_bytes());
        let facts = extract(pack, text.as_bytes());
        let language = pack.map_or("", |pack| pack.name()).to_owned();
        let (outline, flow) = (facts.outline, facts.flow.into());
        let (path, role, content) = (path.as_str().into(), Role::Source, ContentHash::default());
        FileFacts { path, language, role, content, outline, flow, compiled: None }
    });
    let rules =
        registry.packs().iter().filter_map(|pack| Some((pack.name().to_owned(), pack.rules()?.clone())));
    MemoryRepository::new(files.collect(), rules)
}

/// Every edge as text, without its rule: from, kind, line, to.
fn graph(tree: &Tree) -> BTreeSet<String> {
    let world = world(tree);
    let resolver = Resolver::new(&world);
    let mut lines = BTreeSet::new();
    for file in 0..world.files().len() as u32 {
        for edge in resolver.resolve(file).edges {
            if edge.from.file != file && edge.to.file == file {
                // A file that passes a function, a copy too, adds an edge to the function that receives it.
                continue;
            }
            let (from, to) = (shown(&world, edge.from), shown(&world, edge.to));
            lines.insert(format!("{from} {} {} {to}", edge.kind.as_str(), edge.line));
        }
    }
    lines
}

fn shown(world: &MemoryRepository, node: Node) -> String {
    let Some(facts) = world.facts(node.file) else { return String::new() };
    let path = facts.path.display().into_owned();
    match node.symbol {
        Some(at) => format!("{path}#{}", facts.outline.qualified(at).join(".")),
        None => path,
    }
}

/// Names of functions and methods that are neither special to a language nor part of a path.
fn names(tree: &Tree) -> BTreeSet<String> {
    let world = world(tree);
    let packs = Registry::builtin().packs();
    let rules = packs.iter().filter_map(|pack| pack.rules()).map(|rules| format!("{rules:?}"));
    let reserved =
        rules.collect::<String>() + &tree.iter().map(|(path, _)| path.as_str()).collect::<String>();
    let mut names = BTreeSet::new();
    for facts in world.files() {
        for symbol in &facts.outline.symbols {
            let name = facts.outline.strings.get(symbol.name);
            let is_word = name.len() > 2 && name.bytes().all(|byte| byte.is_ascii_alphanumeric());
            let is_function = matches!(symbol.kind, SymbolKind::Function | SymbolKind::Method);
            if is_word
                && is_function
                && !has_word(&reserved, name)
                && !tree.iter().any(|(path, text)| is_spelled_otherwise(path, text, name))
                && name.starts_with(|c: char| c.is_lowercase())
            {
                names.insert(name.to_owned());
            }
        }
    }
    names
}

/// Whether a file has a name in another spelling too, and its language compares names without case.
fn is_spelled_otherwise(path: &str, text: &str, name: &str) -> bool {
    let pack = Registry::builtin().detect(path.as_bytes(), b"");
    pack.and_then(|pack| pack.rules()).is_some_and(|rules| rules.caseless_functions)
        && has_word(&replaced(text, name, "").to_ascii_lowercase(), &name.to_ascii_lowercase())
}

/// Whether files of this language see only what they import.
fn sees_imports_only(path: &str) -> bool {
    let pack = Registry::builtin().detect(path.as_bytes(), b"");
    pack.and_then(|pack| pack.rules())
        .is_some_and(|rules| matches!(rules.modules, Modules::Dotted | Modules::Path))
}

fn is_part(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

fn has_word(text: &str, word: &str) -> bool {
    replaced(text, word, "") != text
}

/// A text with every occurrence of a whole word replaced.
fn replaced(text: &str, word: &str, by: &str) -> String {
    let bytes = text.as_bytes();
    let (mut out, mut done) = (String::new(), 0);
    for (at, _) in text.match_indices(word) {
        let end = at + word.len();
        let whole = (at == 0 || !is_part(bytes[at - 1])) && bytes.get(end).is_none_or(|&byte| !is_part(byte));
        if whole {
            out.push_str(&text[done..at]);
            out.push_str(by);
            done = end;
        }
    }
    out + &text[done..]
}

fn assert_same(expected: &BTreeSet<String>, found: &BTreeSet<String>, what: &str) {
    let missing: Vec<&String> = expected.difference(found).collect();
    let more: Vec<&String> = found.difference(expected).collect();
    assert!(missing.is_empty() && more.is_empty(), "{what}\ngone: {missing:#?}\nnew: {more:#?}");
}
