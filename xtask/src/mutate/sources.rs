//! The texts of a directory, their facts, and their graph with some texts replaced.

use anyhow::Result;
use orient_lang::{Registry, RolePatterns, extract_file};
use orient_model::{Edge, EdgeKind, Node, Role, Rule};
use orient_resolve::{FileFacts, MemoryRepository, Repository, Resolver};
use orient_walk::{RootDirectory, WalkOptions};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

/// A symbol by its file and its index there; without an index, the file itself.
pub(super) type Spot = (String, Option<u32>);

/// An edge: source, kind, line, target; and the rule, which is not compared.
#[derive(Clone, Debug)]
pub(super) struct Line {
    pub(super) from: Spot,
    pub(super) kind: EdgeKind,
    pub(super) row: u32,
    pub(super) to: Spot,
    pub(super) rule: Rule,
}

impl Line {
    /// The part that is compared.
    pub(super) fn key(&self) -> (&Spot, EdgeKind, u32, &Spot) {
        (&self.from, self.kind, self.row, &self.to)
    }
}

/// The result of resolving a file.
pub(super) struct Given {
    pub(super) edges: Vec<Line>,
    pub(super) names: BTreeSet<String>,
}

/// A directory in memory.
pub(crate) struct Sources {
    pub(crate) texts: BTreeMap<String, String>,
    pub(crate) facts: BTreeMap<String, Arc<FileFacts>>,
    /// All words in the rules of all languages.
    pub(crate) reserved: BTreeSet<String>,
}

/// Texts that replace or extend those of the directory.
pub(super) type Changed = BTreeMap<String, String>;

impl Sources {
    pub(crate) fn read(directory: &Path) -> Result<Self> {
        let registry = Registry::builtin();
        let kept = registry.project_files().map(str::to_owned).collect();
        let listing = orient_walk::list(directory, &WalkOptions { kept, ..WalkOptions::default() })?;
        let tree = RootDirectory::open(directory)?;
        let (mut texts, mut facts) = (BTreeMap::new(), BTreeMap::new());
        for entry in &listing.files {
            let Ok(content) = tree.read(&entry.path, 2 << 20) else { continue };
            let Ok(text) = String::from_utf8(content.bytes) else { continue };
            let path = entry.path.display().into_owned();
            facts.insert(path.clone(), facts_of(&path, &text)?);
            texts.insert(path, text);
        }
        let rules = registry.packs().iter().filter_map(|pack| pack.rules());
        let all = format!("{:?}", rules.collect::<Vec<_>>());
        let words = all.split(|c: char| !c.is_alphanumeric() && c != '_').map(str::to_owned);
        Ok(Self { texts, facts, reserved: words.collect() })
    }

    /// The result of each file: all files, or those that a change of these texts and names affects.
    pub(super) fn graph(&self, change: Option<(&Changed, &BTreeSet<String>)>) -> BTreeMap<String, Given> {
        let mut facts = self.facts.clone();
        for (path, text) in change.into_iter().flat_map(|(changed, _)| changed) {
            if let Ok(new) = facts_of(path, text) {
                facts.insert(path.clone(), new);
            }
        }
        let packs = Registry::builtin().packs();
        let rules = packs.iter().filter_map(|pack| Some((pack.name().to_owned(), pack.rules()?.clone())));
        let world = MemoryRepository::shared(facts.into_values().collect(), rules);
        let resolver = Resolver::new(&world);
        let mut graph = BTreeMap::new();
        for (file, facts) in world.files().iter().enumerate() {
            let path = facts.path.display().into_owned();
            if change.is_some_and(|(changed, dependents)| {
                !changed.contains_key(&path) && !dependents.contains(&path)
            }) {
                continue;
            }
            let resolved = resolver.resolve(file as u32);
            let edges = resolved.edges.iter().map(|edge| line(&world, edge)).collect();
            graph.insert(path, Given { edges, names: resolved.name_dependencies.iter().cloned().collect() });
        }
        graph
    }

    /// The name of a symbol.
    pub(super) fn name(&self, spot: &Spot) -> &str {
        let symbol = |facts: &Arc<FileFacts>| Some(facts.outline.symbols.get(spot.1? as usize)?.name);
        let facts = self.facts.get(&spot.0);
        facts.and_then(|facts| Some(facts.outline.strings.get(symbol(facts)?))).unwrap_or_default()
    }

    /// A symbol as answers name it.
    pub(super) fn shown(&self, spot: &Spot) -> String {
        match (spot.1, self.facts.get(&spot.0)) {
            (Some(at), Some(facts)) => format!("{}#{}", spot.0, facts.outline.qualified(at).join(".")),
            _ => spot.0.clone(),
        }
    }
}

fn facts_of(path: &str, text: &str) -> Result<Arc<FileFacts>> {
    let pack = Registry::builtin().detect(path.as_bytes(), text.as_bytes());
    let facts = extract_file(pack, path.rsplit('/').next().unwrap_or(path), text.as_bytes());
    let roles = RolePatterns::new(&[], &[]).map_err(anyhow::Error::msg)?;
    let path = orient_model::RepoPath::from(path);
    let role = orient_lang::classify(&path, pack, facts.outline.generated, &roles);
    Ok(Arc::new(FileFacts {
        path,
        language: pack.map_or("", |pack| pack.name()).to_owned(),
        role: if pack.is_some() { role } else { Role::Source },
        content: orient_model::ContentHash::default(),
        outline: facts.outline,
        flow: facts.flow.into(),
        compiled: None,
    }))
}

fn line(world: &MemoryRepository, edge: &Edge) -> Line {
    let spot = |node: Node| {
        let path = world.facts(node.file).map(|facts| facts.path.display().into_owned());
        (path.unwrap_or_default(), node.symbol)
    };
    Line { from: spot(edge.from), kind: edge.kind, row: edge.line, to: spot(edge.to), rule: edge.rule }
}
