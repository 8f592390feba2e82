//! `map`: an overview of the repository within a token budget.

use crate::answer::{Answer, Doubt, Note};
use crate::error::{Exit, ToolError};
use crate::graph::dependency_groups::{FileGroups, GroupBy, is_link, uses_between};
use crate::graph::node_line::NodeLine;
use crate::graph::repository_map::{RepositoryMap, map_repository};
use crate::operation::{Example, TypedOperation};
use crate::session::Session;
use crate::text::diagram::{Diagram, DiagramFormat, DiagramNode, EdgeLine};
use crate::text::number_format::{count, plural};
use crate::text::writer::{Style, TextWriter};
use clap::Args;
use orient_engine::{FullGraph, Snapshot};
use orient_model::Role;
use serde::Serialize;
use std::io;

pub(crate) struct Map;

/// Arguments of `map`.
#[derive(Args)]
pub(crate) struct MapArgs {
    /// Maximum number of tokens
    #[arg(long, value_name = "N", default_value_t = 1500)]
    tokens: usize,
    /// Print a diagram of the directories and their uses of each other instead: mermaid or dot
    #[arg(long, value_name = "FORMAT")]
    format: Option<String>,
}

/// The overview.
#[derive(Serialize)]
pub(crate) struct MapOut {
    /// Number of indexed files.
    files: u64,
    /// Their lines.
    lines: u64,
    /// Languages with their share of the lines, largest first.
    languages: Vec<String>,
    /// Directories with their most central symbols, by path.
    directories: Vec<DirectoryLine>,
    /// Entry points, by path.
    entries: Vec<EntryLine>,
    /// The most central symbols.
    central: Vec<CentralLine>,
    /// A diagram of the directories, if it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    diagram: Option<String>,
}

/// A directory.
#[derive(Serialize)]
pub(crate) struct DirectoryLine {
    /// Its path; `.` for the root.
    pub(crate) path: String,
    /// The name of its package, if a project file names it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) package: Option<String>,
    /// Number of files directly in it, without tests.
    pub(crate) files: u64,
    /// Their lines.
    pub(crate) lines: u64,
    /// Its most central names.
    pub(crate) names: Vec<String>,
}

/// The entry points of a file, or of many examples.
#[derive(Serialize)]
pub(crate) struct EntryLine {
    /// The file, or the directory of examples.
    pub(crate) path: String,
    /// Why they are entry points: `main`, `marked` by an attribute, `script`, or `examples` for several.
    pub(crate) reason: &'static str,
    /// Their names and lines: `serve:12`; empty for a script. For examples, the first files.
    pub(crate) names: Vec<String>,
}

/// A central symbol.
#[derive(Serialize)]
pub(crate) struct CentralLine {
    /// The symbol.
    #[serde(flatten)]
    pub(crate) node: NodeLine,
    /// Number of symbols that use it, without tests.
    pub(crate) used_by: u64,
}

impl TypedOperation for Map {
    const NAME: &'static str = "map";
    const ABOUT: &'static str = "Show an overview of the repository within a token budget";
    const DETAILS: &'static str = "\
Entry points, directories with their most central names, and the most central symbols by PageRank. Tests are left out. A token is \
counted as three bytes, a conservative estimate. `explain` says how the parts work together.";
    const EXAMPLES: &'static [Example] = &[
        Example { command: "map", about: "about one page" },
        Example { command: "map --tokens 400", about: "a short overview" },
        Example { command: "map --tokens 5000 --json", about: "more detail, for a script" },
        Example { command: "map --format dot", about: "a diagram of the directories" },
    ];
    const HEAVY: bool = true;
    const TERMINAL_ONLY: &'static [&'static str] = &["format"];
    type Args = MapArgs;
    type Out = MapOut;

    fn run(session: &Session<'_>, args: MapArgs) -> Result<Answer<MapOut>, ToolError> {
        let format = args.format.as_deref().map(DiagramFormat::parse).transpose()?;
        let snapshot = session.snapshot()?;
        let whole = FullGraph::read(&snapshot)?;
        let RepositoryMap { directories, entries, central, symbols, languages } =
            map_repository(&snapshot, &whole)?;
        let mut out = MapOut {
            files: whole.files.len() as u64,
            lines: whole.files.iter().map(|file| u64::from(file.lines)).sum(),
            languages,
            directories: Vec::new(),
            entries: Vec::new(),
            central: Vec::new(),
            diagram: None,
        };
        let totals = [directories.len(), entries.len(), symbols];
        let mut budget = Budget(args.tokens.saturating_mul(3));
        budget.spend(out.head().len() + 40);
        let third = budget.0 / 3;
        let entry_room = Budget(third.min(budget.0));
        out.entries = entry_room.fill(&mut budget, entries, EntryLine::text);
        let directory_room = Budget(budget.0 * 2 / 5);
        out.directories = directory_room.fill(&mut budget, directories, DirectoryLine::text);
        out.directories.sort_by(|a, b| a.path.cmp(&b.path));
        let rest = Budget(budget.0);
        out.central = rest.fill(&mut budget, central, CentralLine::text);
        if let Some(format) = format {
            out.diagram = Some(out.diagram(&snapshot)?.render(format));
        }
        let shown = [out.directories.len(), out.entries.len(), out.central.len()];
        let mut answer = session.answer(&snapshot, out);
        for ((shown, total), what) in
            shown.into_iter().zip(totals).zip(["directories", "files with entry points", "symbols"])
        {
            if shown < total {
                let (shown, total) = (count(shown as u64), count(total as u64));
                answer = answer.partial(Doubt::limit(
                    1,
                    Note::from(format!("{shown} of {total} {what} shown")).see("tokens"),
                ));
            }
        }
        Ok(answer)
    }

    fn text(out: &MapOut, writer: &mut TextWriter<'_>) -> io::Result<()> {
        if let Some(diagram) = &out.diagram {
            return diagram.lines().try_for_each(|line| writer.line(Style::Plain, line));
        }
        writer.line(Style::Head, &out.head())?;
        let mut section = |title: &str, lines: Vec<String>| {
            if !lines.is_empty() {
                writer.line(Style::Head, title)?;
            }
            lines.iter().try_for_each(|line| writer.line(Style::Plain, line))
        };
        section("entry points", out.entries.iter().map(EntryLine::text).collect())?;
        section("directories", out.directories.iter().map(DirectoryLine::text).collect())?;
        section("most central", out.central.iter().map(CentralLine::text).collect())
    }

    fn exit(out: &MapOut) -> Exit {
        if out.files == 0 { Exit::Nothing } else { Exit::Ok }
    }
}

/// A number of bytes that may still be written.
struct Budget(usize);

impl Budget {
    fn spend(&mut self, bytes: usize) {
        self.0 = self.0.saturating_sub(bytes);
    }

    /// The first lines that fit into this budget; their size is taken from the `whole` budget.
    fn fill<T>(self, whole: &mut Self, lines: Vec<T>, text: impl Fn(&T) -> String) -> Vec<T> {
        let mut room = self.0;
        let fits = |line: &T| {
            let needed = text(line).len() + 1;
            let fits = needed <= room;
            room = room.saturating_sub(needed);
            fits
        };
        let kept: Vec<T> = lines.into_iter().take_while(fits).collect();
        whole.spend(kept.iter().map(|line| text(line).len() + 1).sum());
        kept
    }
}

impl MapOut {
    /// The listed directories, and how often the sources of one use another.
    fn diagram(&self, snapshot: &Snapshot) -> Result<Diagram, ToolError> {
        let groups = FileGroups::new(snapshot, GroupBy::Directory)?;
        let is_source = |file: u32| groups.owners.files[file as usize].role == Role::Source;
        let uses = uses_between(snapshot, &groups, &|file, edge| is_source(file) && is_link(edge, &[]))?;
        let mut diagram = Diagram::layered();
        for directory in &self.directories {
            let detail = plural(directory.files, "file", "files");
            diagram.node(
                &directory.path,
                DiagramNode { label: directory.path.clone(), detail, is_focus: false },
            );
        }
        let is_listed = |name: &str| self.directories.iter().any(|directory| directory.path == name);
        for ((from, to), uses) in uses {
            let (from, to) = (&groups.names[from as usize], &groups.names[to as usize]);
            if is_listed(from) && is_listed(to) {
                diagram.edge(from, to, &uses.to_string(), EdgeLine::Solid);
            }
        }
        Ok(diagram)
    }

    fn head(&self) -> String {
        let size =
            format!("{}, {}", plural(self.files, "file", "files"), plural(self.lines, "line", "lines"));
        format!("{size}: {}", self.languages.join(", "))
    }
}

impl EntryLine {
    fn text(&self) -> String {
        let names =
            if self.names.is_empty() { String::new() } else { format!(": {}", self.names.join(", ")) };
        format!("  {}  {}{names}", self.path, self.reason)
    }
}

impl DirectoryLine {
    fn text(&self) -> String {
        let package = self.package.as_ref().map_or_else(String::new, |name| format!(" ({name})"));
        let (files, lines) = (plural(self.files, "file", "files"), plural(self.lines, "line", "lines"));
        let names =
            if self.names.is_empty() { String::new() } else { format!(": {}", self.names.join(", ")) };
        format!("  {}{package}  {files}, {lines}{names}", self.path)
    }
}

impl CentralLine {
    fn text(&self) -> String {
        let Self { node, used_by } = self;
        format!("  {}  {} {}  used by {}", node.anchor(), node.kind, node.name, count(*used_by))
    }
}
