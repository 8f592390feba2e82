//! Macro calls: macros used as statements or definitions, and types among the arguments of macros.

use super::MacroEraser;
use super::lexer::{Class, Token};
use super::token_context::Context;

/// Maximum number of tokens in a parameter list.
const PARAMETERS_CAP: usize = 400;

impl MacroEraser<'_, '_> {
    /// Processes a word at the beginning of a statement that may be a macro. Returns the next index if it was erased.
    pub(super) fn macro_statement(&mut self, at: usize) -> Option<usize> {
        match self.contexts[at] {
            Context::Declarations | Context::Members if self.is(at + 1, b'(') => self.macro_declaration(at),
            Context::Declarations | Context::Members => self.lone_macro(at),
            // `TRY { … } CATCH(...) { … }`
            Context::Statements if self.is(at + 1, b'{') && self.is_macro_at(at) => {
                self.rewriter.erase(self.tokens[at].start, self.tokens[at].end);
                Some(at + 1)
            }
            Context::Statements if self.is(at + 1, b'(') && self.is(at + 2, b'.') && self.is_macro_at(at) => {
                let close = self.tokens[at + 1].partner as usize;
                let end = self.get(close).filter(|_| close == at + 5)?.end;
                self.rewriter.erase(self.tokens[at].start, end);
                Some(close + 1)
            }
            Context::Statements if self.is(at + 1, b'(') => {
                self.macro_loop(at);
                None
            }
            Context::Statements if self.is_lone_statement(at) => {
                self.rewriter.erase(self.tokens[at].start, self.tokens[at].end);
                Some(at + 1)
            }
            _ => None,
        }
    }

    /// `DECLARE_LOCALS` on a line of its own, before something that is not a variable of that type: a call, an assignment to
    /// a member, another statement.
    fn is_lone_statement(&self, at: usize) -> bool {
        let Some(next) = self.get(at + 1).filter(|next| next.first && self.is_macro_at(at)) else {
            return false;
        };
        match next.class {
            Class::Word => {
                let access = self.is(at + 2, b'.') || self.is(at + 2, b'-') && self.is(at + 3, b'>');
                access || self.is(at + 2, b'(') && !self.is_macro_at(at + 1)
            }
            class => class.is_word() && class != Class::Known,
        }
    }

    /// `BEGIN_NAMESPACE` on a line of its own.
    fn lone_macro(&mut self, at: usize) -> Option<usize> {
        let token = self.tokens[at];
        if !self.is_macro_at(at) {
            return None;
        }
        let next = self.get(at + 1);
        // `EXPORT template <…>` is on one line.
        let joins = |class| matches!(class, Class::Statement | Class::Region | Class::Punct(b'~'));
        if next.is_some_and(|next| !next.first && !joins(next.class)) {
            return None;
        }
        let alone = match self.class(at + 1) {
            Class::Punct(sign) => matches!(sign, b'}' | b'~' | b'['),
            Class::Word => {
                let ends = |at: usize| self.get(at).is_none_or(|next| next.first);
                next.is_some_and(|next| self.rewriter.has_blank_line(token.end, next.start))
                    || self.is_macro_at(at + 1)
                        && (ends(at + 2)
                            || self.is(at + 2, b'(')
                            || !matches!(self.class(at + 2), Class::Word | Class::Punct(_)))
            }
            _ => true,
        };
        if alone && next.is_some_and(|next| !next.first) {
            self.erase_lead(at, at);
        } else if alone {
            self.rewriter.erase(token.start, token.end);
        }
        alone.then_some(at + 1)
    }

    /// `MODULE_LICENSE("x")` without a semicolon, `SYSCALL_DEFINE2(name, int, x) {`.
    fn macro_declaration(&mut self, at: usize) -> Option<usize> {
        let (open, close) = (at + 1, self.tokens[at + 1].partner as usize);
        if !self.is_macro_at(at) || close >= self.tokens.len() {
            return None;
        }
        let next = self.tokens.get(close + 1);
        match self.class(close + 1) {
            Class::Punct(b'{') if self.preprocessor.macros_define_functions => {
                self.function_definer(at, open, close);
            }
            Class::Punct(b'{') => self.definer(at, open, close),
            // `MAKE_OPERATORS(const&);`, `MAKE_DEFAULT(void, );`
            Class::Punct(b';') if self.holds_qualifiers(open, close) || self.is(close - 1, b',') => {
                self.rewriter.erase(self.tokens[at].start, self.tokens[close + 1].end);
                return Some(close + 2);
            }
            Class::Punct(b';')
                if self.contexts[at] == Context::Members || self.holds_statements(open, close) =>
            {
                self.definer(at, open, close);
            }
            class
                if class.is_word()
                    || matches!(
                        class,
                        Class::Punct(b'}')
                            | Class::Directive
                            | Class::Open
                            | Class::Middle
                            | Class::Close
                            | Class::End
                    ) =>
            {
                let (first, before) =
                    next.map_or((true, self.rewriter.source.len() as u32), |next| (next.first, next.start));
                let call = self.class(close + 2) == Class::Punct(b'(') && class == Class::Word;
                let ends = first && (!call || self.is_macro_at(close + 1));
                // `DEPRECATED("say something else")` above a member.
                let says = self.contexts[at] == Context::Members && self.class(open + 1) == Class::Text;
                if ends && class.is_word() && (says || self.is_attribute(at)) {
                    self.erase_lead(at, close);
                    return Some(close + 1);
                }
                if ends && self.rewriter.put(b';', self.tokens[close].end, before) {
                    return None;
                }
                if ends {
                    self.rewriter.erase(self.tokens[at].start, self.tokens[close].end);
                    return Some(close + 1);
                }
                if !first && self.declares(close + 1) {
                    self.erase_lead(at, close);
                    return Some(close + 1);
                }
            }
            _ => {}
        }
        None
    }

    fn is_attribute(&self, at: usize) -> bool {
        let word = self.rewriter.text(&self.tokens[at]);
        self.preprocessor.attribute_macros.as_ref().is_some_and(|attributes| attributes.is_match(word))
    }

    fn holds_qualifiers(&self, open: usize, close: usize) -> bool {
        self.arguments(open, close).iter().any(|&(first, last)| {
            (first..last).all(|at| self.class(at) == Class::Qualifier || self.is(at, b'&'))
        })
    }

    fn holds_statements(&self, open: usize, close: usize) -> bool {
        self.arguments(open, close).iter().any(|&(first, last)| {
            (first..last).any(|at| {
                self.is(at, b';')
                    || self.class(at) == Class::Word && self.is(at + 1, b'(') && {
                        let inner = self.tokens[at + 1].partner as usize;
                        inner < close
                            && (at + 2..inner)
                                .take(200)
                                .any(|part| self.is(part, b';') || self.class(part).is_tag())
                    }
            })
        })
    }

    /// `static DEFINE_PER_CPU(int, name);`
    pub(super) fn declarer(&mut self, at: usize) {
        let close = self.tokens[at + 1].partner as usize;
        if self.is_macro_at(at)
            && matches!(self.class(close.wrapping_add(1)), Class::Punct(b';' | b'=' | b'[' | b','))
        {
            self.definer(at, at + 1, close);
        }
    }

    /// `template <typename T, ENABLE_IF(is_x<T>())>`: the macro becomes an unnamed parameter `int`.
    pub(super) fn template_parameters(&mut self, open: usize) {
        let (mut depth, mut at) = (0, open);
        while at < (open + PARAMETERS_CAP).min(self.tokens.len()) {
            match self.class(at) {
                Class::Punct(b'<') => depth += 1,
                Class::Punct(b'>') => {
                    depth -= 1;
                    if depth == 0 {
                        return;
                    }
                }
                Class::Punct(b';' | b'{' | b'}') => return,
                Class::Punct(b'(') => {
                    let close = self.tokens[at].partner as usize;
                    if close <= at || close >= self.tokens.len() {
                        return;
                    }
                    let name = self.tokens[at - 1];
                    let is_macro = self.is_macro_at(at - 1)
                        && matches!(self.class(at.wrapping_sub(2)), Class::Punct(b'<' | b','))
                        && matches!(self.class(close + 1), Class::Punct(b'>' | b','));
                    if depth == 1 && is_macro && name.end - name.start >= 3 {
                        self.rewriter.erase(name.start, self.tokens[close].end);
                        for (sign, place) in b"int".iter().zip(name.start..) {
                            self.rewriter.replace(*sign, place);
                        }
                    }
                    at = close;
                }
                _ => {}
            }
            at += 1;
        }
    }

    /// `{ INFO(a) FLAGS(b) }`: inserts the comma that the grammar expects.
    pub(super) fn item_call(&mut self, close: usize) {
        let Some(next) = self.tokens.get(close + 1).copied() else { return };
        if next.class == Class::Word && self.is(close + 2, b'(') {
            self.rewriter.put(b',', self.tokens[close].end, next.start);
        }
    }

    /// `{ VALUES\n { 1 } }`: erases a macro for several values, which the grammar rejects without a comma.
    pub(super) fn item_macro(&mut self, at: usize) {
        let next = (at + 1..self.tokens.len()).find(|&next| self.class(next) != Class::Directive);
        let Some(next) = next.map(|next| self.tokens[next]) else { return };
        if self.tokens[at].first && next.first && next.class == Class::Punct(b'{') && self.is_macro_at(at) {
            let end = self.tokens[at].end;
            self.rewriter.erase(self.tokens[at].start, end);
        }
    }

    pub(super) fn starts_item(&self, at: usize) -> bool {
        at > 0 && (self.is(at - 1, b',') || self.is_boundary(at - 1) || self.is(at - 1, b')'))
    }

    /// A macro among the constants of an enum: replaced by its longest argument, or erased.
    pub(super) fn listed_macro(&mut self, at: usize) -> usize {
        let (open, close) = (at + 1, self.tokens[at + 1].partner as usize);
        if close >= self.tokens.len() {
            return at + 1;
        }
        let ends = matches!(self.class(close + 1), Class::Punct(b',' | b'}'));
        let plain = self
            .arguments(open, close)
            .into_iter()
            .filter(|&(first, last)| ends && first + 1 == last && self.class(first) == Class::Word);
        if let Some((name, _)) =
            plain.max_by_key(|&(first, _)| self.tokens[first].end - self.tokens[first].start)
        {
            let name = self.tokens[name];
            self.rewriter.erase(self.tokens[at].start, name.start);
            self.rewriter.erase(name.end, self.tokens[close].end);
        } else {
            let end = if self.is(close + 1, b',') { close + 1 } else { close };
            self.rewriter.erase(self.tokens[at].start, self.tokens[end].end);
        }
        close + 1
    }

    /// `case A ... B:` becomes one expression.
    pub(super) fn range(&mut self, begin: usize, at: usize) {
        if self.contexts[at] == Context::Statements
            && self.class(begin) == Class::Statement
            && self.depth == 0
        {
            let dots = self.tokens[at].start;
            self.rewriter.erase(dots, dots + 3);
            self.rewriter.replace(b'+', dots);
        }
    }

    /// Erases what the grammar rejects in directives: names of variadic parameters, `#define f(x, rest...)`, and comments
    /// before further lines.
    pub(super) fn directives(&mut self) {
        for (at, token) in self.tokens.iter().enumerate() {
            if token.class != Class::Directive {
                continue;
            }
            // The grammar accepts no directives among values.
            if self.contexts[at] == Context::Items {
                self.rewriter.erase(token.start, token.end);
                continue;
            }
            self.directive_comments(token);
            let text = self.rewriter.text(token);
            let head = &text[..memchr::memchr(b')', text).unwrap_or(0)];
            let Some(name) = head.strip_suffix(b"...").filter(|head| head.contains(&b'(')) else { continue };
            let kept =
                name.iter().rposition(|&b| !(b.is_ascii_alphanumeric() || b == b'_')).map_or(0, |at| at + 1);
            self.rewriter.erase(token.start + kept as u32, token.start + name.len() as u32);
        }
    }

    /// Erases comments inside a directive, where the grammar would end it.
    fn directive_comments(&mut self, token: &Token) {
        let text = &self.rewriter.source[token.start as usize..token.end as usize];
        let mut from = 0;
        while let Some(start) = memchr::memmem::find(&text[from..], b"/*").map(|at| from + at) {
            let end = memchr::memmem::find(&text[start..], b"*/").map_or(text.len(), |at| start + at + 2);
            if text[end..].trim_ascii().is_empty() {
                break;
            }
            self.rewriter.erase(token.start + start as u32, token.start + end as u32);
            from = end;
        }
    }

    /// A macro with a body defines a symbol named by one of its arguments; erases the other arguments.
    fn definer(&mut self, at: usize, open: usize, close: usize) {
        if self.arguments(open, close).len() < 2 {
            return;
        }
        let Some(name) = self.defined_name(at, open, close) else { return };
        let name = self.tokens[name];
        self.rewriter.erase(self.tokens[open].end, name.start);
        self.rewriter.erase(name.end, self.tokens[close].start);
    }

    /// `TEST(Suite, Name) {` becomes `TEST Name() {`, if there is room for the parentheses.
    fn function_definer(&mut self, at: usize, open: usize, close: usize) {
        let Some(name) = self.defined_name(at, open, close) else { return };
        let (open, name, close) = (self.tokens[open], self.tokens[name], self.tokens[close]);
        let room = self.rewriter.source.get(close.end as usize).is_some_and(|&b| b == b' ' || b == b'\t');
        if name.end < close.start || room {
            self.rewriter.erase(open.start, name.start);
            self.rewriter.erase(name.end, close.end);
            let (first, second) =
                if name.end < close.start { (name.end, close.start) } else { (close.start, close.end) };
            self.rewriter.replace(b'(', first);
            self.rewriter.replace(b')', second);
        }
    }

    /// The argument that names what a macro defines.
    fn defined_name(&self, at: usize, open: usize, close: usize) -> Option<usize> {
        let arguments = self.arguments(open, close);
        let plain: Vec<usize> = arguments
            .iter()
            .filter(|&&(first, last)| {
                first + 1 == last && self.class(first) == Class::Word && !self.is_type_at(first)
            })
            .map(|&(first, _)| first)
            .collect();
        let last = self
            .preprocessor
            .named_by_last_argument
            .as_ref()
            .is_some_and(|names| names.is_match(self.rewriter.text(&self.tokens[at])));
        (if last { plain.last() } else { plain.first() }).copied()
    }

    /// `list_for_each(x, list) {`: ends the call before the body, as the grammar expects.
    fn macro_loop(&mut self, at: usize) {
        let close = self.tokens[at + 1].partner as usize;
        let Some(next) = self.tokens.get(close.wrapping_add(1)).copied() else { return };
        let ends = match next.class {
            Class::Punct(b'{' | b'}') => true,
            Class::Suffix | Class::Known => false,
            // `STACK_OF(X) name;`
            Class::Word => {
                next.first || !matches!(self.class(close + 2), Class::Punct(b';' | b'=' | b',' | b'['))
            }
            class => class.is_word(),
        };
        if ends {
            self.rewriter.put(b';', self.tokens[close].end, next.start);
        }
    }

    /// The first and one past the last token of each argument.
    fn arguments(&self, open: usize, close: usize) -> Vec<(usize, usize)> {
        let mut found = Vec::new();
        let (mut start, mut at) = (open + 1, open + 1);
        while at < close {
            match self.class(at) {
                Class::Punct(b',') => {
                    found.push((start, at));
                    start = at + 1;
                }
                Class::Punct(b'(' | b'[' | b'{') => {
                    let partner = self.tokens[at].partner as usize;
                    if partner > at && partner < close {
                        at = partner;
                    }
                }
                _ => {}
            }
            at += 1;
        }
        if start < close {
            found.push((start, close));
        }
        found
    }

    /// `container_of(x, struct y, z)`: erases the keyword of a type, which the grammar rejects in an expression.
    pub(super) fn type_arguments(&mut self, open: usize) {
        let close = self.tokens[open].partner as usize;
        if open == 0 || close >= self.tokens.len() || self.class(open - 1) != Class::Word {
            return;
        }
        if self.contexts[open] == Context::Declarations && !self.is_macro_at(open - 1) {
            return;
        }
        let before = if open >= 2 { self.class(open - 2) } else { Class::End };
        let declares =
            before.is_word() && !before.is_statement() || matches!(before, Class::Punct(b'*' | b'&' | b'>'));
        if declares && self.contexts[open] != Context::Items && self.starts_statement(open) {
            return;
        }
        let arguments = self.arguments(open, close);
        let count = arguments.len();
        for (index, (first, last)) in arguments.into_iter().enumerate() {
            self.type_argument(first, last, index, count);
        }
    }

    /// Whether the word before a parenthesis begins the statement as a declaration: `int *f(`.
    fn starts_statement(&self, open: usize) -> bool {
        let mut at = open - 1;
        while at > 0 {
            match self.class(at - 1) {
                Class::Punct(b'*' | b'&' | b'>' | b'<' | b':' | b',') => at -= 1,
                class if class.is_word() && !class.is_statement() => at -= 1,
                Class::Punct(b';' | b'{' | b'}') | Class::Directive | Class::End => return true,
                _ => return false,
            }
        }
        true
    }

    /// Whether an argument of a macro is a built-in type and a name.
    fn declares_argument(&self, first: usize, last: usize) -> bool {
        last - first >= 2
            && self.class(last - 1) == Class::Word
            && self.contexts[first] == Context::Statements
            && first >= 2
            && self.is_macro_at(first - 2)
            && (first..last - 1).any(|at| self.class(at) == Class::Type)
            && (first..last - 1).all(|at| {
                matches!(self.class(at), Class::Type | Class::Qualifier | Class::Punct(b'*' | b'&'))
            })
    }

    fn type_argument(&mut self, first: usize, last: usize, index: usize, count: usize) {
        let mut pointers = last;
        while pointers > first && self.is(pointers - 1, b'*') {
            pointers -= 1;
        }
        let words = &self.tokens[first..pointers];
        let all = |fits: fn(Class) -> bool| !words.is_empty() && words.iter().all(|token| fits(token.class));
        if words.len() >= 2
            && words[words.len() - 1].class == Class::Word
            && words[words.len() - 2].class.is_tag()
            && words[..words.len() - 2].iter().all(|token| token.class == Class::Qualifier)
        {
            let name = words[words.len() - 1];
            self.rewriter.erase(words[0].start, name.start);
            self.rewriter.erase(name.end, self.tokens[last - 1].end.max(name.end));
        } else if count > 1 && self.declares_argument(first, last) {
            // `ASSIGN_OR_RETURN(const int& x, f())`
            self.rewriter.erase(self.tokens[first].start, self.tokens[last - 1].start);
        } else if count > 1 && all(|class| matches!(class, Class::Type | Class::Qualifier)) {
            let (from, to) = if index > 0 {
                (self.tokens[first - 1].start, self.tokens[last - 1].end)
            } else {
                (self.tokens[first].start, self.tokens[last].end)
            };
            self.rewriter.erase(from, to);
        } else if pointers < last && all(|class| class == Class::Word) && words.len() == 1 {
            self.rewriter.erase(self.tokens[pointers].start, self.tokens[last - 1].end);
        }
    }
}
