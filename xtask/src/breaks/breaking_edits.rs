//! Edits of a definition that break what uses it.

use super::Place;
use crate::mutate::Sources;
use crate::random::Random;
use orient_engine::{TokenClass, highlight};
use orient_model::{BindingKind, Symbol, SymbolKind};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};

/// The kinds of edits, in the order in which they are drawn.
pub(super) const KINDS: [&str; 4] = ["rename", "remove", "signature", "hide"];
/// Shorter names stand for many things.
const MIN_NAME: usize = 5;

/// How a language is written, as far as edits need it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Syntax {
    languages: Vec<String>,
    parameter: String,
    #[serde(default)]
    no_parameters: String,
    #[serde(default)]
    visible: String,
    #[serde(default)]
    hidden: String,
    #[serde(default)]
    header: bool,
}

/// Definitions with a name that nothing else has.
pub(super) struct Definitions<'s> {
    sources: &'s Sources,
    syntax: &'s Syntax,
    /// The symbols of each name: file and index.
    named: Vec<(String, Vec<(&'s str, &'s Symbol)>)>,
}

/// A definition that was changed, and nothing that uses it.
pub(super) struct BreakingEdit {
    /// The changed files.
    pub(super) texts: BTreeMap<String, String>,
    /// The kind of edit and the definition.
    pub(super) shown: String,
    name: String,
    /// The lines with the names of changed definitions, where the old name stays.
    own: BTreeSet<Place>,
    /// Whether uses in the same file stay valid.
    only_other_files: bool,
}

impl<'s> Definitions<'s> {
    /// The definitions of a language.
    pub(super) fn of(sources: &'s Sources, language: &str, syntax: &'s Syntax) -> Self {
        let mut all: BTreeMap<&str, Vec<(&str, &Symbol)>> = BTreeMap::new();
        let mut bound: BTreeSet<&str> = BTreeSet::new();
        for (path, facts) in &sources.facts {
            for symbol in &facts.outline.symbols {
                all.entry(facts.outline.strings.get(symbol.name)).or_default().push((path, symbol));
            }
            // A symbol or an import is bound, too: the one is the definition, the other a use.
            let is_variable =
                |kind: BindingKind| !matches!(kind, BindingKind::Symbol(_) | BindingKind::Import(_));
            let variables = facts.flow.bindings.iter().filter(|binding| is_variable(binding.kind));
            bound.extend(variables.map(|binding| facts.flow.strings.get(binding.name)));
        }
        let is_here = |path: &str| sources.facts[path].language == language;
        let mut named = Vec::new();
        for (name, symbols) in all {
            let is_plain = name.len() >= MIN_NAME
                && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
                && !name.starts_with("__")
                && !sources.reserved.contains(name);
            let is_fit = is_plain
                && symbols.iter().any(|(path, _)| is_here(path))
                && symbols.iter().all(|(path, symbol)| {
                    is_definition(symbol.kind)
                        && syntax.languages.contains(&sources.facts[*path].language)
                        && symbol.name_span.end > symbol.name_span.start
                        && sources.texts[*path]
                            .get(symbol.name_span.start as usize..symbol.name_span.end as usize)
                            == Some(name)
                })
                && is_one(&symbols, syntax);
            if is_fit && !bound.contains(name) {
                named.push((name.to_owned(), symbols));
            }
        }
        Self { sources, syntax, named }
    }

    /// Draws an edit of a kind; `None` if the definition that was drawn does not fit.
    pub(super) fn draw(&self, kind: &str, random: &mut Random) -> Option<BreakingEdit> {
        let (name, symbols) = self.named.get(random.below(self.named.len()))?;
        let (path, first) = symbols.first()?;
        let mut edit = BreakingEdit {
            texts: BTreeMap::new(),
            shown: format!("{kind} {} {path}#{name}", first.kind.as_str()),
            name: name.clone(),
            own: BTreeSet::new(),
            only_other_files: kind == "hide",
        };
        // From the end, so that earlier places stay where they are.
        let mut ordered = symbols.clone();
        if kind == "remove" {
            // What constructs a type goes with it.
            let is_inside = |(path, symbol): &(&str, &Symbol)| {
                let around = symbols.iter().filter(|(other, _)| other == path);
                around
                    .into_iter()
                    .any(|(_, other)| other.span != symbol.span && other.span.contains(&symbol.span))
            };
            ordered.retain(|symbol| !is_inside(symbol));
        }
        ordered.sort_by_key(|(path, symbol)| (*path, std::cmp::Reverse(symbol.span.start)));
        for (path, symbol) in ordered {
            let text = edit.texts.get(path).unwrap_or(&self.sources.texts[path]).clone();
            let changed = match kind {
                "rename" => {
                    spliced(&text, symbol.name_span.end as usize..symbol.name_span.end as usize, "Zz")
                }
                "remove" => Self::removed(&text, symbol)?,
                "signature" => self.with_parameter(&text, symbol)?,
                _ => self.hidden(&text, symbol)?,
            };
            edit.texts.insert(path.to_owned(), changed);
            if kind == "signature" || kind == "hide" {
                edit.own.insert((path.to_owned(), symbol.name_span.first_line));
            }
        }
        Some(edit)
    }

    fn removed(text: &str, symbol: &Symbol) -> Option<String> {
        let (start, end) = (symbol.span.start as usize, symbol.span.end as usize);
        let before = &text[..start];
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        let line_end = text[end..].find('\n').map_or(text.len(), |at| end + at + 1);
        // Only definitions that have their lines for themselves.
        let is_alone =
            text[line_start..start].trim().is_empty() && matches!(text[end..line_end].trim(), "" | ";" | ",");
        let is_removable = symbol.kind.is_callable() || symbol.kind.is_type();
        (is_alone && is_removable).then(|| spliced(text, line_start..line_end, ""))
    }

    fn with_parameter(&self, text: &str, symbol: &Symbol) -> Option<String> {
        if !symbol.kind.is_callable() || symbol.kind == SymbolKind::Property {
            return None;
        }
        let behind = text.get(symbol.name_span.end as usize..)?;
        let open = symbol.name_span.end as usize + behind.find(|c: char| !c.is_whitespace())?;
        if !text[open..].starts_with('(') {
            return None;
        }
        let mut depth = 0_i32;
        let close = text[open..].char_indices().find_map(|(at, c)| {
            depth += i32::from(c == '(') - i32::from(c == ')');
            (depth == 0).then_some(open + at)
        })?;
        let list = text[open + 1..close].trim();
        if list.contains(['*', '.', '#', '/']) && list.contains("...")
            || list.starts_with('*')
            || list.contains("**")
        {
            return None;
        }
        let parameter = &self.syntax.parameter;
        let new = if list.is_empty() || list == self.syntax.no_parameters {
            parameter.clone()
        } else {
            format!("{}, {parameter}", list.trim_end_matches(',').trim_end())
        };
        Some(spliced(text, open + 1..close, &new))
    }

    fn hidden(&self, text: &str, symbol: &Symbol) -> Option<String> {
        let visible = &self.syntax.visible;
        if visible.is_empty() || !symbol.kind.is_callable() && !symbol.kind.is_type() {
            return None;
        }
        let line_start = text[..symbol.name_span.start as usize].rfind('\n').map_or(0, |at| at + 1);
        let line = &text[line_start..symbol.name_span.start as usize];
        let at = line_start + line.len() - line.trim_start().len();
        // A type that is private at the top level is an error of its own in some languages.
        let is_allowed = symbol.kind.is_callable() || self.syntax.hidden.is_empty();
        (is_allowed && text[at..].starts_with(visible.as_str()))
            .then(|| spliced(text, at..at + visible.len(), &self.syntax.hidden))
    }
}

impl BreakingEdit {
    /// The lines of the changed tree with the old name in code.
    pub(super) fn uses(&self, sources: &Sources, syntax: &Syntax) -> BTreeSet<Place> {
        let mut uses = BTreeSet::new();
        for (path, facts) in &sources.facts {
            let is_left_out = self.only_other_files && self.texts.contains_key(path);
            if !syntax.languages.contains(&facts.language) || is_left_out {
                continue;
            }
            let text = self.texts.get(path).unwrap_or(&sources.texts[path]);
            if !text.contains(&self.name) {
                continue;
            }
            let classes = highlight(path, text);
            let is_code = |at: usize| {
                let around = classes.iter().filter(|(range, _)| range.contains(&at));
                around.into_iter().all(|(_, class)| !matches!(class, TokenClass::Comment | TokenClass::Text))
            };
            let (mut line, mut counted) = (1, 0);
            for (at, _) in text.match_indices(&self.name) {
                line += text[counted..at].matches('\n').count() as u32;
                counted = at;
                let is_word =
                    !text[..at].ends_with(is_part) && !text[at + self.name.len()..].starts_with(is_part);
                if is_word && is_code(at) {
                    uses.insert((path.clone(), line));
                }
            }
        }
        uses.retain(|place| !self.own.contains(place));
        uses
    }

    /// Whether a line is that of a changed definition.
    pub(super) fn is_own(&self, place: &Place) -> bool {
        self.own.contains(place)
    }
}

fn is_part(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

fn spliced(text: &str, range: std::ops::Range<usize>, new: &str) -> String {
    format!("{}{new}{}", &text[..range.start], &text[range.end..])
}

fn is_definition(kind: SymbolKind) -> bool {
    use SymbolKind::{Constant, Constructor, Field, Macro, Property};
    kind.is_type() && kind != SymbolKind::Impl
        || matches!(
            kind,
            SymbolKind::Function | SymbolKind::Method | Constructor | Field | Constant | Macro | Property
        )
}

/// Whether symbols of one name are one definition: a type and what constructs it, or a function and its declarations.
fn is_one(symbols: &[(&str, &Symbol)], syntax: &Syntax) -> bool {
    let is_constructor = |symbol: &Symbol| symbol.kind == SymbolKind::Constructor;
    let others: Vec<_> = symbols.iter().filter(|(_, symbol)| !is_constructor(symbol)).collect();
    match others.len() {
        0 => false,
        1 => others[0].1.kind.is_type() || symbols.len() == 1,
        _ => {
            let is_function = |symbol: &Symbol| symbol.kind == SymbolKind::Function;
            let bodies = others.iter().filter(|(_, symbol)| symbol.body.is_some()).count();
            syntax.header && bodies == 1 && others.iter().all(|(_, symbol)| is_function(symbol))
        }
    }
}
