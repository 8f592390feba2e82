//! `similar`: code that is similar to a symbol or line.

use crate::answer::Answer;
use crate::arguments::enum_values;
use crate::arguments::path_argument;
use crate::arguments::symbol_lookup::{SymbolAnswer, UnresolvedName, resolve_symbol};
use crate::error::{Code, Exit, ToolError};
use crate::operation::{Example, TypedOperation};
use crate::session::Session;
use crate::text::writer::{Style, TextWriter};
use clap::Args;
use orient_engine::{FileRow, RefreshDepth, SimilarHit, Similarity, Snapshot};
use orient_model::Handle;
use serde::Serialize;
use std::io;

pub(crate) struct Similar;

const DEFAULT_LIMIT: usize = 10;
const MAX_LIMIT: usize = 100;

/// Arguments of `similar`.
#[derive(Args)]
pub(crate) struct SimilarArgs {
    /// A symbol by name or handle, or a location: `src/server.go:40`
    #[arg(value_name = "SYMBOL|FILE:LINE")]
    symbol: String,
    /// Compare by meaning, or by structure regardless of names
    #[arg(long, value_name = "CRITERION")]
    by: Option<String>,
    /// Maximum number of results; 0 means all that are compared, at most 100 [default: 10]
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
}

/// Similar chunks.
#[derive(Serialize)]
pub(crate) struct SimilarOut {
    /// The reference chunk.
    of: SimilarChunk,
    /// The chunks, most similar first.
    hits: Vec<SimilarChunk>,
}

/// A chunk and its similarity.
#[derive(Serialize)]
struct SimilarChunk {
    /// Its file.
    path: String,
    /// Its first line.
    start_line: u32,
    /// Its last line.
    end_line: u32,
    /// The qualified name of the symbol that it is or belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    symbol: Option<String>,
    /// The kind of the symbol.
    kind: String,
    /// Similarity of meaning; 1 is identical.
    meaning: f32,
    /// Similarity of structure; 1 is identical.
    structure: f32,
}

impl TypedOperation for Similar {
    const NAME: &'static str = "similar";
    const ABOUT: &'static str = "Find code similar to a symbol or line, by meaning or structure";
    const DETAILS: &'static str = "\
Similarity of meaning compares names and words; similarity of structure compares the sequence of calls, names and operators \
regardless of the names. Structure is compared among the 200 chunks nearest by meaning.";
    const EXAMPLES: &'static [Example] = &[
        Example { command: "similar Server.Run", about: "similar to a symbol" },
        Example { command: "similar src/server.go:40", about: "similar to the code at a line" },
        Example { command: "similar parse_date --by structure", about: "copies with other names" },
    ];
    const DEPTH: RefreshDepth = RefreshDepth::Facts;
    const HEAVY: bool = true;
    type Args = SimilarArgs;
    type Out = SymbolAnswer<SimilarOut>;

    fn run(session: &Session<'_>, args: SimilarArgs) -> Result<Answer<SymbolAnswer<SimilarOut>>, ToolError> {
        let by = likeness(args.by.as_deref())?;
        let limit = match args.limit {
            Some(0) => MAX_LIMIT,
            limit => limit.unwrap_or(DEFAULT_LIMIT).min(MAX_LIMIT),
        };
        let snapshot = session.snapshot()?;
        let (file, line) = match location(session, &snapshot, &args.symbol)? {
            Some(location) => location,
            None => match resolve_symbol(&snapshot, session.own_name(&args.symbol))? {
                Ok(subject) => {
                    let row = snapshot.file(&subject.definition.path)?;
                    let row =
                        row.ok_or_else(|| ToolError::new(Code::Internal, "a symbol without its file"))?;
                    (row, subject.definition.name_span.first_line)
                }
                Err(unclear) => return UnresolvedName::answer(unclear, session, &snapshot),
            },
        };
        let Some((own, hits)) = snapshot.similar(&file, line, by, limit)? else {
            let message = format!("no code at {}:{line}", file.path.display());
            return Err(ToolError::new(Code::NotFound, message));
        };
        let out =
            SimilarOut { of: SimilarChunk::new(&own), hits: hits.iter().map(SimilarChunk::new).collect() };
        Ok(session.answer(&snapshot, SymbolAnswer::one(out)))
    }

    fn text(out: &SymbolAnswer<SimilarOut>, writer: &mut TextWriter<'_>) -> io::Result<()> {
        out.write(writer, SimilarOut::write)
    }

    fn exit(out: &SymbolAnswer<SimilarOut>) -> Exit {
        out.exit()
    }
}

fn likeness(word: Option<&str>) -> Result<Similarity, ToolError> {
    let Some(word) = word else { return Ok(Similarity::Meaning) };
    enum_values::one_of("criterion", word, &["meaning", "structure"])?;
    Ok(if word == "structure" { Similarity::Structure } else { Similarity::Meaning })
}

/// Parses `path:line`, or a path alone as its first line.
fn location(
    session: &Session<'_>,
    snapshot: &Snapshot,
    typed: &str,
) -> Result<Option<(FileRow, u32)>, ToolError> {
    if let Some((path, line)) = typed.rsplit_once(':')
        && let Ok(line) = line.parse()
        && let Some(file) = path_argument::file(session, snapshot, path)?
    {
        return Ok(Some((file, line)));
    }
    Ok(path_argument::file(session, snapshot, typed)?.map(|file| (file, 1)))
}

impl SimilarChunk {
    fn new(hit: &SimilarHit) -> Self {
        Self {
            path: hit.path.display().into_owned(),
            start_line: hit.first_line,
            end_line: hit.last_line,
            symbol: (!hit.name.is_empty()).then(|| Handle::join(hit.name.iter().map(String::as_str))),
            kind: hit.symbol_kind.map_or(hit.kind.as_str(), orient_model::SymbolKind::as_str).to_owned(),
            meaning: hit.meaning,
            structure: hit.structure,
        }
    }

    fn write(&self, writer: &mut TextWriter<'_>) -> io::Result<()> {
        writer.put(Style::Path, &format!("{}:{}-{}", self.path, self.start_line, self.end_line))?;
        if let Some(symbol) = &self.symbol {
            writer.plain("  ")?;
            writer.put(Style::Kind, &self.kind)?;
            writer.plain(" ")?;
            writer.put(Style::Name, symbol)?;
        }
        Ok(())
    }
}

impl SimilarOut {
    fn write(&self, writer: &mut TextWriter<'_>) -> io::Result<()> {
        writer.put(Style::Dim, "similar to ")?;
        self.of.write(writer)?;
        writer.end_line()?;
        if self.hits.is_empty() {
            return writer.line(Style::Warn, "nothing similar found");
        }
        for hit in &self.hits {
            hit.write(writer)?;
            writer
                .line(Style::Dim, &format!("  meaning {:.2}, structure {:.2}", hit.meaning, hit.structure))?;
        }
        Ok(())
    }
}
