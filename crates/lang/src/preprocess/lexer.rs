//! Lexer for languages with a C-like preprocessor.

use crate::schema::source_rewriting::PreprocessSpec;

/// The class of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    /// An identifier, or any other word that no list contains.
    Word,
    Qualifier,
    Type,
    Tag,
    /// A type keyword that lists constants: `enum`.
    List,
    Region,
    /// A statement keyword: followed by a condition, by a statement, or any other.
    Condition,
    Prefix,
    Statement,
    Suffix,
    /// A word that looks like a macro but that the grammar knows.
    Known,
    Number,
    Text,
    Punct(u8),
    /// A whole directive; those of conditionals have classes of their own.
    Directive,
    Open,
    Middle,
    Close,
    /// After the last token.
    End,
}

impl Class {
    pub(super) fn is_word(self) -> bool {
        matches!(
            self,
            Self::Word
                | Self::Qualifier
                | Self::Type
                | Self::Tag
                | Self::List
                | Self::Region
                | Self::Condition
                | Self::Prefix
                | Self::Statement
                | Self::Suffix
                | Self::Known
        )
    }

    /// Whether the word cannot be part of a declaration.
    pub(super) fn is_statement(self) -> bool {
        matches!(self, Self::Condition | Self::Prefix | Self::Statement | Self::Known | Self::Region)
    }

    pub(super) fn is_tag(self) -> bool {
        matches!(self, Self::Tag | Self::List)
    }
}

/// A token.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token {
    pub(super) class: Class,
    pub(super) start: u32,
    pub(super) end: u32,
    /// Whether it is the first on its line.
    pub(super) first: bool,
    /// For a bracket the index of its partner; `u32::MAX` without one.
    pub(super) partner: u32,
}

/// The word lists, by the first byte of the words.
pub(super) struct Words {
    by_first: Vec<Vec<(Vec<u8>, Class)>>,
    verbatim: bool,
}

impl Words {
    pub(super) fn new(specs: &[&PreprocessSpec]) -> Self {
        let mut by_first = vec![Vec::new(); 256];
        for spec in specs {
            for (list, class) in [
                (&spec.known_words, Class::Known),
                (&spec.qualifiers, Class::Qualifier),
                (&spec.types, Class::Type),
                (&spec.type_keywords, Class::Tag),
                (&spec.enum_keywords, Class::List),
                (&spec.namespace_keywords, Class::Region),
                (&spec.condition_keywords, Class::Condition),
                (&spec.prefix_keywords, Class::Prefix),
                (&spec.statement_keywords, Class::Statement),
                (&spec.suffixes, Class::Suffix),
                (&spec.conditional_open, Class::Open),
                (&spec.conditional_else, Class::Middle),
                (&spec.conditional_close, Class::Close),
            ] {
                for word in list {
                    let first = word.bytes().next().unwrap_or_default();
                    by_first[first as usize].push((word.as_bytes().to_vec(), class));
                }
            }
        }
        Self { by_first, verbatim: specs.iter().any(|spec| spec.verbatim_strings) }
    }

    fn class(&self, word: &[u8]) -> Class {
        let first = word.first().copied().unwrap_or_default();
        self.by_first[first as usize]
            .iter()
            .find(|(known, class)| {
                known == word && !matches!(class, Class::Open | Class::Middle | Class::Close)
            })
            .map_or(Class::Word, |(_, class)| *class)
    }

    fn directive(&self, word: &[u8]) -> Class {
        let first = word.first().copied().unwrap_or_default();
        self.by_first[first as usize]
            .iter()
            .find(|(known, class)| {
                known == word && matches!(class, Class::Open | Class::Middle | Class::Close)
            })
            .map_or(Class::Directive, |(_, class)| *class)
    }
}

fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || byte >= 0x80
}

/// The tokens of a source, without comments and white space.
pub(super) fn lex(source: &[u8], words: &Words) -> Vec<Token> {
    let mut tokens = Vec::with_capacity(source.len() / 5);
    let (mut at, mut first) = (0, true);
    while at < source.len() {
        let byte = source[at];
        let start = at;
        let class = match byte {
            b'\n' => {
                first = true;
                at += 1;
                continue;
            }
            b' ' | b'\t' | b'\r' | 0x0c | 0x0b => {
                at += 1;
                continue;
            }
            b'\\' if matches!(source.get(at + 1), Some(b'\n' | b'\r')) => {
                at += 2;
                continue;
            }
            b'/' if source.get(at + 1) == Some(&b'/') => {
                at = line_end(source, at);
                continue;
            }
            b'/' if source.get(at + 1) == Some(&b'*') => {
                at = comment_end(source, at + 2);
                continue;
            }
            b'#' if first => {
                at = directive_end(source, at);
                let text = &source[start + 1..at];
                let text = &text[text.len() - text.trim_ascii_start().len()..];
                words.directive(&text[..text.iter().position(|b| !is_word_byte(*b)).unwrap_or(text.len())])
            }
            b'@' | b'"'
                if words.verbatim
                    && let Some(end) = long_text_end(source, at) =>
            {
                at = end;
                Class::Text
            }
            b'"' | b'\'' => {
                at = text_end(source, at);
                Class::Text
            }
            b'0'..=b'9' => {
                at = number_end(source, at);
                Class::Number
            }
            _ if is_word_byte(byte) => {
                while at < source.len() && is_word_byte(source[at]) {
                    at += 1;
                }
                let word = &source[start..at];
                if source.get(at) == Some(&b'"') && word.last() == Some(&b'R') {
                    at = raw_end(source, at);
                    Class::Text
                } else {
                    words.class(word)
                }
            }
            _ => {
                at += 1;
                Class::Punct(byte)
            }
        };
        tokens.push(Token { class, start: start as u32, end: at as u32, first, partner: u32::MAX });
        first = false;
    }
    tokens
}

fn line_end(source: &[u8], at: usize) -> usize {
    memchr::memchr(b'\n', &source[at..]).map_or(source.len(), |end| at + end)
}

fn comment_end(source: &[u8], at: usize) -> usize {
    memchr::memmem::find(source.get(at..).unwrap_or_default(), b"*/").map_or(source.len(), |end| at + end + 2)
}

/// The end of a directive: that of its line, unless the line ends with a backslash.
fn directive_end(source: &[u8], mut at: usize) -> usize {
    loop {
        let Some(stop) = memchr::memchr2(b'\n', b'/', &source[at..]) else { return source.len() };
        at += stop;
        if source[at] == b'/' {
            at = if source.get(at + 1) == Some(&b'*') { comment_end(source, at + 2) } else { at + 1 };
            continue;
        }
        let before = source[..at].strip_suffix(b"\r").unwrap_or(&source[..at]);
        if !before.ends_with(b"\\") {
            return at;
        }
        at += 1;
    }
}

/// The end of a string: its closing quote, or the end of the line, because a lone quote may not open a string.
fn text_end(source: &[u8], start: usize) -> usize {
    let quote = source[start];
    let mut at = start + 1;
    while at < source.len() {
        match source[at] {
            b'\\' => at += 1 + usize::from(source.get(at + 1) == Some(&b'\r')),
            b'\n' => return at,
            byte if byte == quote => return at + 1,
            _ => {}
        }
        at += 1;
    }
    source.len()
}

/// The end of the multi-line string that begins here, if one does.
fn long_text_end(source: &[u8], at: usize) -> Option<usize> {
    let rest = &source[at..];
    if let Some(text) = rest.strip_prefix(b"\"\"\"") {
        return Some(memchr::memmem::find(text, b"\"\"\"").map_or(source.len(), |end| at + end + 6));
    }
    let text = rest.strip_prefix(b"@\"").or_else(|| rest.strip_prefix(b"@$\""))?;
    Some(verbatim_end(source, source.len() - text.len()))
}

/// The end of a verbatim string: a quote that is not doubled.
fn verbatim_end(source: &[u8], mut at: usize) -> usize {
    while let Some(quote) = memchr::memchr(b'"', source.get(at..).unwrap_or_default()) {
        at += quote + 1;
        if source.get(at) != Some(&b'"') {
            return at;
        }
        at += 1;
    }
    source.len()
}

fn number_end(source: &[u8], mut at: usize) -> usize {
    while at < source.len() {
        let byte = source[at];
        let exponent = matches!(byte, b'+' | b'-') && matches!(source[at - 1], b'e' | b'E' | b'p' | b'P');
        let separator = byte == b'\'' && source.get(at + 1).is_some_and(u8::is_ascii_alphanumeric);
        if !(is_word_byte(byte) || byte == b'.' || exponent || separator) {
            break;
        }
        at += 1;
    }
    at
}

/// `R"mark(…)mark"`.
fn raw_end(source: &[u8], quote: usize) -> usize {
    let rest = &source[quote + 1..];
    let Some(open) = rest.iter().take(20).position(|&b| b == b'(') else { return quote + 1 };
    let mut close = vec![b')'];
    close.extend_from_slice(&rest[..open]);
    close.push(b'"');
    memchr::memmem::find(rest, &close).map_or(source.len(), |end| quote + 1 + end + close.len())
}
