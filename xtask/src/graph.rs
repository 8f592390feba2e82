//! `xtask graph DIR`: prints the edges of a directory without a store, for authors of resolution rules.

use anyhow::{Context, Result};
use orient_lang::{Registry, RolePatterns};
use orient_model::{EdgeKind, Node, Role};
use orient_resolve::{FileFacts, MemoryRepository, Repository, Resolver};
use orient_walk::{RootDirectory, WalkOptions};
use serde_json::json;
use std::io::Write;
use std::path::Path;

/// Options of `xtask graph`.
pub(crate) struct Options<'o> {
    /// Whether to print external and unresolved references, too.
    pub(crate) misses: bool,
    /// Only edges from files whose path contains this text.
    pub(crate) only: Option<&'o str>,
}

/// Stack size: resolution is deeply recursive. Unused stack costs no memory.
const STACK: usize = 256 << 20;

/// Prints every edge of the files of a directory, one JSON object per line.
pub(crate) fn run(directory: &Path, options: &Options<'_>) -> Result<()> {
    on_deep_stack(|| print(directory, options))
}

/// Runs something that resolves files on a thread with enough stack.
pub(crate) fn on_deep_stack(run: impl FnOnce() -> Result<()> + Send) -> Result<()> {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK);
        let thread = thread.spawn_scoped(scope, run)?;
        thread.join().unwrap_or_else(|_| anyhow::bail!("resolution failed; see the message above"))
    })
}

fn print(directory: &Path, options: &Options<'_>) -> Result<()> {
    let registry = Registry::builtin();
    let rules =
        registry.packs().iter().filter_map(|pack| Some((pack.name().to_owned(), pack.rules()?.clone())));
    let world = MemoryRepository::new(facts(directory, registry)?, rules);
    let resolver = Resolver::new(&world);
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    for (file, facts) in world.files().iter().enumerate() {
        let path = facts.path.display();
        if options.only.is_some_and(|only| !path.contains(only)) {
            continue;
        }
        let resolved = resolver.resolve(file as u32);
        let name = |symbol: Option<u32>| {
            let symbol = symbol.and_then(|at| facts.outline.symbols.get(at as usize));
            symbol.map_or("", |symbol| facts.outline.strings.get(symbol.name))
        };
        for edge in &resolved.edges {
            let line = json!({
                "caller": shown(&world, edge.from), "callee": shown(&world, edge.to), "line": edge.line,
                "kind": edge.kind.as_str(), "confidence": edge.confidence.as_str(), "rule": edge.rule.as_str(),
            });
            writeln!(out, "{line}")?;
            if edge.kind == EdgeKind::Overrides {
                let line = json!({
                    "caller": shown(&world, edge.to), "callee": shown(&world, edge.from), "line": edge.line,
                    "kind": EdgeKind::Dispatches.as_str(), "confidence": "probable", "rule": edge.rule.as_str(),
                });
                writeln!(out, "{line}")?;
            }
        }
        if options.misses {
            for miss in &resolved.unresolved {
                let line = json!({
                    "miss": miss.name, "path": path, "line": miss.line, "use": miss.kind.as_str(),
                    "in": name(miss.from), "reason": miss.reason.as_str(),
                });
                writeln!(out, "{line}")?;
            }
            for outside in &resolved.external {
                let line = json!({
                    "outside": outside.name, "package": outside.package, "path": path, "line": outside.line,
                    "use": outside.kind.as_str(), "in": name(outside.from),
                });
                writeln!(out, "{line}")?;
            }
        }
    }
    Ok(())
}

/// The facts of all files of a directory.
pub(crate) fn facts(directory: &Path, registry: &Registry) -> Result<Vec<FileFacts>> {
    let kept = Registry::builtin().project_files().map(str::to_owned).collect();
    let listing = orient_walk::list(directory, &WalkOptions { kept, ..WalkOptions::default() })?;
    let tree = RootDirectory::open(directory)?;
    let roles = RolePatterns::new(&[], &[]).map_err(anyhow::Error::msg)?;
    let mut files = Vec::new();
    for entry in &listing.files {
        let Ok(content) = tree.read(&entry.path, 2 << 20) else { continue };
        let pack = registry.detect(entry.path.as_bytes(), &content.bytes);
        let facts =
            orient_lang::extract_file(pack, &String::from_utf8_lossy(entry.path.file_name()), &content.bytes);
        let role = orient_lang::classify(&entry.path, pack, facts.outline.generated, &roles);
        files.push(FileFacts {
            path: entry.path.clone(),
            language: pack.map_or("", |pack| pack.name()).to_owned(),
            role: if pack.is_some() { role } else { Role::Source },
            content: content.hash,
            outline: facts.outline,
            flow: facts.flow.into(),
            compiled: None,
        });
    }
    Ok(files)
}

fn shown(world: &MemoryRepository, node: Node) -> serde_json::Value {
    let Some(facts) = world.facts(node.file) else { return json!(null) };
    let symbol = node.symbol.and_then(|at| Some((at, facts.outline.symbols.get(at as usize)?)));
    let (line, name) = match symbol {
        Some((at, symbol)) => (symbol.name_span.first_line, facts.outline.qualified(at).join(".")),
        None => (0, String::new()),
    };
    json!({ "path": facts.path.display(), "line": line, "name": name })
}

/// Checks that a directory can be read.
pub(crate) fn checked(directory: &Path) -> Result<&Path> {
    std::fs::read_dir(directory).with_context(|| format!("reading {}", directory.display()))?;
    Ok(directory)
}
