//! Syntax highlighting: classifies tokens by the node names that grammars share. Correct for the tokens that matter in any
//! language, and plain for the rest.

use crate::extract;
use crate::pack::Pack;
use orient_grammars::Node;
use std::ops::Range;

/// The class of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenClass {
    /// A keyword.
    Keyword,
    /// A string or a character literal.
    Text,
    /// A comment.
    Comment,
    /// A number.
    Number,
    /// The name of a type.
    Type,
}

/// The classified tokens, in order and without overlaps. Empty without a grammar.
pub fn highlight(pack: &Pack, bytes: &[u8]) -> Vec<(Range<usize>, TokenClass)> {
    let mut pieces = Vec::new();
    let Some(tree) = extract::tree(pack, bytes) else { return pieces };
    let mut cursor = tree.walk();
    loop {
        let node = cursor.node();
        let class = class(node, bytes);
        if let Some(class) = class {
            pieces.push((node.byte_range(), class));
        }
        if class.is_none() && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return pieces;
            }
        }
    }
}

fn class(node: Node<'_>, bytes: &[u8]) -> Option<TokenClass> {
    let kind = node.kind();
    if !node.is_named() {
        let text = bytes.get(node.byte_range())?;
        let word = text.len() > 1 && text.iter().all(|byte| byte.is_ascii_alphabetic() || *byte == b'_');
        return (node.child_count() == 0 && word).then_some(TokenClass::Keyword);
    }
    if kind.contains("comment") {
        return Some(TokenClass::Comment);
    }
    let leaf = node.named_child_count() == 0;
    let parts = kind.split('_').collect::<Vec<_>>();
    let has = |words: &[&str]| parts.iter().any(|part| words.contains(part));
    if has(&["string", "char", "character", "rune", "heredoc", "regex"]) {
        return Some(TokenClass::Text);
    }
    if !leaf {
        return None;
    }
    if has(&["number", "integer", "float", "int", "decimal", "hex"]) {
        return Some(TokenClass::Number);
    }
    if has(&["true", "false", "boolean", "null", "nil", "none", "self", "this", "super"]) {
        return Some(TokenClass::Keyword);
    }
    if kind == "type_identifier" || has(&["primitive", "predefined"]) {
        return Some(TokenClass::Type);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Registry;

    fn painted(path: &str, source: &str) -> Vec<(String, TokenClass)> {
        let pack = Registry::builtin().detect(path.as_bytes(), source.as_bytes()).expect("a known language");
        highlight(pack, source.as_bytes())
            .into_iter()
            .map(|(at, class)| (source[at].to_owned(), class))
            .collect()
    }

    #[test]
    fn keywords_strings_comments_and_numbers_are_classified() {
        let cases = [
            ("a.py", "def f(x):\n    return \"t\" + 12 # c\n", ["def", "return", "\"t\"", "12", "# c"]),
            (
                "a.go",
                "package p\n// c\nfunc f() int { return 12 }\n",
                ["package", "// c", "func", "return", "12"],
            ),
            ("a.rs", "/* c */ fn f() -> u8 { 'x' as u8 + 1 }", ["/* c */", "fn", "'x'", "as", "1"]),
        ];
        for (path, source, expected) in cases {
            let found = painted(path, source);
            let words: Vec<&str> = found.iter().map(|(text, _)| text.as_str()).collect();
            for word in expected {
                assert!(words.contains(&word), "{path}: {word:?} in {found:?}");
            }
        }
        assert!(painted("a.py", "x = '#'\n").contains(&("'#'".to_owned(), TokenClass::Text)));
    }

    #[test]
    fn a_fragment_is_highlighted_as_far_as_it_parses() {
        let found = painted("a.java", "    int m() {\n        return 1; // one\n");
        assert!(found.contains(&("// one".to_owned(), TokenClass::Comment)), "{found:?}");
        assert!(highlight(Registry::builtin().packs().first().expect("a pack"), b"\xff\xfe\0").len() < 4);
    }
}
