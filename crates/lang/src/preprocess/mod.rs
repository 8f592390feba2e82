//! Makes a copy of a source that its grammar can read: text that only a preprocessor understands becomes white space.
//!
//! The copy has the length and the line breaks of the original, so that every offset holds in both; it is used for
//! parsing alone. What is taken out is told by general rules over tokens and by lists of words from the pack: a word
//! too many in a declaration, a macro that stands as a statement of its own, the second branch of a condition whose
//! branches do not fit together. Where no rule applies nothing is touched.

mod conditional_branches;
mod excess_words;
mod lexer;
mod macro_calls;
mod token_context;
mod unsupported_syntax;

use crate::grammar_repair::Opened;
use lexer::{Class, Token};
use regex::bytes::Regex;
use serde::Deserialize;
use std::borrow::Cow;
use token_context::Kind;

/// `[blank]` of a table, as written.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct BlankSpec {
    /// Directives that open, continue and close a choice between texts.
    pub(crate) open: Vec<String>,
    pub(crate) middle: Vec<String>,
    pub(crate) close: Vec<String>,
    /// Whether no directive is left: the grammar knows them in few places.
    pub(crate) flat: bool,
    /// Whether texts may be written over several lines without escapes: `@"…"`, `"""…"""`.
    pub(crate) verbatim: bool,
    /// Words before a type that say something about it: `static`, `const`.
    pub(crate) qualifiers: Vec<String>,
    /// Types of the language.
    pub(crate) types: Vec<String>,
    /// Words that are followed by the name of a type, and those of them that list constants.
    pub(crate) tags: Vec<String>,
    pub(crate) lists: Vec<String>,
    /// Words that open a region of declarations.
    pub(crate) regions: Vec<String>,
    /// Words of statements: those with a condition behind them, those with a statement behind them, and all others.
    pub(crate) conditions: Vec<String>,
    pub(crate) prefixes: Vec<String>,
    pub(crate) statements: Vec<String>,
    /// Words that may stand behind parameters.
    pub(crate) suffixes: Vec<String>,
    /// Words that the grammar knows although they look like macros.
    pub(crate) known: Vec<String>,
    /// How words look that are macros where there is one word too many, and how they do not look.
    pub(crate) macros: Option<String>,
    pub(crate) never: Option<String>,
    /// Whether a macro that defines something must look like a function without parameters.
    pub(crate) functions: bool,
    /// Macros that stand for nothing in front of a call, and would make a declaration of it: `emit changed();`.
    pub(crate) markers: Vec<String>,
    /// Macros with arguments that say something of the declaration behind them, also from a line of their own.
    pub(crate) attributes: Option<String>,
    /// Macros that define something called by the last of their arguments, not by the first.
    pub(crate) named_last: Option<String>,
}

/// `[blank]` of a table, compiled.
pub(crate) struct Blank {
    words: lexer::Words,
    macros: Option<Regex>,
    never: Option<Regex>,
    attributes: Option<Regex>,
    named_last: Option<Regex>,
    markers: Vec<String>,
    functions: bool,
    flat: bool,
}

impl Blank {
    /// Compiles the lists. The error is that of a pattern.
    pub(crate) fn compile(specs: &[&BlankSpec]) -> Result<Option<Self>, regex::Error> {
        if specs.is_empty() {
            return Ok(None);
        }
        let pattern = |get: fn(&BlankSpec) -> &Option<String>| {
            specs.iter().rev().find_map(|spec| get(spec).as_deref()).map(Regex::new).transpose()
        };
        Ok(Some(Self {
            words: lexer::Words::new(specs),
            macros: pattern(|spec| &spec.macros)?,
            never: pattern(|spec| &spec.never)?,
            attributes: pattern(|spec| &spec.attributes)?,
            named_last: pattern(|spec| &spec.named_last)?,
            markers: specs.iter().flat_map(|spec| spec.markers.iter().cloned()).collect(),
            functions: specs.iter().any(|spec| spec.functions),
            flat: specs.iter().any(|spec| spec.flat),
        }))
    }

    /// Whether choices leave nothing behind but the branches that were kept.
    pub(crate) fn is_flat(&self) -> bool {
        self.flat
    }

    /// The source as the grammar can read it.
    pub(crate) fn apply<'s>(&self, source: &'s [u8]) -> Readable<'s> {
        let tokens = lexer::lex(source, &self.words);
        let mut page = Page { source, copy: None, opened: Vec::new() };
        let mut tokens = conditional_branches::choose(tokens, self.flat, &mut page);
        token_context::pair(&mut tokens);
        if self.macros.is_none() {
            return page.readable();
        }
        let kinds = token_context::read(&tokens);
        Rules { blank: self, tokens: &tokens, kinds: &kinds, page: &mut page, depth: 0, lead: 0 }.run();
        page.readable()
    }

    /// Whether a word looks like a macro.
    pub(crate) fn is_macro(&self, word: &[u8]) -> bool {
        self.macros.as_ref().is_some_and(|looks| looks.is_match(word))
            && !self.never.as_ref().is_some_and(|never| never.is_match(word))
    }
}

/// A source as the grammar can read it.
pub(crate) struct Readable<'s> {
    pub(crate) text: Cow<'s, [u8]>,
    /// What was taken out at the beginning of a declaration, and belongs to it.
    pub(crate) opened: Vec<Opened>,
}

/// The copy under work; made when the first change comes.
struct Page<'s> {
    source: &'s [u8],
    copy: Option<Vec<u8>>,
    opened: Vec<Opened>,
}

impl<'s> Page<'s> {
    fn readable(self) -> Readable<'s> {
        let text = self.copy.map_or(Cow::Borrowed(self.source), Cow::Owned);
        Readable { text, opened: self.opened }
    }

    fn text(&self, token: &Token) -> &[u8] {
        &self.source[token.start as usize..token.end as usize]
    }

    /// Puts spaces where text was. Line breaks stay.
    fn wipe(&mut self, start: u32, end: u32) {
        let copy = self.copy.get_or_insert_with(|| self.source.to_vec());
        for byte in &mut copy[start as usize..end as usize] {
            if !matches!(byte, b'\n' | b'\r') {
                *byte = b' ';
            }
        }
    }

    /// Whether an empty line stands between two places.
    fn has_blank_line(&self, start: u32, end: u32) -> bool {
        let gap = &self.source[start as usize..end as usize];
        gap.split(|&b| b == b'\n').skip(1).any(|line| line.trim_ascii().is_empty())
            && memchr::memchr_iter(b'\n', gap).count() > 1
    }

    /// Puts a sign in the place of another.
    fn replace(&mut self, sign: u8, at: u32) {
        self.copy.get_or_insert_with(|| self.source.to_vec())[at as usize] = sign;
    }

    /// Puts a sign between two tokens, if there is white space to put it into.
    fn put(&mut self, sign: u8, after: u32, before: u32) -> bool {
        let gap = &self.source[after as usize..before as usize];
        // Comments may stand between; only white space right behind or right before will do.
        let at = match (gap.first(), gap.last()) {
            (Some(b' ' | b'\t'), _) => after,
            (_, Some(b' ' | b'\t')) => before - 1,
            _ => return false,
        };
        self.copy.get_or_insert_with(|| self.source.to_vec())[at as usize] = sign;
        true
    }
}

/// The rules at work on one file.
struct Rules<'r, 's> {
    blank: &'r Blank,
    tokens: &'r [Token],
    /// What each opening bracket opens; what surrounds every other token.
    kinds: &'r [Kind],
    page: &'r mut Page<'s>,
    /// How many round brackets are open.
    depth: usize,
    /// The token before which nothing of the declaration at hand is left.
    lead: usize,
}

impl Rules<'_, '_> {
    fn run(&mut self) {
        let (mut at, mut begin) = (0, 0);
        self.directives();
        if self.blank.functions {
            self.forms();
        }
        // Behind the condition of a statement another statement starts.
        let mut conditions: Vec<usize> = Vec::new();
        while at < self.tokens.len() {
            let token = self.tokens[at];
            if at == begin {
                self.lead = begin;
                self.outer_template(at);
            }
            if at == begin
                && token.class == Class::Word
                && let Some(next) = self.macro_statement(at)
            {
                (at, begin) = (next, next);
                continue;
            }
            if self.is_boundary(at) {
                begin = at + 1;
            }
            match token.class {
                Class::Punct(b'(') => {
                    self.depth += 1;
                    self.bracketed_name(at);
                    self.type_arguments(at);
                }
                Class::Punct(b')') if conditions.last() == Some(&at) => {
                    conditions.pop();
                    begin = at + 1;
                }
                Class::Punct(b')')
                    if matches!(self.kinds[at], Kind::Declarations | Kind::Members)
                        && (token.partner as usize != begin + 1 || !self.is_macro_at(begin)) =>
                {
                    if let Some(next) = self.behind_parameters(at) {
                        (at, begin) = (next, next);
                        continue;
                    }
                }
                // `if MAYBE_CONSTEXPR (x)`
                Class::Condition if self.is_macro_at(at + 1) && self.is(at + 2, b'(') => {
                    let word = self.tokens[at + 1];
                    self.page.wipe(word.start, word.end);
                    conditions.push(self.tokens[at + 2].partner as usize);
                    at += 1;
                }
                Class::Condition if self.is(at + 1, b'(') => {
                    conditions.push(self.tokens[at + 1].partner as usize);
                }
                Class::Statement if self.is(at + 1, b'<') => self.template_parameters(at + 1),
                Class::Punct(b')') if self.kinds[at] == Kind::Items => self.item_call(at),
                Class::Punct(b'.') if self.is(at + 1, b'.') && self.is(at + 2, b'.') => self.range(begin, at),
                Class::Word
                    if self.kinds[at] == Kind::Constants && self.is(at + 1, b'(') && self.starts_item(at) =>
                {
                    at = self.listed_macro(at);
                    continue;
                }
                Class::Word if self.kinds[at] == Kind::Items && token.first => {
                    self.item_macro(at);
                    at = self.word_run(at);
                    continue;
                }
                class if class.is_word() && !class.is_statement() => {
                    at = self.word_run(at);
                    continue;
                }
                _ => {}
            }
            match token.class {
                Class::Punct(b')') => self.depth = self.depth.saturating_sub(1),
                Class::Punct(b';' | b'{' | b'}') => self.depth = 0,
                _ => {}
            }
            at += 1;
        }
    }

    /// Takes tokens out that may begin a declaration.
    fn wipe_lead(&mut self, first: usize, last: usize) {
        let Some(end) = self.get(last).map(|token| token.end) else { return };
        let start = self.tokens[first].start;
        self.page.wipe(start, end);
        if first == self.lead {
            self.page.opened.push(Opened { start, end, attribute: false });
            self.lead = last + 1;
        }
    }

    fn get(&self, at: usize) -> Option<&Token> {
        self.tokens.get(at)
    }

    fn class(&self, at: usize) -> Class {
        self.tokens.get(at).map_or(Class::End, |token| token.class)
    }

    fn is(&self, at: usize, punct: u8) -> bool {
        self.class(at) == Class::Punct(punct)
    }

    /// Whether what comes behind a token starts a statement or declaration.
    fn is_boundary(&self, at: usize) -> bool {
        match self.class(at) {
            Class::Punct(b';' | b'{' | b'}')
            | Class::Directive
            | Class::Open
            | Class::Middle
            | Class::Close
            | Class::Prefix => true,
            Class::Punct(b':') => !self.is(at + 1, b':') && (at == 0 || !self.is(at - 1, b':')),
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blank() -> Blank {
        let list = |words: &str| words.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let spec = BlankSpec {
            open: list("if ifdef ifndef"),
            middle: list("else elif"),
            close: list("endif"),
            qualifiers: list("static const inline"),
            types: list("int void char"),
            tags: list("struct class"),
            lists: list("enum"),
            conditions: list("if while for"),
            prefixes: list("else do"),
            statements: list("return case template"),
            macros: Some("^(__[a-z]|[A-Z][A-Z0-9_]{2,}$)".to_owned()),
            ..BlankSpec::default()
        };
        Blank::compile(&[&spec]).expect("good patterns").expect("one spec")
    }

    fn applied(source: &str) -> String {
        String::from_utf8(blank().apply(source.as_bytes()).text.into_owned()).expect("still text")
    }

    #[test]
    fn what_needs_nothing_is_not_copied() {
        assert!(matches!(blank().apply(b"int f(void) { return g(1) + 2; }").text, Cow::Borrowed(_)));
    }

    #[test]
    fn only_the_word_too_many_goes() {
        assert_eq!(applied("static int __init f(void);"), "static int        f(void);");
        assert_eq!(applied("class API_X Foo {};"), "class       Foo {};");
        assert_eq!(applied("FOO bar(BAZ qux);"), "FOO bar(BAZ qux);");
    }

    #[test]
    fn what_was_taken_out_before_a_declaration_is_told() {
        let opened = |source: &str| {
            let opened = blank().apply(source.as_bytes()).opened;
            opened.iter().map(|it| (it.start, it.end)).collect::<Vec<_>>()
        };
        assert_eq!(opened("int x; API_X API_Y int f(void);"), [(7, 12), (13, 18)]);
        assert_eq!(opened("static int __init f(void);"), []);
    }

    #[test]
    fn a_comment_inside_a_macro_goes_and_the_one_behind_it_stays() {
        assert_eq!(applied("#define A /* b */ \\\n  c /* d */\n"), "#define A         \\\n  c /* d */\n");
    }

    #[test]
    fn a_loop_of_a_macro_ends_as_a_call() {
        assert_eq!(applied("void f() { each(x) { g(); } }"), "void f() { each(x);{ g(); } }");
    }

    #[test]
    fn one_of_two_branches_that_do_not_fit_is_kept() {
        let source = "#ifdef A\nvoid f(int a)\n#else\nvoid f()\n#endif\n{ }\n";
        assert_eq!(applied(source), "        \nvoid f(int a)\n     \n        \n      \n{ }\n");
        let whole = "#ifdef A\nint a;\n#else\nint b;\n#endif\n";
        assert_eq!(applied(whole), whole);
    }

    #[test]
    fn any_text_keeps_its_length_and_lines() {
        let pieces: Vec<&str> =
            "FOO ( ) { } #if #else #endif \n struct enum x __y ; , * [ ] :: \" ' /* */ // int = case ... ) } ( { \\ < > R\"( 1e+".split(' ').collect();
        let mut state = 1_u32;
        for _ in 0..3000 {
            let mut source = String::new();
            for _ in 0..40 {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                source.push_str(pieces[(state >> 16) as usize % pieces.len()]);
                source.push(if state & 1024 == 0 { ' ' } else { '\n' });
            }
            let copy = applied(&source);
            assert_eq!(copy.len(), source.len());
            let lines = |text: &str| {
                text.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(at, _)| at).collect::<Vec<_>>()
            };
            assert_eq!(lines(&copy), lines(&source), "{source}");
        }
    }
}
