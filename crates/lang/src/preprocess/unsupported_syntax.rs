//! Valid syntax that the grammar does not support: each construct is rewritten into one that it supports.

use super::MacroEraser;
use super::lexer::Class;
use super::token_context::Context;

/// Longer names, types and loop headers are left alone.
const CAP: usize = 40;

impl MacroEraser<'_, '_> {
    pub(super) fn rewrite_unsupported_syntax(&mut self) {
        for at in 0..self.tokens.len() {
            match self.class(at) {
                Class::Punct(b'*') if self.is_scope(at) => self.member_pointer(at),
                Class::Punct(b'=') if self.is(at + 1, b'{') && self.is(at + 2, b'}') => {
                    self.empty_default(at);
                }
                Class::Condition if self.is(at + 1, b'(') && self.says(at, b"for") => {
                    self.declared_condition(at + 1);
                }
                Class::Qualifier if self.is_value(at) => self.erase_word(at),
                Class::Statement if self.says(at, b"using") => self.alias(at),
                Class::Word if self.is_call_prefix(at) => self.erase_word(at),
                _ => {}
            }
        }
    }

    fn says(&self, at: usize, word: &[u8]) -> bool {
        self.get(at).is_some_and(|token| self.rewriter.text(token) == word)
    }

    /// Whether a word precedes a call and expands to nothing: `emit changed();`, `if (x) emit model->reset();`.
    fn is_call_prefix(&self, at: usize) -> bool {
        let markers = &self.preprocessor.call_prefixes;
        self.contexts[at] == Context::Statements
            && matches!(self.class(at + 1), Class::Word | Class::Statement)
            && matches!(self.class(at + 2), Class::Punct(b'(' | b'.' | b'-' | b':'))
            && markers.iter().any(|marker| self.says(at, marker.as_bytes()))
            && (at == 0 || self.is_boundary(at - 1) || self.is(at - 1, b')'))
    }

    fn erase_word(&mut self, at: usize) {
        let token = self.tokens[at];
        self.rewriter.erase(token.start, token.end);
    }

    /// Whether `::` precedes a token.
    fn is_scope(&self, at: usize) -> bool {
        at >= 3 && self.is(at - 1, b':') && self.is(at - 2, b':')
    }

    /// `int Class::*name` becomes a plain pointer.
    fn member_pointer(&mut self, star: usize) {
        let mut at = star;
        while self.is_scope(at) {
            at -= 3;
            if self.is(at, b'>') {
                let Some(open) = self.opening_angle(at).filter(|&open| open > 0) else { return };
                at = open - 1;
            }
            if self.class(at) != Class::Word {
                return;
            }
        }
        if at < star {
            self.rewriter.erase(self.tokens[at].start, self.tokens[star].start);
        }
    }

    fn opening_angle(&self, close: usize) -> Option<usize> {
        let mut depth = 0_usize;
        for at in (0..=close).rev().take(CAP) {
            match self.class(at) {
                Class::Punct(b'>') => depth += 1,
                Class::Punct(b'<') => {
                    depth -= 1;
                    if depth == 0 {
                        return Some(at);
                    }
                }
                Class::Punct(b';' | b'{' | b'}') => return None,
                _ => {}
            }
        }
        None
    }

    /// `void f(Options options = {})` gets the default 0.
    fn empty_default(&mut self, at: usize) {
        if matches!(self.class(at + 3), Class::Punct(b')' | b',')) {
            self.erase_word(at + 2);
            self.rewriter.replace(b'0', self.tokens[at + 1].start);
        }
    }

    /// `for (; const char* at = next(); ++at)` loses its declaration: the grammar expects a value there.
    fn declared_condition(&mut self, open: usize) {
        let close = self.tokens[open].partner as usize;
        let end = close.min(self.tokens.len()).min(open + CAP * 4);
        let Some(start) = (open + 1..end).find(|&at| self.is(at, b';')).map(|at| at + 1) else { return };
        if !matches!(self.class(start), Class::Qualifier | Class::Type) {
            return;
        }
        let Some(equals) = (start..end.min(start + CAP)).find(|&at| self.is(at, b'=')) else { return };
        let name = equals - 1;
        let part = |at: usize| {
            self.class(at).is_word() || matches!(self.class(at), Class::Punct(b'*' | b'&' | b':'))
        };
        if name > start
            && self.class(name) == Class::Word
            && (start..name).all(part)
            && !self.is(equals + 1, b'=')
        {
            self.rewriter.erase(self.tokens[start].start, self.tokens[name].start);
        }
    }

    /// Whether a type word begins a value: `unsigned(x) < 3`, `f(typename T::size_type{0})`.
    fn is_value(&self, at: usize) -> bool {
        let Some(before) = at.checked_sub(1) else { return false };
        let opens = match self.class(before) {
            Class::Punct(sign) => {
                matches!(sign, b'(' | b',' | b'=' | b'<' | b'+' | b'-' | b'/' | b'|' | b'?' | b'[')
            }
            Class::Statement => self.says(before, b"return"),
            _ => false,
        };
        if !opens {
            return false;
        }
        if self.says(at, b"unsigned") || self.says(at, b"signed") {
            return self.is(at + 1, b'(')
                && !matches!(self.class(at + 2), Class::Punct(b'*' | b'&' | b')'))
                && !self.is((self.tokens[at + 1].partner as usize).wrapping_add(1), b'(');
        }
        if !self.says(at, b"typename") || self.class(at + 1) != Class::Word {
            return false;
        }
        let mut last = at + 1;
        while self.is(last + 1, b':') && self.is(last + 2, b':') && self.class(last + 3) == Class::Word {
            last += 3;
        }
        self.is(last + 1, b'{') || self.is(last + 1, b'(')
    }

    /// `using Name DEPRECATED() = Type;`
    fn alias(&mut self, at: usize) {
        if self.class(at + 1) != Class::Word || self.class(at + 2) != Class::Word || !self.is_macro_at(at + 2)
        {
            return;
        }
        let last = if self.is(at + 3, b'(') { self.tokens[at + 3].partner as usize } else { at + 2 };
        if self.is(last.wrapping_add(1), b'=') {
            self.rewriter.erase(self.tokens[at + 2].start, self.tokens[last].end);
        }
    }
}
