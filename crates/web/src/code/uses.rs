//! The uses of a symbol, listed beside the code: proven ones by file, and apart from them those of which only the name is known.

use super::card::{self, CardData};
use super::revision_argument;
use crate::ask::{Asked, Asker, NameOnlyData, NamedSymbol, NodeData, UseData};
use crate::request::PageRequest;
use crate::symbol_choice::{choice, several, unknown};
use crate::{layout, urls};
use maud::{Markup, html};
use orient_tools::{AnswerMetadata, ToolError, count};
use serde::Deserialize;
use serde_json::json;

/// Maximum number of proven uses.
const MAX_USES: u32 = 300;

/// The uses of a symbol.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct ReferencesData {
    verified: u64,
    uses: Vec<PlacedUse>,
    name_only: NameOnlyData,
}

/// A proven use.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct PlacedUse {
    path: String,
    #[serde(flatten)]
    evidence: UseData,
    within: NodeData,
}

/// The symbol that a page is about, with its uses.
pub(crate) struct SymbolPanel {
    /// Its own name; empty if the requested symbol is not clear.
    pub(crate) name: String,
    /// The lines of the shown file that use it.
    pub(crate) lines: Vec<u32>,
    pub(crate) panel: Markup,
}

/// The panel of a symbol beside a file.
pub(crate) fn symbol_panel(
    asker: &Asker<'_>,
    request: &PageRequest,
    symbol: &str,
    path: &str,
    revision: &str,
) -> Result<SymbolPanel, ToolError> {
    let unclear = |panel| SymbolPanel { name: String::new(), lines: Vec::new(), panel };
    let link = |handle: &str| request.with_one("symbol", handle);
    let card = match card::card_of(asker, symbol, revision)?.data {
        NamedSymbol::One(card) => card,
        NamedSymbol::Several { name, candidates } => {
            return Ok(unclear(choice(&several(&name), &candidates, |one| link(&one.handle))));
        }
        NamedSymbol::None { name, did_you_mean } => {
            return Ok(unclear(choice(&unknown(&name), &did_you_mean, |one| link(&one.handle))));
        }
    };
    let arguments =
        json!({ "symbol": card.symbol.handle, "limit": MAX_USES, "at": revision_argument(revision) });
    let found = asker.ask::<NamedSymbol<ReferencesData>>(Asked::References, arguments)?;
    let NamedSymbol::One(uses) = found.data else { return Ok(unclear(html! {})) };
    let lines = uses.uses.iter().filter(|one| one.path == path).map(|one| one.evidence.line).collect();
    let panel = panel(&card, &uses, &found.metadata, revision);
    Ok(SymbolPanel { name: card.symbol.name, lines, panel })
}

fn panel(card: &CardData, uses: &ReferencesData, metadata: &AnswerMetadata, revision: &str) -> Markup {
    let mut by_file: Vec<(&str, Vec<&PlacedUse>)> = Vec::new();
    for one in &uses.uses {
        match by_file.last_mut() {
            Some((path, list)) if *path == one.path => list.push(one),
            _ => by_file.push((&one.path, vec![one])),
        }
    }
    html! {
        (card::render(card, revision))
        section aria-labelledby="proven-uses" {
            h2 id="proven-uses" { "Uses " span.count { (count(uses.verified)) } }
            @if by_file.is_empty() { p.dim { "No proven use in this repository." } }
            @for (path, list) in &by_file {
                h3 { a href=(urls::code(path, revision)) { (path) } }
                ul.uses {
                    @for one in list {
                        li {
                            a href=(urls::line(path, one.evidence.line, revision)) data-item {
                                span.line { (one.evidence.line) } " "
                                @if one.within.name.is_empty() { span.dim { "top level" } } @else { (one.within.name) }
                            }
                            " " span.dim { (one.evidence.kind) }
                            @if one.evidence.confidence != "exact" { " " (layout::confidence(&one.evidence.confidence)) }
                            @if one.within.test { " " span.badge { "test" } }
                        }
                    }
                }
            }
            (layout::notes(metadata))
        }
        @if uses.name_only.total + uses.name_only.external > 0 {
            section aria-labelledby="name-only-uses" {
                h2 id="name-only-uses" { "Name only " span.count { (count(uses.name_only.total)) } }
                p.dim {
                    "The name occurs here, but nothing proves which symbol it means."
                    @if uses.name_only.external > 0 { " " (count(uses.name_only.external)) " further uses apparently mean something outside the repository." }
                }
                ul.uses {
                    @for one in &uses.name_only.shown {
                        li {
                            a href=(urls::line(&one.path, one.line, revision)) data-item { (one.path) ":" (one.line) }
                            @if !one.within.is_empty() { " " span.dim { "in " (one.within) } }
                            div.dim { (one.reason) }
                        }
                    }
                }
            }
        }
    }
}
