//! `similar`: look-alikes of a symbol or a line.

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
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::io;

pub(crate) struct Similar;

const LIMIT: usize = 10;
const MOST: usize = 100;

/// Of what, and how alike.
#[derive(Args, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SimilarArgs {
    /// A symbol by name or handle, or a place: `src/server.go:40`
    #[arg(value_name = "SYMBOL|FILE:LINE")]
    symbol: String,
    /// What is compared: meaning, or structure whatever the names
    #[arg(long, value_name = "WHAT")]
    #[serde(default)]
    by: Option<String>,
    /// At most so many
    #[arg(long, value_name = "N")]
    #[serde(default)]
    limit: Option<usize>,
}

/// Places that are alike.
#[derive(Serialize, JsonSchema)]
pub(crate) struct SimilarOut {
    /// What they are like.
    of: PlaceOut,
    /// The places, most alike first.
    hits: Vec<PlaceOut>,
}

/// A place, and how alike it is.
#[derive(Serialize, JsonSchema)]
struct PlaceOut {
    /// Its file.
    path: String,
    /// Its first line.
    start_line: u32,
    /// Its last line.
    end_line: u32,
    /// The qualified name of the symbol it is, or is a part of.
    #[serde(skip_serializing_if = "Option::is_none")]
    symbol: Option<String>,
    /// What that is.
    kind: String,
    /// How near it is by meaning; 1 is the same.
    meaning: f32,
    /// How much of its structure is the same; 1 is all.
    structure: f32,
}

impl TypedOperation for Similar {
    const NAME: &'static str = "similar";
    const ABOUT: &'static str = "Find code that is like a symbol or a line, by meaning or by structure";
    const DETAILS: &'static str = "\
By meaning, names and words are compared; by structure, the order of calls, names and signs whatever they are called. \
Structure is compared among the two hundred nearest by meaning. A name that stands for several symbols is answered with \
their handles and exit code 3.";
    const EXAMPLES: &'static [Example] = &[
        Example { command: "similar Server.Run", about: "like a symbol" },
        Example { command: "similar src/server.go:40", about: "like what stands at a line" },
        Example {
            command: "similar parse_date --by structure",
            about: "built alike: copies with other names",
        },
    ];
    const DEPTH: RefreshDepth = RefreshDepth::Facts;
    const HEAVY: bool = true;
    type Args = SimilarArgs;
    type Out = SymbolAnswer<SimilarOut>;

    fn run(session: &Session<'_>, args: SimilarArgs) -> Result<Answer<SymbolAnswer<SimilarOut>>, ToolError> {
        let by = likeness(args.by.as_deref())?;
        let limit = args.limit.unwrap_or(LIMIT).clamp(1, MOST);
        let snapshot = session.snapshot()?;
        let (file, line) = match place(session, &snapshot, &args.symbol)? {
            Some(place) => place,
            None => match resolve_symbol(&snapshot, &args.symbol)? {
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
            let message = format!("there is no code at {}:{line}", file.path.display());
            return Err(ToolError::new(Code::NotFound, message));
        };
        let out = SimilarOut { of: PlaceOut::new(&own), hits: hits.iter().map(PlaceOut::new).collect() };
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
    enum_values::one_of("way to compare", word, &["meaning", "structure"])?;
    Ok(if word == "structure" { Similarity::Structure } else { Similarity::Meaning })
}

/// What `path:line` or a path alone means.
fn place(
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

impl PlaceOut {
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
        writer.put(Style::Dim, "like ")?;
        self.of.write(writer)?;
        writer.end_line()?;
        if self.hits.is_empty() {
            return writer.line(Style::Warn, "nothing is like it");
        }
        for hit in &self.hits {
            hit.write(writer)?;
            writer
                .line(Style::Dim, &format!("  meaning {:.2}, structure {:.2}", hit.meaning, hit.structure))?;
        }
        Ok(())
    }
}
