//! The choice between symbols of the same name, and suggestions for a name that no symbol has.

use crate::ask::SymbolData;
use crate::layout;
use maud::{Markup, html};

/// A list of symbols; `link` makes the address of one.
pub(crate) fn choice(message: &str, symbols: &[SymbolData], link: impl Fn(&SymbolData) -> String) -> Markup {
    html! {
        div.empty {
            p { (message) }
            @if symbols.is_empty() {
                p.dim { "No similar name was found either." }
            } @else {
                ul.symbols {
                    @for symbol in symbols {
                        li {
                            a href=(link(symbol)) { (layout::kind(&symbol.kind)) " " strong { (symbol.qualified) } }
                            " " span.dim { (symbol.path) ":" (symbol.line) }
                            @if !symbol.signature.is_empty() { code.signature { (symbol.signature) } }
                        }
                    }
                }
            }
        }
    }
}

/// The message about an ambiguous name.
pub(crate) fn several(name: &str) -> String {
    format!("Several symbols are named {name}. Choose one:")
}

/// The message about an unknown name.
pub(crate) fn unknown(name: &str) -> String {
    format!("No symbol is named {name}. Similar names:")
}
