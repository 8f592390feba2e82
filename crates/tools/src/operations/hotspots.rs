//! `hotspots`: what changes most, and what changes together.

use crate::answer::{Answer, Cause, Doubt};
use crate::arguments::symbol_lookup::is_code;
use crate::error::{Exit, ToolError};
use crate::graph::dependency_groups::{FileGroups, GroupBy};
use crate::history::calendar::{date, moment, now};
use crate::history::{coverage_note, extended_index, history_error, left_out_commits, open, shallow_note};
use crate::operation::{Example, TypedOperation};
use crate::session::Session;
use crate::text::number_format::{count, plural};
use crate::text::writer::{Cell, Style, TextWriter};
use clap::Args;
use orient_engine::{FileQuery, Lookup, Snapshot};
use orient_history::History;
use orient_model::RepoPath;
use orient_timeline::{CoChange, PathActivity, SymbolActivity, hotspots};
use serde::Serialize;
use std::collections::BTreeMap;
use std::io;

pub(crate) struct Hotspots;

const DEFAULT_LIMIT: usize = 15;
/// Number of pairs that are looked up in the graph.
const MAX_PAIRS: usize = 200;

/// Arguments of `hotspots`.
#[derive(Args)]
pub(crate) struct HotspotsArgs {
    /// Only files below this path
    #[arg(value_name = "PATH")]
    path: Option<String>,
    /// Only commits from this date or age on: 2026-03-31, 2026-03, 30d, 6w, 3m, 1y
    #[arg(long, value_name = "DATE")]
    since: Option<String>,
    /// Maximum number of files, of symbols and of pairs
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
}

/// The activity of a repository.
#[derive(Serialize)]
pub(crate) struct HotspotsOut {
    /// Number of commits that were counted.
    commits: u64,
    /// Number of indexed commits in the period: of some, the changed files may not be known yet.
    of_commits: u64,
    /// The files that changed most often.
    files: Vec<FileLine>,
    /// The symbols that changed most often.
    symbols: Vec<SymbolLine>,
    /// Files that change together although no edge connects them.
    hidden_pairs: Vec<PairLine>,
}

/// The activity of a file.
#[derive(Serialize)]
struct FileLine {
    /// The path.
    path: String,
    /// Number of commits that changed it.
    commits: u32,
    /// Lines added and deleted by them.
    changed_lines: u64,
    /// Its number of lines now.
    lines: u64,
    /// Number of authors.
    authors: u32,
    /// The author of most of the commits.
    main_author: String,
    /// Their share in percent.
    main_share: u32,
    /// Date of the first of these commits.
    first: String,
    /// Date of the last.
    last: String,
}

/// The activity of a symbol.
#[derive(Serialize)]
struct SymbolLine {
    /// Its handle.
    symbol: String,
    /// Its kind.
    kind: String,
    /// Number of commits that changed it.
    commits: u32,
    /// Number of authors of these.
    authors: u32,
    /// Its number of lines.
    lines: u32,
    /// Its cyclomatic complexity, where it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    complexity: Option<u32>,
    /// Date of the last of these commits.
    last: String,
}

/// Two files that change together.
#[derive(Serialize)]
struct PairLine {
    /// The files.
    paths: [String; 2],
    /// Number of commits that changed both.
    commits: u32,
    /// Number of commits that changed the less active one.
    of: u32,
}

impl TypedOperation for Hotspots {
    const NAME: &'static str = "hotspots";
    const ABOUT: &'static str = "Show what changes most, and files that change together without a reference";
    const DETAILS: &'static str = "\
Counts the commits of the history index that changed each file and symbol of the tree, with authors, changed lines, complexity and dates; the history of a \
renamed file counts for its current name. Hidden pairs are files that at least four commits changed together, in at least 40 % of the commits of the \
less active one, although neither refers to the other. Commits that change more than thirty files do not count for pairs.";
    const EXAMPLES: &'static [Example] = &[
        Example { command: "hotspots", about: "of the whole history" },
        Example { command: "hotspots src --since 1y", about: "below a path, in the last year" },
    ];
    const HEAVY: bool = true;
    const ANY_REVISION: bool = false;
    type Args = HotspotsArgs;
    type Out = HotspotsOut;

    fn run(session: &Session<'_>, args: HotspotsArgs) -> Result<Answer<HotspotsOut>, ToolError> {
        let since = args.since.as_deref().map(|typed| moment(typed, now(), false)).transpose()?;
        let snapshot = session.snapshot()?;
        let mut history = open(session)?;
        let start = history.revision("HEAD").map_err(|error| history_error(&error))?;
        let mut index = extended_index(session, &mut history, &start)?;
        let typed = args.path.as_deref().unwrap_or_default();
        // A dot is the whole tree.
        let typed = typed.trim_start_matches("./").trim_end_matches('/');
        let below = RepoPath::from(if typed == "." { "" } else { typed });
        let rows = snapshot.files(&FileQuery::default(), 0, usize::MAX)?.rows;
        let files: BTreeMap<RepoPath, u64> =
            rows.into_iter().map(|row| (row.path, u64::from(row.lines))).collect();
        let mailmap = history.mailmap().map_err(|error| history_error(&error))?;
        let is_wanted = |path: &[u8]| {
            let path = history.below(path);
            path.is_some_and(|path| path.is_below(&below) && files.contains_key(&path))
        };
        let found = hotspots(&mut index, &mailmap, &start, since, &is_wanted);
        let limit = args.limit.unwrap_or(DEFAULT_LIMIT).max(1);
        let mut symbols = Vec::new();
        for symbol in found.symbols.iter().filter(|symbol| is_code(symbol.kind)).take(limit) {
            symbols.push(SymbolLine::new(&snapshot, &history, symbol)?);
        }
        let out = HotspotsOut {
            commits: found.commits,
            of_commits: found.of_commits,
            files: found.paths.iter().take(limit).map(|path| FileLine::new(&history, path, &files)).collect(),
            symbols,
            hidden_pairs: hidden_pairs(&snapshot, &history, &found.pairs, limit)?,
        };
        let mut answer = session.answer(&snapshot, out);
        let coverage = index.coverage();
        if coverage.commits > 0 && !coverage.is_complete() {
            let (files, symbols) = (count(coverage.paths), count(coverage.symbols));
            let all = count(coverage.commits);
            answer = answer.partial(Doubt::new(
                Cause::History,
                1,
                format!(
                    "files are those of {files}, and lines and symbols those of {symbols}, of {all} commits"
                ),
            ));
        }
        answer.add_notes(coverage_note(&index));
        answer.add_notes(shallow_note(&history).map(str::to_owned));
        answer.add_doubts(left_out_commits(&index.left_out()));
        Ok(answer)
    }

    fn text(out: &HotspotsOut, writer: &mut TextWriter<'_>) -> io::Result<()> {
        let commits = plural(out.of_commits, "commit", "commits");
        let head = if out.commits < out.of_commits {
            format!("{} of {commits} counted", count(out.commits))
        } else {
            commits
        };
        writer.line(Style::Head, &head)?;
        let mut rows: Vec<Vec<Cell>> = Vec::new();
        for file in &out.files {
            rows.push(vec![
                Cell::new(Style::Path, file.path.clone()),
                Cell::new(Style::Number, plural(u64::from(file.commits), "commit", "commits")),
                Cell::new(Style::Dim, plural(file.changed_lines, "line changed", "lines changed")),
                Cell::new(Style::Dim, plural(file.lines, "line", "lines")),
                Cell::new(Style::Plain, file.owners()),
                Cell::new(Style::Dim, format!("{} to {}", file.first, file.last)),
            ]);
        }
        writer.table(0, &rows)?;
        if !out.symbols.is_empty() {
            writer.own_line(Style::Head, "symbols", &[])?;
        }
        let mut rows: Vec<Vec<Cell>> = Vec::new();
        for symbol in &out.symbols {
            rows.push(vec![
                Cell::new(Style::Name, symbol.symbol.clone()),
                Cell::new(Style::Kind, symbol.kind.clone()),
                Cell::new(Style::Number, plural(u64::from(symbol.commits), "commit", "commits")),
                Cell::new(Style::Dim, plural(u64::from(symbol.authors), "author", "authors")),
                Cell::new(Style::Dim, plural(u64::from(symbol.lines), "line", "lines")),
                Cell::new(
                    Style::Dim,
                    symbol.complexity.map(|number| format!("complexity {number}")).unwrap_or_default(),
                ),
                Cell::new(Style::Dim, format!("last {}", symbol.last)),
            ]);
        }
        writer.table(0, &rows)?;
        if !out.hidden_pairs.is_empty() {
            writer.own_line(Style::Head, "change together, without an edge between them", &[])?;
        }
        for pair in &out.hidden_pairs {
            writer.put(Style::Path, &format!("{}  {}", pair.paths[0], pair.paths[1]))?;
            writer.line(Style::Dim, &format!("  {} of {} commits", pair.commits, pair.of))?;
        }
        Ok(())
    }

    fn exit(out: &HotspotsOut) -> Exit {
        if out.files.is_empty() { Exit::Nothing } else { Exit::Ok }
    }
}

impl FileLine {
    fn new(history: &History, activity: &PathActivity, files: &BTreeMap<RepoPath, u64>) -> Self {
        let path = history.shown(&activity.path);
        let (main_author, most) = match activity.authors.first() {
            Some((person, commits)) => (person.name.clone(), *commits),
            None => (String::new(), 0),
        };
        Self {
            lines: files.get(&path).copied().unwrap_or_default(),
            path: path.display().into_owned(),
            commits: activity.commits,
            changed_lines: activity.lines,
            authors: activity.authors.len() as u32,
            main_author,
            main_share: most * 100 / activity.commits.max(1),
            first: date(activity.times.0, 0),
            last: date(activity.times.1, 0),
        }
    }

    fn owners(&self) -> String {
        let others = self.authors.saturating_sub(1);
        let more = if others > 0 { format!(" +{others}") } else { String::new() };
        format!("{} {} %{more}", self.main_author, self.main_share)
    }
}

impl SymbolLine {
    fn new(snapshot: &Snapshot, history: &History, activity: &SymbolActivity) -> Result<Self, ToolError> {
        let symbol = format!("{}#{}", history.shown(&activity.path).display(), activity.name);
        let complexity = match snapshot.symbol(&symbol)? {
            Lookup::One(definition) => definition.complexity.map(|complexity| complexity.cyclomatic),
            _ => None,
        };
        Ok(Self {
            symbol,
            kind: activity.kind.as_str().to_owned(),
            commits: activity.commits,
            authors: activity.authors,
            lines: activity.lines,
            complexity,
            last: date(activity.last, 0),
        })
    }
}

/// The pairs without an edge between them.
fn hidden_pairs(
    snapshot: &Snapshot,
    history: &History,
    pairs: &[CoChange],
    limit: usize,
) -> Result<Vec<PairLine>, ToolError> {
    let mut hidden = Vec::new();
    if pairs.is_empty() {
        return Ok(hidden);
    }
    let groups = FileGroups::new(snapshot, GroupBy::File)?;
    for pair in pairs.iter().take(MAX_PAIRS) {
        if hidden.len() >= limit {
            break;
        }
        let paths = [&pair.paths.0, &pair.paths.1].map(|path| history.shown(path));
        let names = paths.clone().map(|path| path.display().into_owned());
        let group = |name: &String| groups.names.binary_search(name).ok().map(|at| at as u32);
        let (Some(a), Some(b)) = (group(&names[0]), group(&names[1])) else { continue };
        let mut is_linked = false;
        for path in &paths {
            let Some(row) = snapshot.file(path)? else { continue };
            let graph = snapshot.file_graph(row.id)?;
            is_linked |= graph.edges[..graph.own]
                .iter()
                .any(|edge| matches!(groups.ends(edge), Some(ends) if ends == (a, b) || ends == (b, a)));
        }
        if !is_linked {
            hidden.push(PairLine { paths: names, commits: pair.commits, of: pair.of });
        }
    }
    Ok(hidden)
}
