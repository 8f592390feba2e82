//! `grep`: text search with ripgrep's output, on the files that the trigram index does not rule out.

mod args;
mod subtree_search;

use crate::answer::unread_files::AnswerScope;
use crate::answer::{Answer, Cause, Doubt};
use crate::arguments::path_argument;
use crate::error::{Code, Exit, ToolError};
use crate::operation::{AcrossRoots, Example, TypedOperation};
use crate::session::Session;
use crate::text::number_format::plural;
use crate::text::safe_line::unescape;
use crate::text::writer::{Style, TextWriter};
use crate::workspace::{Appended, Labelled, RootFilter, joined};
use args::{DisplayOptions, GrepArgs};
use orient_engine::{
    PathKind, RefreshDepth, SearchFile, SearchScope, Snapshot, TextCandidates, TreeReader, TrigramQuery,
    Verification,
};
use orient_grep::{GLOB_HINT, GrepError, Mode, Search, Totals, in_batches, looks_like_glob};
use serde::Serialize;
use std::cell::{Cell, RefCell};
use std::io;
use std::path::{Path, PathBuf};
use subtree_search::SubtreeSearch;

pub(crate) struct Grep;

/// A search that runs while its results are written, since they may be larger than memory.
#[derive(Serialize)]
pub(crate) struct GrepOut {
    /// Number of files searched.
    searched: Cell<u64>,
    /// Number of files that the index ruled out.
    ruled_out: Cell<u64>,
    #[serde(skip)]
    pending: PendingSearch,
    /// The searches of the other roots of a workspace.
    #[serde(skip)]
    others: Vec<Self>,
}

/// The state of a search that has not run yet.
struct PendingSearch {
    search: RefCell<Search>,
    display: DisplayOptions,
    tree: Box<dyn TreeReader>,
    files: Files,
    threads: usize,
    totals: RefCell<Totals>,
    /// Errors of the directory walk.
    walk_errors: RefCell<Vec<String>>,
    /// Maximum number of lines of the text; 0 means all.
    limit: usize,
    /// Whether the limit was reached.
    is_cut: Cell<bool>,
    /// Whether a pattern looks like a glob.
    glob_like: bool,
    /// The name of the root in a workspace, which paths are shown below.
    root: Option<String>,
}

/// The files to search.
enum Files {
    /// A complete list.
    Listed(Vec<SearchFile>),
    /// A walk that runs during the search.
    Walked(Box<SubtreeSearch>),
}

impl TypedOperation for Grep {
    const NAME: &'static str = "grep";
    const ABOUT: &'static str = "Search text like ripgrep, accelerated by the index";
    const DETAILS: &'static str = "\
Accepts ripgrep's flags and prints ripgrep's output, sorted by path; with --json, ripgrep's JSON lines. Searches the files \
that ripgrep would search, except those excluded by .orientignore and the setting index.exclude. Files are read in their \
current state; the index only rules out files that cannot match, so a pattern with at least three consecutive literal \
characters is answered without reading most files. Types (-t) are ripgrep's. Exits with code 1 if nothing matches.";
    const EXAMPLES: &'static [Example] = &[
        Example { command: "grep parse_header", about: "matching lines in the current directory" },
        Example {
            command: "grep -n 'fn\\s+\\w+_lock' src",
            about: "a regular expression in a directory, with line numbers",
        },
        Example { command: "grep -F 'a[0]' -g '*.c' -C 2", about: "plain text in some files, with context" },
        Example { command: "grep -l -i todo -t py", about: "only file names, case-insensitive, of one type" },
    ];
    const TERMINAL_ONLY: &'static [&'static str] =
        &["file", "null", "pretty", "threads", "sort", "text", "binary", "vimgrep", "replace", "passthru"];
    const DEPTH: RefreshDepth = RefreshDepth::Facts;
    const HEAVY: bool = true;
    const STREAMED: bool = true;
    const ACROSS: Option<AcrossRoots<Self>> = Some(joined::<Self>);
    const ROOT_FILTER: fn(&GrepArgs) -> RootFilter = root_filter;
    type Args = GrepArgs;
    type Out = GrepOut;

    fn run(session: &Session<'_>, args: GrepArgs) -> Result<Answer<GrepOut>, ToolError> {
        let (patterns, paths) = patterns_and_paths(session, &args)?;
        let base = session.base();
        let one_file = paths.len() == 1 && is_file(session, &base.join(&paths[0]));
        let pattern = args.pattern(patterns);
        let (layout, display) = args.layout(one_file);
        let nothing = pattern.patterns.is_empty() && !pattern.invert || layout.max_count == Some(0);
        let query = if layout.shows_only_matches() { pattern.required() } else { TrigramQuery::All };
        let glob_like = !pattern.literal && pattern.patterns.iter().any(|pattern| looks_like_glob(pattern));
        let search = Search::new(pattern, layout)?;
        let mut scope = args.scope(base, paths);
        scope.excludes = session.excludes()?;
        scope.threads = session.threads()?;
        let threads = args.threads.filter(|threads| *threads > 0).unwrap_or(scope.threads);
        let tree = session.reader()?;
        let (mut found, mut snapshot) = (TextCandidates::default(), None);
        let files = if nothing {
            Files::Listed(Vec::new())
        } else if session.revision().is_some() {
            let index = session.snapshot()?;
            let basis = Verification { pending: &[], manifest_valid: false };
            found = index.candidates(&scope, &index.left_out(&query)?, &basis)?;
            snapshot = Some(index);
            Files::Listed(std::mem::take(&mut found.files))
        } else if scope.is_plain(session.root()) {
            (found, snapshot) = match candidates(session, &scope, &query) {
                // The index only rules files out; a note tells when it has been rebuilt.
                Err(error) if error.code() == Code::Damaged => (all_files(session, &scope)?, None),
                found => found?,
            };
            Files::Listed(std::mem::take(&mut found.files))
        } else {
            let (part, errors) = SubtreeSearch::new(session, scope, query)?;
            found.errors = errors;
            Files::Walked(Box::new(part))
        };
        let listed = if let Files::Listed(files) = &files { files.len() } else { 0 };
        let out = GrepOut {
            searched: Cell::new(listed as u64),
            ruled_out: Cell::new(found.left_out as u64),
            pending: PendingSearch {
                search: RefCell::new(search),
                display,
                tree,
                files,
                threads,
                totals: RefCell::default(),
                walk_errors: RefCell::default(),
                limit: args.limit,
                is_cut: Cell::new(false),
                glob_like,
                root: None,
            },
            others: Vec::new(),
        };
        let mut answer = match &snapshot {
            // Unreadable files are reported during the search.
            Some(snapshot) => session.answer_within(snapshot, AnswerScope::FilesRead, out),
            None => Answer::new(out),
        };
        if answer.metadata.generation().is_some() && answer.metadata.is_checked() {
            // Pending files are searched too.
            answer.metadata.clear_doubts();
        }
        for error in found.errors {
            answer = answer.partial(Doubt::new(Cause::Unread, 1, error));
        }
        Ok(answer)
    }

    fn text(out: &GrepOut, writer: &mut TextWriter<'_>) -> io::Result<()> {
        out.write(writer)?;
        out.others.iter().try_for_each(|other| other.write(writer))
    }

    fn json(answer: &Answer<GrepOut>, writer: &mut dyn io::Write) -> io::Result<()> {
        for out in std::iter::once(&answer.data).chain(&answer.data.others) {
            let pending = &out.pending;
            let mut search = pending.search.borrow_mut();
            search.layout_mut().mode = Mode::Json;
            search.layout_mut().line_numbers = pending.display.line_numbers.unwrap_or(true);
            out.run(&search, &mut |bytes| writer.write_all(bytes))?;
        }
        Ok(())
    }

    fn late_notes(out: &GrepOut, writer: &mut TextWriter<'_>) -> io::Result<()> {
        for error in Self::late_errors(out) {
            writer.put(Style::Warn, "partial: ")?;
            writer.line(Style::Plain, &error)?;
        }
        let matched = std::iter::once(out).chain(&out.others).any(|one| one.pending.totals.borrow().matched);
        if out.pending.glob_like && !matched {
            writer.put(Style::Dim, "note: ")?;
            writer.line(Style::Plain, GLOB_HINT)?;
        }
        if writer.mode().terminal && out.ruled_out.get() > 0 {
            writer.put(Style::Dim, "note: ")?;
            let searched = plural(out.searched.get(), "file", "files");
            let ruled_out = plural(out.ruled_out.get(), "file", "files");
            writer.line(Style::Plain, &format!("searched {searched}; the index ruled out {ruled_out}"))?;
        }
        Ok(())
    }

    fn late_errors(out: &GrepOut) -> Vec<String> {
        let mut errors =
            [out.pending.totals.borrow().errors.as_slice(), &out.pending.walk_errors.borrow()].concat();
        if out.pending.is_cut.get() {
            errors.push(format!("the first {}", plural(out.pending.limit as u64, "line", "lines")));
        }
        errors.extend(out.others.iter().flat_map(Self::late_errors));
        errors
    }

    fn exit(out: &GrepOut) -> Exit {
        let all = || std::iter::once(out).chain(&out.others).map(|one| one.pending.totals.borrow());
        match (all().all(|totals| totals.errors.is_empty()), all().any(|totals| totals.matched)) {
            (false, _) => Exit::Failed,
            (true, true) => Exit::Ok,
            (true, false) => Exit::Nothing,
        }
    }
}

/// The files of the whole tree to search, and the snapshot that was refreshed for it.
///
/// If the index would rule out little, it is not used: all files are searched, as in ripgrep.
fn candidates(
    session: &Session<'_>,
    scope: &SearchScope,
    query: &TrigramQuery,
) -> Result<(TextCandidates, Option<Snapshot>), ToolError> {
    let mut known = None;
    if let Some(snapshot) = session.snapshot_without_refresh()? {
        let out = snapshot.left_out(query)?;
        if !out.is_selective() {
            return Ok((snapshot.all_text_candidates(scope)?, None));
        }
        known = Some((snapshot.generation(), out));
    } else if query.is_all() {
        return Ok((all_files(session, scope)?, None));
    }
    let snapshot = match session.snapshot() {
        // The first index is being built: search all files.
        Err(error) if error.code() == Code::Busy => return Ok((all_files(session, scope)?, None)),
        snapshot => snapshot?,
    };
    let out = match known {
        Some((generation, out)) if generation == snapshot.generation() => out,
        _ => snapshot.left_out(query)?,
    };
    let basis = Verification { pending: &session.pending(), manifest_valid: session.remembered() };
    Ok((snapshot.candidates(scope, &out, &basis)?, Some(snapshot)))
}

/// Every file in scope.
fn all_files(session: &Session<'_>, scope: &SearchScope) -> Result<TextCandidates, ToolError> {
    Ok(TextCandidates::all(&**session.engine()?.tree(), scope)?)
}

/// Whether a path is that of a file of the tree.
fn is_file(session: &Session<'_>, path: &Path) -> bool {
    match session.revision() {
        None => path.is_file(),
        Some(_) => path_argument::kind_at(session, path) == Some(PathKind::File),
    }
}

impl Labelled for GrepOut {
    fn label(&mut self, root: &str) {
        self.pending.root = Some(root.to_owned());
        if let Files::Listed(files) = &mut self.pending.files {
            for file in files {
                file.shown = below(root, &file.shown);
            }
        }
    }

    fn append(&mut self, next: Self) -> Appended {
        self.others.push(next);
        Appended::Both
    }
}

/// A path of a root as a workspace shows it.
fn below(root: &str, shown: &Path) -> PathBuf {
    Path::new(root).join(shown.strip_prefix("./").unwrap_or(shown))
}

impl GrepOut {
    /// Searches, and writes what matches.
    fn write(&self, writer: &mut TextWriter<'_>) -> io::Result<()> {
        let (mode, display) = (writer.mode(), self.pending.display);
        let mut search = self.pending.search.borrow_mut();
        let layout = search.layout_mut();
        let lines = layout.mode == Mode::Lines;
        let read = mode.terminal || mode.quoted;
        layout.heading = lines && display.heading.unwrap_or(read);
        layout.line_numbers = lines && display.line_numbers.unwrap_or(read);
        layout.colours = mode.colours || display.colours;
        layout.paths_on_one_line = read;
        let limit = self.pending.limit;
        if limit == 0 {
            return self.run(&search, &mut |bytes| writer.raw(bytes));
        }
        let headings = search.layout().heading;
        let mut limit = LineLimit { left: limit, headings, is_heading_next: headings };
        let done = self.run(&search, &mut |bytes| {
            let end = limit.take(bytes);
            writer.raw(&bytes[..end])?;
            if end < bytes.len() {
                // This stops the search.
                self.pending.is_cut.set(true);
                return Err(io::Error::other("the limit is reached"));
            }
            Ok(())
        });
        if self.pending.is_cut.get() {
            self.pending.totals.borrow_mut().matched = true;
            return Ok(());
        }
        done
    }

    fn run(&self, search: &Search, out: &mut dyn FnMut(&[u8]) -> io::Result<()>) -> io::Result<()> {
        let PendingSearch { tree, files, threads, totals, walk_errors, .. } = &self.pending;
        match files {
            Files::Listed(files) => {
                totals.replace(search.run(&**tree, in_batches(files, *threads), *threads, out)?);
            }
            Files::Walked(part) => {
                let mut walk = part.walk(self.pending.root.as_deref())?;
                totals.replace(search.run(&**tree, &mut walk, *threads, out)?);
                self.searched.set(walk.searched);
                self.ruled_out.set(walk.ruled_out);
                walk_errors.replace(walk.errors());
            }
        }
        Ok(())
    }
}

/// A limit of lines that match or stand around a match. Headings and the empty lines before them do not count.
struct LineLimit {
    left: usize,
    /// Whether paths are headings.
    headings: bool,
    is_heading_next: bool,
}

impl LineLimit {
    /// How many of these bytes are within the limit.
    fn take(&mut self, bytes: &[u8]) -> usize {
        let (mut end, mut seen) = (0, 0);
        for line in bytes.split_inclusive(|byte| *byte == b'\n') {
            if self.left == 0 {
                return end;
            }
            seen += line.len();
            let is_heading = std::mem::take(&mut self.is_heading_next);
            if self.headings && line == b"\n" {
                self.is_heading_next = true;
            } else if !is_heading {
                (self.left, end) = (self.left - 1, seen);
            }
        }
        if self.left == 0 { end } else { seen }
    }
}

/// A root without the required trigrams has no match.
fn root_filter(args: &GrepArgs) -> RootFilter {
    let patterns = args.pattern.iter().filter(|_| !args.has_pattern_flag()).cloned().collect();
    let (layout, _) = args.layout(false);
    if args.file.is_empty() && layout.shows_only_matches() {
        RootFilter::Contains(args.pattern(patterns).required())
    } else {
        RootFilter::Any
    }
}

/// The patterns and the paths of the arguments.
fn patterns_and_paths(
    session: &Session<'_>,
    args: &GrepArgs,
) -> Result<(Vec<String>, Vec<PathBuf>), ToolError> {
    let (mut patterns, mut paths) = (Vec::new(), Vec::new());
    match &args.pattern {
        Some(path) if args.has_pattern_flag() => paths.push(PathBuf::from(path)),
        Some(pattern) => patterns.push(pattern.clone()),
        None if args.has_pattern_flag() => {}
        None => {
            return Err(ToolError::new(Code::BadArgument, "a pattern is required"));
        }
    }
    let own = |path: &PathBuf| {
        path.to_str().map_or(Some(path.clone()), |text| session.own_text(text).map(PathBuf::from))
    };
    let asked = args.paths.len() + paths.len();
    paths = paths.iter().filter_map(own).collect();
    // A path copied from an answer may contain escapes.
    paths.extend(args.paths.iter().filter_map(own).map(|path| {
        let exists = path_argument::kind_at(session, &session.base().join(&path)).is_some();
        let plain = path.to_str().filter(|_| !exists).and_then(unescape);
        plain.map_or_else(|| path.clone(), PathBuf::from)
    }));
    if asked > 0 && paths.is_empty() {
        return Err(ToolError::new(Code::NotFound, "the paths are those of another root"));
    }
    for file in &args.file {
        let read = std::fs::read_to_string(session.base().join(file));
        let text = read.map_err(|error| {
            ToolError::new(
                Code::BadArgument,
                format!("cannot read the patterns in {}: {error}", file.display()),
            )
        })?;
        patterns.extend(text.lines().map(str::to_owned));
    }
    Ok((patterns, paths))
}

impl From<GrepError> for ToolError {
    fn from(error: GrepError) -> Self {
        let hint = match &error {
            GrepError::Pattern { hint, .. } => hint,
            GrepError::Encoding(_) => "for example utf-16le, latin1 or shift_jis; `none` for raw bytes",
        };
        Self::new(Code::BadArgument, error.to_string()).hint(hint)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_do_not_count_for_the_limit() {
        let text = b"a.go\n1:one\n2:two\n\nb.go\n3:three\n";
        let shown = |left: usize, headings: bool| {
            let mut limit = LineLimit { left, headings, is_heading_next: headings };
            // Output comes in parts that may end anywhere between lines.
            let first = limit.take(&text[..5]);
            let rest = limit.take(&text[5..]);
            String::from_utf8_lossy(&[&text[..first], &text[5..5 + rest]].concat()).into_owned()
        };
        assert_eq!(shown(1, true), "a.go\n1:one\n");
        assert_eq!(shown(2, true), "a.go\n1:one\n2:two\n");
        assert_eq!(shown(3, true), String::from_utf8_lossy(text));
        assert_eq!(shown(2, false), "a.go\n1:one\n");
    }
}
