//! From a name a user typed to the one symbol it means, or to an answer that lists what it may mean.

use crate::answer::Answer;
use crate::answer::symbol_line::{SymbolLine, suggestions};
use crate::error::{Exit, ToolError};
use crate::session::Session;
use crate::text::number_format::count;
use crate::text::safe_line::unescape;
use crate::text::writer::{Style, TextWriter};
use orient_engine::{Definition, DefinitionQuery, Lookup, Snapshot};
use orient_model::{Modifier, SymbolKind};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeSet;
use std::io;

/// What a name stands for.
#[derive(Serialize, JsonSchema)]
#[serde(tag = "found", rename_all = "snake_case")]
pub(crate) enum SymbolAnswer<T> {
    /// One thing: here it is.
    One(Box<T>),
    /// Several: name one of them by its handle.
    Several {
        /// What was asked for.
        name: String,
        /// Those it may stand for, by path and line.
        candidates: Vec<SymbolLine>,
    },
    /// Nothing.
    None {
        /// What was asked for.
        name: String,
        /// Symbols with a name much like it. Suggestions, not answers.
        did_you_mean: Vec<SymbolLine>,
    },
}

impl<T> SymbolAnswer<T> {
    /// One thing.
    pub(crate) fn one(thing: T) -> Self {
        Self::One(Box::new(thing))
    }

    /// Writes the one thing, or what the name may stand for.
    pub(crate) fn write(
        &self,
        writer: &mut TextWriter<'_>,
        one: impl FnOnce(&T, &mut TextWriter<'_>) -> io::Result<()>,
    ) -> io::Result<()> {
        match self {
            Self::One(thing) => one(thing, writer),
            Self::Several { name, candidates } => {
                writer.own_line(
                    Style::Warn,
                    "`{}` stands for several symbols; name one by its handle:",
                    &[name],
                )?;
                candidates.iter().try_for_each(|symbol| symbol.write_handle(writer))
            }
            Self::None { name, did_you_mean } if did_you_mean.is_empty() => {
                writer.own_line(Style::Warn, "nothing is called `{}`, nor anything like it", &[name])
            }
            Self::None { name, did_you_mean } => {
                writer.own_line(Style::Warn, "nothing is called `{}`; did you mean:", &[name])?;
                did_you_mean.iter().try_for_each(|symbol| symbol.write_handle(writer))
            }
        }
    }

    /// How a command with this outcome ends, where one thing alone is a success.
    pub(crate) fn exit(&self) -> Exit {
        match self {
            Self::One(_) => Exit::Ok,
            Self::Several { .. } => Exit::Ambiguous,
            Self::None { .. } => Exit::Nothing,
        }
    }
}

/// The one symbol a name means.
pub(crate) struct ResolvedSymbol {
    /// The definition.
    pub(crate) definition: Definition,
    /// Its declarations, and blocks that add to it.
    pub(crate) declarations: Vec<Definition>,
    /// What is called so and is no code: see [`is_code`].
    others: Vec<Definition>,
}

impl ResolvedSymbol {
    /// What to say of what else has its name; nothing where nothing has.
    pub(crate) fn note(&self) -> Option<String> {
        let handles = |them: &[Definition]| {
            let handles: Vec<String> = them.iter().map(|one| one.handle.to_string()).collect();
            handles.join(", ")
        };
        let mut said = Vec::new();
        if !self.declarations.is_empty() {
            said.push(format!("declared or added to elsewhere too: {}", handles(&self.declarations)));
        }
        if let [first, rest @ ..] = &self.others[..] {
            let kinds: BTreeSet<&str> = self.others.iter().map(|one| one.kind.as_str()).collect();
            let kinds = kinds.into_iter().collect::<Vec<_>>().join(" or ");
            let more = if rest.is_empty() { String::new() } else { format!(" and {} more", rest.len()) };
            said.push(format!("not the {kinds} of that name: {}{more}", first.handle));
        }
        (!said.is_empty()).then(|| said.join("; "))
    }
}

/// A name that means no symbol, or several.
pub(crate) enum UnresolvedName {
    /// Several.
    Several {
        /// What was asked for.
        name: String,
        /// The first of them.
        candidates: Vec<Definition>,
        /// How many there are.
        total: usize,
    },
    /// None.
    None {
        /// What was asked for.
        name: String,
        /// Names that are near.
        similar: Vec<String>,
    },
}

/// The symbol a user means. Declarations and blocks that add to a type do not count as other symbols, and nor does what is
/// called after a symbol without being code.
pub(crate) fn resolve_symbol(
    snapshot: &Snapshot,
    typed: &str,
) -> Result<Result<ResolvedSymbol, UnresolvedName>, ToolError> {
    let name = typed.to_owned();
    Ok(match look_up(snapshot, typed)? {
        Lookup::One(definition) => {
            Ok(ResolvedSymbol { definition: *definition, declarations: Vec::new(), others: Vec::new() })
        }
        Lookup::Many { candidates, total } => match only_definition(&candidates, total) {
            Some(at) => {
                let mut declarations = candidates;
                let definition = declarations.remove(at);
                let others = declarations.extract_if(.., |one| !is_code(one.kind)).collect();
                Ok(ResolvedSymbol { definition, declarations, others })
            }
            None => Err(UnresolvedName::Several { name, candidates, total }),
        },
        Lookup::Nothing { similar } => Err(UnresolvedName::None { name, similar }),
    })
}

/// Looks a name up as it was typed, and where it stands for nothing, with the escapes of an answer read back.
fn look_up(snapshot: &Snapshot, typed: &str) -> Result<Lookup, ToolError> {
    let found = snapshot.symbol(typed)?;
    if let (Lookup::Nothing { .. }, Some(plain)) = (&found, unescape(typed)) {
        return Ok(snapshot.symbol(&plain)?);
    }
    Ok(found)
}

impl UnresolvedName {
    /// The answer that lists what may be meant.
    pub(crate) fn answer<T>(
        self,
        session: &Session<'_>,
        snapshot: &Snapshot,
    ) -> Result<Answer<SymbolAnswer<T>>, ToolError> {
        match self {
            Self::Several { name, candidates, total } => {
                let shown = candidates.len();
                let candidates =
                    candidates.into_iter().map(|one| SymbolLine::new(one, Some("exact"))).collect();
                let mut answer = session.answer(snapshot, SymbolAnswer::Several { name, candidates });
                answer.total = Some(total as u64);
                if shown < total {
                    answer = answer.partial(format!("{shown} of {} listed", count(total as u64)));
                }
                Ok(answer)
            }
            Self::None { name, similar } => {
                let did_you_mean = suggestions(snapshot, &DefinitionQuery::default(), similar)?;
                Ok(session.answer(snapshot, SymbolAnswer::None { name, did_you_mean }))
            }
        }
    }
}

/// Whether code can name it. A test named by a string, a heading and a key of a file are often called after a symbol, and
/// who asks for that name means the symbol.
fn is_code(kind: SymbolKind) -> bool {
    !matches!(kind, SymbolKind::Test | SymbolKind::Heading | SymbolKind::Key)
}

/// The one candidate that defines something, where all others only declare it, add to it or are no code.
fn only_definition(candidates: &[Definition], total: usize) -> Option<usize> {
    let defines = |one: &Definition| {
        is_code(one.kind)
            && one.kind != SymbolKind::Impl
            && !one.modifiers.contains(Modifier::Declaration)
            && !one.modifiers.contains(Modifier::Partial)
    };
    let mut defining = candidates.iter().enumerate().filter(|(_, one)| defines(one));
    let (at, _) = defining.next()?;
    (defining.next().is_none() && candidates.len() == total).then_some(at)
}
