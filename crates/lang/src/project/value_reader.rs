//! Reads a project file as a value: a pack says which nodes of its grammar are maps, lists and texts.

use super::line_scanners::{self, Scan};
use super::value::Value;
use crate::facts::display_text::lossy;
use crate::parse::budget::Budget;
use crate::parse::run_parser::{self, ParserTraits};
use crate::schema::error::PackError;
use crate::schema::manifest::PackManifest;
use crate::schema::vocabulary::UnknownWord;
use orient_grammars::{Language, Node};

/// Maximum nesting depth of nodes.
const DEPTH_CAP: usize = 200;
/// Maximum number of values of a file. The list of all compiler calls of a large project has more; its beginning is enough.
const VALUES_CAP: usize = 200_000;
/// Maximum number of sections that are merged with earlier ones of the same name; a hand-written file has dozens.
const SECTIONS_CAP: usize = 5_000;

/// The meaning of a node in a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ValueRole {
    Map,
    List,
    /// A key and a value: its first and its last named child.
    Pair,
    Text,
    /// Text with entities in place of escapes.
    Markup,
    /// A key of several nested keys.
    Keys,
    /// A key, followed by the pairs of its map.
    Section,
    /// The same, but each occurrence is another item of a list of maps.
    Item,
    /// Named by the first name in it: a map of its attributes, its child elements, and its text under the empty key.
    Element,
    /// A name and a text; its key is `@` and the name.
    Attribute,
    Name,
    /// Nothing.
    Skip,
}

const VALUE_ROLES: &[(&str, ValueRole)] = &[
    ("map", ValueRole::Map),
    ("list", ValueRole::List),
    ("pair", ValueRole::Pair),
    ("text", ValueRole::Text),
    ("markup", ValueRole::Markup),
    ("keys", ValueRole::Keys),
    ("section", ValueRole::Section),
    ("item", ValueRole::Item),
    ("element", ValueRole::Element),
    ("attribute", ValueRole::Attribute),
    ("name", ValueRole::Name),
    ("skip", ValueRole::Skip),
];

/// Reads files of a language as values.
pub(crate) enum Reader {
    Scan(Scan),
    /// By the grammar, with the meaning of each node kind.
    Tree(Language, ParserTraits, Vec<Option<ValueRole>>),
    /// As one text.
    Whole,
}

impl Reader {
    pub(crate) fn new(manifest: &PackManifest) -> Result<Self, PackError> {
        let Some(spec) = &manifest.values else { return Ok(Self::Whole) };
        let pack = &manifest.name;
        if let Some(name) = &spec.scanner {
            return line_scanners::find(name)
                .map(Self::Scan)
                .map_err(|unknown| unknown.at(pack, "values.scanner", name));
        }
        let grammar = manifest.grammar_name();
        let language = orient_grammars::grammar(grammar)
            .ok_or_else(|| PackError::Grammar { pack: pack.clone(), grammar: grammar.to_owned() })?;
        let mut parts = vec![None; language.node_kind_count()];
        for (kind, word) in &spec.nodes {
            let known = || UnknownWord {
                what: "role in a value",
                known: VALUE_ROLES.iter().map(|(w, _)| *w).collect(),
            };
            let part = VALUE_ROLES.iter().find(|(known, _)| known == word).map(|(_, part)| *part);
            let part = part.ok_or_else(|| known().at(pack, &format!("values.nodes.{kind}"), word))?;
            let id = language.id_for_node_kind(kind, true);
            let place = parts.get_mut(id as usize).filter(|_| id != 0).ok_or_else(|| PackError::Unknown {
                pack: pack.clone(),
                place: "values.nodes".to_owned(),
                what: "node kind",
                word: kind.clone(),
            })?;
            *place = Some(part);
        }
        Ok(Self::Tree(language, manifest.parser_traits(), parts))
    }

    /// The value of a file, without the parts that cannot be read.
    pub(crate) fn read(&self, bytes: &[u8], budget: &mut Budget) -> Value {
        match self {
            Self::Scan(scan) => scan(&lossy(bytes)),
            Self::Whole => Value::Text(lossy(bytes).into_owned()),
            Self::Tree(language, traits, parts) => run_parser::parse_within(language, *traits, bytes, budget)
                .map_or(Value::Other, |tree| {
                    ValueBuilder { parts, bytes, left: VALUES_CAP, sections: SECTIONS_CAP }
                        .value(tree.root_node(), 0)
                }),
        }
    }
}

struct ValueBuilder<'r> {
    parts: &'r [Option<ValueRole>],
    bytes: &'r [u8],
    /// Values and sections that may still be read.
    left: usize,
    sections: usize,
}

impl ValueBuilder<'_> {
    fn part(&self, node: Node<'_>) -> Option<ValueRole> {
        self.parts.get(node.kind_id() as usize).copied().flatten()
    }

    fn source(&self, node: Node<'_>) -> &[u8] {
        self.bytes.get(node.byte_range()).unwrap_or_default()
    }

    /// The value of a node.
    fn value(&mut self, node: Node<'_>, depth: usize) -> Value {
        if depth > DEPTH_CAP || self.left == 0 {
            return Value::Other;
        }
        self.left -= 1;
        match self.part(node) {
            Some(ValueRole::Map) => {
                let mut map = Value::Map(Vec::new());
                self.entries(node, &mut map, depth + 1);
                map
            }
            Some(ValueRole::List) => {
                let mut cursor = node.walk();
                let items =
                    node.named_children(&mut cursor).filter(|&item| self.part(item) != Some(ValueRole::Skip));
                let items: Vec<Node<'_>> = items.filter(|item| !item.is_error()).collect();
                Value::List(items.into_iter().map(|item| self.value(item, depth + 1)).collect())
            }
            Some(ValueRole::Text) => Value::Text(plain(&lossy(self.source(node)))),
            Some(ValueRole::Markup) => Value::Text(markup(&lossy(self.source(node)))),
            Some(ValueRole::Pair) => {
                let mut map = Value::Map(Vec::new());
                self.entry(node, &mut map, depth + 1);
                map
            }
            Some(_) => Value::Other,
            None => {
                let mut cursor = node.walk();
                let children: Vec<Node<'_>> = node.named_children(&mut cursor).collect();
                // In a truncated file, an unclosed map is none for the grammar.
                if node.is_error() && children.iter().any(|&child| self.part(child) == Some(ValueRole::Pair))
                {
                    let mut map = Value::Map(Vec::new());
                    self.entries(node, &mut map, depth + 1);
                    return map;
                }
                let mut values = children.into_iter().map(|child| self.value(child, depth + 1));
                values.find(|value| *value != Value::Other).unwrap_or(Value::Other)
            }
        }
    }

    /// Adds all entries under a node to a map.
    fn entries(&mut self, node: Node<'_>, map: &mut Value, depth: usize) {
        let mut cursor = node.walk();
        for child in node.named_children(&mut cursor) {
            if self.left == 0 || depth > DEPTH_CAP {
                return;
            }
            match self.part(child) {
                Some(
                    ValueRole::Pair
                    | ValueRole::Section
                    | ValueRole::Item
                    | ValueRole::Element
                    | ValueRole::Attribute,
                ) => {
                    self.entry(child, map, depth + 1);
                }
                Some(ValueRole::Markup) => self.add_text(child, map),
                Some(_) => {}
                None => self.entries(child, map, depth + 1),
            }
        }
    }

    /// Adds one entry to a map.
    fn entry(&mut self, node: Node<'_>, map: &mut Value, depth: usize) {
        let mut cursor = node.walk();
        let children: Vec<Node<'_>> = node
            .named_children(&mut cursor)
            .filter(|&child| self.part(child) != Some(ValueRole::Skip))
            .collect();
        let part = self.part(node);
        match (part, children.split_first()) {
            (Some(ValueRole::Pair), Some((&key, rest))) => {
                let value = rest.last().map_or(Value::Other, |&value| self.value(value, depth + 1));
                let keys = self.keys(key, depth);
                match (map, &keys[..]) {
                    (Value::Map(entries), [key]) => entries.push((key.clone(), value)),
                    (map, keys) if !keys.is_empty() => self.place(map, keys, value, false),
                    _ => {}
                }
            }
            (Some(ValueRole::Attribute), Some((&name, rest))) => {
                let value = rest.last().map_or(Value::Other, |&value| self.value(value, depth + 1));
                let key = format!("@{}", lossy(self.source(name)));
                put_beside(map, key, value);
            }
            (Some(ValueRole::Section | ValueRole::Item), Some((&key, _))) => {
                let keys = self.keys(key, depth);
                let mut inner = Value::Map(Vec::new());
                self.entries(node, &mut inner, depth + 1);
                if !keys.is_empty() {
                    self.place(map, &keys, inner, part == Some(ValueRole::Item));
                }
            }
            (Some(ValueRole::Element), _) => {
                let Some(name) = self.first_name(node, depth) else { return };
                let mut inner = Value::Map(Vec::new());
                self.entries(node, &mut inner, depth + 1);
                put_beside(map, name, settled(inner));
            }
            _ => {}
        }
    }

    fn place(&mut self, map: &mut Value, keys: &[String], value: Value, item: bool) {
        if self.sections > 0 {
            self.sections -= 1;
            map.put(keys, value, item);
        }
    }

    fn add_text(&mut self, node: Node<'_>, map: &mut Value) {
        // Quotes in running text are part of it.
        let text = unescaped(&lossy(self.source(node)), '&', entity);
        self.left = self.left.saturating_sub(1);
        let Value::Map(entries) = map else { return };
        match entries.iter_mut().find(|(key, _)| key.is_empty()) {
            Some((_, Value::Text(all))) => all.push_str(&text),
            _ => entries.insert(0, (String::new(), Value::Text(text))),
        }
    }

    /// The path of keys that a key node denotes.
    fn keys(&mut self, node: Node<'_>, depth: usize) -> Vec<String> {
        if self.part(node) != Some(ValueRole::Keys) || depth > DEPTH_CAP {
            return self.value(node, depth).text().map(str::to_owned).into_iter().collect();
        }
        let mut cursor = node.walk();
        let parts: Vec<Node<'_>> = node.named_children(&mut cursor).collect();
        parts.into_iter().flat_map(|part| self.keys(part, depth + 1)).collect()
    }

    /// The name of an element: the first one outside of its children.
    fn first_name(&self, node: Node<'_>, depth: usize) -> Option<String> {
        let mut cursor = node.walk();
        for child in node.named_children(&mut cursor) {
            match self.part(child) {
                Some(ValueRole::Name) => return Some(lossy(self.source(child)).into_owned()),
                None if depth < DEPTH_CAP => {
                    if let Some(name) = self.first_name(child, depth + 1) {
                        return Some(name);
                    }
                }
                _ => {}
            }
        }
        None
    }
}

fn put_beside(map: &mut Value, key: String, value: Value) {
    if let Value::Map(entries) = map {
        entries.push((key, value));
    }
}

/// An element with nothing but text is that text; white space between elements is ignored.
fn settled(value: Value) -> Value {
    let Value::Map(mut entries) = value else { return value };
    if let Some((key, Value::Text(text))) = entries.first_mut()
        && key.is_empty()
    {
        *text = text.trim().to_owned();
        if entries.len() == 1 {
            return entries.swap_remove(0).1;
        }
        if matches!(&entries[0].1, Value::Text(text) if text.is_empty()) {
            entries.remove(0);
        }
    }
    Value::Map(entries)
}

/// A string without its quotes, with escapes replaced in double-quoted ones.
fn plain(text: &str) -> String {
    let text = text.trim_end_matches(['\n', '\r']);
    for quote in ["\"\"\"", "\""] {
        if let Some(inner) = inside(text, quote) {
            return unescaped(inner, '\\', escape);
        }
    }
    match inside(text, "'''") {
        Some(inner) => inner.to_owned(),
        None => inside(text, "'").map_or_else(|| text.to_owned(), |inner| inner.replace("''", "'")),
    }
}

/// A markup text without its quotes, with entities replaced.
fn markup(text: &str) -> String {
    let bare = inside(text, "\"").or_else(|| inside(text, "'")).unwrap_or(text);
    unescaped(bare, '&', entity)
}

fn inside<'t>(text: &'t str, quote: &str) -> Option<&'t str> {
    text.strip_prefix(quote)?.strip_suffix(quote)
}

/// Replaces every sequence that begins with `mark` by what `meaning` returns: the text, and the length of the sequence.
fn unescaped(text: &str, mark: char, meaning: fn(&str) -> Option<(String, usize)>) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(mark) {
        out.push_str(&rest[..at]);
        let after = &rest[at + mark.len_utf8()..];
        if let Some((meant, taken)) = meaning(after) {
            out.push_str(&meant);
            rest = after.get(taken..).unwrap_or_default();
        } else {
            out.push(mark);
            rest = after;
        }
    }
    out.push_str(rest);
    out
}

fn escape(after: &str) -> Option<(String, usize)> {
    let first = after.chars().next()?;
    let digits = match first {
        'u' => 4,
        'U' => 8,
        'x' => 2,
        _ => 0,
    };
    if digits > 0 {
        let number = u32::from_str_radix(after.get(1..=digits)?, 16).ok()?;
        return char::from_u32(number).map(|c| (c.to_string(), 1 + digits));
    }
    let meant = match first {
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        'b' | 'f' | '0' => ' ',
        other => other,
    };
    Some((meant.to_string(), first.len_utf8()))
}

fn entity(after: &str) -> Option<(String, usize)> {
    let (name, _) = after.split_once(';').filter(|(name, _)| name.len() < 10)?;
    let meant = match name {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" => '\'',
        _ => {
            let number = name.strip_prefix('#')?;
            let number = match number.strip_prefix('x') {
                Some(hex) => u32::from_str_radix(hex, 16).ok()?,
                None => number.parse().ok()?,
            };
            char::from_u32(number)?
        }
    };
    Some((meant.to_string(), name.len() + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_lose_their_quotes_and_escapes() {
        assert_eq!(plain(r#""A\\B\/c\u0041\q""#), r"A\B/cAq");
        assert_eq!(plain(r#""\"#), r#""\"#, "an open quote is left as it is");
        assert_eq!((plain(r"'a\''b'"), plain("bare")), (r"a\'b".to_owned(), "bare".to_owned()));
        assert_eq!(plain("\"\"\"x\"\"\""), "x");
        assert_eq!(markup(r#""..\a&amp;b&#65;&#x42;&no;&""#), r"..\a&bAB&no;&");
    }
}
