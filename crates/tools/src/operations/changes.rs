//! `changes`: what changed between two revisions, in terms of symbols.

use crate::answer::Answer;
use crate::arguments::symbol_lookup::is_code;
use crate::error::{Exit, ToolError};
use crate::history::breakage::Breakage;
use crate::history::contract_changes::{
    ComparedFile, ContractChange, LESS_VISIBLE, SymbolPlace, contract_changes, is_less_visible,
    symbol_changes,
};
use crate::history::contract_users::{ContractUsers, FEW};
use crate::history::file_pairs::{Comparison, FilePair};
use crate::history::{history_error, open};
use crate::operation::{Example, TypedOperation};
use crate::session::Session;
use crate::text::number_format::plural;
use crate::text::writer::{Style, TextWriter};
use clap::Args;
use orient_engine::{ChangeParts, SymbolChange, SymbolVersion};
use orient_model::{RepoPath, Visibility};
use serde::Serialize;
use std::collections::BTreeMap;
use std::io;

pub(crate) struct Changes;

const DEFAULT_LIMIT: usize = 200;
/// Maximum number of uses that are listed of each changed symbol.
const MAX_USES: usize = 50;

/// Arguments of `changes`.
#[derive(Args)]
pub(crate) struct ChangesArgs {
    /// Two revisions, `v1.0..v2.0`, or from their merge base, `main...topic`; one revision is compared with the working tree
    #[arg(value_name = "REVISION..REVISION")]
    range: String,
    /// Only files below this path
    #[arg(long, value_name = "PATH")]
    path: Option<String>,
    /// Only changes that may break users: removals, renames, moves, other signatures, less visibility
    #[arg(long)]
    breaking: bool,
    /// Maximum number of symbols
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
}

/// The difference of two revisions.
#[derive(Serialize)]
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
#[derive(Serialize)]
struct SymbolChangeLine {
    /// added, removed, renamed, moved, signature, visibility, body, documentation, layout.
    change: Vec<String>,
    /// Whether users may break: those of a public symbol, or uses that are not changed with it.
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
    /// Who uses it, if its contract changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    users: Option<ContractUsers>,
    /// Where it was.
    #[serde(skip)]
    old: Option<SymbolPlace>,
}

impl TypedOperation for Changes {
    const NAME: &'static str = "changes";
    const ABOUT: &'static str = "Show what changed between two revisions, symbol by symbol";
    const DETAILS: &'static str = "\
Both versions of every changed file are compared by their symbols: added, removed, renamed, moved, or changed in visibility, \
signature, body or documentation. Those whose users may break come first, with the uses that are not changed with them, and tests.";
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
        let comparison = Comparison::of_range(&mut history, &snapshot, &args.range)
            .map_err(|error| history_error(&error))?;
        let is_asked = |pair: &&FilePair| below.as_ref().is_none_or(|below| pair.path.is_below(below));
        let mut compared = Vec::new();
        for pair in comparison.pairs.iter().filter(is_asked) {
            if session.cancel().is_cancelled() {
                break;
            }
            compared.push(ComparedFile::of(pair));
        }
        let all = symbol_changes(&compared);
        let contracts = contract_changes(&compared, &all);
        let (mut changes, mut other_files) = lines_of(&compared, all);
        let mut breakage = Breakage::of(session, &snapshot, &comparison, &contracts, (MAX_USES, FEW))?;
        add_users(&mut changes, &contracts, &mut breakage);
        if args.breaking {
            changes.retain(|change| change.breaking);
            other_files.clear();
        }
        let symbols = changes.len() as u64;
        changes.truncate(args.limit.unwrap_or(DEFAULT_LIMIT));
        let shown = changes.len() as u64;
        let (files, Comparison { from, to, .. }) = (compared.len() as u64, &comparison);
        let (from, to) = (from.clone(), to.clone());
        let out = ChangesOut { from, to, files, symbols, changes, other_files };
        let mut answer = session.answer(&snapshot, out);
        answer.add_doubts(breakage.doubts);
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

/// The changed symbols of all files, and the files without any.
fn lines_of(
    compared: &[ComparedFile<'_>],
    all: Vec<Vec<SymbolChange<'_>>>,
) -> (Vec<SymbolChangeLine>, Vec<String>) {
    let (mut lines, mut other_files) = (Vec::new(), Vec::new());
    for (file, mut changes) in compared.iter().zip(all) {
        let names: Vec<String> = changes
            .iter()
            .filter_map(|change| change.new.or(change.old))
            .map(|symbol| symbol.name.clone())
            .collect();
        // A container whose members changed has changed in nothing else, unless its header or documentation did.
        changes.retain(|change| {
            let only_body = change.delta.body && !change.delta.signature && !change.delta.documentation;
            let prefix = change.new.map(|symbol| format!("{}.", symbol.name));
            is_less_visible(change)
                || !(only_body
                    && prefix.is_some_and(|prefix| names.iter().any(|name| name.starts_with(&prefix))))
        });
        if changes.is_empty() {
            other_files.push(file.pair.path.display().into_owned());
        }
        // What went to another file is listed there.
        changes.retain(|change| change.moved_to.is_none());
        lines.extend(changes.iter().map(|change| {
            let source = change.moved_from.map(|from| compared[from].pair);
            SymbolChangeLine::new(file, source, change)
        }));
    }
    lines.sort_by(|a, b| a.order().cmp(&b.order()));
    (lines, other_files)
}

/// Adds the users of changed contracts. A file, and what a renamed file took along, is listed only if it has any.
fn add_users(lines: &mut Vec<SymbolChangeLine>, contracts: &[ContractChange], breakage: &mut Breakage) {
    let places: BTreeMap<SymbolPlace, usize> =
        (0..).zip(&*lines).filter_map(|(at, line)| Some((line.old.clone()?, at))).collect();
    for (at, contract) in contracts.iter().enumerate() {
        let Some(users) = breakage.users_of(at) else { continue };
        let may_break = users.uses_total > 0;
        match places.get(&contract.old) {
            Some(&line) => {
                lines[line].breaking |= may_break;
                lines[line].users = Some(users);
            }
            None if may_break => lines.push(SymbolChangeLine::of_contract(contract, users)),
            None => {}
        }
    }
    lines.sort_by(|a, b| a.order().cmp(&b.order()));
}

impl SymbolChangeLine {
    fn order(&self) -> (bool, &str, u32, &str) {
        (!self.breaking, &self.path, self.line, &self.symbol)
    }

    fn new(file: &ComparedFile<'_>, source: Option<&FilePair>, change: &SymbolChange<'_>) -> Self {
        let (pair, parts) = (file.pair, change.parts(&file.new, &file.old));
        let (before, new) = (change.old, change.new);
        let is_public =
            |symbol: &SymbolVersion| symbol.visibility == Visibility::Public && is_code(symbol.kind);
        let contract =
            [ChangeParts::REMOVED, ChangeParts::RENAMED, ChangeParts::MOVED, ChangeParts::SIGNATURE];
        let less_visible = is_less_visible(change);
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
            breaking: (less_visible || contract.iter().any(|part| parts.contains(*part)))
                && before.is_some_and(is_public),
            change: parts
                .words()
                .into_iter()
                .chain(less_visible.then_some(LESS_VISIBLE))
                .map(str::to_owned)
                .collect(),
            kind: shown.map_or("", |symbol| symbol.kind.as_str()).to_owned(),
            symbol: shown.map(|symbol| symbol.name.clone()).unwrap_or_default(),
            path: if new.is_some() { &pair.path } else { &pair.old_path }.display().into_owned(),
            line: shown.map_or(0, |symbol| symbol.first_line),
            was,
            signature_before,
            signature: shown.map(|symbol| symbol.signature.clone()).unwrap_or_default(),
            users: None,
            old: before.map(|symbol| SymbolPlace {
                path: source.map_or(&pair.old_path, |from| &from.old_path).clone(),
                name: symbol.name.clone(),
                line: symbol.first_line,
            }),
        }
    }

    /// The line of a contract that changed although its text did not.
    fn of_contract(contract: &ContractChange, users: ContractUsers) -> Self {
        let shown = contract.new.as_ref().unwrap_or(&contract.old);
        Self {
            change: contract.change.iter().map(|word| (*word).to_owned()).collect(),
            breaking: true,
            kind: contract.kind.to_owned(),
            symbol: if shown.name.is_empty() {
                shown.path.display().into_owned()
            } else {
                shown.name.clone()
            },
            path: shown.path.display().into_owned(),
            line: shown.line,
            was: contract.new.as_ref().map(|_| contract.old.handle()),
            signature_before: None,
            signature: String::new(),
            users: Some(users),
            old: Some(contract.old.clone()),
        }
    }
}
