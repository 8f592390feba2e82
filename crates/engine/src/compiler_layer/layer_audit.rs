//! What the compiler layer changes: the edges that it confirms, adds and drops.

use crate::extraction::Language;
use crate::refresh::{FactsSource, IndexRepository};
use crate::{Cancel, EngineError, FileQuery, Snapshot};
use orient_model::{Edge, EdgeKind, Node, RepoPath, Resolved, Rule};
use orient_resolve::{Repository, Resolver};
use std::collections::BTreeSet;

/// Bytes of decoded facts that stay in memory, with and without the layer.
const FACTS_BYTES: u64 = 128 << 20;

/// What the compiler layer changes in the files whose content it describes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LayerAudit {
    /// Files whose content it describes.
    pub files: u64,
    /// Edges that the compiler and our rules agree on.
    pub confirmed: u64,
    /// Edges of our rules about which the compiler says nothing.
    pub kept: u64,
    /// Edges that only the compiler knows, by path and line.
    pub added: Vec<LayerEdge>,
    /// Edges of our rules that the compiler contradicts, likewise.
    pub dropped: Vec<LayerEdge>,
}

/// An edge that the layer adds or drops.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LayerEdge {
    /// The file of the use.
    pub path: RepoPath,
    /// The line of the use.
    pub line: u32,
    /// The kind.
    pub kind: EdgeKind,
    /// The target: its file and its qualified name.
    pub target: (RepoPath, String),
    /// The rule that proved it.
    pub rule: Rule,
}

impl Snapshot {
    /// Resolves the files that the layer describes with and without it, and compares the edges; `None` without a layer.
    pub fn audit_layer(&self, threads: usize, cancel: &Cancel) -> Result<Option<LayerAudit>, EngineError> {
        let Some(layers) = self.compiler_layers() else { return Ok(None) };
        let query = FileQuery { indexed: Some(true), ..FileQuery::default() };
        let mut files = self.files(&query, 0, usize::MAX)?.rows;
        files.retain(|file| {
            let has_rules =
                Language::of(file.language.as_deref(), &file.path).is_some_and(Language::is_resolved);
            has_rules && file.hash.is_some_and(|hash| layers.get(&file.path, hash).is_some())
        });
        let Some(table) = self.store.reader().symbol_table(u64::MAX)? else { return Ok(None) };
        let facts = || -> Result<FactsSource, EngineError> {
            let tree = self.tree.open()?;
            Ok(FactsSource::new(self.paths.cache(), tree, self.max_file_size, FACTS_BYTES))
        };
        let (plain, layered) = (facts()?, facts()?.with_layers(Some(layers)));
        let (plain, layered) = (IndexRepository::new(&table, &plain), IndexRepository::new(&table, &layered));
        let (ours, theirs) = (Resolver::new(&plain), Resolver::new(&layered));
        let compared = self.scan_files(&files, threads, cancel, |file, _| {
            let number = u32::try_from(file.id.0).ok()?;
            Some(compare(&plain, &file.path, &ours.resolve(number), &theirs.resolve(number)))
        })?;
        let mut audit = LayerAudit::default();
        for one in compared.into_iter().flatten().flatten() {
            audit.files += 1;
            audit.confirmed += one.confirmed;
            audit.kept += one.kept;
            audit.added.extend(one.added);
            audit.dropped.extend(one.dropped);
        }
        audit.added.sort();
        audit.dropped.sort();
        Ok(Some(audit))
    }
}

/// Compares the edges of one file.
fn compare(
    repository: &IndexRepository<'_>,
    path: &RepoPath,
    ours: &Resolved,
    theirs: &Resolved,
) -> LayerAudit {
    let same = |edge: &Edge| (edge.from, edge.kind, edge.to, edge.line);
    let before: BTreeSet<_> = ours.edges.iter().map(same).collect();
    let after: BTreeSet<_> = theirs.edges.iter().map(same).collect();
    let shown = |edge: &Edge| {
        let Edge { kind, line, rule, .. } = *edge;
        LayerEdge { path: path.clone(), line, kind, target: target(repository, edge.to), rule }
    };
    let mut audit = LayerAudit::default();
    for edge in &theirs.edges {
        if !before.contains(&same(edge)) {
            audit.added.push(shown(edge));
        } else if edge.rule == Rule::Compiler {
            audit.confirmed += 1;
        } else {
            audit.kept += 1;
        }
    }
    audit.dropped.extend(ours.edges.iter().filter(|edge| !after.contains(&same(edge))).map(shown));
    audit
}

fn target(repository: &IndexRepository<'_>, node: Node) -> (RepoPath, String) {
    let Some(facts) = repository.facts(node.file) else { return (RepoPath::from(""), String::new()) };
    let name = node.symbol.map(|at| orient_model::Handle::join(facts.outline.qualified(at)));
    (facts.path.clone(), name.unwrap_or_default())
}
