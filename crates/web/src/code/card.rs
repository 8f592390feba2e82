//! The card of a symbol: signature, documentation, counts. Shown when the pointer rests on a name, and beside the code.

use crate::ask::{Answered, Asked, Asker, NamedSymbol, SymbolData};
use crate::response::View;
use crate::routes::PageContext;
use crate::symbol_choice::{choice, several, unknown};
use crate::{layout, urls};
use maud::{Markup, html};
use orient_tools::{ToolError, count};
use serde::Deserialize;
use serde_json::json;

use super::revision_argument;

/// Everything known about a symbol.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct CardData {
    pub(crate) symbol: SymbolData,
    pub(crate) doc: Option<String>,
    pub(crate) lines: u32,
    pub(crate) complexity: Option<ComplexityData>,
    pub(crate) members: u64,
    pub(crate) callers: u64,
    pub(crate) callees: u64,
    pub(crate) uses: u64,
    pub(crate) implementers: u64,
    pub(crate) tests: u64,
}

/// Measures of a function.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
pub(crate) struct ComplexityData {
    pub(crate) cyclomatic: u32,
    pub(crate) cognitive: u32,
}

/// The definitions of a file.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct OutlineData {
    pub(crate) files: Vec<OutlineFile>,
}

/// The definitions of one file.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct OutlineFile {
    pub(crate) symbols: Vec<OutlineSymbol>,
}

/// A definition.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct OutlineSymbol {
    pub(crate) depth: u32,
    pub(crate) handle: String,
    pub(crate) name: String,
    pub(crate) kind: String,
    pub(crate) line: u32,
    pub(crate) last_line: u32,
    pub(crate) signature: String,
}

/// The definitions of a file, in source order.
pub(crate) fn outline(
    asker: &Asker<'_>,
    path: &str,
    revision: &str,
) -> Result<Vec<OutlineSymbol>, ToolError> {
    let arguments = json!({ "path": path, "at": revision_argument(revision) });
    let found = asker.ask::<OutlineData>(Asked::Outline, arguments)?;
    Ok(found.data.files.into_iter().flat_map(|file| file.symbols).collect())
}

/// The card of a symbol.
pub(crate) fn card_of(
    asker: &Asker<'_>,
    symbol: &str,
    revision: &str,
) -> Result<Answered<NamedSymbol<CardData>>, ToolError> {
    asker.ask(Asked::Symbol, json!({ "symbol": symbol, "at": revision_argument(revision) }))
}

/// The card as a page or a fragment.
pub(crate) fn card_page(context: &PageContext<'_>) -> Result<View, ToolError> {
    let (request, asker) = (context.request, context.asker);
    let (revision, name) = (request.get("at"), request.get("name"));
    let mut symbol = request.get("symbol").to_owned();
    // A place and a name: the innermost definition of that name there.
    if !name.is_empty()
        && let Some((path, line)) = symbol.rsplit_once(':')
        && let Ok(line) = line.parse::<u32>()
    {
        let defined = outline(asker, path, revision)?;
        let around = |one: &&OutlineSymbol| one.name == name && one.line <= line && line <= one.last_line;
        if let Some(found) = defined.iter().filter(around).min_by_key(|one| one.last_line - one.line) {
            symbol.clone_from(&found.handle);
        }
    }
    let body = match card_of(asker, &symbol, revision)?.data {
        NamedSymbol::One(card) => render(&card, revision),
        NamedSymbol::Several { name, candidates } => {
            choice(&several(&name), &candidates, |one| urls::card(&one.handle, revision))
        }
        NamedSymbol::None { name, did_you_mean } => {
            choice(&unknown(&name), &did_you_mean, |one| urls::card(&one.handle, revision))
        }
    };
    if request.flag("fragment") {
        return Ok(View::Fragment(body));
    }
    Ok(View::Page { title: symbol, section: "code", body: html! { div.narrow { (body) } } })
}

/// The card.
pub(crate) fn render(card: &CardData, revision: &str) -> Markup {
    let symbol = &card.symbol;
    let doc = card.doc.as_deref().unwrap_or_default();
    html! {
        article.card {
            header {
                (layout::kind(&symbol.kind)) " "
                a href=(urls::symbol(&symbol.path, &symbol.handle, symbol.line, revision)) { strong { (symbol.qualified) } }
                " " span.dim { (symbol.path) ":" (symbol.line) }
            }
            @if !symbol.signature.is_empty() { pre.signature { code { (symbol.signature) } } }
            @if !doc.is_empty() { p.doc { (doc) } }
            p.facts {
                span { (count(card.callers)) " callers" }
                span { (count(card.callees)) " callees" }
                span { (count(card.uses)) " uses" }
                @if card.implementers > 0 { span { (count(card.implementers)) " implementers" } }
                span { (count(card.tests)) " tests" }
                @if card.members > 0 { span { (count(card.members)) " members" } }
                span { (count(u64::from(card.lines))) " lines" }
                @if let Some(known) = card.complexity { span { "complexity " (known.cyclomatic) " / " (known.cognitive) } }
                @if !symbol.visibility.is_empty() { span { (symbol.visibility) } }
                @for base in &symbol.bases { span { "extends " (base) } }
                @for attribute in &symbol.attributes { span.mono { (attribute) } }
            }
            p.actions {
                a href=(urls::symbol(&symbol.path, &symbol.handle, symbol.line, revision)) { "Uses" }
                a href=(urls::graph(&symbol.handle)) { "Graph" }
                a href=(urls::search(&symbol.name, "")) { "Search" }
            }
        }
    }
}
