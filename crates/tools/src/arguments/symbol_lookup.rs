//! Resolution of a symbol argument to one symbol, or to an answer that lists the candidates.

use super::name_forms::{Reading, read_name};
use crate::answer::completeness::Question;
use crate::answer::symbol_line::{SymbolLine, suggestions};
use crate::answer::{Answer, Cause, Doubt};
use crate::error::{Exit, ToolError};
use crate::history::former_names::{look_up_former, missing_index_note};
use crate::session::Session;
use crate::text::number_format::count;
use crate::text::safe_line::unescape;
use crate::text::writer::{Style, TextWriter};
use orient_engine::{Definition, DefinitionQuery, Lookup, Snapshot, SymbolId};
use orient_model::{Handle, Modifier, Role, SymbolKind};
use serde::Serialize;
use std::collections::BTreeSet;
use std::io;

/// The answer to a request about a symbol.
#[derive(Serialize)]
#[serde(tag = "found", rename_all = "snake_case")]
pub(crate) enum SymbolAnswer<T> {
    /// The name means one symbol.
    One(Box<T>),
    /// The name is ambiguous: use one of the handles.
    Several {
        /// The requested name.
        name: String,
        /// The symbols with this name, by path and line.
        candidates: Vec<SymbolLine>,
    },
    /// No symbol has the name.
    None {
        /// The requested name.
        name: String,
        /// Symbols with a similar name: suggestions, not answers.
        did_you_mean: Vec<SymbolLine>,
    },
}

impl<T> SymbolAnswer<T> {
    /// The answer about one symbol.
    pub(crate) fn one(thing: T) -> Self {
        Self::One(Box::new(thing))
    }

    /// Puts the paths of candidates below the name of their root; `one` does the same for the answer about a symbol.
    pub(crate) fn label(&mut self, root: &str, one: impl FnOnce(&mut T)) {
        match self {
            Self::One(thing) => one(thing),
            Self::Several { candidates: symbols, .. } | Self::None { did_you_mean: symbols, .. } => {
                for symbol in symbols {
                    symbol.label(root);
                }
            }
        }
    }

    /// Adds the candidates of another root. A name that means something somewhere needs no suggestions.
    pub(crate) fn add_candidates(&mut self, next: Self) {
        match (&mut *self, next) {
            (Self::Several { candidates, .. }, Self::Several { candidates: more, .. }) => {
                candidates.extend(more);
            }
            (Self::None { did_you_mean, .. }, Self::None { did_you_mean: more, .. }) => {
                did_you_mean.extend(more);
            }
            (Self::None { .. }, next @ Self::Several { .. }) => *self = next,
            _ => {}
        }
    }

    /// Writes the answer about the symbol, or the candidates.
    pub(crate) fn write(
        &self,
        writer: &mut TextWriter<'_>,
        one: impl FnOnce(&T, &mut TextWriter<'_>) -> io::Result<()>,
    ) -> io::Result<()> {
        match self {
            Self::One(thing) => one(thing, writer),
            Self::Several { name, candidates } => {
                writer.own_line(Style::Warn, "`{}` is ambiguous; use one of these handles:", &[name])?;
                candidates.iter().try_for_each(|symbol| symbol.write_handle(writer))
            }
            Self::None { name, did_you_mean } if did_you_mean.is_empty() => {
                writer.own_line(Style::Warn, "no symbol is named `{}` or similar", &[name])
            }
            Self::None { name, did_you_mean } => {
                writer.own_line(Style::Warn, "no symbol is named `{}`; did you mean:", &[name])?;
                did_you_mean.iter().try_for_each(|symbol| symbol.write_handle(writer))
            }
        }
    }

    /// Whether it says that there is nothing: no symbol, or nothing about it.
    pub(crate) fn is_negative(&self, nothing: impl FnOnce(&T) -> bool) -> bool {
        match self {
            Self::One(thing) => nothing(thing),
            Self::Several { .. } => false,
            Self::None { .. } => true,
        }
    }

    /// The exit code: only one symbol is a success.
    pub(crate) fn exit(&self) -> Exit {
        match self {
            Self::One(_) => Exit::Ok,
            Self::Several { .. } => Exit::Ambiguous,
            Self::None { .. } => Exit::Nothing,
        }
    }
}

/// The symbol that a name means.
pub(crate) struct ResolvedSymbol {
    /// The definition.
    pub(crate) definition: Definition,
    /// Its separate declarations, and blocks that add members to it.
    pub(crate) declarations: Vec<Definition>,
    /// Symbols of the same name that are not code (see [`is_code`]) or local to a function.
    others: Vec<Definition>,
    /// The remark about how the name was read, if it was not found as typed.
    reading: Option<String>,
}

impl ResolvedSymbol {
    /// The note about other symbols of the same name.
    pub(crate) fn note(&self) -> Option<String> {
        let handles = |them: &[Definition]| {
            let handles: Vec<String> = them.iter().map(|one| one.handle.to_string()).collect();
            handles.join(", ")
        };
        let mut remarks: Vec<String> = self.reading.iter().cloned().collect();
        if !self.declarations.is_empty() {
            remarks.push(format!("also declared or extended at: {}", handles(&self.declarations)));
        }
        if let [first, rest @ ..] = &self.others[..] {
            let kinds: BTreeSet<&str> = self.others.iter().map(|one| one.kind.as_str()).collect();
            let kinds = kinds.into_iter().collect::<Vec<_>>().join(" or ");
            let more = if rest.is_empty() { String::new() } else { format!(" and {} more", rest.len()) };
            remarks.push(format!("not the {kinds} of the same name: {}{more}", first.handle));
        }
        (!remarks.is_empty()).then(|| remarks.join("; "))
    }
}

/// Why an answer about the uses of a definition is not complete: the names in its language are not resolved.
pub(crate) fn unresolved_language(definition: &Definition) -> Option<Doubt> {
    let is_named = definition.kind.is_type()
        || definition.kind.is_callable()
        || matches!(definition.kind, SymbolKind::Variable | SymbolKind::Constant);
    let language = definition.language.as_deref().filter(|_| is_named && !definition.is_resolved())?;
    let name = &definition.name;
    let text = format!("names in {language} are not resolved");
    let remedy = format!("`orient grep -F -w {name}` finds where it is mentioned");
    Some(Doubt::new(Cause::UnresolvedLanguage, 1, text).remedy(remedy))
}

/// A name that means no symbol, or several symbols.
pub(crate) enum UnresolvedName {
    /// Several.
    Several {
        /// The requested name.
        name: String,
        /// The first candidates.
        candidates: Vec<Definition>,
        /// Their total number.
        total: usize,
    },
    /// None.
    None {
        /// The requested name.
        name: String,
        /// Similar names.
        similar: Vec<String>,
        /// The remark that a symbol of this name was removed.
        removed: Option<String>,
    },
}

/// Resolves a symbol argument. Separate declarations, blocks that extend a type, things that are not code, and definitions in
/// functions beside one that code elsewhere can name, do not make a name ambiguous.
pub(crate) fn resolve_symbol(
    snapshot: &Snapshot,
    typed: &str,
) -> Result<Result<ResolvedSymbol, UnresolvedName>, ToolError> {
    let name = typed.to_owned();
    let (found, reading) = look_up(snapshot, typed)?;
    Ok(match found {
        Lookup::One(definition) => {
            let declarations = other_parts(snapshot, &definition)?;
            Ok(ResolvedSymbol { definition: *definition, declarations, others: Vec::new(), reading })
        }
        Lookup::Many { candidates, total } => {
            let Some(chosen) = chosen_definition(snapshot, &candidates, total)? else {
                let candidates = likeliest_first(snapshot, candidates)?;
                return Ok(Err(UnresolvedName::Several { name, candidates, total }));
            };
            let ChosenDefinition { at, locals } = chosen;
            let mut declarations = candidates;
            let definition = declarations.remove(at);
            declarations.retain(|one| !constructs(one, &definition));
            let is_other = |one: &mut Definition| !is_meant_first(one.kind) || locals.contains(&one.id);
            let others = declarations.extract_if(.., is_other).collect();
            Ok(ResolvedSymbol { definition, declarations, others, reading })
        }
        Lookup::Nothing { similar } => Err(UnresolvedName::None { name, similar, removed: reading }),
    })
}

/// What a symbol that was asked for by its handle consists of besides: the definition of a declaration, the declarations of a definition,
/// the other parts of a partial type. A use of one of them is a use of all.
fn other_parts(snapshot: &Snapshot, definition: &Definition) -> Result<Vec<Definition>, ToolError> {
    let Lookup::Many { mut candidates, total } =
        snapshot.symbol(&Handle::join(definition.handle.names.iter().map(String::as_str)))?
    else {
        return Ok(Vec::new());
    };
    if candidates.len() != total {
        return Ok(Vec::new());
    }
    // A declaration of another overload declares something else.
    // `char *s` and an unnamed `char*` are written differently, and mean the same.
    let types = |one: &Definition| -> Vec<Option<String>> {
        let written = |ty: &String| ty.split_whitespace().collect();
        one.params.iter().map(|param| param.ty.as_ref().map(written)).collect()
    };
    let own_types = types(definition);
    candidates.retain(|one| !one.kind.is_callable() || !one.may_be_overloaded() || types(one) == own_types);
    let is_declaration = |one: &Definition| one.modifiers.contains(Modifier::Declaration);
    let only = only_definition(&candidates, candidates.len());
    let Some(whole) = only.and_then(|at| candidates.get(at)).cloned() else {
        // Of definitions for several conditions in one file, each is what the declarations declare and what the uses mean.
        let is_same = |one: &Definition| is_declaration(one) || one.path == definition.path;
        if is_declaration(definition) || !candidates.iter().all(is_same) {
            return Ok(Vec::new());
        }
        candidates.retain(|one| {
            is_declaration(one) || one.id != definition.id && one.is_alternative_of(definition)
        });
        return Ok(candidates);
    };
    let is_whole = whole.id == definition.id;
    if !is_whole && !is_declaration(definition) && !whole.is_part_with(definition) {
        return Ok(Vec::new());
    }
    candidates.retain(|one| {
        one.id != definition.id && (one.id == whole.id || is_declaration(one) || whole.is_part_with(one))
    });
    Ok(candidates)
}

/// The candidates for a name that means one symbol here, and others in other roots.
pub(crate) fn as_candidate<T>(
    snapshot: &Snapshot,
    typed: &str,
) -> Result<Option<SymbolAnswer<T>>, ToolError> {
    let Ok(subject) = resolve_symbol(snapshot, typed)? else { return Ok(None) };
    let candidates = vec![SymbolLine::new(subject.definition, Some("exact"))];
    Ok(Some(SymbolAnswer::Several { name: typed.to_owned(), candidates }))
}

/// Looks a name up as typed; if that fails, with the escapes of an answer decoded, and then in the forms that people and other
/// tools write, with a remark; and last as a name that the symbol once had.
fn look_up(snapshot: &Snapshot, typed: &str) -> Result<(Lookup, Option<String>), ToolError> {
    let found = snapshot.symbol(typed)?;
    if !matches!(found, Lookup::Nothing { .. }) {
        return Ok((found, None));
    }
    // A class of a style sheet begins with the character that separates names elsewhere.
    if typed.starts_with('.') {
        let found = snapshot.symbol(&typed.replace('.', "\\."))?;
        if !matches!(found, Lookup::Nothing { .. }) {
            return Ok((found, None));
        }
    }
    if let Some(plain) = unescape(typed) {
        let found = snapshot.symbol(&plain)?;
        if !matches!(found, Lookup::Nothing { .. }) {
            return Ok((found, None));
        }
    }
    if let Some(Reading { lookup, note }) = read_name(snapshot, typed)? {
        return Ok((lookup, Some(note)));
    }
    Ok(match look_up_former(snapshot, typed)? {
        Some(Ok((lookup, note))) => (lookup, Some(note)),
        Some(Err(removed)) => (found, Some(removed)),
        None => (found, None),
    })
}

impl UnresolvedName {
    /// The answer that lists the candidates or suggestions.
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
                answer.metadata.unresolved_name = true;
                answer.metadata.total = Some(total as u64);
                if shown < total {
                    let text = format!("{shown} of {} listed", count(total as u64));
                    answer = answer.partial(Doubt::limit((total - shown) as u64, text));
                }
                Ok(answer)
            }
            Self::None { name, similar, removed } => {
                let did_you_mean = suggestions(snapshot, &DefinitionQuery::default(), similar)?;
                let about = name.clone();
                let data = SymbolAnswer::None { name, did_you_mean };
                let mut answer = session.answer_about(snapshot, &Question::Name(&about), data)?;
                answer.metadata.unresolved_name = true;
                let would_help = if removed.is_none() { missing_index_note(snapshot) } else { None };
                answer.add_notes(removed.into_iter().chain(would_help));
                Ok(answer)
            }
        }
    }
}

/// Whether code can refer to it. Tests named by a string, headings and keys of configuration files often have the name of a
/// symbol; a request for that name means the symbol.
pub(crate) fn is_code(kind: SymbolKind) -> bool {
    !matches!(kind, SymbolKind::Test | SymbolKind::Heading | SymbolKind::Key)
}

/// Whether a name means it rather than what only speaks of something: a rule of a style sheet has the name of what it formats.
fn is_meant_first(kind: SymbolKind) -> bool {
    is_code(kind) && kind != SymbolKind::Selector
}

/// Whether it is test code.
fn is_test(snapshot: &Snapshot, one: &Definition) -> Result<bool, ToolError> {
    let role = snapshot.file(&one.path)?.map(|file| file.role);
    Ok(role == Some(Role::Test) || one.modifiers.contains(Modifier::Test))
}

/// The candidates, tests after other code, and what is no code last.
fn likeliest_first(snapshot: &Snapshot, candidates: Vec<Definition>) -> Result<Vec<Definition>, ToolError> {
    let mut ranked = Vec::with_capacity(candidates.len());
    for one in candidates {
        ranked.push(((!is_meant_first(one.kind), is_test(snapshot, &one)?), one));
    }
    ranked.sort_by_key(|(rank, _)| *rank);
    Ok(ranked.into_iter().map(|(_, one)| one).collect())
}

/// Whether a symbol is a constructor of a type.
fn constructs(one: &Definition, of: &Definition) -> bool {
    one.kind == SymbolKind::Constructor
        && one.path == of.path
        && one.handle.names.split_last().is_some_and(|(_, around)| around == of.handle.names)
}

/// The definition that a name with several candidates means.
struct ChosenDefinition {
    /// Its place among the candidates.
    at: usize,
    /// The candidates that only the function around them can name, or only tests.
    locals: Vec<SymbolId>,
}

/// The definition that a name means although several have it: the only one, the only one that is not local to a function, or the only
/// one that is no test code either.
fn chosen_definition(
    snapshot: &Snapshot,
    candidates: &[Definition],
    total: usize,
) -> Result<Option<ChosenDefinition>, ToolError> {
    if let Some(at) = only_definition(candidates, total) {
        return Ok(Some(ChosenDefinition { at, locals: Vec::new() }));
    }
    let mut locals = Vec::new();
    for one in candidates {
        if snapshot.is_local(one)? {
            locals.push(one.id);
        }
    }
    if candidates.len() != total {
        return Ok(None);
    }
    if let Some(at) = only_one_without(candidates, &locals) {
        return Ok(Some(ChosenDefinition { at, locals }));
    }
    for one in candidates {
        if !locals.contains(&one.id) && is_test(snapshot, one)? {
            locals.push(one.id);
        }
    }
    Ok(only_one_without(candidates, &locals).map(|at| ChosenDefinition { at, locals }))
}

/// The only definition among candidates if some are set aside.
fn only_one_without(candidates: &[Definition], aside: &[SymbolId]) -> Option<usize> {
    let (rest, places): (Vec<Definition>, Vec<usize>) = candidates
        .iter()
        .enumerate()
        .filter(|(_, one)| !aside.contains(&one.id))
        .map(|(at, one)| (one.clone(), at))
        .unzip();
    only_definition(&rest, rest.len()).filter(|_| !aside.is_empty()).map(|at| places[at])
}

/// The only definition among candidates that otherwise construct it, declare it, extend it or are not code. Of a type in several
/// parts, the longest part.
fn only_definition(candidates: &[Definition], total: usize) -> Option<usize> {
    if candidates.len() != total {
        return None;
    }
    only_whole(candidates).or_else(|| longest_part(candidates))
}

/// The definitions among candidates, with their places: not what constructs, declares or extends another, and not what is no code.
fn definitions(candidates: &[Definition]) -> impl Iterator<Item = (usize, &Definition)> {
    candidates.iter().enumerate().filter(|(_, one)| {
        is_meant_first(one.kind)
            && one.kind != SymbolKind::Impl
            && !one.modifiers.contains(Modifier::Declaration)
            && !candidates.iter().any(|of| of.kind.is_type() && constructs(one, of))
    })
}

fn only_whole(candidates: &[Definition]) -> Option<usize> {
    let mut whole = definitions(candidates).filter(|(_, one)| !one.modifiers.contains(Modifier::Partial));
    let (at, _) = whole.next()?;
    whole.next().is_none().then_some(at)
}

fn longest_part(candidates: &[Definition]) -> Option<usize> {
    let parts: Vec<(usize, &Definition)> = definitions(candidates).collect();
    let (_, first) = parts.first()?;
    if !parts.iter().all(|(_, part)| first.is_part_with(part)) {
        return None;
    }
    let lines = |one: &Definition| one.span.last_line.saturating_sub(one.span.first_line);
    parts.iter().max_by_key(|(at, part)| (lines(part), std::cmp::Reverse(*at))).map(|(at, _)| *at)
}
