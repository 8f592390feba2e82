//! Macro calls around items: `cfg_net! { pub fn connect() {} }`.
//!
//! A grammar reads the arguments of a macro as tokens. If they are items, the name of the macro and its braces are erased and the file is parsed
//! again, so that the items are symbols like any other. All offsets stay valid.
//!
//! Example (`·` is an erased byte):
//!
//! ```text
//! cfg_net! { pub fn connect() {} }      ··········· pub fn connect() {} ·
//! ```

use crate::parse::budget::Budget;
use crate::parse::run_parser;
use crate::schema::error::PackError;
use crate::schema::source_rewriting::ItemMacroSpec;
use orient_grammars::{Language, Node, Tree};
use regex::bytes::Regex;
use std::ops::Range;

/// Maximum number of macro calls around each other.
const MAX_DEPTH: usize = 3;

/// `[item_macros]` of a table, compiled.
pub(crate) struct ItemMacros {
    call: String,
    arguments: String,
    places: Vec<String>,
    items: Regex,
}

/// A tree in which items are not inside macro calls any more.
pub(crate) struct UnwrappedItems {
    pub(crate) tree: Tree,
    /// The text that was parsed.
    pub(crate) text: Vec<u8>,
    /// The erased names of macros.
    pub(crate) names: Vec<Range<usize>>,
}

impl ItemMacros {
    pub(crate) fn compile(pack: &str, spec: &ItemMacroSpec) -> Result<Self, PackError> {
        let items = Regex::new(&spec.items).map_err(|error| PackError::Pattern {
            pack: pack.to_owned(),
            place: "item_macros".to_owned(),
            message: error.to_string(),
        })?;
        let (call, arguments, places) = (spec.call.clone(), spec.arguments.clone(), spec.places.clone());
        Ok(Self { call, arguments, places, items })
    }

    /// Parses a file again without the macro calls around its items; `None` if there are none.
    pub(crate) fn unwrap(
        &self,
        language: &Language,
        source: &[u8],
        first: &Tree,
        budget: &mut Budget,
    ) -> Option<UnwrappedItems> {
        let mut found = self.round(language, source, first, budget)?;
        for _ in 1..MAX_DEPTH {
            let Some(mut next) = self.round(language, &found.text, &found.tree, budget) else { break };
            next.names.append(&mut found.names);
            found = next;
        }
        Some(found)
    }

    fn round(
        &self,
        language: &Language,
        source: &[u8],
        tree: &Tree,
        budget: &mut Budget,
    ) -> Option<UnwrappedItems> {
        let (mut text, mut names) = (Vec::new(), Vec::new());
        for (call, arguments) in self.calls(tree.root_node()) {
            let inside = arguments.start_byte() + 1..arguments.end_byte().saturating_sub(1);
            let Some(items) = source.get(inside.clone()) else { continue };
            let is_braced = source[arguments.start_byte()] == b'{' && self.items.is_match(items);
            if !is_braced
                || !run_parser::parse(language, items, budget).is_ok_and(|tree| !tree.root_node().has_error())
            {
                continue;
            }
            if text.is_empty() {
                text = source.to_vec();
            }
            let erased = [call.start_byte()..inside.start, inside.end..arguments.end_byte()];
            for byte in erased.into_iter().flatten() {
                if !matches!(text[byte], b'\n' | b'\r') {
                    text[byte] = b' ';
                }
            }
            names.extend(call.child(0).map(|name| name.byte_range()));
        }
        if names.is_empty() {
            return None;
        }
        let tree = run_parser::parse(language, &text, budget).ok()?;
        Some(UnwrappedItems { tree, text, names })
    }

    /// The macro calls in the place of an item, with their arguments.
    fn calls<'t>(&self, root: Node<'t>) -> Vec<(Node<'t>, Node<'t>)> {
        let (mut found, mut pending) = (Vec::new(), vec![root]);
        while let Some(place) = pending.pop() {
            let mut cursor = place.walk();
            for item in place.named_children(&mut cursor) {
                // A call may be a statement.
                let call = if item.kind() == self.call { Some(item) } else { item.named_child(0) };
                if let Some(call) = call.filter(|call| call.kind() == self.call) {
                    let mut inner = call.walk();
                    let arguments =
                        call.named_children(&mut inner).find(|node| node.kind() == self.arguments);
                    found.extend(arguments.map(|arguments| (call, arguments)));
                    continue;
                }
                let mut inner = item.walk();
                pending.extend(
                    item.named_children(&mut inner)
                        .filter(|node| self.places.iter().any(|known| known == node.kind())),
                );
            }
        }
        found
    }
}
