//! Runs the documents under `packs/*/resolution` and `packs/*/frameworks`: each case is a small tree with the expected result of
//! resolution, or the endpoints it has.
//!
//! A block lists everything of its kind, so that it also asserts what is absent. `UPDATE_EXPECT=1` writes the actual result
//! into the documents; review the difference before you keep it.

use orient_lang::{Registry, RolePatterns, classify, extract_file};
use orient_model::{ContentHash, EdgeKind, Handle, Node, RepoPath, Role};
use orient_resolve::{FileFacts, FileSurface, MemoryRepository, Repository, Resolver, join_surface};
use orient_testkit::{Block, Document, difference};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// The kinds of blocks: their names, and the kinds of edges they list.
const BLOCKS: &[(&str, &[EdgeKind])] = &[
    ("calls", &[EdgeKind::Calls, EdgeKind::Constructs]),
    (
        "types",
        &[
            EdgeKind::Inherits,
            EdgeKind::Implements,
            EdgeKind::Overrides,
            EdgeKind::Dispatches,
            EdgeKind::Extends,
        ],
    ),
    ("uses", &[EdgeKind::References, EdgeKind::Passes, EdgeKind::TypeOf, EdgeKind::Accepts]),
    ("imports", &[EdgeKind::Imports]),
    ("registers", &[EdgeKind::Registers]),
    ("endpoints", &[]),
    ("surface", &[]),
    ("misses", &[]),
    ("outside", &[]),
    ("asks", &[]),
];

#[test]
fn every_document_passes() {
    let packs = Path::new(env!("CARGO_MANIFEST_DIR")).join("packs");
    let only = std::env::var("PACK").ok();
    let mut failures = String::new();
    for path in documents(&packs) {
        if only.as_deref().is_none_or(|only| path.starts_with(packs.join(only))) {
            check(&path, &mut failures);
        }
    }
    assert!(failures.is_empty(), "{failures}");
}

/// Languages with an example and a counterexample for each rule.
const SHOWN: &[(&str, &str)] = &[("csharp", "cs"), ("kotlin", "kt"), ("php", "php"), ("ruby", "rb")];

/// Every rule that proves an edge in the documents of these languages has a case in `rules.md`, and a case in which it must
/// prove nothing.
#[test]
fn every_rule_has_an_example_and_a_counterexample() {
    let packs = Path::new(env!("CARGO_MANIFEST_DIR")).join("packs");
    let mut failures = String::new();
    for (language, extension) in SHOWN {
        let directory = packs.join(language).join("resolution");
        let mut proving = BTreeSet::new();
        let mut shown = BTreeSet::new();
        let mut silent = BTreeSet::new();
        for path in documents(&packs).iter().filter(|path| path.starts_with(&directory)) {
            let text = std::fs::read_to_string(path).expect("documents are text");
            for case in &Document::parse(&text).cases {
                let lines =
                    || case.blocks.iter().filter(|block| block.file.is_none()).flat_map(|b| b.text.lines());
                let rules: BTreeSet<&str> =
                    lines().filter(|line| is_from(line, extension)).filter_map(rule).collect();
                proving.extend(rules.iter().map(|rule| (*rule).to_owned()));
                let (silence, title) = match case.title.strip_prefix("Not by `") {
                    Some(title) => (true, title),
                    None => (false, case.title.strip_prefix("By `").unwrap_or_default()),
                };
                let Some((named, _)) = title.split_once('`') else { continue };
                if silence == rules.contains(named) {
                    let _ = writeln!(failures, "{}: {}: {rules:?}", path.display(), case.title);
                }
                let all = if silence { &mut silent } else { &mut shown };
                if !all.insert(named.to_owned()) {
                    let _ = writeln!(failures, "{}: {}: there is one already", path.display(), case.title);
                }
            }
        }
        if shown != proving || silent != proving {
            let _ = writeln!(failures, "{language}: proving {proving:?}\nshown {shown:?}\nsilent {silent:?}");
        }
    }
    assert!(failures.is_empty(), "{failures}");
}

/// Whether an edge begins in a file with this extension: a case may have files of other languages.
fn is_from(line: &str, extension: &str) -> bool {
    let from = line.split_ascii_whitespace().nth(1).unwrap_or_default();
    from.split('#').next().is_some_and(|path| path.ends_with(extension) || !path.contains('.'))
}

/// The rule at the end of an edge.
fn rule(line: &str) -> Option<&str> {
    Some(line.rsplit_once(" by ")?.1.split(',').next().unwrap_or_default())
}

fn documents(packs: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for pack in std::fs::read_dir(packs).expect("packs are there").flatten() {
        for directory in ["resolution", "frameworks"] {
            if let Ok(tests) = std::fs::read_dir(pack.path().join(directory)) {
                let paths = tests.flatten().map(|entry| entry.path());
                found.extend(paths.filter(|path| path.extension().is_some_and(|e| e == "md")));
            }
        }
    }
    found.sort();
    found
}

fn check(path: &Path, failures: &mut String) {
    let text = std::fs::read_to_string(path).expect("documents are text");
    let document = Document::parse(&text);
    let mut replacements = Vec::new();
    for case in &document.cases {
        let is_file = |block: &&Block| block.file.is_some();
        let world = world(case.blocks.iter().filter(is_file));
        for block in case.blocks.iter().filter(|block| !is_file(block)) {
            let Some((_, kinds)) = BLOCKS.iter().find(|(name, _)| *name == block.kind) else {
                panic!("{}:{}: `{}` is no part of the graph", path.display(), block.line, block.kind)
            };
            let found = found(&world, &block.kind, kinds);
            if let Some(difference) = difference(&block.text, &found) {
                let _ = writeln!(failures, "{}:{}: {}\n{difference}", path.display(), block.line, case.title);
                replacements.push((block.line, found));
            }
        }
    }
    if std::env::var_os("UPDATE_EXPECT").is_some() && !replacements.is_empty() {
        std::fs::write(path, document.updated(&replacements)).expect("documents can be written");
        failures.clear();
    }
}

fn world<'b>(blocks: impl Iterator<Item = &'b Block>) -> MemoryRepository {
    let registry = Registry::builtin();
    let files = blocks.map(|block| {
        let path = block.file.as_deref().expect("only files come here");
        let pack = registry.detect(path.as_bytes(), block.text.as_bytes());
        let name = path.rsplit('/').next().unwrap_or(path);
        let facts = extract_file(pack, name, block.text.as_bytes());
        FileFacts {
            path: path.into(),
            language: pack.map_or("", |pack| pack.name()).to_owned(),
            role: classify(&RepoPath::from(path), pack, false, &RolePatterns::default()),
            content: ContentHash::default(),
            outline: facts.outline,
            flow: facts.flow.into(),
            compiled: None,
        }
    });
    let files = files.collect();
    let rules =
        registry.packs().iter().filter_map(|pack| Some((pack.name().to_owned(), pack.rules()?.clone())));
    MemoryRepository::new(files, rules)
}

/// Every framework has a document of cases, and a name of its own in its language family.
#[test]
fn every_framework_has_a_document() {
    let packs = Path::new(env!("CARGO_MANIFEST_DIR")).join("packs");
    let mut known = 0;
    for pack in std::fs::read_dir(&packs).expect("packs are there").flatten() {
        let Ok(files) = std::fs::read_dir(pack.path().join("frameworks")) else { continue };
        let paths = files.flatten().map(|entry| entry.path());
        for path in paths.filter(|path| path.extension().is_some_and(|e| e == "toml")) {
            let document = std::fs::read_to_string(path.with_extension("md")).unwrap_or_default();
            let has_cases = document.contains("```endpoints") || document.contains("```surface");
            assert!(has_cases, "{} has no cases", path.display());
            known += 1;
        }
    }
    let registry = Registry::builtin();
    let mut loaded = BTreeSet::new();
    for rules in registry.packs().iter().filter_map(|pack| pack.rules()) {
        let names: Vec<&str> = rules.frameworks.iter().map(|framework| framework.name.as_str()).collect();
        let distinct: BTreeSet<&str> = names.iter().copied().collect();
        assert_eq!(names.len(), distinct.len(), "{names:?}");
        loaded.extend(distinct.into_iter().map(|name| (rules.family.clone(), name.to_owned())));
    }
    assert_eq!(loaded.len(), known);
}

/// The endpoints of a tree, one in each line.
fn endpoints(world: &MemoryRepository) -> String {
    let resolver = Resolver::new(world);
    let files = world.files().iter().enumerate();
    let surfaces: Vec<FileSurface<Node>> = files
        .map(|(at, file)| FileSurface {
            surface: resolver.resolve(at as u32).surface,
            test: file.role == Role::Test,
        })
        .collect();
    let mut out = String::new();
    for endpoint in join_surface(&surfaces) {
        let route = &endpoint.route;
        let handler = route.handler.map_or_else(|| route.text.clone(), |node| shown(world, node));
        let _ = write!(out, "{} {} -> {handler}", route.method, endpoint.path);
        if !route.middleware.is_empty() {
            let _ = write!(out, " through {}", route.middleware.join(", "));
        }
        let _ = writeln!(out, "{}", if endpoint.mounted { "" } else { ", not mounted" });
    }
    out
}

/// The surface entries of a tree besides endpoints, one in each line.
fn surface(world: &MemoryRepository) -> String {
    let resolver = Resolver::new(world);
    let mut out = String::new();
    for file in 0..world.files().len() {
        for entry in resolver.resolve(file as u32).surface.entries {
            let by = match entry.symbol {
                Some(symbol) => format!("-> {}", shown(world, symbol)),
                None if entry.text.is_empty() => format!("in {}", shown(world, entry.from)),
                None => format!("-> {}", entry.text),
            };
            let (kind, name, role) = (entry.kind.as_str(), &entry.name, entry.role.as_str());
            let _ = writeln!(
                out,
                "{}: {kind} {name} {role} {by}{}",
                entry.line,
                if entry.proven { "" } else { " ?" }
            );
        }
    }
    out
}

fn found(world: &MemoryRepository, block: &str, kinds: &[EdgeKind]) -> String {
    match block {
        "endpoints" => return endpoints(world),
        "surface" => return surface(world),
        _ => {}
    }
    let resolver = Resolver::new(world);
    let mut out = String::new();
    for (file, facts) in world.files().iter().enumerate() {
        let resolved = resolver.resolve(file as u32);
        let path = facts.path.display();
        let own = |symbol| shown(world, Node { file: file as u32, symbol });
        for edge in resolved.edges.iter().filter(|edge| kinds.contains(&edge.kind)) {
            let (from, to) = (shown(world, edge.from), shown(world, edge.to));
            let _ =
                write!(out, "{}: {from} {} {to} by {}", edge.line, edge.kind.as_str(), edge.rule.as_str());
            let _ = match edge.confidence {
                orient_model::Confidence::Exact => writeln!(out),
                sure => writeln!(out, ", {}", sure.as_str()),
            };
        }
        match block {
            "misses" => resolved.unresolved.iter().for_each(|miss| {
                let (from, kind) = (own(miss.from), miss.kind.as_str());
                let _ = writeln!(out, "{}: {from} {kind} {}: {}", miss.line, miss.name, miss.reason.as_str());
            }),
            "outside" => resolved.external.iter().for_each(|outside| {
                let (from, kind) = (own(outside.from), outside.kind.as_str());
                let _ = writeln!(
                    out,
                    "{}: {from} {kind} {} of {:?}",
                    outside.line, outside.name, outside.package
                );
            }),
            "asks" => {
                let _ = writeln!(out, "{path}: {}", resolved.name_dependencies.join(" "));
            }
            _ => {}
        }
    }
    out
}

fn shown(world: &MemoryRepository, node: Node) -> String {
    let Some(facts) = world.facts(node.file) else { return String::new() };
    let path = facts.path.display().into_owned();
    let Some(at) = node.symbol else { return path };
    let ordinal = facts.outline.symbols.get(at as usize).map_or(0, |symbol| symbol.ordinal);
    let names = facts.outline.qualified(at).into_iter().map(str::to_owned).collect();
    Handle { path, names, ordinal, overload: None }.to_string()
}
