//! What a root must contain to contribute to an answer, so that a server of many roots need not ask all of them.

use orient_engine::TrigramQuery;

/// A necessary condition on a root, or a hint which roots are the best. A root that satisfies it need not have an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RootFilter {
    /// Any root may have an answer.
    Any,
    /// It defines a symbol of this name, without its containers.
    Defines(String),
    /// It defines a symbol of this name; other roots may use it.
    DefinesOrUses(String),
    /// One of its files has these trigrams.
    Contains(TrigramQuery),
    /// It has something to say about these words.
    Words(String),
}

impl RootFilter {
    /// The filter for a symbol as a user types it: `Server.run`, `src/a.go#Server.Run(int)`.
    pub(crate) fn defines(typed: &str) -> Self {
        Self::Defines(simple_name(typed).to_owned())
    }

    /// The same for a question about the uses of the symbol.
    pub(crate) fn defines_or_uses(typed: &str) -> Self {
        Self::DefinesOrUses(simple_name(typed).to_owned())
    }
}

/// The last part of a qualified name or handle, without parameters.
fn simple_name(typed: &str) -> &str {
    let name = typed.rsplit_once('#').map_or(typed, |(_, name)| name);
    let name = name.split(['(', '~', '<', ' ']).next().unwrap_or(name);
    name.rsplit(['.', ':', '/', '\\']).find(|part| !part.is_empty()).unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_symbol_is_looked_up_by_the_last_part_of_its_name() {
        for (typed, name) in [
            ("run", "run"),
            ("Server.run", "run"),
            ("store::Index::open", "open"),
            ("src/server.go#Server.Run", "Run"),
            ("Cart.java#Cart.add(List,int)", "add"),
            ("a.py#f~2", "f"),
            ("shop/src/a.rs#Order.total", "total"),
        ] {
            assert_eq!(simple_name(typed), name, "{typed}");
        }
    }
}
