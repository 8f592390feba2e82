//! `symbols`: definitions by name, kind and other properties.

mod args;

use crate::answer::symbol_line::{SymbolLine, suggestions};
use crate::answer::{Answer, Note, PageWindow};
use crate::arguments::enum_values;
use crate::arguments::path_argument;
use crate::error::{Code, Exit, ToolError};
use crate::graph::symbol_roles::{RoleLabels, RoleSelection, names_symbol_roles};
use crate::history::former_names::former_note;
use crate::operation::{AcrossRoots, Example, TypedOperation};
use crate::session::Session;
use crate::text::number_format::plural;
use crate::text::writer::{Style, TextWriter};
use crate::workspace::{Appended, Labelled, RootFilter, joined};
use args::SymbolsArgs;
use orient_engine::{
    Definition, DefinitionQuery, NameMatch, Page as Rows, RefreshDepth, Snapshot, SymbolFilter,
};
use orient_model::Handle;
use serde::Serialize;
use std::io;

pub(crate) struct Symbols;

/// Default number of symbols.
const DEFAULT_LIMIT: u64 = 50;
/// Maximum number of similar names suggested.
const MAX_SUGGESTIONS: usize = 5;
/// Maximum number of symbols of a name whose containers are compared.
const MAX_NAMESAKES: usize = 10_000;

/// Symbols, best first, then by path and line.
#[derive(Serialize)]
pub(crate) struct SymbolsOut {
    /// The requested name.
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    /// The symbols. Fuzzy matches only if requested.
    symbols: Vec<SymbolLine>,
    /// Without a match: symbols with a similar name, as suggestions.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    did_you_mean: Vec<SymbolLine>,
}

impl TypedOperation for Symbols {
    const NAME: &'static str = "symbols";
    const ABOUT: &'static str = "Find definitions by name, kind, role, attribute or base type";
    const DETAILS: &'static str = "\
If no name matches exactly, names that differ only in case are listed, else names that start with it, else names that contain \
it as a word; a heading says so. If nothing matches, similar names are suggested and the exit code is 1. All filters that are \
given must hold. Types are compared by name, through pointers, lists, optional types, promises and results.";
    const EXAMPLES: &'static [Example] = &[
        Example { command: "symbols Server", about: "symbols named Server" },
        Example { command: "symbols Server.run --kind method", about: "a member, by kind" },
        Example {
            command: "symbols --kind class --base Handler --in src",
            about: "by kind and base type, without a name",
        },
        Example { command: "symbols --role handler --in src", about: "what handles requests and messages" },
        Example { command: "symbols --attr deprecated --limit 0", about: "all symbols with an attribute" },
        Example {
            command: "symbols --kind method --visibility public --modifier async --container-base Handler",
            about: "by what they are and what their class implements",
        },
        Example {
            command: "symbols --kind method --returns Order --sort callers",
            about: "by return type, most called first",
        },
    ];
    const DEPTH: RefreshDepth = RefreshDepth::Facts;
    const ACROSS: Option<AcrossRoots<Self>> = Some(joined::<Self>);
    const ROOT_FILTER: fn(&SymbolsArgs) -> RootFilter =
        |args| args.name.as_deref().map_or(RootFilter::Any, RootFilter::defines);
    type Args = SymbolsArgs;
    type Out = SymbolsOut;

    fn run(session: &Session<'_>, args: SymbolsArgs) -> Result<Answer<SymbolsOut>, ToolError> {
        let how = args.how.as_deref().map(Tier::parse).transpose()?;
        let compound = args.filter()?;
        if compound.needs_graph() || names_symbol_roles(&args.role) {
            session.set_depth(RefreshDepth::Graph);
        }
        let snapshot = session.snapshot()?;
        let filters = filters(session, &snapshot, &args, compound)?;
        let window = PageWindow::new(args.limit, DEFAULT_LIMIT, args.after);
        let Some(name) = args.name.as_deref().filter(|name| !name.is_empty()) else {
            let page = snapshot.symbols(&filters, window.offset, window.limit)?;
            return answer(session, &snapshot, &filters, None, None, page, window);
        };
        let search = Search { snapshot: &snapshot, filters: &filters, name, names: Handle::split(name) };
        let tiers = how.map_or(Tier::DEFAULT.to_vec(), |tier| vec![tier]);
        for tier in tiers {
            let page = search.tier(tier, window.offset, window.limit)?;
            if page.total > 0 {
                let total = page.total;
                let mut answer = answer(session, &snapshot, &filters, Some(name), Some(tier), page, window)?;
                if how.is_none() {
                    answer.add_notes(search.weaker_matches(tier, total)?);
                }
                if tier != Tier::Exact {
                    answer.add_notes(former_note(&snapshot, name)?);
                }
                return Ok(answer);
            }
        }
        let own = search.names.last().map_or(name, String::as_str);
        let did_you_mean = suggestions(&snapshot, &filters, snapshot.similar_names(own, MAX_SUGGESTIONS)?)?;
        let out = SymbolsOut { name: Some(name.to_owned()), symbols: Vec::new(), did_you_mean };
        let mut answer = session.answer_within(&snapshot, filters.path.as_ref().into(), out);
        answer.add_notes(search.unfiltered_matches()?);
        answer.add_notes(former_note(&snapshot, name)?);
        Ok(answer)
    }

    fn text(out: &SymbolsOut, writer: &mut TextWriter<'_>) -> io::Result<()> {
        let tier = out.symbols.first().and_then(|symbol| symbol.matched);
        let tier = Tier::ALL.iter().find(|one| Some(one.word()) == tier);
        if let Some(heading) = tier.map(|tier| tier.heading()).filter(|heading| !heading.is_empty()) {
            writer.own_line(Style::Warn, heading, &[])?;
        }
        out.symbols.iter().try_for_each(|symbol| symbol.write(writer))?;
        if !out.symbols.is_empty() {
            return Ok(());
        }
        let Some(name) = &out.name else {
            return writer.own_line(Style::Warn, "no symbol matches", &[]);
        };
        if out.did_you_mean.is_empty() {
            return writer.own_line(Style::Warn, "no symbol is named `{}` or similar", &[name]);
        }
        writer.own_line(Style::Warn, "no symbol is named `{}`; did you mean:", &[name])?;
        out.did_you_mean.iter().try_for_each(|symbol| symbol.write(writer))
    }

    fn exit(out: &SymbolsOut) -> Exit {
        if out.symbols.is_empty() { Exit::Nothing } else { Exit::Ok }
    }
}

impl Labelled for SymbolsOut {
    fn label(&mut self, root: &str) {
        self.symbols.iter_mut().chain(&mut self.did_you_mean).for_each(|symbol| symbol.label(root));
    }

    /// Only the best way to match counts, as within one root.
    fn append(&mut self, next: Self) -> Appended {
        let tier = |out: &Self| match out.symbols.first().map(|symbol| symbol.matched) {
            None => usize::MAX,
            Some(word) => Tier::ALL.iter().position(|tier| Some(tier.word()) == word).unwrap_or(0),
        };
        let (own, other) = (tier(self), tier(&next));
        if own == other {
            self.symbols.extend(next.symbols);
            self.did_you_mean.extend(next.did_you_mean);
            return Appended::Both;
        }
        if other < own {
            *self = next;
            return Appended::Next;
        }
        Appended::First
    }
}

/// How a name matches, best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tier {
    Exact,
    Case,
    Prefix,
    Word,
    Fuzzy,
}

impl Tier {
    const ALL: &'static [Self] = &[Self::Exact, Self::Case, Self::Prefix, Self::Word, Self::Fuzzy];
    /// The modes tried by default. A fuzzy match is not an answer.
    const DEFAULT: &'static [Self] = &[Self::Exact, Self::Case, Self::Prefix, Self::Word];

    fn word(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Case => "case",
            Self::Prefix => "prefix",
            Self::Word => "word",
            Self::Fuzzy => "fuzzy",
        }
    }

    fn parse(word: &str) -> Result<Self, ToolError> {
        let words: Vec<&str> = Self::ALL.iter().map(|tier| tier.word()).collect();
        enum_values::one_of("match mode", word, &words)?;
        Ok(Self::ALL.iter().copied().find(|tier| tier.word() == word).unwrap_or(Self::Exact))
    }

    fn name_match(self, name: &str) -> NameMatch {
        let text = name.to_owned();
        match self {
            Self::Exact => NameMatch::Exact(text),
            Self::Case => NameMatch::Folded(text),
            Self::Prefix => NameMatch::Prefix(text),
            Self::Word => NameMatch::Word(text),
            Self::Fuzzy => NameMatch::Fuzzy { distance: orient_model::slip(name) as u32, text },
        }
    }

    /// The heading of symbols whose name differs from the requested one.
    fn heading(self) -> &'static str {
        match self {
            Self::Exact => "",
            Self::Case => "no exact match; names that differ in case:",
            Self::Prefix => "no exact match; names that start with it:",
            Self::Word => "no exact match; names that contain it as a word:",
            Self::Fuzzy => "similar names:",
        }
    }
}

/// A search for symbols of a name, with filters.
struct Search<'s> {
    snapshot: &'s Snapshot,
    filters: &'s DefinitionQuery,
    name: &'s str,
    /// The parts of the name: containers, then the symbol itself.
    names: Vec<String>,
}

impl Search<'_> {
    fn tier(&self, tier: Tier, offset: usize, limit: usize) -> Result<Rows<Definition>, ToolError> {
        let whole = self.query(tier.name_match(self.name));
        let page = self.snapshot.symbols(&whole, offset, limit)?;
        let [around @ .., own] = self.names.as_slice() else { return Ok(page) };
        if page.total > 0 || around.is_empty() {
            return Ok(page);
        }
        // The engine matches the last part; compare the containers here.
        let mut rows = self.snapshot.symbols(&self.query(tier.name_match(own)), 0, MAX_NAMESAKES)?.rows;
        rows.retain(|definition| {
            let [outer @ .., _] = definition.handle.names.as_slice() else { return false };
            outer.len() >= around.len()
                && outer[outer.len() - around.len()..]
                    .iter()
                    .zip(around)
                    .all(|(one, asked)| same(tier, one, asked))
        });
        let total = rows.len();
        Ok(Rows { rows: rows.into_iter().skip(offset).take(limit).collect(), total })
    }

    fn query(&self, name: NameMatch) -> DefinitionQuery {
        DefinitionQuery { name, ..self.filters.clone() }
    }

    /// The note about further symbols that start with the name.
    fn weaker_matches(&self, tier: Tier, total: usize) -> Result<Option<Note>, ToolError> {
        if !matches!(tier, Tier::Exact | Tier::Case) {
            return Ok(None);
        }
        let more = self.tier(Tier::Prefix, 0, 0)?.total.saturating_sub(total);
        let symbols = plural(more as u64, "more symbol starts", "more symbols start");
        Ok((more > 0).then(|| Note::from(format!("{symbols} with `{}`", self.name)).see("match")))
    }

    /// The note about symbols of the name that the filters exclude.
    fn unfiltered_matches(&self) -> Result<Option<String>, ToolError> {
        let anywhere = DefinitionQuery::default();
        let all =
            Search { filters: &anywhere, names: self.names.clone(), ..*self }.tier(Tier::Exact, 0, 0)?.total;
        let symbols = plural(all as u64, "symbol is", "symbols are");
        Ok((all > 0).then(|| format!("without the filters, {symbols} named `{}`", self.name)))
    }
}

/// Whether a container is the requested one.
fn same(tier: Tier, one: &str, asked: &str) -> bool {
    one == asked || (tier != Tier::Exact && one.to_lowercase() == asked.to_lowercase())
}

fn filters(
    session: &Session<'_>,
    snapshot: &Snapshot,
    args: &SymbolsArgs,
    compound: SymbolFilter,
) -> Result<DefinitionQuery, ToolError> {
    let within =
        args.within.as_deref().map(|typed| path_argument::resolve(session, snapshot, typed)).transpose()?;
    let none = args.kind.is_empty()
        && args.lang.is_empty()
        && args.role.is_empty()
        && within.is_none()
        && compound.is_empty();
    if args.name.as_deref().is_none_or(str::is_empty) && none && args.attr.is_none() && args.base.is_none() {
        return Err(ToolError::new(Code::BadArgument, "a name or a filter is required")
            .hint("for example `orient symbols Server`, or `orient symbols --kind class`"));
    }
    let roles = RoleSelection::new(session, snapshot, &args.role)?;
    Ok(DefinitionQuery {
        name: NameMatch::Any,
        kinds: enum_values::kinds(&args.kind)?,
        languages: enum_values::languages(&args.lang, snapshot)?,
        roles: roles.files,
        among: roles.symbols,
        path: within.map(|named| named.pattern),
        attribute: args.attr.clone(),
        base: args.base.clone(),
        filter: compound,
    })
}

fn answer(
    session: &Session<'_>,
    snapshot: &Snapshot,
    filters: &DefinitionQuery,
    name: Option<&str>,
    tier: Option<Tier>,
    page: Rows<Definition>,
    window: PageWindow,
) -> Result<Answer<SymbolsOut>, ToolError> {
    let (shown, total) = (page.rows.len(), page.total);
    let labels = RoleLabels::new(snapshot)?;
    let line = |one: Definition| {
        let roles = labels.of(&one);
        SymbolLine { roles, ..SymbolLine::new(one, tier.map(Tier::word)) }
    };
    let symbols = page.rows.into_iter().map(line).collect();
    let out = SymbolsOut { name: name.map(str::to_owned), symbols, did_you_mean: Vec::new() };
    Ok(window.paginate(session.answer_within(snapshot, filters.path.as_ref().into(), out), shown, total))
}
