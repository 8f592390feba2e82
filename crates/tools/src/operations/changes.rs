//! `changes`: what changed between two revisions, in terms of symbols.

use crate::answer::Answer;
use crate::arguments::symbol_lookup::is_code;
use crate::error::{Exit, ToolError};
use crate::history::contract_users::ContractUsers;
use crate::history::{history_error, open};
use crate::operation::{Example, TypedOperation};
use crate::session::Session;
use crate::text::number_format::plural;
use crate::text::writer::{Style, TextWriter};
use clap::Args;
use orient_engine::{
    ChangeParts, FileQuery, FileVersion, Snapshot, SymbolChange, SymbolVersion, changes_since, pair_moves,
};
use orient_history::{History, HistoryError, Oid, short_id};
use orient_model::{RepoPath, Visibility};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::io;
use std::sync::Arc;

pub(crate) struct Changes;

const DEFAULT_LIMIT: usize = 200;
/// Number of changed contracts whose users are looked up.
const MAX_FOLLOWED: usize = 40;

/// Arguments of `changes`.
#[derive(Args, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ChangesArgs {
    /// Two revisions, `v1.0..v2.0`, or from their merge base, `main...topic`; one revision is compared with the working tree
    #[arg(value_name = "REVISION..REVISION")]
    range: String,
    /// Only files below this path
    #[arg(long, value_name = "PATH")]
    #[serde(default)]
    path: Option<String>,
    /// Only changes that may break users: public symbols removed, renamed, moved or with another signature
    #[arg(long)]
    #[serde(default)]
    breaking: bool,
    /// Maximum number of symbols
    #[arg(long, value_name = "N")]
    #[serde(default)]
    limit: Option<usize>,
}

/// The difference of two revisions.
#[derive(Serialize, JsonSchema)]
pub(crate) struct ChangesOut {
    /// The older revision.
    from: String,
    /// The newer revision, or `working tree`.
    to: String,
    /// Number of changed files.
    files: u64,
    /// Number of changed symbols.
    symbols: u64,
    /// The changed symbols: those that may break users first, then by path and line.
    changes: Vec<SymbolChangeLine>,
    /// Changed files without changed symbols.
    other_files: Vec<String>,
}

/// A changed symbol.
#[derive(Serialize, JsonSchema)]
struct SymbolChangeLine {
    /// added, removed, renamed, moved, signature, body, documentation, layout.
    change: Vec<String>,
    /// Whether users of a public symbol may break.
    breaking: bool,
    /// The kind of the symbol.
    kind: String,
    /// Its qualified name.
    symbol: String,
    /// Its file.
    path: String,
    /// Its first line, in the version that has it.
    line: u32,
    /// Its previous name or place.
    #[serde(skip_serializing_if = "Option::is_none")]
    was: Option<String>,
    /// The signature before, if it changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    signature_before: Option<String>,
    /// The signature.
    signature: String,
    /// Who uses it in the current tree, if its contract changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    users: Option<ContractUsers>,
}

impl TypedOperation for Changes {
    const NAME: &'static str = "changes";
    const ABOUT: &'static str = "Show what changed between two revisions, symbol by symbol";
    const DETAILS: &'static str = "\
Both versions of every changed file are read from git and compared by their symbols: added, removed, renamed (a similar body), moved to another \
file, or changed in signature, body or documentation. A container is listed only if something besides its members changed. Public symbols that \
were removed, renamed, moved or have another signature come first, with who uses them in the current tree and the tests that reach them.";
    const EXAMPLES: &'static [Example] = &[
        Example { command: "changes v1.0..v2.0", about: "between two tags" },
        Example { command: "changes main...HEAD --breaking", about: "what a branch may break" },
        Example { command: "changes HEAD", about: "what is not committed" },
    ];
    const HEAVY: bool = true;
    const ANY_REVISION: bool = false;
    type Args = ChangesArgs;
    type Out = ChangesOut;

    fn run(session: &Session<'_>, args: ChangesArgs) -> Result<Answer<ChangesOut>, ToolError> {
        let snapshot = session.snapshot()?;
        let mut history = open(session)?;
        let below = args
            .path
            .as_deref()
            .map(|path| RepoPath::from(path.trim_start_matches("./").trim_end_matches('/')));
        let (from, to, mut pairs) =
            file_pairs(&mut history, &snapshot, &args.range).map_err(|error| history_error(&error))?;
        pairs.retain(|pair| below.as_ref().is_none_or(|below| pair.path.is_below(below)));
        let mut compared = Vec::new();
        for pair in &pairs {
            if session.cancel().is_cancelled() {
                break;
            }
            compared.push((
                pair,
                FileVersion::extract(&pair.old_path, &pair.before),
                FileVersion::extract(&pair.path, &pair.after),
            ));
        }
        let (mut changes, mut other_files) = lines_of(&compared);
        if args.breaking {
            changes.retain(|change| change.breaking);
            other_files.clear();
        }
        let symbols = changes.len() as u64;
        changes.truncate(args.limit.unwrap_or(DEFAULT_LIMIT));
        let shown = changes.len() as u64;
        let view = snapshot.graph();
        for change in changes.iter_mut().filter(|change| change.breaking).take(MAX_FOLLOWED) {
            change.users = Some(ContractUsers::of(&view, &change.path, &change.symbol)?);
        }
        let out = ChangesOut { from, to, files: pairs.len() as u64, symbols, changes, other_files };
        let mut answer = session.answer(&snapshot, out);
        if shown < symbols {
            answer.add_notes([format!("{shown} of {symbols} symbols listed; raise `limit`")]);
        }
        Ok(answer)
    }

    fn text(out: &ChangesOut, writer: &mut TextWriter<'_>) -> io::Result<()> {
        writer.put(Style::Head, &format!("{}..{}", out.from, out.to))?;
        let counts =
            format!("  {}, {}", plural(out.files, "file", "files"), plural(out.symbols, "symbol", "symbols"));
        writer.line(Style::Dim, &counts)?;
        for change in &out.changes {
            let tone = if change.breaking { Style::Warn } else { Style::Kind };
            writer.put(tone, &format!("{:<10}", change.change.join("+")))?;
            writer.put(Style::Dim, &format!(" {} ", change.kind))?;
            writer.put(Style::Name, &change.symbol)?;
            writer.put(Style::Path, &format!("  {}:{}", change.path, change.line))?;
            if let Some(was) = &change.was {
                writer.put(Style::Dim, &format!(" was {was}"))?;
            }
            writer.end_line()?;
            if let Some(before) = &change.signature_before {
                writer.line(Style::Dim, &format!("    - {before}"))?;
                writer.line(Style::Dim, &format!("    + {}", change.signature))?;
            }
            if let Some(users) = &change.users {
                users.write(writer)?;
            }
        }
        if !out.other_files.is_empty() {
            writer.own_line(Style::Head, "other changed files", &[])?;
            for path in &out.other_files {
                writer.line(Style::Path, path)?;
            }
        }
        Ok(())
    }

    fn exit(out: &ChangesOut) -> Exit {
        if out.files == 0 { Exit::Nothing } else { Exit::Ok }
    }
}

/// Both versions of a changed file.
struct FilePair {
    path: RepoPath,
    old_path: RepoPath,
    before: Arc<Vec<u8>>,
    after: Arc<Vec<u8>>,
}

/// The names of both sides and the changed files.
fn file_pairs(
    history: &mut History,
    snapshot: &Snapshot,
    range: &str,
) -> Result<(String, String, Vec<FilePair>), HistoryError> {
    let named = |name: &str| if name.is_empty() { "HEAD".to_owned() } else { name.to_owned() };
    let (from, to) = match (range.split_once("..."), range.split_once("..")) {
        (Some((from, to)), _) => {
            let (a, b) = (history.revision(&named(from))?, history.revision(&named(to))?);
            let base = history.merge_base(a, b)?.ok_or_else(|| HistoryError::Unusable {
                revision: range.to_owned(),
                reason: "the revisions have no common ancestor".to_owned(),
            })?;
            return between(history, (short_id(&base), base), (named(to), b));
        }
        (None, Some((from, to))) if !to.is_empty() => (named(from), to.to_owned()),
        (None, Some((from, _))) => (named(from), String::new()),
        (None, None) => (named(range), String::new()),
    };
    let old = history.revision(&from)?;
    if !to.is_empty() {
        let new = history.revision(&to)?;
        return between(history, (from, old), (to, new));
    }
    let rows = snapshot.files(&FileQuery::default(), 0, usize::MAX).map(|page| page.rows).unwrap_or_default();
    let known: Vec<_> = rows.into_iter().map(|row| (row.path, row.stamp)).collect();
    let mut pairs = Vec::new();
    for (path, change) in history.changes(&from, &known, false)? {
        let blob = history.file_at(&old, &path)?;
        let before = history.content(blob)?;
        let after = if change.removed { Vec::new() } else { history.working_file(&path).unwrap_or_default() };
        pairs.push(FilePair { old_path: path.clone(), path, before, after: Arc::new(after) });
    }
    Ok((from, "working tree".to_owned(), pairs))
}

fn between(
    history: &mut History,
    from: (String, Oid),
    to: (String, Oid),
) -> Result<(String, String, Vec<FilePair>), HistoryError> {
    let mut pairs = Vec::new();
    for change in history.compare(Some(&from.1), &to.1)? {
        pairs.push(FilePair {
            before: history.content(change.old)?,
            after: history.content(change.new)?,
            old_path: change.old_path.unwrap_or_else(|| change.path.clone()),
            path: change.path,
        });
    }
    Ok((from.0, to.0, pairs))
}

/// The changed symbols of all files, and the files without any.
fn lines_of(compared: &[(&FilePair, FileVersion, FileVersion)]) -> (Vec<SymbolChangeLine>, Vec<String>) {
    let mut all: Vec<Vec<SymbolChange<'_>>> =
        compared.iter().map(|(_, old, new)| changes_since(new, old)).collect();
    pair_moves(&mut all);
    let (mut lines, mut other_files) = (Vec::new(), Vec::new());
    for ((pair, old, new), mut changes) in compared.iter().zip(all) {
        let names: Vec<String> = changes
            .iter()
            .filter_map(|change| change.new.or(change.old))
            .map(|symbol| symbol.name.clone())
            .collect();
        // A container whose members changed has changed in nothing else, unless its header or documentation did.
        changes.retain(|change| {
            let only_body = change.delta.body && !change.delta.signature && !change.delta.documentation;
            let prefix = change.new.map(|symbol| format!("{}.", symbol.name));
            !(only_body && prefix.is_some_and(|prefix| names.iter().any(|name| name.starts_with(&prefix))))
        });
        if changes.is_empty() {
            other_files.push(pair.path.display().into_owned());
        }
        // What went to another file is listed there.
        changes.retain(|change| change.moved_to.is_none());
        lines.extend(changes.iter().map(|change| {
            let source = change.moved_from.map(|from| compared[from].0);
            SymbolChangeLine::new(pair, source, change, change.parts(new, old))
        }));
    }
    lines.sort_by(|a, b| {
        (!a.breaking, &a.path, a.line, &a.symbol).cmp(&(!b.breaking, &b.path, b.line, &b.symbol))
    });
    (lines, other_files)
}

impl SymbolChangeLine {
    fn new(
        pair: &FilePair,
        source: Option<&FilePair>,
        change: &SymbolChange<'_>,
        parts: ChangeParts,
    ) -> Self {
        let (before, new) = (change.old, change.new);
        let is_public =
            |symbol: &SymbolVersion| symbol.visibility == Visibility::Public && is_code(symbol.kind);
        let contract =
            [ChangeParts::REMOVED, ChangeParts::RENAMED, ChangeParts::MOVED, ChangeParts::SIGNATURE];
        let signature_before = before
            .zip(new)
            .filter(|(before, new)| before.signature != new.signature)
            .map(|(before, _)| before.signature.clone());
        let shown = new.or(before);
        let was = before.filter(|_| new.is_some()).and_then(|before| {
            let renamed = new.is_some_and(|new| new.name != before.name);
            match (source, renamed) {
                (Some(source), _) => Some(format!("{}#{}", source.old_path.display(), before.name)),
                (None, true) => Some(before.name.clone()),
                (None, false) => None,
            }
        });
        Self {
            breaking: contract.iter().any(|part| parts.contains(*part)) && before.is_some_and(is_public),
            change: parts.words().into_iter().map(str::to_owned).collect(),
            kind: shown.map_or("", |symbol| symbol.kind.as_str()).to_owned(),
            symbol: shown.map(|symbol| symbol.name.clone()).unwrap_or_default(),
            path: if new.is_some() { &pair.path } else { &pair.old_path }.display().into_owned(),
            line: shown.map_or(0, |symbol| symbol.first_line),
            was,
            signature_before,
            signature: shown.map(|symbol| symbol.signature.clone()).unwrap_or_default(),
            users: None,
        }
    }
}
