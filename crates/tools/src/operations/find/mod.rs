//! `find`: structural search by patterns of code, and rewrites as a diff.

mod args;

use crate::answer::{Answer, Cause, Doubt, PageWindow};
use crate::arguments::file_scope::{FileScope, candidates};
use crate::error::{Code, Exit, ToolError};
use crate::operation::{AcrossRoots, Example, TypedOperation};
use crate::session::Session;
use crate::text::number_format::{count, plural};
use crate::text::writer::{Style, TextWriter};
use crate::workspace::{Appended, Labelled, joined};
use args::FindArgs;
use orient_engine::{FileRow, RefreshDepth, Snapshot, TrigramQuery};
use orient_model::RepoPath;
use orient_structural::{Query, QuerySpec, STRICTNESS, StructuralError, StructuralMatch, unified_diff};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::io;

pub(crate) struct Find;

/// Default number of matches.
const DEFAULT_LIMIT: u64 = 100;
/// Maximum number of lines of a match in the text form.
const MAX_LINES: usize = 12;

/// Matches by path and position.
#[derive(Serialize)]
pub(crate) struct FindOut {
    /// The matches.
    matches: Vec<MatchLine>,
    /// Number of files with a match.
    files: u64,
    /// Number of files of the language in scope.
    in_scope: u64,
    /// How many of them were read; the index rules out the others.
    searched: u64,
    /// The rewrite as a unified diff of all matches; no file is changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    diff: Option<String>,
    /// Number of matches per file, if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    counts: Option<BTreeMap<String, u64>>,
    #[serde(skip)]
    paths_only: bool,
}

/// A match.
#[derive(Serialize)]
pub(crate) struct MatchLine {
    /// The file.
    pub(crate) path: String,
    /// The line of its start, from 1.
    pub(crate) line: u32,
    /// The column of its start in bytes, from 1.
    pub(crate) column: u32,
    /// The line of its end.
    pub(crate) end_line: u32,
    /// The column after its end.
    pub(crate) end_column: u32,
    /// The matched code.
    pub(crate) text: String,
    /// What the metavariables matched.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) variables: BTreeMap<String, String>,
    /// The text that a rewrite inserts.
    #[serde(skip_serializing_if = "Option::is_none")]
    replacement: Option<String>,
    /// The lines of the match as the text form shows them.
    #[serde(skip)]
    pub(crate) lines: String,
}

impl TypedOperation for Find {
    const NAME: &'static str = "find";
    const ABOUT: &'static str = "Find code by structure: a pattern with metavariables";
    const DETAILS: &'static str = "\
A pattern is code of the language. `$X` matches any one node, `$$$ARGS` any number of nodes, `$_` any node without a name; the \
same name matches the same code. Layout and comments do not matter. `(node_kind)` matches every node of a kind of the grammar. \
Patterns mean what they mean in ast-grep. --inside, --has, --not, --not-inside and --not-has narrow the matches, share the \
metavariables and may be repeated. --rewrite prints a unified diff and changes nothing: `orient find … --rewrite … | git \
apply` applies it. The index leaves out files without the names in the pattern. Exits with code 1 if nothing matches.";
    const EXAMPLES: &'static [Example] = &[
        Example { command: "find '$X.unwrap()' --lang rust", about: "all calls of a method" },
        Example {
            command: "find '$F($$$ARGS)' src --lang py --inside 'def$_($$$):$$$'",
            about: "in functions of a directory",
        },
        Example {
            command: "find '$X==$X' --lang js --not '1==1'",
            about: "the same expression on both sides",
        },
        Example { command: "find '$F($X,$X)' --lang js", about: "calls with the same argument twice" },
        Example {
            command: "find '(for_statement)' --lang c --has 'malloc($_)'",
            about: "loops that allocate",
        },
        Example { command: "find 'foo($A)' --lang go --rewrite 'bar($A)'", about: "a rewrite as a diff" },
    ];
    const DEPTH: RefreshDepth = RefreshDepth::Facts;
    const HEAVY: bool = true;
    const ACROSS: Option<AcrossRoots<Self>> = Some(joined::<Self>);
    type Args = FindArgs;
    type Out = FindOut;

    fn run(session: &Session<'_>, args: FindArgs) -> Result<Answer<FindOut>, ToolError> {
        let snapshot = session.snapshot()?;
        let scope = FileScope::new(session, &snapshot, &args.paths, &args.exclude, &args.role)?;
        let queries = compile(&snapshot, &scope, &args.lang, &args.spec())?;
        let found = search(session, &snapshot, &scope, &queries)?;
        let window = if args.rewrite.is_some() {
            PageWindow::new(Some(args.limit.unwrap_or(0)), 0, args.after)
        } else {
            PageWindow::new(args.limit, DEFAULT_LIMIT, args.after)
        };
        let total = found.matches.len();
        let files: BTreeSet<&str> = found.matches.iter().map(|one| one.path.as_str()).collect();
        let files = files.len() as u64;
        let mut counts: BTreeMap<String, u64> = BTreeMap::new();
        if args.count || args.files_with_matches {
            found.matches.iter().for_each(|one| *counts.entry(one.path.clone()).or_default() += 1);
        }
        let summary = args.count || args.files_with_matches;
        let shown: Vec<MatchLine> = if summary {
            Vec::new()
        } else {
            found.matches.into_iter().skip(window.offset).take(window.limit).collect()
        };
        let listed = shown.len();
        let out = FindOut {
            matches: shown,
            files,
            in_scope: found.in_scope as u64,
            searched: found.searched as u64,
            diff: args.rewrite.is_some().then_some(found.diff),
            counts: summary.then_some(counts),
            paths_only: args.files_with_matches,
        };
        let mut answer = session.answer_within(&snapshot, scope.single().into(), out);
        for (path, reason) in found.not_searched {
            let text = format!("not searched: {} ({reason})", path.display());
            answer = answer.partial(Doubt::new(Cause::Unread, 1, text));
        }
        if queries.iter().any(Query::has_syntax_error) {
            answer = answer.note(
                "the grammar cannot parse the whole pattern, so matches may be missing: write a complete expression, \
                 statement or definition",
            );
        }
        answer.add_notes(scope.notes);
        if summary {
            answer.metadata.total = Some(total as u64);
            return Ok(answer);
        }
        Ok(window.paginate(answer, listed, total))
    }

    fn text(out: &FindOut, writer: &mut TextWriter<'_>) -> io::Result<()> {
        if let Some(diff) = &out.diff {
            return writer.raw(diff.as_bytes());
        }
        if let Some(counts) = &out.counts {
            for (path, number) in counts {
                writer.put(Style::Path, path)?;
                if !out.paths_only {
                    writer.plain(&format!(":{number}"))?;
                }
                writer.end_line()?;
            }
            return Ok(());
        }
        write_matches(&out.matches, writer)
    }

    fn late_notes(out: &FindOut, writer: &mut TextWriter<'_>) -> io::Result<()> {
        if writer.mode().terminal && out.in_scope > out.searched {
            writer.put(Style::Dim, "note: ")?;
            let searched = plural(out.searched, "file", "files");
            let ruled_out = count(out.in_scope - out.searched);
            writer.line(Style::Plain, &format!("searched {searched}; the index ruled out {ruled_out}"))?;
        }
        Ok(())
    }

    fn exit(out: &FindOut) -> Exit {
        if out.files == 0 { Exit::Nothing } else { Exit::Ok }
    }
}

impl Labelled for FindOut {
    fn label(&mut self, root: &str) {
        for found in &mut self.matches {
            found.path = format!("{root}/{}", found.path);
        }
        let label = |(path, number)| (format!("{root}/{path}"), number);
        self.counts = self.counts.take().map(|counts| counts.into_iter().map(label).collect());
        if let Some(diff) = &mut self.diff {
            let below = |line: &str| {
                let side = ["--- a/", "+++ b/"].into_iter().find(|side| line.starts_with(side));
                side.map_or_else(|| line.to_owned(), |side| format!("{side}{root}/{}", &line[side.len()..]))
            };
            *diff = diff.split_inclusive('\n').map(below).collect();
        }
    }

    fn append(&mut self, next: Self) -> Appended {
        self.matches.extend(next.matches);
        self.files += next.files;
        self.in_scope += next.in_scope;
        self.searched += next.searched;
        if let (Some(diff), Some(next)) = (&mut self.diff, next.diff) {
            diff.push_str(&next);
        }
        if let (Some(counts), Some(next)) = (&mut self.counts, next.counts) {
            counts.extend(next);
        }
        Appended::Both
    }
}

/// Writes matches grouped by file.
pub(crate) fn write_matches(matches: &[MatchLine], writer: &mut TextWriter<'_>) -> io::Result<()> {
    let mut last = "";
    for found in matches {
        if found.path != last {
            writer.line(Style::Path, &found.path)?;
            last = &found.path;
        }
        let lines: Vec<&str> = found.lines.lines().collect();
        for (line, number) in lines.iter().take(MAX_LINES).zip(found.line..) {
            writer.put(Style::Number, &format!("  {number}"))?;
            writer.plain(&format!("  {line}"))?;
            writer.end_line()?;
        }
        if lines.len() > MAX_LINES {
            writer.line(Style::Dim, &format!("  … to line {}", found.end_line))?;
        }
    }
    Ok(())
}

/// Everything that a structural search found.
pub(crate) struct StructuralResults {
    /// The matches by path and position.
    pub(crate) matches: Vec<MatchLine>,
    /// Number of files of the languages in scope.
    pub(crate) in_scope: usize,
    /// Number of files read.
    pub(crate) searched: usize,
    /// Files that could not be searched, and why.
    pub(crate) not_searched: Vec<(RepoPath, String)>,
    /// The unified diff of the rewrite.
    diff: String,
}

/// Compiles the pattern for each language; without one, for the only language in scope.
pub(crate) fn compile(
    snapshot: &Snapshot,
    scope: &FileScope,
    languages: &[String],
    spec: &QuerySpec,
) -> Result<Vec<Query>, ToolError> {
    if !languages.is_empty() {
        return languages.iter().map(|language| Ok(Query::compile(language, spec)?)).collect();
    }
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for file in scope.indexed(snapshot, &[])? {
        if let Some(language) = file.language {
            *counts.entry(language).or_default() += 1;
        }
    }
    let mut known: Vec<(String, usize)> = counts.into_iter().collect();
    known.sort_by(|one, other| (other.1, &one.0).cmp(&(one.1, &other.0)));
    if let [(only, _)] = known.as_slice() {
        return Ok(vec![Query::compile(only, spec)?]);
    }
    let names: Vec<&str> = known.iter().take(8).map(|(name, _)| name.as_str()).collect();
    let message = "a pattern is code of one language: `lang` is missing";
    Err(ToolError::new(Code::BadArgument, message).hint(format!("here: {}", names.join(", "))))
}

/// Searches the files in scope.
pub(crate) fn search(
    session: &Session<'_>,
    snapshot: &Snapshot,
    scope: &FileScope,
    queries: &[Query],
) -> Result<StructuralResults, ToolError> {
    let languages: Vec<String> = queries.iter().map(|query| query.language().to_owned()).collect();
    let files = scope.indexed(snapshot, &languages)?;
    let in_scope = files.len();
    let required = TrigramQuery::or(queries.iter().map(Query::required));
    let candidates = candidates(session, snapshot, files, &required)?;
    let scanned = snapshot.scan_files(&candidates, session.threads()?, session.cancel(), |file, bytes| {
        let query = queries.iter().find(|query| Some(query.language()) == file.language.as_deref());
        query.map(|query| search_file(query, file, bytes))
    })?;
    let mut found = StructuralResults {
        matches: Vec::new(),
        in_scope,
        searched: candidates.len(),
        not_searched: Vec::new(),
        diff: String::new(),
    };
    for (file, scanned) in candidates.iter().zip(scanned) {
        match scanned {
            Ok(Some(Some((matches, diff)))) => {
                found.matches.extend(matches);
                found.diff.push_str(&diff);
            }
            Ok(Some(None)) => {
                found.not_searched.push((file.path.clone(), "the parser gave up".to_owned()));
            }
            Ok(None) => {}
            Err(reason) => found.not_searched.push((file.path.clone(), reason.to_string())),
        }
    }
    Ok(found)
}

/// The matches in a file and the diff of its rewrite; `None` if the parser gives up.
fn search_file(query: &Query, file: &FileRow, bytes: &[u8]) -> Option<(Vec<MatchLine>, String)> {
    let found = query.search(bytes)?;
    let path = file.path.display().into_owned();
    let edits: Vec<_> = found.iter().filter_map(|one| one.edit.clone()).collect();
    let diff = match std::str::from_utf8(bytes) {
        Ok(text) if !edits.is_empty() => unified_diff(&path, text, &edits),
        _ => String::new(),
    };
    Some((found.iter().map(|one| MatchLine::new(&path, bytes, one)).collect(), diff))
}

impl MatchLine {
    fn new(path: &str, bytes: &[u8], found: &StructuralMatch) -> Self {
        let range = found.range.clone();
        let start = bytes[..range.start].iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        let end = range.end
            + bytes[range.end..].iter().position(|byte| *byte == b'\n').unwrap_or(bytes.len() - range.end);
        Self {
            path: path.to_owned(),
            line: found.start.line,
            column: found.start.column,
            end_line: found.end.line,
            end_column: found.end.column,
            text: String::from_utf8_lossy(&bytes[range]).into_owned(),
            variables: found.captures.iter().map(|one| (one.name.clone(), one.text.clone())).collect(),
            replacement: found.edit.as_ref().map(|edit| edit.inserted.clone()),
            lines: String::from_utf8_lossy(&bytes[start..end]).into_owned(),
        }
    }
}

impl From<StructuralError> for ToolError {
    fn from(error: StructuralError) -> Self {
        let hint = match &error {
            StructuralError::UnknownLanguage(_) => "`orient status` lists the languages of this tree".to_owned(),
            StructuralError::NoGrammar(_) => "use `grep` instead".to_owned(),
            StructuralError::Empty => "for example `f($X)`".to_owned(),
            StructuralError::SeveralNodes(_) => {
                "write one expression, statement or definition, or put them in a block and name the part with `selector`"
                    .to_owned()
            }
            StructuralError::OnlyList(_) => "write `$X`, or put the list into a larger pattern".to_owned(),
            StructuralError::Selector(_) => "it is the name of a node kind of the grammar".to_owned(),
            StructuralError::Strictness(_) => format!("one of: {}", STRICTNESS.join(", ")),
            StructuralError::Unbound(name) => format!("use `${name}` in the pattern, or leave it out of the rewrite"),
            StructuralError::Parse(_) => "write a shorter pattern".to_owned(),
        };
        Self::new(Code::BadArgument, error.to_string()).hint(hint)
    }
}
