//! Preprocessing: makes a copy of a source that its grammar can parse, by erasing text that only a C preprocessor
//! understands.
//!
//! The copy has the length and the line breaks of the original, so that every offset is valid in both; only the parser
//! sees it. General rules over tokens, with word lists from the pack, decide what to erase: a word too many in a
//! declaration, a macro used as a statement, the second branch of a conditional whose branches are not complete code.
//! Text that no rule applies to stays as it is.
//!
//! Examples (`·` is an erased byte):
//!
//! ```text
//! static int __init f(void);     static int ······ f(void);      a word too many
//! class API_X Foo {};            class ····· Foo {};             an export macro
//! each(x) { g(); }               each(x);{ g(); }                a loop macro ends as a call
//! ```

mod conditional_branches;
mod excess_words;
mod lexer;
mod macro_calls;
mod token_context;
mod unsupported_syntax;

use crate::parse::erased_prefix::ErasedPrefix;
use crate::schema::source_rewriting::PreprocessSpec;
use lexer::{Class, Token};
use regex::bytes::Regex;
use std::borrow::Cow;
use token_context::Context;

/// `[preprocess]` of a table, compiled.
pub(crate) struct Preprocessor {
    words: lexer::Words,
    macros: Option<Regex>,
    never_macros: Option<Regex>,
    attribute_macros: Option<Regex>,
    named_by_last_argument: Option<Regex>,
    call_prefixes: Vec<String>,
    macros_define_functions: bool,
    erase_directives: bool,
}

impl Preprocessor {
    /// Compiles the word lists and patterns of a table and of those it extends.
    pub(crate) fn compile(specs: &[&PreprocessSpec]) -> Result<Option<Self>, regex::Error> {
        if specs.is_empty() {
            return Ok(None);
        }
        let pattern = |get: fn(&PreprocessSpec) -> &Option<String>| {
            specs.iter().rev().find_map(|spec| get(spec).as_deref()).map(Regex::new).transpose()
        };
        Ok(Some(Self {
            words: lexer::Words::new(specs),
            macros: pattern(|spec| &spec.macros)?,
            never_macros: pattern(|spec| &spec.never_macros)?,
            attribute_macros: pattern(|spec| &spec.attribute_macros)?,
            named_by_last_argument: pattern(|spec| &spec.named_by_last_argument)?,
            call_prefixes: specs.iter().flat_map(|spec| spec.call_prefixes.iter().cloned()).collect(),
            macros_define_functions: specs.iter().any(|spec| spec.macros_define_functions),
            erase_directives: specs.iter().any(|spec| spec.erase_directives),
        }))
    }

    /// Whether all directives are erased, so that only the kept branches remain.
    pub(crate) fn erases_directives(&self) -> bool {
        self.erase_directives
    }

    /// Rewrites a source for the grammar.
    pub(crate) fn apply<'s>(&self, source: &'s [u8]) -> PreprocessedSource<'s> {
        let tokens = lexer::lex(source, &self.words);
        let mut rewriter = Rewriter { source, copy: None, erased: Vec::new() };
        let mut tokens = conditional_branches::resolve(tokens, self.erase_directives, &mut rewriter);
        token_context::pair(&mut tokens);
        if self.macros.is_none() {
            return rewriter.preprocessed();
        }
        let contexts = token_context::read(&tokens);
        MacroEraser {
            preprocessor: self,
            tokens: &tokens,
            contexts: &contexts,
            rewriter: &mut rewriter,
            depth: 0,
            lead: 0,
        }
        .run();
        rewriter.preprocessed()
    }

    /// Whether a word looks like a macro.
    pub(crate) fn is_macro(&self, word: &[u8]) -> bool {
        self.macros.as_ref().is_some_and(|looks| looks.is_match(word))
            && !self.never_macros.as_ref().is_some_and(|never| never.is_match(word))
    }
}

/// A source rewritten for the grammar.
pub(crate) struct PreprocessedSource<'s> {
    pub(crate) text: Cow<'s, [u8]>,
    /// Erased text at the beginning of declarations, which belongs to them.
    pub(crate) erased: Vec<ErasedPrefix>,
}

/// The copy being rewritten; made on the first change.
struct Rewriter<'s> {
    source: &'s [u8],
    copy: Option<Vec<u8>>,
    erased: Vec<ErasedPrefix>,
}

impl<'s> Rewriter<'s> {
    fn preprocessed(self) -> PreprocessedSource<'s> {
        let text = self.copy.map_or(Cow::Borrowed(self.source), Cow::Owned);
        PreprocessedSource { text, erased: self.erased }
    }

    fn text(&self, token: &Token) -> &[u8] {
        &self.source[token.start as usize..token.end as usize]
    }

    /// Overwrites text with spaces. Line breaks stay.
    fn erase(&mut self, start: u32, end: u32) {
        let copy = self.copy.get_or_insert_with(|| self.source.to_vec());
        for byte in &mut copy[start as usize..end as usize] {
            if !matches!(byte, b'\n' | b'\r') {
                *byte = b' ';
            }
        }
    }

    /// Whether a blank line separates two offsets.
    fn has_blank_line(&self, start: u32, end: u32) -> bool {
        let gap = &self.source[start as usize..end as usize];
        gap.split(|&b| b == b'\n').skip(1).any(|line| line.trim_ascii().is_empty())
            && memchr::memchr_iter(b'\n', gap).count() > 1
    }

    /// Overwrites one byte.
    fn replace(&mut self, sign: u8, at: u32) {
        self.copy.get_or_insert_with(|| self.source.to_vec())[at as usize] = sign;
    }

    /// Writes a byte between two tokens, if there is white space to overwrite.
    fn put(&mut self, sign: u8, after: u32, before: u32) -> bool {
        let gap = &self.source[after as usize..before as usize];
        // There may be comments between; only white space next to one of the tokens can be overwritten.
        let at = match (gap.first(), gap.last()) {
            (Some(b' ' | b'\t'), _) => after,
            (_, Some(b' ' | b'\t')) => before - 1,
            _ => return false,
        };
        self.copy.get_or_insert_with(|| self.source.to_vec())[at as usize] = sign;
        true
    }
}

/// Applies the rules to one file.
struct MacroEraser<'r, 's> {
    preprocessor: &'r Preprocessor,
    tokens: &'r [Token],
    /// The context of each token; for an opening brace, the context inside it.
    contexts: &'r [Context],
    rewriter: &'r mut Rewriter<'s>,
    /// The number of open parentheses.
    depth: usize,
    /// The first token of the current declaration that has not been erased.
    lead: usize,
}

impl MacroEraser<'_, '_> {
    fn run(&mut self) {
        let (mut at, mut begin) = (0, 0);
        self.directives();
        if self.preprocessor.macros_define_functions {
            self.rewrite_unsupported_syntax();
        }
        // A statement begins after the condition of another.
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
                    if matches!(self.contexts[at], Context::Declarations | Context::Members)
                        && (token.partner as usize != begin + 1 || !self.is_macro_at(begin)) =>
                {
                    if let Some(next) = self.erase_after_parameters(at) {
                        (at, begin) = (next, next);
                        continue;
                    }
                }
                // `if MAYBE_CONSTEXPR (x)`
                Class::Condition if self.is_macro_at(at + 1) && self.is(at + 2, b'(') => {
                    let word = self.tokens[at + 1];
                    self.rewriter.erase(word.start, word.end);
                    conditions.push(self.tokens[at + 2].partner as usize);
                    at += 1;
                }
                Class::Condition if self.is(at + 1, b'(') => {
                    conditions.push(self.tokens[at + 1].partner as usize);
                }
                Class::Statement if self.is(at + 1, b'<') => self.template_parameters(at + 1),
                Class::Punct(b')') if self.contexts[at] == Context::Items => self.item_call(at),
                Class::Punct(b'.') if self.is(at + 1, b'.') && self.is(at + 2, b'.') => self.range(begin, at),
                Class::Word
                    if self.contexts[at] == Context::Constants
                        && self.is(at + 1, b'(')
                        && self.starts_item(at) =>
                {
                    at = self.listed_macro(at);
                    continue;
                }
                Class::Word if self.contexts[at] == Context::Items && token.first => {
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

    /// Erases tokens that may begin a declaration.
    fn erase_lead(&mut self, first: usize, last: usize) {
        let Some(end) = self.get(last).map(|token| token.end) else { return };
        let start = self.tokens[first].start;
        self.rewriter.erase(start, end);
        if first == self.lead {
            self.rewriter.erased.push(ErasedPrefix { start, end, attribute: false });
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

    /// Whether a statement or declaration begins after a token.
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

    fn preprocessor() -> Preprocessor {
        let list = |words: &str| words.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let spec = PreprocessSpec {
            conditional_open: list("if ifdef ifndef"),
            conditional_else: list("else elif"),
            conditional_close: list("endif"),
            qualifiers: list("static const inline"),
            types: list("int void char"),
            type_keywords: list("struct class"),
            enum_keywords: list("enum"),
            condition_keywords: list("if while for"),
            prefix_keywords: list("else do"),
            statement_keywords: list("return case template"),
            macros: Some("^(__[a-z]|[A-Z][A-Z0-9_]{2,}$)".to_owned()),
            ..PreprocessSpec::default()
        };
        Preprocessor::compile(&[&spec]).expect("good patterns").expect("one spec")
    }

    fn applied(source: &str) -> String {
        String::from_utf8(preprocessor().apply(source.as_bytes()).text.into_owned()).expect("still text")
    }

    #[test]
    fn a_source_without_macros_is_not_copied() {
        assert!(matches!(preprocessor().apply(b"int f(void) { return g(1) + 2; }").text, Cow::Borrowed(_)));
    }

    #[test]
    fn only_the_excess_word_is_erased() {
        assert_eq!(applied("static int __init f(void);"), "static int        f(void);");
        assert_eq!(applied("class API_X Foo {};"), "class       Foo {};");
        assert_eq!(applied("FOO bar(BAZ qux);"), "FOO bar(BAZ qux);");
    }

    #[test]
    fn text_erased_before_a_declaration_is_reported() {
        let erased = |source: &str| {
            let erased = preprocessor().apply(source.as_bytes()).erased;
            erased.iter().map(|it| (it.start, it.end)).collect::<Vec<_>>()
        };
        assert_eq!(erased("int x; API_X API_Y int f(void);"), [(7, 12), (13, 18)]);
        assert_eq!(erased("static int __init f(void);"), []);
    }

    #[test]
    fn a_comment_inside_a_macro_is_erased_and_one_after_it_kept() {
        assert_eq!(applied("#define A /* b */ \\\n  c /* d */\n"), "#define A         \\\n  c /* d */\n");
    }

    #[test]
    fn a_loop_macro_ends_as_a_call() {
        assert_eq!(applied("void f() { each(x) { g(); } }"), "void f() { each(x);{ g(); } }");
    }

    #[test]
    fn one_of_two_incomplete_branches_is_kept() {
        let source = "#ifdef A\nvoid f(int a)\n#else\nvoid f()\n#endif\n{ }\n";
        assert_eq!(applied(source), "        \nvoid f(int a)\n     \n        \n      \n{ }\n");
        let whole = "#ifdef A\nint a;\n#else\nint b;\n#endif\n";
        assert_eq!(applied(whole), whole);
    }

    #[test]
    fn every_text_keeps_its_length_and_line_breaks() {
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
