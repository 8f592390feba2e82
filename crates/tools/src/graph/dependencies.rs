//! Dependencies and dependents of files, directories or packages, level by level; and dependency cycles.

use super::dependency_groups::{Cycle, FileGroups, GroupBy, Link, find_cycles, is_link};
use crate::answer::{Answer, Cause, Doubt, Note, limit_or_all};
use crate::arguments::enum_values;
use crate::arguments::path_argument;
use crate::error::{Code, ToolError};
use crate::session::Session;
use crate::text::diagram::{Diagram, DiagramFormat, EdgeLine};
use crate::text::number_format::{count, plural};
use crate::text::writer::{Style, TextWriter};
use clap::Args;
use orient_engine::{Direction, EdgeRow, FileRow, NodeId, PathPattern, Snapshot};
use orient_model::{EdgeKind, Role};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::io;

/// Arguments of `deps` and `rdeps`.
#[derive(Args)]
pub(crate) struct DependsArgs {
    /// A file, a directory or a glob; optional with --cycles
    #[arg(value_name = "PATH")]
    path: Option<String>,
    /// Group by file, directory, package (by the nearest project file) or entry of PATH
    #[arg(long, value_name = "UNIT", default_value = "file")]
    by: String,
    /// Number of levels
    #[arg(long, short, value_name = "N", default_value_t = 1)]
    depth: u32,
    /// Only these edge kinds: imports, calls, constructs, references, `type_of`, …
    #[arg(long, value_name = "KIND", value_delimiter = ',')]
    kind: Vec<String>,
    /// Exclude tests
    #[arg(long)]
    no_tests: bool,
    /// Find dependency cycles in the repository or in PATH
    #[arg(long)]
    cycles: bool,
    /// Maximum number of results; 0 means all
    #[arg(long, value_name = "N", default_value_t = 200)]
    limit: usize,
    /// Print a diagram instead: mermaid or dot
    #[arg(long, value_name = "FORMAT")]
    format: Option<String>,
}

/// Dependencies or dependents.
#[derive(Serialize)]
pub(crate) struct DependsOut {
    /// The path.
    of: String,
    /// Files, directories or packages by level, most uses first.
    links: Vec<LinkLine>,
    /// For dependencies: packages outside the repository, most uses first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    external: Vec<ExternalPackage>,
    /// Dependency cycles, if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    cycles: Option<Vec<Cycle>>,
    /// The uses between the entries of a directory, most uses first, if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    between: Option<Vec<EntryUses>>,
    /// A diagram, if it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    diagram: Option<String>,
    #[serde(skip)]
    direction: Option<Direction>,
}

/// The uses of one entry of a directory by another.
#[derive(Serialize)]
struct EntryUses {
    /// The entry that contains the uses; ends with a slash for a directory.
    from: String,
    /// The entry that is used.
    to: String,
    /// Number of proven uses.
    uses: u64,
}

/// A file, directory or package at the other end.
#[derive(Serialize)]
struct LinkLine {
    /// Number of steps away.
    level: u32,
    /// Its path or name.
    name: String,
    /// Number of proven uses.
    uses: u64,
    /// Number of uses of each kind.
    kinds: BTreeMap<&'static str, u64>,
    /// The first use: `path:line`.
    first: String,
}

/// A package outside the repository.
#[derive(Serialize)]
struct ExternalPackage {
    /// Its name as written in the source.
    package: String,
    /// Number of uses.
    uses: u64,
}

/// Finds dependencies, dependents or cycles.
pub(crate) fn run(
    session: &Session<'_>,
    args: &DependsArgs,
    direction: Direction,
) -> Result<Answer<DependsOut>, ToolError> {
    let by = match GroupBy::parse(&args.by)? {
        GroupBy::File if args.cycles => GroupBy::Unit,
        by => by,
    };
    let format = args.format.as_deref().map(DiagramFormat::parse).transpose()?;
    let kinds = enum_values::edge_kinds(&args.kind)?;
    let snapshot = session.snapshot()?;
    let named =
        args.path.as_deref().map(|typed| path_argument::resolve(session, &snapshot, typed)).transpose()?;
    let of = named.as_ref().map_or(".", |named| named.text.as_str());
    let of = if of.is_empty() { "." } else { of }.to_owned();
    let within = named.map(|named| named.pattern);
    let groups = FileGroups::new(&snapshot, by)?;
    let search = Search { snapshot: &snapshot, groups, kinds, no_tests: args.no_tests };
    if args.cycles {
        let cycles = search.cycles(within.as_ref())?;
        let diagram = format.map(|format| cycle_diagram(&cycles).render(format));
        let out = DependsOut { cycles: Some(cycles), diagram, ..DependsOut::of(of) };
        return Ok(session.answer(&snapshot, out));
    }
    if by == GroupBy::Entry {
        let mut between = search.between(if of == "." { "" } else { &of })?;
        let total = between.len();
        between.truncate(limit_or_all(args.limit));
        let diagram = format.map(|format| use_diagram(&between).render(format));
        let out = DependsOut { between: Some(between), diagram, ..DependsOut::of(of) };
        return Ok(with_total(session.answer(&snapshot, out), total));
    }
    let Some(within) = within else {
        let error = ToolError::new(Code::BadArgument, "a file or directory is required");
        return Err(
            error.hint("`orient deps src/server.go`, or `orient deps --cycles` for the whole repository")
        );
    };
    let GroupLevels { found, mut pairs } =
        search.levels(&within, &of, direction, args.depth.clamp(1, 100))?;
    let mut links = Vec::new();
    for (level, name, link) in found {
        let first = link.first.map_or_else(String::new, |(file, line)| {
            format!("{}:{line}", search.groups.owners.files[file as usize].path.display())
        });
        let kinds = link.kinds.iter().map(|(kind, &number)| (kind.as_str(), number)).collect();
        links.push(LinkLine { level, name, uses: link.uses, kinds, first });
    }
    let total = links.len();
    links.truncate(limit_or_all(args.limit));
    let is_listed = |name: &str| name == of || links.iter().any(|link| link.name == name);
    pairs.retain(|pair| is_listed(&pair.from) && is_listed(&pair.to));
    let diagram = format.map(|format| use_diagram(&pairs).render(format));
    let external = if direction == Direction::Out { search.external_packages(&within)? } else { Vec::new() };
    let out = DependsOut { links, external, diagram, direction: Some(direction), ..DependsOut::of(of) };
    let mut answer = with_total(session.answer(&snapshot, out), total);
    answer.add_doubts(search.unresolved_file(&within)?);
    Ok(answer)
}

/// Adds the number of results, of which the answer may show fewer.
fn with_total(mut answer: Answer<DependsOut>, total: usize) -> Answer<DependsOut> {
    let shown = answer.data.links.len() + answer.data.between.as_ref().map_or(0, Vec::len);
    answer.metadata.total = Some(total as u64);
    if shown < total {
        let cut = (total - shown) as u64;
        let (shown, total) = (count(shown as u64), count(total as u64));
        answer =
            answer.partial(Doubt::limit(cut, Note::from(format!("{shown} of {total} shown")).see("limit")));
    }
    answer
}

/// Uses as a diagram: each edge has their number.
fn use_diagram(pairs: &[EntryUses]) -> Diagram {
    let mut diagram = Diagram::default();
    for EntryUses { from, to, uses } in pairs {
        diagram.edge(from, to, &uses.to_string(), EdgeLine::Solid);
    }
    diagram
}

/// A shortest cycle of each group of cycles.
fn cycle_diagram(cycles: &[Cycle]) -> Diagram {
    let mut diagram = Diagram::default();
    for cycle in cycles {
        for pair in cycle.path.windows(2) {
            if let [from, to] = pair {
                diagram.edge(from, to, "", EdgeLine::Solid);
            }
        }
    }
    diagram
}

/// Groups by level.
struct GroupLevels {
    /// The level, name and uses of each group.
    found: Vec<(u32, String, Link)>,
    /// The uses from level to level.
    pairs: Vec<EntryUses>,
}

struct Search<'s> {
    snapshot: &'s Snapshot,
    groups: FileGroups,
    kinds: Vec<EdgeKind>,
    no_tests: bool,
}

impl Search<'_> {
    fn wants(&self, file: u32, edge: &EdgeRow) -> bool {
        let tests = self.groups.owners.files[file as usize].role == Role::Test;
        is_link(edge, &self.kinds) && !(self.no_tests && tests)
    }

    fn files<'a>(&'a self, within: &'a PathPattern) -> impl Iterator<Item = u32> {
        let files = self.groups.owners.files.iter().enumerate();
        files.filter(|(_, file)| within.matches(&file.path)).map(|(index, _)| index as u32)
    }

    fn cycles(&self, within: Option<&PathPattern>) -> Result<Vec<Cycle>, ToolError> {
        let inside: Option<BTreeSet<u32>> = within.map(|within| self.files(within).collect());
        let is_inside = |file: Option<u32>| {
            file.is_some_and(|file| inside.as_ref().is_none_or(|inside| inside.contains(&file)))
        };
        let keep = |file: u32, edge: &EdgeRow| {
            self.wants(file, edge) && is_inside(Some(file)) && is_inside(self.groups.owners.of(edge.target))
        };
        Ok(find_cycles(self.snapshot, &self.groups, &keep)?)
    }

    /// The uses between the entries of a directory; the empty path is the root.
    fn between(&self, directory: &str) -> Result<Vec<EntryUses>, ToolError> {
        let prefix = if directory.is_empty() { String::new() } else { format!("{directory}/") };
        let mut names: Vec<String> = Vec::new();
        let files = &self.groups.owners.files;
        // The files of one entry are consecutive.
        let entry_of = |file: &FileRow| {
            let path = file.path.display();
            let rest = path.strip_prefix(prefix.as_str())?;
            let name = rest.split_inclusive('/').next()?;
            if names.last().is_none_or(|last| last != name) {
                names.push(name.to_owned());
            }
            Some(names.len() - 1)
        };
        let entries: Vec<Option<usize>> = files.iter().map(entry_of).collect();
        let mut uses: BTreeMap<(usize, usize), u64> = BTreeMap::new();
        for (index, file) in files.iter().enumerate() {
            let Some(from) = entries[index] else { continue };
            let graph = self.snapshot.file_graph(file.id)?;
            for edge in graph.edges[..graph.own].iter().filter(|edge| self.wants(index as u32, edge)) {
                let target = self.groups.owners.of(edge.target);
                if let Some(to) = target.and_then(|target| entries[target as usize]).filter(|to| *to != from)
                {
                    *uses.entry((from, to)).or_default() += 1;
                }
            }
        }
        let mut found: Vec<((usize, usize), u64)> = uses.into_iter().collect();
        found.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
        let line = |((from, to), uses): ((usize, usize), u64)| EntryUses {
            from: names[from].clone(),
            to: names[to].clone(),
            uses,
        };
        Ok(found.into_iter().map(line).collect())
    }

    /// Breadth-first search over groups: the level, name and uses of each, and the uses from level to level.
    fn levels(
        &self,
        within: &PathPattern,
        start: &str,
        direction: Direction,
        depth: u32,
    ) -> Result<GroupLevels, ToolError> {
        let mut files: Vec<u32> = self.files(within).collect();
        let mut seen_files: BTreeSet<u32> = files.iter().copied().collect();
        let own: BTreeSet<u32> = files.iter().map(|&file| self.groups.of[file as usize]).collect();
        let mut seen = if own.len() == 1 { own } else { BTreeSet::new() };
        let (mut found, mut pairs) = (Vec::new(), Vec::new());
        for level in 1..=depth {
            let mut next: BTreeMap<u32, Link> = BTreeMap::new();
            let mut uses: BTreeMap<(u32, u32), u64> = BTreeMap::new();
            for &file in &files {
                for (other, at, edge) in self.edges(file, direction)? {
                    let group = self.groups.of[other as usize];
                    if !seen.contains(&group) && !seen_files.contains(&other) {
                        next.entry(group).or_default().add(at, &edge);
                        *uses
                            .entry((if level == 1 { 0 } else { self.groups.of[file as usize] }, group))
                            .or_default() += 1;
                    }
                }
            }
            pairs.extend(uses.into_iter().map(|((near, far), uses)| {
                let near = if level == 1 { start } else { &self.groups.names[near as usize] }.to_owned();
                let far = self.groups.names[far as usize].clone();
                let (from, to) = if direction == Direction::Out { (near, far) } else { (far, near) };
                EntryUses { from, to, uses }
            }));
            let mut rows: Vec<(u32, Link)> = next.into_iter().collect();
            rows.sort_by(|a, b| b.1.uses.cmp(&a.1.uses).then(a.0.cmp(&b.0)));
            seen.extend(rows.iter().map(|(group, _)| *group));
            let of = &self.groups.of;
            let reached: BTreeSet<u32> = rows.iter().map(|(group, _)| *group).collect();
            files = (0..of.len() as u32).filter(|&file| reached.contains(&of[file as usize])).collect();
            seen_files.extend(&files);
            let name = |group: u32| self.groups.names[group as usize].clone();
            found.extend(rows.into_iter().map(|(group, link)| (level, name(group), link)));
            if files.is_empty() {
                break;
            }
        }
        Ok(GroupLevels { found, pairs })
    }

    /// The edges between a file and others: the other file, the file that contains the use, and the edge.
    fn edges(&self, file: u32, direction: Direction) -> Result<Vec<(u32, u32, EdgeRow)>, ToolError> {
        let id = self.groups.owners.files[file as usize].id;
        let mut found = Vec::new();
        let mut take = |edge: &EdgeRow| {
            let (source, target) = (self.groups.owners.of(edge.source), self.groups.owners.of(edge.target));
            let (Some(source), Some(target)) = (source, target) else { return };
            if source != target && self.wants(source, edge) {
                found.push((if direction == Direction::Out { target } else { source }, source, *edge));
            }
        };
        if direction == Direction::Out {
            let graph = self.snapshot.file_graph(id)?;
            graph.edges[..graph.own].iter().for_each(take);
        } else {
            let file_row = self.groups.owners.files[file as usize].clone();
            let symbols = self.snapshot.outline(file_row)?.ids;
            for node in std::iter::once(NodeId::from(id)).chain(symbols.into_iter().map(NodeId::from)) {
                self.snapshot.incoming(node)?.iter().for_each(&mut take);
            }
        }
        Ok(found)
    }

    /// Why the dependencies of a single file are unknown: the names in its language are not resolved.
    fn unresolved_file(&self, within: &PathPattern) -> Result<Option<Doubt>, ToolError> {
        let mut files = self.files(within);
        let (Some(only), None) = (files.next(), files.next()) else { return Ok(None) };
        let Some(row) = self.snapshot.file(&self.groups.owners.files[only as usize].path)? else {
            return Ok(None);
        };
        let outline = self.snapshot.outline(row)?;
        let mut code = outline.definitions().filter(|one| one.kind.is_type() || one.kind.is_callable());
        let unresolved = code.find(|one| !one.is_resolved()).and_then(|one| one.language);
        let text = |language| format!("names in {language} are not resolved");
        Ok(unresolved.map(|language| Doubt::new(Cause::UnresolvedLanguage, 1, text(language))))
    }

    fn external_packages(&self, within: &PathPattern) -> Result<Vec<ExternalPackage>, ToolError> {
        let mut packages: BTreeMap<String, u64> = BTreeMap::new();
        for file in self.files(within) {
            let row = &self.groups.owners.files[file as usize];
            if self.no_tests && row.role == Role::Test {
                continue;
            }
            let graph = self.snapshot.file_graph(row.id)?;
            for used in graph.external.iter().filter(|used| !used.package.is_empty()) {
                *packages.entry(used.package.clone()).or_default() += 1;
            }
        }
        let mut found: Vec<ExternalPackage> =
            packages.into_iter().map(|(package, uses)| ExternalPackage { package, uses }).collect();
        found.sort_by(|a, b| b.uses.cmp(&a.uses).then_with(|| a.package.cmp(&b.package)));
        Ok(found)
    }
}

impl DependsOut {
    /// An empty answer about a path.
    fn of(of: String) -> Self {
        Self {
            of,
            links: Vec::new(),
            external: Vec::new(),
            cycles: None,
            between: None,
            diagram: None,
            direction: None,
        }
    }

    /// Whether nothing was found.
    pub(crate) fn is_empty(&self) -> bool {
        self.links.is_empty()
            && self.external.is_empty()
            && self.cycles.as_ref().is_none_or(Vec::is_empty)
            && self.between.as_ref().is_none_or(Vec::is_empty)
    }

    /// Writes the answer.
    pub(crate) fn write(&self, writer: &mut TextWriter<'_>) -> io::Result<()> {
        if let Some(diagram) = &self.diagram {
            return diagram.lines().try_for_each(|line| writer.line(Style::Plain, line));
        }
        if let Some(cycles) = &self.cycles {
            if cycles.is_empty() {
                return writer.line(Style::Plain, "no cycles");
            }
            return cycles.iter().try_for_each(|cycle| cycle.write(writer));
        }
        if let Some(between) = &self.between {
            writer.line(Style::Head, &format!("uses between the entries of {}", self.of))?;
            for EntryUses { from, to, uses } in between {
                writer.put(Style::Path, &format!("  {from} → {to}"))?;
                writer.line(Style::Plain, &format!("  {}", count(*uses)))?;
            }
            return Ok(());
        }
        let number = self.links.len() as u64;
        let head = match self.direction {
            Some(Direction::In) => format!("{} {}", plural(number, "uses", "use"), self.of),
            _ => format!("{} uses {}", self.of, count(number)),
        };
        writer.line(Style::Head, &head)?;
        let mut last = 1;
        for link in &self.links {
            if link.level != last {
                last = link.level;
                writer.line(Style::Head, &format!("level {last}"))?;
            }
            writer.put(Style::Path, &format!("  {}", link.name))?;
            let kinds: Vec<String> =
                link.kinds.iter().map(|(kind, number)| format!("{} {kind}", count(*number))).collect();
            writer.put(Style::Plain, &format!("  {}", kinds.join(", ")))?;
            writer.line(Style::Dim, &format!("  first {}", link.first))?;
        }
        if !self.external.is_empty() {
            let show = |one: &ExternalPackage| format!("{} ({})", one.package, count(one.uses));
            writer.put(Style::Head, "external: ")?;
            writer.line(Style::Plain, &self.external.iter().map(show).collect::<Vec<_>>().join(", "))?;
        }
        Ok(())
    }
}
