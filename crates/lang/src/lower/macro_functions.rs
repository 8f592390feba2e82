//! Functions that a macro of the same file names after an argument: `getter!(port)` with `($name:ident) => { fn $name() {} }`.
//!
//! The pattern of the macro and the arguments of its call are split at commas, semicolons and arrows. If both have as many parts, the argument in the
//! part of the name is the name. A pattern that is one repetition applies to as many arguments as it takes.

use super::definitions::SymbolDraft;
use super::{Lowering, mark};
use crate::parse::flat_tree::NodeId;
use orient_model::SymbolKind;

/// Maximum number of parts of a call.
const PARTS_CAP: usize = 256;

/// Which argument of a macro names a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NamingArgument {
    /// The part of the pattern with the name, and the number of parts.
    part: usize,
    parts: usize,
    /// Whether the parts are repeated.
    repeats: bool,
    /// Whether the name is the last word of its part, not the first.
    is_last: bool,
}

impl Lowering<'_> {
    /// Records that the macro around a metavariable defines a function of its name.
    pub(super) fn named_by_argument(&mut self, id: NodeId) {
        let bytes = self.tree.bytes(id);
        let Some(variable) = bytes.strip_prefix(b"$").and_then(|name| str::from_utf8(name).ok()) else {
            return;
        };
        let Some(owner) = self.frame().symbol else { return };
        let Some(pattern) = self.pattern_around(id) else { return };
        let Ok(pattern) = str::from_utf8(self.tree.bytes(pattern)) else { return };
        let name = self.shown.get(self.outline.symbols[owner as usize].name).to_owned();
        if let Some(naming) = naming_argument(pattern, variable) {
            let known = self.naming_macros.entry(name).or_default();
            if !known.contains(&naming) {
                known.push(naming);
            }
        }
    }

    /// The pattern of the rule of a macro whose body contains a token.
    fn pattern_around(&self, id: NodeId) -> Option<NodeId> {
        let mut at = id;
        loop {
            let parent = self.tree.node(at).parent;
            self.tree.get(parent)?;
            if !self.table.rule(self.tree, parent).unparsed_tokens {
                // The rule: its first part is the pattern.
                return self.tree.named_children(parent).next().filter(|&pattern| pattern != at);
            }
            at = parent;
        }
    }

    /// Defines the functions that a macro call names.
    pub(super) fn functions_by_macro(&mut self, macro_name: NodeId, arguments: NodeId) {
        if self.naming_macros.is_empty() || self.in_function() {
            return;
        }
        let name = self.name_text(macro_name);
        let Some(known) = self.naming_macros.get(&name).cloned() else { return };
        let parts = self.parts_of(arguments);
        let named = known.iter().find_map(|naming| {
            let fits = if naming.repeats {
                parts.len().is_multiple_of(naming.parts)
            } else {
                parts.len() == naming.parts
            };
            let chosen = parts.iter().skip(naming.part).step_by(naming.parts);
            let names: Option<Vec<NodeId>> = chosen
                .map(|part| {
                    let token = if naming.is_last { part.last() } else { part.first() };
                    token.copied().filter(|&token| self.is_token_name(token))
                })
                .collect();
            names.filter(|names| fits && !names.is_empty())
        });
        for token in named.unwrap_or_default() {
            let (name, parent) = (self.name_text(token), self.frame().symbol);
            let rule = self.table.rule(self.tree, token);
            let kind = self.kind_here(rule, SymbolKind::Function, &name, &[]);
            let draft = SymbolDraft {
                kind,
                name: &name,
                qualifier: None,
                node: token,
                name_node: token,
                body: None,
                parent,
            };
            self.add_symbol(draft, rule);
            self.mark(token, mark::CONSUMED);
        }
    }

    /// The tokens of each part of the arguments.
    fn parts_of(&self, arguments: NodeId) -> Vec<Vec<NodeId>> {
        let mut parts: Vec<Vec<NodeId>> = Vec::new();
        let mut before = None;
        for token in self.tree.children(arguments) {
            let separates = |text: &[u8]| {
                memchr::memchr2(b',', b';', text).is_some() || text.windows(2).any(|two| two == b"=>")
            };
            let continues = before.is_some_and(|last| !separates(self.gap(last, token)));
            match parts.last_mut().filter(|_| continues) {
                Some(part) => part.push(token),
                None => parts.push(vec![token]),
            }
            if parts.len() > PARTS_CAP {
                return Vec::new();
            }
            before = Some(token);
        }
        parts
    }
}

/// Which part of a pattern binds a variable to an identifier.
fn naming_argument(pattern: &str, variable: &str) -> Option<NamingArgument> {
    let inside = pattern.trim();
    let mut inside = inside.get(1..inside.len().checked_sub(1)?)?.trim();
    let mut repeats = false;
    if let Some(group) = inside.strip_prefix("$(") {
        let end = group.rfind(')')?;
        // `$( … ),*` with at most an optional separator after it.
        let rest = group[..end].rfind("$(").filter(|&at| group[at..end].len() < 6);
        let end = rest.and_then(|at| group[..at].rfind(')')).unwrap_or(end);
        (inside, repeats) = (group[..end].trim(), true);
    }
    if inside.contains("$(") || inside.contains(['{', '[']) {
        return None;
    }
    let arrows = inside.replace("=>", ",");
    let parts: Vec<&str> = arrows.split([',', ';']).map(str::trim).filter(|part| !part.is_empty()).collect();
    let binding = format!("${variable}:ident");
    let is_there = |part: &&str| part.replace(' ', "").contains(&binding);
    let part = parts.iter().position(is_there)?;
    let text = parts[part].replace(' ', "");
    let (is_first, is_last) = (text.starts_with(&binding), text.ends_with(&binding));
    (is_first || is_last).then_some(NamingArgument { part, parts: parts.len(), repeats, is_last: !is_first })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_part_with_the_name_is_found_in_common_patterns() {
        let found = |pattern: &str| {
            naming_argument(pattern, "name")
                .map(|found| (found.part, found.parts, found.repeats, found.is_last))
        };
        assert_eq!(found("($name:ident)"), Some((0, 1, false, false)));
        assert_eq!(found("($vis:vis $name:ident, $ty:ty)"), Some((0, 2, false, true)));
        assert_eq!(found("($ty:ty => $name:ident)"), Some((1, 2, false, false)));
        assert_eq!(found("($($name:ident: $ty:ty),*)"), Some((0, 1, true, false)));
        assert_eq!(found("($($ty:ty, $name:ident);* $(;)?)"), Some((1, 2, true, false)));
        assert_eq!(found("($other:ident)"), None);
        assert_eq!(found("($a:ty, $($name:ident),*)"), None, "not one repetition");
        assert_eq!(found(""), None);
    }
}
