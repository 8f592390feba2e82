//! Finds texts of other languages in a syntax tree: the `<script>` of a page, with the language its attributes name.

use super::delimited;
use crate::pack::Pack;
use crate::schema::manifest::EmbeddedSpec;
use orient_grammars::{Node, Tree};
use orient_model::Span;

/// Maximum number of embedded texts in one file.
const TEXTS_CAP: usize = 256;

/// A text in an embedded language.
pub(crate) struct EmbeddedText<'p> {
    pub(crate) span: Span,
    pub(crate) pack: &'p Pack,
    /// Whether it is a fragment of a program, whose syntax errors are not reported.
    pub(crate) fragment: bool,
    /// The text, if it is not that of the span.
    pub(crate) text: Option<Vec<u8>>,
}

impl<'p> EmbeddedText<'p> {
    /// The code between the delimiters of a file.
    pub(crate) fn delimited(pack: &'p Pack, source: &[u8]) -> Option<Self> {
        let spec = pack.manifest().delimited.as_ref()?;
        let text = delimited::code(spec, source)?;
        let last_line = memchr::memchr_iter(b'\n', source).count() as u32 + 1;
        let span = Span { start: 0, end: source.len() as u32, first_line: 1, last_line };
        Some(Self { span, pack: pack.embedded(&spec.language)?, fragment: true, text: Some(text) })
    }

    /// The text in the embedded language.
    pub(crate) fn text<'s>(&'s self, source: &'s [u8]) -> &'s [u8] {
        self.text.as_deref().unwrap_or_else(|| self.span.of(source))
    }
}

/// Finds the texts of embedded languages in a tree, in the order of the source.
pub(crate) fn find<'p>(pack: &'p Pack, tree: &Tree, source: &[u8]) -> Vec<EmbeddedText<'p>> {
    let mut found = Vec::new();
    let specs = &pack.manifest().embedded;
    if specs.is_empty() {
        return found;
    }
    let mut cursor = tree.walk();
    loop {
        let node = cursor.node();
        let spec = specs.iter().find(|spec| node.is_named() && spec.node == node.kind());
        if let Some(text) = spec.and_then(|spec| embedded_text(pack, spec, node, source)) {
            found.push(text);
            if found.len() == TEXTS_CAP {
                return found;
            }
        }
        if spec.is_none() && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return found;
            }
        }
    }
}

fn embedded_text<'p>(
    pack: &'p Pack,
    spec: &EmbeddedSpec,
    node: Node<'_>,
    source: &[u8],
) -> Option<EmbeddedText<'p>> {
    let text = match &spec.text {
        Some(kind) => inside(node, kind)?,
        None => node,
    };
    let head = source.get(node.start_byte()..text.start_byte())?;
    let said = spec.attributes.iter().find_map(|name| attribute(head, name));
    let name = match said {
        Some(said) => spec.languages.get(&said.to_ascii_lowercase())?,
        None => spec.language.as_ref()?,
    };
    let span = Span {
        start: text.start_byte() as u32,
        end: text.end_byte() as u32,
        first_line: text.start_position().row as u32 + 1,
        last_line: text.end_position().row as u32 + 1,
    };
    (!span.of(source).trim_ascii().is_empty()).then_some(EmbeddedText {
        span,
        pack: pack.embedded(name)?,
        fragment: spec.fragment,
        text: None,
    })
}

/// The first node of a kind inside another.
fn inside<'t>(node: Node<'t>, kind: &str) -> Option<Node<'t>> {
    let mut cursor = node.walk();
    loop {
        if cursor.node().kind() == kind {
            return Some(cursor.node());
        }
        if cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return None;
            }
        }
    }
}

/// The value of an attribute in the opening tag of an element.
fn attribute(head: &[u8], name: &str) -> Option<String> {
    let at = memchr::memmem::find_iter(head, name.as_bytes()).find(|&at| {
        at > 0
            && head[at - 1].is_ascii_whitespace()
            && head[at + name.len()..].trim_ascii_start().starts_with(b"=")
    })?;
    let value = head[at + name.len()..].trim_ascii_start().strip_prefix(b"=")?.trim_ascii_start();
    let value = match value.first()? {
        quote @ (b'"' | b'\'') => value[1..].split(|b| b == quote).next()?,
        _ => value.split(|b| b.is_ascii_whitespace() || *b == b'>').next()?,
    };
    Some(String::from_utf8_lossy(value).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_attribute_names_the_language() {
        assert_eq!(attribute(b"<script setup lang=\"ts\">", "lang").as_deref(), Some("ts"));
        assert_eq!(attribute(b"<script lang='ts' >", "lang").as_deref(), Some("ts"));
        assert_eq!(attribute(b"<script type=module>", "type").as_deref(), Some("module"));
        assert_eq!(attribute(b"<script data-lang=\"ts\">", "lang"), None);
    }
}
