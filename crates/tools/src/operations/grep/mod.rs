//! `grep`: text search that prints what ripgrep prints, on the files the trigrams of the index do not rule out.

mod args;
mod subtree_search;

use crate::answer::Answer;
use crate::answer::unread_files::AnswerScope;
use crate::error::{Code, Exit, ToolError};
use crate::operation::{Example, TypedOperation};
use crate::session::Session;
use crate::text::number_format::plural;
use crate::text::safe_line::unescape;
use crate::text::writer::{Style, TextWriter};
use args::{GrepArgs, UnsetDefaults};
use orient_engine::{
    EngineError, RefreshDepth, RootDirectory, SearchFile, SearchScope, Snapshot, TextCandidates,
    TrigramQuery, Verification,
};
use orient_grep::{GrepError, Mode, Search, Totals, in_batches};
use schemars::JsonSchema;
use serde::Serialize;
use std::cell::{Cell, RefCell};
use std::io;
use std::path::PathBuf;
use subtree_search::SubtreeSearch;

pub(crate) struct Grep;

/// A search that runs when its results are written: they may be larger than memory.
#[derive(Serialize, JsonSchema)]
pub(crate) struct GrepOut {
    /// How many files are looked at.
    searched: Cell<u64>,
    /// How many files the index rules out without a mode.
    ruled_out: Cell<u64>,
    #[serde(skip)]
    pending: PendingSearch,
}

/// What is needed to run.
struct PendingSearch {
    search: RefCell<Search>,
    unset: UnsetDefaults,
    tree: RootDirectory,
    files: Files,
    threads: usize,
    totals: RefCell<Totals>,
    /// What could not be walked.
    walk_errors: RefCell<Vec<String>>,
}

/// The files to look at.
enum Files {
    /// All are known.
    Listed(Vec<SearchFile>),
    /// They are found while others are searched.
    Walked(Box<SubtreeSearch>),
}

impl TypedOperation for Grep {
    const NAME: &'static str = "grep";
    const ABOUT: &'static str = "Search text as ripgrep does, in the files the index does not rule out";
    const DETAILS: &'static str = "\
Takes ripgrep's flags and prints what ripgrep prints, sorted by path; with --json, ripgrep's JSON lines. The files are \
those ripgrep would search, less what .orientignore and the setting index.exclude leave out. Each is read as it is \
now; the index only rules out files that cannot match, so that a pattern with three letters in a row or more is \
answered without reading the rest. Types (-t) are ripgrep's own. Without a match the command ends with 1.";
    const EXAMPLES: &'static [Example] = &[
        Example { command: "grep parse_header", about: "lines that match, here and below" },
        Example {
            command: "grep -n 'fn\\s+\\w+_lock' src",
            about: "a regular expression, in a folder, with line numbers",
        },
        Example {
            command: "grep -F 'a[0]' -g '*.c' -C 2",
            about: "plain text in some files, with lines around",
        },
        Example { command: "grep -l -i todo -t py", about: "only the files, ignoring case, of one type" },
    ];
    const LOCAL: &'static [&'static str] =
        &["file", "null", "pretty", "threads", "sort", "text", "binary", "vimgrep", "replace", "passthru"];
    const DEPTH: RefreshDepth = RefreshDepth::Facts;
    const HEAVY: bool = true;
    type Args = GrepArgs;
    type Out = GrepOut;

    fn run(session: &Session<'_>, args: GrepArgs) -> Result<Answer<GrepOut>, ToolError> {
        let (patterns, paths) = patterns_and_paths(session, &args)?;
        let base = session.base();
        let one_file = paths.len() == 1 && base.join(&paths[0]).is_file();
        let pattern = args.pattern(patterns);
        let (layout, unset) = args.layout(one_file);
        let nothing = pattern.patterns.is_empty() && !pattern.invert || layout.max_count == Some(0);
        let query = if layout.shows_only_matches() { pattern.required() } else { TrigramQuery::All };
        let search = Search::new(pattern, layout)?;
        let mut scope = args.scope(base, paths);
        scope.excludes = session.excludes()?;
        scope.threads = session.threads()?;
        let threads = args.threads.filter(|threads| *threads > 0).unwrap_or(scope.threads);
        let tree = RootDirectory::open(session.root()).map_err(EngineError::from)?;
        let (mut found, mut snapshot) = (TextCandidates::default(), None);
        let files = if nothing {
            Files::Listed(Vec::new())
        } else if scope.is_plain(session.root()) {
            (found, snapshot) = match candidates(session, &scope, &query) {
                // It only rules files out. Whoever asked is told once it has been made anew.
                Err(error) if error.code() == Code::Damaged => {
                    (TextCandidates::all(session.root(), &scope)?, None)
                }
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
                unset,
                tree,
                files,
                threads,
                totals: RefCell::default(),
                walk_errors: RefCell::default(),
            },
        };
        let mut answer = match &snapshot {
            // What cannot be read is found out while it is searched.
            Some(snapshot) => session.answer_about(snapshot, AnswerScope::FilesRead, out),
            None => Answer::new(out),
        };
        if answer.freshness.as_ref().is_some_and(|freshness| freshness.checked) {
            // Files the index has not caught up with are searched all the same.
            (answer.complete, answer.reasons) = (true, Vec::new());
        }
        for error in found.errors {
            answer = answer.partial(error);
        }
        Ok(answer)
    }

    fn text(out: &GrepOut, writer: &mut TextWriter<'_>) -> io::Result<()> {
        let (mode, unset) = (writer.mode(), out.pending.unset);
        let mut search = out.pending.search.borrow_mut();
        let layout = search.layout_mut();
        let lines = layout.mode == Mode::Lines;
        let read = mode.terminal || mode.quoted;
        layout.heading = lines && unset.heading.unwrap_or(read);
        layout.line_numbers = lines && unset.line_numbers.unwrap_or(read);
        layout.colours = mode.colours || unset.colours;
        layout.paths_on_one_line = read;
        out.run(&search, &mut |bytes| writer.raw(bytes))
    }

    fn json(answer: &Answer<GrepOut>, writer: &mut dyn io::Write) -> io::Result<()> {
        let pending = &answer.data.pending;
        let mut search = pending.search.borrow_mut();
        search.layout_mut().mode = Mode::Json;
        search.layout_mut().line_numbers = pending.unset.line_numbers.unwrap_or(true);
        answer.data.run(&search, &mut |bytes| writer.write_all(bytes))
    }

    fn remarks(out: &GrepOut, writer: &mut TextWriter<'_>) -> io::Result<()> {
        for error in Self::late_errors(out) {
            writer.put(Style::Warn, "partial: ")?;
            writer.line(Style::Plain, &error)?;
        }
        if writer.mode().terminal && out.ruled_out.get() > 0 {
            writer.put(Style::Dim, "note: ")?;
            let searched = plural(out.searched.get(), "file", "files");
            let ruled_out = plural(out.ruled_out.get(), "file", "files");
            writer.line(Style::Plain, &format!("looked at {searched}; the index ruled out {ruled_out}"))?;
        }
        Ok(())
    }

    fn late_errors(out: &GrepOut) -> Vec<String> {
        [out.pending.totals.borrow().errors.as_slice(), &out.pending.walk_errors.borrow()].concat()
    }

    fn exit(out: &GrepOut) -> Exit {
        let totals = out.pending.totals.borrow();
        match (totals.errors.is_empty(), totals.matched) {
            (false, _) => Exit::Failed,
            (true, true) => Exit::Ok,
            (true, false) => Exit::Nothing,
        }
    }
}

/// The files of the whole tree to look at, and the index that said so where the tree was compared with it.
///
/// Where the index cannot help much, it is not asked: all files are searched, as ripgrep does.
fn candidates(
    session: &Session<'_>,
    scope: &SearchScope,
    query: &TrigramQuery,
) -> Result<(TextCandidates, Option<Snapshot>), ToolError> {
    let root = session.root();
    if !query.is_all() {
        session.shared_engine()?.prepare();
    }
    let mut known = None;
    if let Some(snapshot) = session.snapshot_without_refresh()? {
        let out = snapshot.left_out(query)?;
        if !out.is_selective() {
            return Ok((snapshot.all_text_candidates(scope)?, None));
        }
        known = Some((snapshot.generation(), out));
    } else if query.is_all() {
        return Ok((TextCandidates::all(root, scope)?, None));
    }
    let snapshot = match session.snapshot() {
        // The first index is on its way: what can be told without it is told.
        Err(error) if error.code() == Code::Busy => return Ok((TextCandidates::all(root, scope)?, None)),
        snapshot => snapshot?,
    };
    let out = match known {
        Some((generation, out)) if generation == snapshot.generation() => out,
        _ => snapshot.left_out(query)?,
    };
    let basis = Verification { pending: &session.pending(), manifest_valid: session.remembered() };
    Ok((snapshot.candidates(scope, &out, &basis)?, Some(snapshot)))
}

impl GrepOut {
    fn run(&self, search: &Search, out: &mut dyn FnMut(&[u8]) -> io::Result<()>) -> io::Result<()> {
        let PendingSearch { tree, files, threads, totals, walk_errors, .. } = &self.pending;
        match files {
            Files::Listed(files) => {
                totals.replace(search.run(tree, in_batches(files, *threads), *threads, out)?);
            }
            Files::Walked(part) => {
                let mut walk = part.walk()?;
                totals.replace(search.run(tree, &mut walk, *threads, out)?);
                self.searched.set(walk.searched);
                self.ruled_out.set(walk.ruled_out);
                walk_errors.replace(walk.errors());
            }
        }
        Ok(())
    }
}

/// The patterns and the paths that were given.
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
            return Err(ToolError::new(Code::BadArgument, "there is nothing to search for: give a pattern"));
        }
    }
    // A path copied from an answer may have escapes in it.
    paths.extend(args.paths.iter().map(|path| {
        let plain = path.to_str().filter(|_| !session.base().join(path).exists()).and_then(unescape);
        plain.map_or_else(|| path.clone(), PathBuf::from)
    }));
    for file in &args.file {
        let read = std::fs::read_to_string(session.base().join(file));
        let text = read.map_err(|error| {
            ToolError::new(
                Code::BadArgument,
                format!("the patterns in {} cannot be read: {error}", file.display()),
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
            GrepError::Encoding(_) => "such as utf-16le, latin1 or shift_jis; `none` for raw bytes",
        };
        Self::new(Code::BadArgument, error.to_string()).hint(hint)
    }
}
