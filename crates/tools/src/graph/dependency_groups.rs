//! Grouping of symbol edges to links between files, directories or packages, and the cycles among them.

use crate::arguments::{argument_aliases, enum_values};
use crate::error::{Code, ToolError};
use crate::text::writer::{Style, TextWriter};
use orient_engine::{
    CsrGraph, EdgeRow, EngineError, NodeOwners, Project, Snapshot, cyclic_components, directory_is_unit,
};
use orient_model::{Confidence, EdgeKind, RepoPath};
use serde::Serialize;
use std::collections::BTreeMap;
use std::io;

/// How files are grouped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GroupBy {
    File,
    /// A unit of the language: the files of a directory where those are a package, else a file. Cycles are between units.
    Unit,
    Directory,
    Package,
    /// What is directly inside a directory; with cycles, the same as files.
    Entry,
}

impl GroupBy {
    /// Parses the argument.
    pub(crate) fn parse(word: &str) -> Result<Self, ToolError> {
        let word = argument_aliases::grouping(word);
        enum_values::one_of("grouping", word, &["file", "directory", "package", "entry"])?;
        Ok(match word {
            "directory" => Self::Directory,
            "package" => Self::Package,
            "entry" => Self::Entry,
            _ => Self::File,
        })
    }
}

/// The groups of all files, numbered in the order of their names.
pub(crate) struct FileGroups {
    /// The files.
    pub(crate) owners: NodeOwners,
    /// The names of the groups.
    pub(crate) names: Vec<String>,
    /// The group of each file.
    pub(crate) of: Vec<u32>,
}

impl FileGroups {
    /// Groups the files of a snapshot.
    pub(crate) fn new(snapshot: &Snapshot, by: GroupBy) -> Result<Self, ToolError> {
        let owners = snapshot.node_owners()?;
        let projects = if by == GroupBy::Package { snapshot.projects()? } else { Vec::new() };
        if by == GroupBy::Package && projects.is_empty() {
            let error = ToolError::new(Code::NotFound, "no project file names a package");
            return Err(error.hint("group by directory instead (`by`: `directory`)"));
        }
        let keys: Vec<String> = owners
            .files
            .iter()
            .map(|file| {
                let in_package = || file.language.as_deref().is_some_and(directory_is_unit);
                let by = if by == GroupBy::Unit && in_package() { GroupBy::Directory } else { by };
                key(&file.path, by, &projects)
            })
            .collect();
        let mut names = keys.clone();
        names.sort_unstable();
        names.dedup();
        let number = |key: &String| names.binary_search(key).map_or(0, |at| at as u32);
        let of = keys.iter().map(number).collect();
        Ok(Self { owners, names, of })
    }

    /// The groups of the source and the target of an edge.
    pub(crate) fn ends(&self, edge: &EdgeRow) -> Option<(u32, u32)> {
        let of = |node| Some(self.of[self.owners.of(node)? as usize]);
        Some((of(edge.source)?, of(edge.target)?))
    }
}

fn key(path: &RepoPath, by: GroupBy, projects: &[Project]) -> String {
    match by {
        GroupBy::File | GroupBy::Unit | GroupBy::Entry => path.display().into_owned(),
        GroupBy::Directory => directory(path),
        GroupBy::Package => {
            let around = projects.iter().filter(|project| project.contains(path));
            let nearest = around.max_by_key(|project| project.directory.len());
            nearest.map_or_else(|| directory(path), |project| project.name.clone())
        }
    }
}

fn directory(path: &RepoPath) -> String {
    let directory = RepoPath::new(path.directory()).display().into_owned();
    if directory.is_empty() { ".".to_owned() } else { directory }
}

/// Whether an edge makes its file depend on another.
pub(crate) fn is_link(edge: &EdgeRow, kinds: &[EdgeKind]) -> bool {
    // A base does not know what implements it, nor does what is registered depend on who registers it by name.
    let wanted = match kinds {
        [] => !matches!(edge.kind, EdgeKind::Dispatches | EdgeKind::Registers),
        kinds => kinds.contains(&edge.kind),
    };
    wanted && edge.confidence < Confidence::Approximate
}

/// The uses of one group by another.
#[derive(Clone, Debug, Default)]
pub(crate) struct Link {
    pub(crate) uses: u64,
    pub(crate) kinds: BTreeMap<EdgeKind, u64>,
    /// The first use, by path and line.
    pub(crate) first: Option<(u32, u32)>,
}

impl Link {
    pub(crate) fn add(&mut self, file: u32, edge: &EdgeRow) {
        self.uses += 1;
        *self.kinds.entry(edge.kind).or_default() += 1;
        let location = (file, edge.line);
        self.first = Some(self.first.map_or(location, |first| first.min(location)));
    }
}

/// A dependency cycle: a strongly connected component of more than one group.
#[derive(Serialize)]
pub(crate) struct Cycle {
    /// All members, sorted.
    pub(crate) members: Vec<String>,
    /// A shortest cycle through the first member.
    pub(crate) path: Vec<String>,
}

impl Cycle {
    /// Writes it.
    pub(crate) fn write(&self, writer: &mut TextWriter<'_>) -> io::Result<()> {
        const MAX_NAMED: usize = 20;
        writer.put(Style::Head, &format!("cycle of {}: ", self.members.len()))?;
        writer.line(Style::Plain, &self.path.join(" → "))?;
        if self.members.len() + 1 > self.path.len() {
            for member in self.members.iter().take(MAX_NAMED) {
                writer.line(Style::Path, &format!("  {member}"))?;
            }
            let left = self.members.len().saturating_sub(MAX_NAMED);
            if left > 0 {
                writer.line(Style::Dim, &format!("  and {left} more"))?;
            }
        }
        Ok(())
    }
}

/// The number of uses of each group by each other one.
pub(crate) fn uses_between(
    snapshot: &Snapshot,
    groups: &FileGroups,
    keep: &dyn Fn(u32, &EdgeRow) -> bool,
) -> Result<BTreeMap<(u32, u32), u64>, EngineError> {
    let mut uses: BTreeMap<(u32, u32), u64> = BTreeMap::new();
    for (index, file) in groups.owners.files.iter().enumerate() {
        let graph = snapshot.file_graph(file.id)?;
        let own = graph.edges[..graph.own].iter().filter(|edge| keep(index as u32, edge));
        for ends in own.filter_map(|edge| groups.ends(edge)).filter(|(from, to)| from != to) {
            *uses.entry(ends).or_default() += 1;
        }
    }
    Ok(uses)
}

/// All dependency cycles, by their first member.
pub(crate) fn find_cycles(
    snapshot: &Snapshot,
    groups: &FileGroups,
    keep: &dyn Fn(u32, &EdgeRow) -> bool,
) -> Result<Vec<Cycle>, EngineError> {
    let pairs = uses_between(snapshot, groups, keep)?.into_keys().collect();
    let graph = CsrGraph::new(groups.names.len(), pairs);
    let name = |&group: &u32| groups.names[group as usize].clone();
    let found = cyclic_components(&graph);
    Ok(found
        .iter()
        .map(|members| Cycle {
            members: members.iter().map(name).collect(),
            path: shortest_cycle(&graph, members).iter().map(name).collect(),
        })
        .collect())
}

/// A shortest path from the first member back to it, within the component, by breadth-first search.
fn shortest_cycle(graph: &CsrGraph, members: &[u32]) -> Vec<u32> {
    let start = members[0];
    let mut from: BTreeMap<u32, u32> = BTreeMap::new();
    let mut level = vec![start];
    while !level.is_empty() {
        let mut next = Vec::new();
        for &node in &level {
            for &target in graph.targets(node) {
                if target == start {
                    let mut path = vec![start, node];
                    while let Some(&before) = path.last().and_then(|last| from.get(last)) {
                        path.push(before);
                    }
                    path.reverse();
                    return path;
                }
                if members.binary_search(&target).is_ok() && !from.contains_key(&target) {
                    from.insert(target, node);
                    next.push(target);
                }
            }
        }
        level = next;
    }
    vec![start]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reported_cycle_is_a_shortest_one() {
        let graph = CsrGraph::new(5, vec![(0, 1), (1, 2), (2, 3), (3, 0), (2, 0), (3, 4)]);
        assert_eq!(shortest_cycle(&graph, &cyclic_components(&graph)[0]), [0, 1, 2, 0]);
    }

    #[test]
    fn a_file_belongs_to_the_nearest_project_around_it() {
        let project =
            |directory: &str, name: &str| Project { directory: directory.into(), name: name.into() };
        let projects = [project("", "all"), project("crates/a", "a")];
        let key = |path: &str| key(&path.into(), GroupBy::Package, &projects);
        assert_eq!((key("crates/a/src/x.c"), key("crates/ab/x.c")), ("a".to_owned(), "all".to_owned()));
    }
}
