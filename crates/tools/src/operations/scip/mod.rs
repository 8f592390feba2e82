//! `scip`: imports what compilers say, as a layer beside the graph.

mod allowed_imports;
mod consent;

pub(crate) use allowed_imports::{import_allowed, import_indexes, is_import_allowed, new_indexes};

use crate::answer::Answer;
use crate::error::{Code, Exit, ToolError};
use crate::operation::{Example, TypedOperation};
use crate::session::Session;
use crate::text::number_format::{count, plural};
use crate::text::writer::{Style, TextWriter};
use clap::{Args, ValueEnum};
use orient_engine::{
    Engine, ImportState, LayerPublication, LayerSource, LayerStatus, ScipImport, ScipImportError, Snapshot,
};
use serde::Serialize;
use std::io;
use std::path::{Path, PathBuf};

pub(crate) struct Scip;

/// Maximum number of files to list for each reason.
const MAX_LISTED: usize = 20;

/// Arguments of `scip`.
#[derive(Args)]
pub(crate) struct ScipArgs {
    /// The action: `import`, `status`, `drop`, `allow` or `deny`
    #[arg(value_enum, default_value_t)]
    action: Action,
    /// The indexes to import. Default: every index.scip in the root or in a directory up to three levels below it
    #[arg(value_name = "FILE")]
    files: Vec<String>,
}

/// What to do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, ValueEnum)]
#[serde(rename_all = "snake_case")]
enum Action {
    /// Show what the layer covers
    #[default]
    Status,
    /// Import SCIP indexes
    Import,
    /// Remove the layer; the graph is resolved by our rules again
    Drop,
    /// Let `orient index` and servers import every new index.scip that they find
    // Only a person can give or revoke consent: programs do not call this operation.
    Allow,
    /// Revoke that
    Deny,
}

/// The compiler layer.
#[derive(Serialize)]
pub(crate) struct ScipOut {
    /// The programs that wrote the imported indexes; empty without a layer.
    tools: Vec<String>,
    /// Number of files that the layer covers as they are now.
    covered: u64,
    /// Number of files that were edited since: our rules resolve them.
    outdated: u64,
    /// The first of them.
    outdated_files: Vec<String>,
    /// Number of files of the layer that are not in the index.
    missing: u64,
    /// The result of an import.
    #[serde(skip_serializing_if = "Option::is_none")]
    imported: Option<ImportOut>,
    /// Whether `drop` removed a layer.
    #[serde(skip_serializing_if = "Option::is_none")]
    dropped: Option<bool>,
    /// Whether `deny` revoked a consent.
    #[serde(skip_serializing_if = "Option::is_none")]
    denied: Option<bool>,
    /// The indexes in the usual places.
    found: Vec<FoundLine>,
    /// Whether `index` and servers import those that are new.
    allowed: bool,
}

/// An index in a usual place.
#[derive(Serialize)]
struct FoundLine {
    /// Its path.
    path: String,
    /// Whether it was imported since it was written.
    imported: bool,
    /// Why it could not be imported as it is; empty if that was not tried, or worked.
    #[serde(skip_serializing_if = "String::is_empty")]
    failure: String,
}

/// The result of an import.
#[derive(Serialize)]
struct ImportOut {
    /// Number of documents.
    documents: u64,
    /// Number of definitions that are symbols of the index.
    definitions: u64,
    /// Number of references.
    references: u64,
    /// Number of these that lead out of the repository.
    external: u64,
    /// Number of implementations, overrides and bases.
    relations: u64,
    /// Number of documents that were not imported.
    refused: u64,
    /// The first of them.
    refused_documents: Vec<RefusedDocument>,
}

/// A document that was not imported.
#[derive(Serialize)]
struct RefusedDocument {
    /// Its path in the index.
    path: String,
    /// Why.
    reason: &'static str,
}

impl TypedOperation for Scip {
    const NAME: &'static str = "scip";
    const ABOUT: &'static str = "Import a compiler's index (SCIP) as a layer beside the graph";
    const DETAILS: &'static str = "\
scip-typescript, scip-python, scip-go, scip-java, rust-analyzer and others write SCIP indexes. Where an index describes a file \
as it is now, its references replace those that our rules find: edges that it contradicts are dropped, missing ones are added, and both \
show the rule `compiler`. A file that is edited falls back to our rules until an index covers it again. `drop` restores the graph without the layer. \
`orient audit --layer` shows what the layer changes. An index.scip that lies in the repository is never imported on its own: without a file, `import` takes \
those that are found, and after `allow`, `orient index` and servers import them whenever they are new. One that cannot be read is reported once. The consent is kept outside the repository.";
    const EXAMPLES: &'static [Example] = &[
        Example { command: "scip import index.scip", about: "import an index" },
        Example { command: "scip import", about: "import every index.scip in the usual places" },
        Example {
            command: "scip allow",
            about: "let `orient index` and servers import them when they are new",
        },
        Example { command: "scip status", about: "what it covers, and which indexes are there" },
        Example { command: "scip drop", about: "remove the layer" },
    ];
    const EXPOSED: bool = false;
    const ANY_REVISION: bool = false;
    type Args = ScipArgs;
    type Out = ScipOut;

    fn run(session: &Session<'_>, args: ScipArgs) -> Result<Answer<ScipOut>, ToolError> {
        if args.action != Action::Import && !args.files.is_empty() {
            return Err(ToolError::new(Code::BadArgument, "only `import` takes files"));
        }
        if session.in_memory() {
            return Err(ToolError::new(Code::Io, "the layer needs a store on disk"));
        }
        let directory = session.private_directory(args.action == Action::Allow)?;
        let snapshot = session.snapshot()?;
        let engine = session.engine()?;
        let (mut imported, mut dropped, mut denied) = (None, None, None);
        match args.action {
            Action::Status => {}
            Action::Allow => consent::allow(&directory, session.root())?,
            Action::Deny => denied = Some(consent::deny(&directory, session.root())?),
            Action::Drop => dropped = Some(engine.drop_compiler_layer(LayerSource::Scip)?),
            Action::Import => {
                let start = session.directories()[0];
                let files = if args.files.is_empty() {
                    in_usual_places(engine, &snapshot)?
                } else {
                    args.files.iter().map(|file| start.join(file)).collect()
                };
                let done = engine
                    .import_scip(&snapshot, &files, LayerPublication::NextRefresh)
                    .map_err(|error| failed(error, start))?;
                imported = Some(ImportOut::of(done));
            }
        }
        let status = snapshot.layer_status(LayerSource::Scip)?.unwrap_or_default();
        let mut out = ScipOut::of(&status, imported, dropped);
        out.denied = denied;
        out.allowed = consent::is_allowed(&directory, session.root());
        let found = engine.find_scip_indexes(&snapshot)?.into_iter();
        out.found = found
            .map(|one| FoundLine {
                path: one.path.display().into_owned(),
                imported: one.state == ImportState::Imported,
                failure: if let ImportState::Failed(reason) = one.state { reason } else { String::new() },
            })
            .collect();
        let mut answer = session.answer(&snapshot, out);
        let changed = answer.data.imported.as_ref().is_some_and(|imported| imported.documents > 0);
        if changed || dropped == Some(true) {
            answer = answer.note("the next question resolves the repository again");
        }
        Ok(answer)
    }

    fn text(out: &ScipOut, writer: &mut TextWriter<'_>) -> io::Result<()> {
        if let Some(imported) = &out.imported {
            imported.write(writer)?;
        }
        if out.dropped == Some(true) {
            return writer.line(Style::Head, "the layer was removed");
        }
        match out.denied {
            Some(true) => writer.line(Style::Head, "no index is imported on its own any more")?,
            Some(false) => writer.line(Style::Head, "there was no consent to revoke")?,
            None => out.write_layer(writer)?,
        }
        out.write_found(writer)
    }

    fn exit(out: &ScipOut) -> Exit {
        let nothing = out.imported.as_ref().is_some_and(|imported| imported.documents == 0);
        if nothing || out.dropped == Some(false) || out.denied == Some(false) {
            Exit::Nothing
        } else {
            Exit::Ok
        }
    }
}

/// The indexes in the usual places.
fn in_usual_places(engine: &Engine, snapshot: &Snapshot) -> Result<Vec<PathBuf>, ToolError> {
    let found = engine.find_scip_indexes(snapshot)?;
    if found.is_empty() {
        let error = ToolError::new(
            Code::NotFound,
            "there is no index.scip in the root or in a directory up to three levels below it",
        );
        return Err(error.hint("scip-typescript, scip-go, `rust-analyzer scip .` and others write one"));
    }
    Ok(found.into_iter().map(|one| one.file).collect())
}

fn failed(error: ScipImportError, directory: &Path) -> ToolError {
    match error {
        ScipImportError::Engine(error) => error.into(),
        ScipImportError::Index { path, source } => {
            let path = path.strip_prefix(directory).unwrap_or(&path).display().to_string();
            ToolError::new(Code::BadArgument, format!("{path} cannot be imported: {source}"))
                .hint("give an index that scip-typescript, scip-go, rust-analyzer or another indexer wrote")
        }
    }
}

impl ScipOut {
    fn of(status: &LayerStatus, imported: Option<ImportOut>, dropped: Option<bool>) -> Self {
        let outdated = status.outdated.iter().take(MAX_LISTED);
        Self {
            tools: status.tools.clone(),
            covered: status.covered,
            outdated: status.outdated.len() as u64,
            outdated_files: outdated.map(|path| path.display().into_owned()).collect(),
            missing: status.missing.len() as u64,
            imported,
            dropped,
            denied: None,
            found: Vec::new(),
            allowed: false,
        }
    }

    fn write_layer(&self, writer: &mut TextWriter<'_>) -> io::Result<()> {
        if self.tools.is_empty() {
            return writer.line(Style::Head, "no compiler layer");
        }
        writer.put(Style::Head, &format!("{} covered", plural(self.covered, "file", "files")))?;
        writer.plain(&format!(", {} edited since", count(self.outdated)))?;
        writer.line(Style::Dim, &format!("  {}", self.tools.join(", ")))?;
        for path in &self.outdated_files {
            writer.plain("  ")?;
            writer.put(Style::Path, path)?;
            writer.line(Style::Dim, "  edited since: resolved by our rules")?;
        }
        Ok(())
    }

    fn write_found(&self, writer: &mut TextWriter<'_>) -> io::Result<()> {
        for one in &self.found {
            writer.put(Style::Path, &one.path)?;
            let state = match (one.imported, self.allowed) {
                (true, _) => "  imported",
                (false, _) if !one.failure.is_empty() => {
                    writer.line(Style::Warn, &format!("  cannot be imported: {}", one.failure))?;
                    continue;
                }
                (false, true) => "  new: `orient index` and servers import it",
                (false, false) => {
                    "  not imported: `orient scip import` imports it once, `orient scip allow` whenever it is new"
                }
            };
            writer.line(Style::Dim, state)?;
        }
        if self.allowed && self.found.is_empty() {
            writer.line(Style::Dim, "`orient index` and servers import every new index.scip")?;
        }
        Ok(())
    }
}

impl ImportOut {
    fn of(done: ScipImport) -> Self {
        Self {
            documents: done.documents,
            definitions: done.definitions,
            references: done.references,
            external: done.external,
            relations: done.relations,
            refused: done.refused.len() as u64,
            refused_documents: done
                .refused
                .into_iter()
                .take(MAX_LISTED)
                .map(|one| RefusedDocument { path: one.path, reason: one.reason })
                .collect(),
        }
    }

    fn write(&self, writer: &mut TextWriter<'_>) -> io::Result<()> {
        writer.put(Style::Head, &format!("{} imported", plural(self.documents, "document", "documents")))?;
        writer.line(
            Style::Plain,
            &format!(
                ": {}, {} ({} external), {}",
                plural(self.definitions, "definition", "definitions"),
                plural(self.references, "reference", "references"),
                count(self.external),
                plural(self.relations, "relationship", "relationships")
            ),
        )?;
        for one in &self.refused_documents {
            writer.plain("  ")?;
            writer.put(Style::Path, &one.path)?;
            writer.line(Style::Warn, &format!("  not imported: {}", one.reason))?;
        }
        let more = self.refused - self.refused_documents.len() as u64;
        if more > 0 {
            writer.line(Style::Warn, &format!("  {} more were not imported", count(more)))?;
        }
        Ok(())
    }
}
