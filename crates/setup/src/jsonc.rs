//! JSON with comments and trailing commas, read for where things stand in the text.

use crate::error::Refusal;
use std::ops::Range;

/// How deep values may nest.
const DEEPEST: usize = 200;

/// A value and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Node {
    pub(crate) span: Range<usize>,
    pub(crate) value: Value,
}

/// What a value is, as far as we care.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    /// An object: its members, and where the comma behind the last ends, if there is one.
    Object(Vec<Member>, Option<usize>),
    /// A list.
    List(Vec<Node>),
    /// A text.
    Text(String),
    /// A number, `true`, `false` or `null`.
    Word,
}

/// A member of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Member {
    pub(crate) key: String,
    /// Where the key begins.
    pub(crate) start: usize,
    pub(crate) node: Node,
}

impl Node {
    /// The members, of an object.
    pub(crate) fn members(&self) -> Option<&[Member]> {
        match &self.value {
            Value::Object(members, _) => Some(members),
            _ => None,
        }
    }

    /// The member of that name; the last, as readers of JSON take it.
    pub(crate) fn get(&self, key: &str) -> Option<&Node> {
        self.members()?.iter().rev().find(|member| member.key == key).map(|member| &member.node)
    }

    /// The text, of a text.
    pub(crate) fn text(&self) -> Option<&str> {
        match &self.value {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The items, of a list.
    pub(crate) fn items(&self) -> Option<&[Node]> {
        match &self.value {
            Value::List(items) => Some(items),
            _ => None,
        }
    }
}

/// Reads a document; none where there is nothing but space and comments.
pub(crate) fn read(text: &str) -> Result<Option<Node>, Refusal> {
    let mut reader = Reader { text, at: 0 };
    if text.starts_with('\u{feff}') {
        reader.at = '\u{feff}'.len_utf8();
    }
    reader.skip()?;
    if reader.at == text.len() {
        return Ok(None);
    }
    let node = reader.value(0)?;
    reader.skip()?;
    if reader.at < text.len() {
        return Err(reader.broken("there is something behind the end"));
    }
    Ok(Some(node))
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
}

impl Reader<'_> {
    fn broken(&self, what: &str) -> Refusal {
        let line = 1 + self.text.as_bytes().iter().take(self.at).filter(|byte| **byte == b'\n').count();
        Refusal::Broken { line, what: what.to_owned() }
    }

    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn eat(&mut self, byte: u8) -> bool {
        let here = self.peek() == Some(byte);
        self.at += usize::from(here);
        here
    }

    /// Passes over space and comments.
    fn skip(&mut self) -> Result<(), Refusal> {
        loop {
            let rest = self.rest();
            let space = rest.len() - rest.trim_start_matches([' ', '\t', '\r', '\n']).len();
            self.at += space;
            let rest = self.rest();
            if rest.starts_with("//") {
                self.at += rest.find('\n').unwrap_or(rest.len());
            } else if rest.starts_with("/*") {
                let Some(end) = rest.find("*/") else { return Err(self.broken("a comment has no end")) };
                self.at += end + 2;
            } else {
                return Ok(());
            }
        }
    }

    fn value(&mut self, depth: usize) -> Result<Node, Refusal> {
        if depth > DEEPEST {
            return Err(self.broken("values nest too deep"));
        }
        let start = self.at;
        let value = match self.peek() {
            Some(b'{') => self.object(depth)?,
            Some(b'[') => self.list(depth)?,
            Some(b'"') => Value::Text(self.string()?),
            Some(_) => self.word()?,
            None => return Err(self.broken("the file ends where a value should stand")),
        };
        Ok(Node { span: start..self.at, value })
    }

    fn object(&mut self, depth: usize) -> Result<Value, Refusal> {
        self.at += 1;
        let mut members = Vec::new();
        let mut comma = None;
        loop {
            self.skip()?;
            if self.eat(b'}') {
                return Ok(Value::Object(members, comma));
            }
            if !members.is_empty() && comma.is_none() {
                return Err(self.broken("a comma is missing"));
            }
            let start = self.at;
            if self.peek() != Some(b'"') {
                return Err(self.broken("a name in quotes is missing"));
            }
            let key = self.string()?;
            self.skip()?;
            if !self.eat(b':') {
                return Err(self.broken("a colon is missing"));
            }
            self.skip()?;
            let node = self.value(depth + 1)?;
            members.push(Member { key, start, node });
            self.skip()?;
            comma = self.eat(b',').then_some(self.at);
        }
    }

    fn list(&mut self, depth: usize) -> Result<Value, Refusal> {
        self.at += 1;
        let mut items = Vec::new();
        let mut comma = true;
        loop {
            self.skip()?;
            if self.eat(b']') {
                return Ok(Value::List(items));
            }
            if !comma {
                return Err(self.broken("a comma is missing"));
            }
            items.push(self.value(depth + 1)?);
            self.skip()?;
            comma = self.eat(b',');
        }
    }

    fn string(&mut self) -> Result<String, Refusal> {
        let start = self.at;
        self.at += 1;
        loop {
            match self.peek() {
                Some(b'"') => break,
                Some(b'\\') => self.at += 2,
                Some(0..=0x1f) | None => return Err(self.broken("a text has no end")),
                Some(_) => self.at += 1,
            }
        }
        self.at += 1;
        let written = self.text.get(start..self.at).ok_or_else(|| self.broken("a text has no end"))?;
        unescaped(&written[1..written.len() - 1]).ok_or_else(|| self.broken("an escape is not one of JSON"))
    }

    fn word(&mut self) -> Result<Value, Refusal> {
        let rest = self.rest();
        let ends = |c: char| c.is_whitespace() || matches!(c, ',' | '}' | ']' | '/' | ':');
        let word = &rest[..rest.find(ends).unwrap_or(rest.len())];
        let digits = word.strip_prefix('-').unwrap_or(word);
        let number = digits.starts_with(|c: char| c.is_ascii_digit()) && digits.parse::<f64>().is_ok();
        if !number && !matches!(word, "true" | "false" | "null") {
            return Err(self.broken("a value is not one of JSON"));
        }
        self.at += word.len();
        Ok(Value::Word)
    }
}

/// The text behind what is written between quotes.
fn unescaped(written: &str) -> Option<String> {
    let mut units: Vec<u16> = Vec::with_capacity(written.len());
    let mut chars = written.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            units.extend_from_slice(c.encode_utf16(&mut [0; 2]));
            continue;
        }
        units.push(match chars.next()? {
            'b' => 8,
            'f' => 12,
            'n' => 10,
            'r' => 13,
            't' => 9,
            'u' => {
                let digits = chars.as_str().get(..4)?;
                chars = chars.as_str()[4..].chars();
                u16::from_str_radix(digits, 16).ok()?
            }
            c @ ('"' | '\\' | '/') => c as u16,
            _ => return None,
        });
    }
    Some(String::from_utf16_lossy(&units))
}

/// A text between quotes.
pub(crate) fn quoted(text: &str) -> String {
    let mut written = String::with_capacity(text.len() + 2);
    written.push('"');
    for c in text.chars() {
        match c {
            '"' => written.push_str("\\\""),
            '\\' => written.push_str("\\\\"),
            c if (c as u32) < 0x20 => {
                use std::fmt::Write;
                let _ = write!(written, "\\u{:04x}", c as u32);
            }
            c => written.push(c),
        }
    }
    written.push('"');
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line_of(text: &str) -> usize {
        match read(text) {
            Err(Refusal::Broken { line, .. }) => line,
            other => panic!("{text:?} is read as {other:?}"),
        }
    }

    #[test]
    fn comments_and_trailing_commas_are_read() {
        let text = "// head\n{ /* a */ \"a\": [1, -2.5e3, true, null,], // b\n \"b\\u0041\": \"x\\ny\", }\n";
        let node = read(text).expect("read").expect("a document");
        assert_eq!(node.get("bA").and_then(Node::text), Some("x\ny"));
        assert_eq!(node.get("a").and_then(Node::items).map(<[Node]>::len), Some(4));
        assert!(matches!(node.value, Value::Object(_, Some(_))));
        assert_eq!(read(" // nothing\n").expect("read"), None);
        assert!(read("\u{feff}{}").expect("read").is_some());
    }

    #[test]
    fn what_is_broken_is_refused_with_its_line() {
        assert_eq!(line_of("{\n\"a\": 1\n\"b\": 2}"), 3);
        for broken in [
            "{",
            "{\"a\"",
            "{\"a\":",
            "{\"a\":1",
            "[1",
            "[1 2]",
            "{a:1}",
            "{\"a\" 1}",
            "\"open",
            "{} {}",
            "tru",
            "{\"a\":1,,}",
            "[,]",
            "/* open",
            "\"\\q\"",
            "\"\\u12\"",
            "01x",
            "+1",
            "'a'",
            "\"\\",
            "{\"a\": \"\n\"}",
        ] {
            line_of(broken);
        }
        line_of(&"[".repeat(100_000));
    }

    #[test]
    fn what_is_quoted_is_read_back() {
        for text in ["plain", "C:\\Program Files\\o \"x\"", "tab\tline\n", "größe 🦀"] {
            assert_eq!(read(&quoted(text)).expect("read").expect("there").text(), Some(text));
        }
    }
}
