//! Tests of incremental graph updates with a toy resolver, which is simple enough not to hide errors of the code
//! around it.

use super::resolver_hooks::{ResolveFn, ResolverHooks};
use crate::{
    Cancel, Engine, EngineError, NoProgress, OpenOptions, RefreshMode, RefreshOptions, RefreshReport,
};
use orient_model::{
    Confidence, Edge, EdgeKind, Expr, ExternalReference, Flow, Node, Reason, RefKind, UnresolvedReference,
};
use orient_model::{Resolved, Rule, Rules};
use orient_resolve::{FileFacts, Repository, anywhere_key, named_symbols};
use orient_settings::Settings;
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;

/// A call of a bare name resolves to the only symbol of that name elsewhere; `boom()` makes the resolver panic while
/// `fuse` is defined anywhere; a definition named `on_x` makes `x` elsewhere dispatch to it; `lib_x` is external.
fn toy(world: &dyn Repository) -> ResolveFn<'_> {
    Box::new(move |file| {
        let mut resolved = Resolved::default();
        let Some(facts) = world.facts(file) else { return resolved };
        let named = |name: &str| -> Vec<Node> {
            world.symbols_named(&facts.language, name).into_iter().map(|named| named.node).collect()
        };
        let elsewhere =
            |name: &str| -> Vec<Node> { named(name).into_iter().filter(|node| node.file != file).collect() };
        for reference in facts.flow.references.iter().filter(|reference| reference.kind == RefKind::Call) {
            let Some(name) = called(&facts.flow, facts.flow.expr(reference.expr)) else { continue };
            let (from, line, kind) = (reference.symbol, reference.line, RefKind::Call);
            resolved.name_dependencies.push(anywhere_key(&name));
            if name == "boom" {
                resolved.name_dependencies.push(anywhere_key("fuse"));
                if !named("fuse").is_empty() {
                    // A panic without the message.
                    std::panic::resume_unwind(Box::new("made up for this test"));
                }
            }
            if let Some(package) = name.strip_prefix("lib_") {
                resolved.external.push(ExternalReference {
                    from,
                    kind,
                    package: package.to_owned(),
                    name,
                    line,
                });
                continue;
            }
            let node = Node { file, symbol: from };
            match elsewhere(&name).as_slice() {
                [to] => resolved.edges.push(edge(node, EdgeKind::Calls, *to, line, Rule::Name)),
                [] => resolved.unresolved.push(UnresolvedReference {
                    from,
                    kind,
                    name,
                    line,
                    reason: Reason::Unknown,
                }),
                _ => resolved.unresolved.push(UnresolvedReference {
                    from,
                    kind,
                    name,
                    line,
                    reason: Reason::Ambiguous,
                }),
            }
        }
        for (at, symbol) in (0..).zip(&facts.outline.symbols) {
            let Some(served) = facts.outline.strings.get(symbol.name).strip_prefix("on_") else { continue };
            resolved.name_dependencies.push(anywhere_key(served));
            for from in elsewhere(served) {
                let to = Node { file, symbol: Some(at) };
                resolved.edges.push(edge(from, EdgeKind::Dispatches, to, 0, Rule::Implementation));
            }
        }
        resolved.edges.sort();
        resolved.edges.dedup();
        resolved.name_dependencies.sort();
        resolved.name_dependencies.dedup();
        resolved
    })
}

fn edge(from: Node, kind: EdgeKind, to: Node, line: u32, rule: Rule) -> Edge {
    Edge { from, kind, to, line, confidence: Confidence::Exact, rule }
}

fn called(flow: &Flow, expr: Expr) -> Option<String> {
    let Expr::Call { callee, .. } = expr else { return None };
    let Expr::Name(atom) = flow.expr(callee) else { return None };
    Some(flow.strings.get(atom).to_owned())
}

/// The slots of the toy resolver: how often each name occurs, and where.
fn toy_slots(facts: &Arc<FileFacts>, _: Option<&Rules>) -> Vec<(String, u64)> {
    let outline = &facts.outline;
    let mut names: BTreeMap<String, u64> = BTreeMap::new();
    for (at, symbol) in (1..).zip(&outline.symbols) {
        let seen = names.entry(outline.strings.get(symbol.name).to_owned()).or_default();
        *seen = seen.wrapping_mul(31).wrapping_add(at);
    }
    names.into_iter().collect()
}

fn open(root: &Path, store: &Path, threads: usize) -> Engine {
    let mut settings = Settings::default();
    settings.index.threads = threads;
    let options = OpenOptions { store: Some(store.to_owned()), ..OpenOptions::default() };
    let mut engine = Engine::open(root, settings, &options).unwrap();
    engine.resolver = ResolverHooks { make: toy, slots: toy_slots, named: named_symbols };
    engine
}

fn refresh(engine: &Engine) -> RefreshReport {
    engine.refresh(&RefreshOptions::default(), &NoProgress).unwrap()
}

/// The graph of an index, after an integrity check.
fn graph(engine: &Engine) -> String {
    let snapshot = engine.snapshot().unwrap();
    assert_eq!(snapshot.check().unwrap(), Vec::<String>::new());
    let mut out = Vec::new();
    snapshot.dump(&mut out).unwrap();
    let dump = String::from_utf8(out).unwrap();
    let kept = ["file\t", "edge\t", "outside\t", "unresolved\t", "issue\t"];
    dump.lines().filter(|line| kept.iter().any(|word| line.starts_with(word))).collect::<Vec<_>>().join("\n")
}

fn fresh(root: &Path, threads: usize) -> String {
    let store = tempfile::tempdir().unwrap();
    let engine = open(root, store.path(), threads);
    refresh(&engine);
    graph(&engine)
}

struct Bench {
    directory: tempfile::TempDir,
    engine: Engine,
}

impl Bench {
    fn new(files: &[(&str, &str)]) -> Self {
        let directory = tempfile::tempdir().unwrap();
        fs::create_dir(directory.path().join("tree")).unwrap();
        let engine = open(&directory.path().join("tree"), &directory.path().join("store"), 3);
        let bench = Self { directory, engine };
        for (path, text) in files {
            bench.put(path, text);
        }
        bench
    }

    fn put(&self, path: &str, text: &str) {
        let path = self.directory.path().join("tree").join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let _ = fs::remove_file(&path);
        fs::write(path, text).unwrap();
    }

    fn remove(&self, path: &str) {
        let _ = fs::remove_file(self.directory.path().join("tree").join(path));
    }

    fn edges(&self) -> Vec<String> {
        let edge = |line: &str| Some(line.strip_prefix("edge\t")?.split("\tline").next()?.replace('\t', " "));
        graph(&self.engine).lines().filter_map(edge).collect()
    }

    fn assert_fresh(&self) {
        let (root, incremental) = (self.directory.path().join("tree"), graph(&self.engine));
        assert_eq!(incremental, fresh(&root, 1), "refreshed, compared to a full build on one thread");
        assert_eq!(incremental, fresh(&root, 4), "refreshed, compared to a full build on four threads");
    }
}

#[test]
fn edges_cross_files_and_follow_edits() {
    let bench =
        Bench::new(&[("a.py", "def a():\n    b()\n"), ("b.py", "def b(): pass\n"), ("c.md", "# b\n")]);
    bench.put("c.md", "# other\n");
    assert_eq!(refresh(&bench.engine).resolved, 2);
    assert_eq!(bench.edges(), ["a.py#a calls b.py#b"]);

    bench.put("b.py", "def b():\n    return 1\n");
    assert_eq!(refresh(&bench.engine).resolved, 1, "a changed body affects no other file");
    assert_eq!(bench.edges(), ["a.py#a calls b.py#b"]);

    bench.put("b.py", "\n\nclass early: pass\n\ndef b():\n    return 1\n");
    assert_eq!(refresh(&bench.engine).resolved, 1, "dependents do not see its position");
    assert_eq!(bench.edges(), ["a.py#a calls b.py#b"]);

    bench.put("d.py", "def b(): pass\n");
    assert_eq!(refresh(&bench.engine).resolved, 2);
    assert_eq!(bench.edges(), [""; 0], "two of that name: no longer clear");
    bench.remove("b.py");
    refresh(&bench.engine);
    assert_eq!(bench.edges(), ["a.py#a calls d.py#b"]);
    bench.assert_fresh();
}

#[test]
fn a_moved_file_keeps_its_incoming_edges() {
    let bench = Bench::new(&[("a.py", "b()\n"), ("b.py", "def b(): a()\n")]);
    refresh(&bench.engine);
    assert_eq!(bench.edges(), ["a.py calls b.py#b"]);
    bench.remove("b.py");
    bench.put("deep/er.py", "def b(): a()\n");
    assert_eq!(refresh(&bench.engine).renamed, 1);
    assert_eq!(bench.edges(), ["a.py calls deep/er.py#b"]);
    bench.assert_fresh();
}

#[test]
fn a_resolver_panic_costs_the_edges_of_one_file() {
    let bench = Bench::new(&[("a.py", "boom()\nb()\n"), ("b.py", "def b(): pass\n"), ("c.py", "b()\n")]);
    bench.put("fuse.py", "def fuse(): pass\n");
    let done = refresh(&bench.engine);
    assert_eq!((done.resolved, done.unresolved), (4, 1));
    assert_eq!(bench.edges(), ["c.py calls b.py#b"]);
    assert!(graph(&bench.engine).contains("issue\tthe resolver failed, a fault of ours"));
    // Its dependencies are unknown, so it is resolved again on every change.
    bench.put("c.py", "pass\n");
    assert_eq!(refresh(&bench.engine).unresolved, 1);
    bench.remove("fuse.py");
    assert_eq!(refresh(&bench.engine).unresolved, 0);
    assert_eq!(bench.edges(), ["a.py calls b.py#b"]);
    bench.assert_fresh();
}

#[test]
fn changed_rules_resolve_everything_without_parsing() {
    let bench = Bench::new(&[("a.py", "b()\n"), ("b.py", "def b(): pass\n")]);
    refresh(&bench.engine);
    let mut engine = open(&bench.directory.path().join("tree"), &bench.directory.path().join("store"), 2);
    engine.classifier.set_resolver(7);
    engine.resolver.make = |_| Box::new(|_| Resolved::default());
    let done = refresh(&engine);
    assert_eq!((done.parsed, done.from_cache, done.resolved, done.rebuilt), (0, 0, 2, None));
    assert_eq!(bench.edges(), [""; 0]);
    assert_eq!(refresh(&engine).resolved, 0, "once");
    assert_eq!(refresh(&bench.engine).resolved, 2, "and back");
    bench.assert_fresh();
}

#[test]
fn a_lost_cache_changes_no_edges() {
    let bench = Bench::new(&[("a.py", "b()\n"), ("b.py", "def b(): pass\n"), ("c.py", "b()\n")]);
    refresh(&bench.engine);
    fs::remove_file(bench.engine.store_paths().cache()).unwrap();
    bench.put("b.py", "def c(): pass\n");
    assert_eq!(refresh(&bench.engine).resolved, 3, "previous facts are lost, so everything is resolved");
    assert_eq!(bench.edges(), [""; 0]);
    fs::remove_file(bench.engine.store_paths().cache()).unwrap();
    bench.put("d.py", "def b(): pass\n");
    refresh(&bench.engine);
    assert_eq!(bench.edges(), ["a.py calls d.py#b", "c.py calls d.py#b"]);
    bench.assert_fresh();
}

/// Cancels once resolution begins.
struct Stop(Cancel);
impl crate::Progress for Stop {
    fn phase(&self, phase: crate::Phase, _: u64, _: u64) {
        if phase == crate::Phase::Resolving {
            self.0.cancel();
        }
    }
    fn tick(&self, _: u64, _: u64) {}
    fn waiting(&self, _: Option<u32>, _: std::time::Duration) {}
    fn done(&self) {}
}

#[test]
fn a_cancelled_resolution_leaves_the_index_unchanged() {
    let bench = Bench::new(&[("a.py", "b()\n"), ("b.py", "def b(): pass\n")]);
    refresh(&bench.engine);
    let before = graph(&bench.engine);
    bench.put("b.py", "def c(): pass\n");
    for mode in [RefreshMode::CatchUp, RefreshMode::Rebuild] {
        let options = RefreshOptions { mode, ..RefreshOptions::default() };
        let done = bench.engine.refresh(&options, &Stop(options.cancel.clone()));
        assert!(matches!(done, Err(EngineError::Cancelled)));
        assert_eq!(graph(&bench.engine), before);
    }
    refresh(&bench.engine);
    bench.assert_fresh();
}

/// Lines of files that define and call a few names.
const LINES: &[&str] = &[
    "def a():\n    b()\n",
    "def b():\n    c()\n    lib_x()\n",
    "def c(): pass\n",
    "class a:\n    def b(self):\n        a()\n",
    "def on_b(): pass\n",
    "b()\n",
    "boom()\n",
    "def fuse(): pass\n",
    "\n\n",
    "x = 1\n",
];
const PATHS: &[&str] = &["a.py", "b.py", "src/a.py", "src/c.py", "src/net/d.py", "e.md", "f.js"];

fn edits() -> impl Strategy<Value = Vec<Vec<(usize, Option<String>)>>> {
    let text = prop::collection::vec(prop::sample::select(LINES), 0..5).prop_map(|lines| lines.concat());
    let edit = (0..PATHS.len(), prop::option::weighted(0.8, text));
    prop::collection::vec(prop::collection::vec(edit, 1..4), 1..7)
}

proptest! {
    #![proptest_config(ProptestConfig { max_shrink_iters: 200, failure_persistence: None, ..ProptestConfig::with_cases(cases()) })]

    #[test]
    fn incremental_update_equals_a_full_build(edits in edits()) {
        let bench = Bench::new(&[]);
        let mut there: BTreeMap<&str, String> = BTreeMap::new();
        for edit in edits {
            for (path, text) in edit {
                if let Some(text) = text {
                    bench.put(PATHS[path], &text);
                    there.insert(PATHS[path], text);
                    continue;
                }
                // Removed content often reappears under another path.
                bench.remove(PATHS[path]);
                let next = PATHS[(path + 1) % PATHS.len()];
                if let (Some(text), 0) = (there.remove(PATHS[path]), path % 2) {
                    bench.put(next, &text);
                    there.insert(next, text);
                }
            }
            refresh(&bench.engine);
        }
        bench.assert_fresh();
    }
}

/// Few cases by default; set `PROPTEST_CASES` for more.
fn cases() -> u32 {
    std::env::var("PROPTEST_CASES").ok().and_then(|number| number.parse().ok()).unwrap_or(32)
}

/// Measures the cost of graph updates besides the resolver: run with `ORIENT_FIGURES` set to a directory.
#[test]
#[ignore = "measures; means something in release only"]
fn figures() {
    let Some(root) = std::env::var_os("ORIENT_FIGURES") else { return };
    let store = tempfile::tempdir().unwrap();
    let engine = open(Path::new(&root), store.path(), 2);
    let clock = Clock(std::time::Instant::now());
    let done = engine.refresh(&RefreshOptions::default(), &clock).unwrap();
    println!("{:?} {} files resolved", done.elapsed, done.resolved);
    println!("{} bytes of index", fs::metadata(engine.store_paths().index()).unwrap().len());
}

/// Prints when each phase begins, and the memory used so far.
struct Clock(std::time::Instant);

impl crate::Progress for Clock {
    fn phase(&self, phase: crate::Phase, files: u64, _: u64) {
        let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
        let peak = status.lines().find(|line| line.starts_with("VmHWM")).unwrap_or_default();
        println!("{:?} {} {files}, {peak}", self.0.elapsed(), phase.as_str());
    }
    fn tick(&self, _: u64, _: u64) {}
    fn waiting(&self, _: Option<u32>, _: std::time::Duration) {}
    fn done(&self) {
        crate::Progress::phase(self, crate::Phase::Finishing, 0, 0);
    }
}
