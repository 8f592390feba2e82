//! Excess words: a declaration has a type and a name, so that any further word in a run of words is a macro.
//!
//! Example: `API int __init f(` is a run of four words. `int` is a built-in type, so only one other word is allowed: the
//! name. Of `API`, `__init` and `f`, the two that look most like macros are erased.

use super::lexer::Class;
use super::token_context::Context;
use super::{MacroEraser, lexer};

/// Maximum number of words in a declaration.
const RUN_CAP: usize = 24;
/// Maximum number of tokens, or bracketed groups of tokens, to look back over for the enclosing type.
const LOOK_BACK_CAP: usize = 4000;

/// One word of a run, or several joined by `::`, which count as one.
#[derive(Clone, Copy)]
struct WordGroup {
    first: usize,
    last: usize,
    class: Class,
}

impl MacroEraser<'_, '_> {
    /// Processes the run of words at `at`; returns the index after it.
    pub(super) fn word_run(&mut self, at: usize) -> usize {
        let mut groups: Vec<WordGroup> = Vec::new();
        let mut next = at;
        loop {
            let class = self.class(next);
            if !class.is_word() || class.is_statement() || groups.len() >= RUN_CAP {
                if let Some(behind) = self.macro_type(&groups, next) {
                    next = behind;
                    continue;
                }
                // `class CAPABILITY("mutex") Mutex {`, `static __printf(1, 2) void f(`.
                if let Some(behind) = self.wipe_inner_macro(&groups, next, at) {
                    groups.pop();
                    next = behind;
                    continue;
                }
                break;
            }
            let mut last = next;
            if class == Class::Word {
                while self.is(last + 1, b':')
                    && self.is(last + 2, b':')
                    && self.class(last + 3) == Class::Word
                {
                    last += 3;
                }
            }
            groups.push(WordGroup { first: next, last, class });
            next = last + 1;
        }
        match self.class(next) {
            // `"a" STRING(x) "b"`
            Class::Punct(b'(') if groups.len() == 1 && at > 0 && self.class(at - 1) == Class::Text => {
                let close = self.tokens[next].partner as usize;
                if self.class(close.wrapping_add(1)) == Class::Text {
                    self.rewriter.erase(self.tokens[at].start, self.tokens[close].end);
                }
            }
            // `int (CALL *f)(void)`
            Class::Punct(b'*') if groups.len() == 1 && self.is_calling_convention(at) => {
                self.rewriter.erase(self.tokens[at].start, self.tokens[at].end);
            }
            // `constexpr Name::operator bool() const {`
            Class::Punct(b':') if self.casts(next) => {
                for group in groups.iter().take_while(|group| group.class == Class::Qualifier) {
                    self.erase_lead(group.first, group.last);
                }
            }
            Class::Punct(sign) => {
                if groups.len() >= 2 {
                    self.erase_excess(&groups, next, sign, at);
                }
                self.erase_after_type(&groups, at, sign);
            }
            Class::Statement
                if groups.len() >= 2 && self.rewriter.text(&self.tokens[next]) == b"operator" =>
            {
                self.erase_excess(&groups, next, b'*', at);
            }
            // `KERN_INFO PREFIX "text"`: one word is enough.
            Class::Text if groups.len() >= 2 && groups.iter().all(|group| self.looks_macro(group)) => {
                let last = groups[groups.len() - 1];
                self.rewriter.erase(self.tokens[groups[0].first].start, self.tokens[last.first].start);
            }
            _ => {}
        }
        next.max(at + 1)
    }

    fn casts(&self, colon: usize) -> bool {
        self.is(colon + 1, b':')
            && self.get(colon + 2).is_some_and(|word| self.rewriter.text(word) == b"operator")
            && self.class(colon + 3).is_word()
    }

    fn looks_macro(&self, group: &WordGroup) -> bool {
        group.class == Class::Word
            && group.first == group.last
            && self.preprocessor.is_macro(self.rewriter.text(&self.tokens[group.first]))
    }

    /// `typedef REMOVE_CONST(T) Name;`: the macro is a type; its arguments are erased.
    fn macro_type(&mut self, groups: &[WordGroup], open: usize) -> Option<usize> {
        let (first, last) = (groups.first()?, groups.last()?);
        let typed = groups.iter().any(|group| group.class == Class::Type || group.class.is_tag());
        if first.class != Class::Qualifier || typed || !self.is(open, b'(') || !self.looks_macro(last) {
            return None;
        }
        let close = self.tokens[open].partner as usize;
        if self.class(close.wrapping_add(1)) != Class::Word || !self.is(close.wrapping_add(2), b';') {
            return None;
        }
        self.rewriter.erase(self.tokens[open].start, self.tokens[close].end);
        Some(close + 1)
    }

    /// A macro with arguments before the rest of the declaration.
    fn wipe_inner_macro(&mut self, groups: &[WordGroup], open: usize, at: usize) -> Option<usize> {
        // `void *ATTR(malloc) f(`
        let behind_pointer = at > 0 && self.is(at - 1, b'*') && self.contexts[at] == Context::Declarations;
        let last = groups.last().filter(|_| groups.len() >= 2 || behind_pointer)?;
        if !self.is(open, b'(') || !self.looks_macro(last) {
            return None;
        }
        let close = self.tokens[open].partner as usize;
        let behind = self.get(close.wrapping_add(1))?.class;
        let typed = groups.iter().any(|group| group.class == Class::Type || group.class.is_tag());
        let goes_on = match behind {
            Class::Tag | Class::List | Class::Type | Class::Qualifier => true,
            Class::Word => typed || behind_pointer,
            _ => false,
        };
        if !goes_on {
            return None;
        }
        let first = last.first;
        self.erase_lead(first, close);
        Some(close + 1)
    }

    /// Erases words of a run that is too long for a declaration followed by `sign`.
    fn erase_excess(&mut self, groups: &[WordGroup], next: usize, sign: u8, at: usize) {
        let single_colon = sign == b':' && !self.is(next + 1, b':');
        let tag = groups.iter().position(|group| group.class.is_tag());
        let attribute = sign == b'[' && self.is(next + 1, b'[');
        if let Some(tag) = tag
            && attribute
            && tag + 2 == groups.len()
            && self.looks_macro(&groups[tag + 1])
        {
            self.rewriter
                .erase(self.tokens[groups[tag + 1].first].start, self.tokens[groups[tag + 1].last].end);
            return;
        }
        if let Some(tag) = tag
            && (matches!(sign, b'{' | b'<') || single_colon && groups[tag].class == Class::Tag)
        {
            self.erase_export_macros(groups, tag);
            return;
        }
        let named = tag.map(|tag| tag + 1);
        let typed =
            tag.is_some() || self.follows_type(at) || groups.iter().any(|group| group.class == Class::Type);
        let loose: Vec<WordGroup> = groups
            .iter()
            .enumerate()
            .filter(|(index, group)| group.class == Class::Word && Some(*index) != named)
            .map(|(_, group)| *group)
            .collect();
        let name = match sign {
            b'*' | b'&' => 0,
            b'<' => usize::from(loose.first().is_none_or(|group| self.macro_likelihood(group) == 0)),
            // A cast has no name.
            b')' => {
                usize::from(!(self.contexts[next] == Context::Statements && at > 0 && self.is(at - 1, b'(')))
            }
            b'(' if self.is(next + 1, b'*') && self.is(self.tokens[next].partner as usize + 1, b'(') => 0,
            b';' | b'=' | b'(' | b'[' | b',' | b'{' => 1,
            b':' if single_colon => 1,
            _ => return,
        };
        let last = groups[groups.len() - 1];
        let constructs = sign == b'(' && (self.names_itself(last) || self.names_its_type(last, &loose));
        let allowed = name + usize::from(!(typed || constructs));
        let Some(excess) = loose.len().checked_sub(allowed).filter(|&excess| excess > 0) else {
            let declares = self.contexts[next] != Context::Statements || groups[0].class == Class::Qualifier;
            if sign == b'(' && declares && self.depth == 0 && loose.len() == 1 {
                self.declarer(next - 1);
            }
            return;
        };
        self.drop_words(&loose, excess, typed, (next, sign));
    }

    /// `extern template class X<int>;`
    pub(super) fn outer_template(&mut self, at: usize) {
        if self.class(at) == Class::Qualifier
            && self.get(at + 1).is_some_and(|next| self.rewriter.text(next) == b"template")
        {
            let token = self.tokens[at];
            self.rewriter.erase(token.start, token.end);
        }
    }

    /// Whether a word is a calling convention in a function pointer: `int (CALL *f)(void)`.
    fn is_calling_convention(&self, at: usize) -> bool {
        let Some(bracket) = at.checked_sub(1).filter(|&before| self.is(before, b'(')) else { return false };
        self.contexts[at] != Context::Statements
            && self.is_macro_at(at)
            && bracket > 0
            && (matches!(self.class(bracket - 1), Class::Word | Class::Type) || self.is(bracket - 1, b'*'))
            && self.is(self.tokens[bracket].partner as usize + 1, b'(')
    }

    /// Whether a name is a constructor's, which has no type: `Name::Name`.
    fn names_itself(&self, group: WordGroup) -> bool {
        group.last >= group.first + 3
            && self.rewriter.text(&self.tokens[group.last])
                == self.rewriter.text(&self.tokens[group.last - 3])
    }

    /// Whether a name is that of the enclosing type, as in `MACRO Name(`: also a constructor.
    fn names_its_type(&self, group: WordGroup, loose: &[WordGroup]) -> bool {
        if self.contexts[group.first] != Context::Members
            || !loose.iter().any(|other| self.looks_macro(other))
        {
            return false;
        }
        self.type_around(group.first).is_some_and(|name| {
            self.rewriter.text(&self.tokens[name]) == self.rewriter.text(&self.tokens[group.last])
        })
    }

    /// The name of the type whose body contains a token.
    fn type_around(&self, at: usize) -> Option<usize> {
        let mut brace = at;
        for _ in 0..LOOK_BACK_CAP {
            brace = brace.checked_sub(1)?;
            match self.class(brace) {
                Class::Punct(b'}' | b')') => {
                    brace = (self.tokens[brace].partner as usize).min(brace);
                }
                Class::Punct(b'{') => break,
                _ => {}
            }
        }
        let head = (0..brace)
            .rev()
            .take(RUN_CAP * 4)
            .take_while(|&at| !matches!(self.class(at), Class::Punct(b';' | b'{' | b'}')))
            .filter(|&at| self.class(at) == Class::Tag)
            .find(|&at| !self.is(at.wrapping_sub(1), b'<') && !self.is(at.wrapping_sub(1), b','))?;
        let mut name = None;
        for at in head + 1..brace {
            match self.class(at) {
                Class::Word => name = Some(at),
                Class::Punct(b'(') => {}
                Class::Punct(_) if !self.is(at, b')') => break,
                _ => {}
            }
        }
        name
    }

    /// `result_type(max)() const {`: the parentheses prevent a macro from expanding; the grammar does not expect them.
    pub(super) fn bracketed_name(&mut self, open: usize) {
        if !self.preprocessor.macros_define_functions
            || self.contexts[open] != Context::Members
            || self.class(open + 1) != Class::Word
            || !self.is(open + 2, b')')
            || !self.is(open + 3, b'(')
            || open == 0
            || !matches!(self.class(open - 1), Class::Word | Class::Type | Class::Punct(b'>'))
            || self.is_macro_at(open - 1)
        {
            return;
        }
        let behind = self.class((self.tokens[open + 3].partner as usize).wrapping_add(1));
        if matches!(behind, Class::Punct(b'{' | b';') | Class::Suffix | Class::Qualifier) {
            for bracket in [open, open + 2] {
                let token = self.tokens[bracket];
                self.rewriter.erase(token.start, token.end);
            }
        }
    }

    /// Whether the type of the declaration precedes the run: `int *name`, `} name`, `int a, name`.
    fn follows_type(&self, at: usize) -> bool {
        let Some(before) = at.checked_sub(1) else { return false };
        match self.class(before) {
            Class::Punct(b'*' | b'&' | b']') => true,
            Class::Punct(b'>') => self.closes_type(before),
            Class::Punct(b',') => {
                self.depth == 0 && matches!(self.contexts[at], Context::Declarations | Context::Members)
            }
            Class::Punct(b'}') => {
                let open = self.tokens[before].partner as usize;
                matches!(
                    self.contexts.get(open),
                    Some(Context::Members | Context::Constants | Context::Items)
                )
            }
            _ => false,
        }
    }

    /// Whether a `>` closes the arguments of a member's type, not the parameters of a template.
    fn closes_type(&self, at: usize) -> bool {
        let mut depth = 0;
        for at in (0..=at).rev().take(RUN_CAP * 4) {
            match self.class(at) {
                Class::Punct(b'>') => depth += 1,
                Class::Punct(b'<') => {
                    depth -= 1;
                    if depth == 0 {
                        return at > 0
                            && self.class(at - 1) == Class::Word
                            && self.contexts[at] == Context::Members;
                    }
                }
                Class::Punct(b';' | b'{' | b'}') => return false,
                _ => {}
            }
        }
        false
    }

    /// The likelihood that a word is a macro, from 0 (it is none) to 3.
    fn macro_likelihood(&self, group: &WordGroup) -> u8 {
        if !self.looks_macro(group) {
            return 0;
        }
        let word = self.rewriter.text(&self.tokens[group.first]);
        match word {
            [b'_', b'_', ..] => 3,
            _ if word.contains(&b'_') => 2,
            _ => 1,
        }
    }

    fn drop_words(&mut self, loose: &[WordGroup], excess: usize, typed: bool, behind: (usize, u8)) {
        let mut candidates: Vec<(u8, usize)> = Vec::new();
        for (index, group) in loose.iter().enumerate() {
            let rank = self.macro_likelihood(group);
            if rank > 0 || typed && index + 1 < loose.len() {
                candidates.push((rank, index));
            }
        }
        // `API int __name(`: the name may look like a macro, but there must be a name.
        let name = loose.len() - 1;
        if behind.1 == b'('
            && candidates.iter().filter(|&&(rank, at)| rank > 1 && at != name).count() >= excess
        {
            candidates.retain(|&(rank, at)| at != name || rank < 3);
        }
        // `ULONG CALLBACK _ROUTINE(PVOID context)`: a word with typed parameters is no macro.
        if behind.1 == b'(' && self.lists_parameters(behind.0) {
            candidates.retain(|&(_, at)| at != name);
        }
        // The likeliest first, from the left; of unlikely ones the rightmost: `BOOL WINAPI f()`.
        candidates
            .sort_by_key(|&(rank, index)| (3 - rank, if rank == 1 { loose.len() - index } else { index }));
        if candidates.len() < excess {
            return;
        }
        candidates.truncate(excess);
        candidates.sort_by_key(|&(_, index)| index);
        for (_, index) in candidates {
            let group = loose[index];
            let mut last = group.last;
            if group.last + 1 == behind.0 && behind.1 == b'(' {
                last = self.tokens[behind.0].partner as usize;
            }
            self.erase_lead(group.first, last);
        }
    }

    /// Whether a parenthesis opens typed parameters and not the arguments of a macro.
    fn lists_parameters(&self, open: usize) -> bool {
        matches!(self.class(open + 1), Class::Word | Class::Type)
            && self.class(open + 2) == Class::Word
            && (self.is(open + 3, b',') || self.is(open + 3, b')'))
    }

    /// `EXPORT class EXPORT Name final {`: erases all words but the last, which is the name.
    fn erase_export_macros(&mut self, groups: &[WordGroup], tag: usize) {
        let words: Vec<usize> = groups
            .iter()
            .enumerate()
            .filter(|(_, group)| group.class == Class::Word)
            .map(|(index, _)| index)
            .collect();
        let name = words.iter().rev().find(|&&index| index > tag).copied();
        for index in words {
            if Some(index) != name {
                self.erase_lead(groups[index].first, groups[index].last);
            }
        }
    }

    /// `} __packed;`: erases macros after the body of a type.
    fn erase_after_type(&mut self, groups: &[WordGroup], at: usize, sign: u8) {
        if at == 0
            || !matches!(sign, b';' | b'=' | b',' | b'[' | b'(' | b')')
            || !self.is(at - 1, b'}') && !self.is(at - 1, b']')
        {
            return;
        }
        let open = self.tokens[at - 1].partner as usize;
        if self.is(at - 1, b'}') && self.contexts.get(open).is_none_or(|&kind| kind == Context::Statements) {
            return;
        }
        for group in groups {
            let mut end = self.tokens[group.last].end;
            let mut guards = false;
            if self.is(group.last + 1, b'(') {
                let close = self.tokens[group.last + 1].partner as usize;
                let Some(token) = self.get(close) else { return };
                end = token.end;
                guards = self.is(at - 1, b']')
                    && self.contexts[at] == Context::Members
                    && self.is(close + 1, b';');
            }
            if self.macro_likelihood(group) < if guards { 2 } else { 3 } {
                continue;
            }
            self.rewriter.erase(self.tokens[group.first].start, end);
        }
    }

    /// Whether the run of words that begins here can only be a declaration.
    pub(super) fn declares(&self, at: usize) -> bool {
        let mut words = 0;
        for index in at..at + RUN_CAP {
            match self.class(index) {
                Class::Type | Class::Tag | Class::List | Class::Qualifier | Class::Region => return true,
                Class::Word => words += 1,
                Class::Punct(b'*' | b'&') if words == 1 => return true,
                Class::Statement => return index == at,
                _ => break,
            }
        }
        words >= 2
    }

    /// Erases macros between the parameters of a function and its body or end. Returns the index after a macro that replaces
    /// the body.
    pub(super) fn erase_after_parameters(&mut self, close: usize) -> Option<usize> {
        let mut at = close + 1;
        let mut found: Vec<(u32, u32)> = Vec::new();
        loop {
            match self.class(at) {
                Class::Word if self.preprocessor.is_macro(self.rewriter.text(&self.tokens[at])) => {
                    let start = self.tokens[at].start;
                    let mut last = at;
                    if self.is(at + 1, b'(') {
                        last = self.tokens[at + 1].partner as usize;
                    }
                    let token = self.get(last)?;
                    found.push((start, token.end));
                    at = last + 1;
                }
                Class::Suffix | Class::Qualifier | Class::Punct(b'&') => at += 1,
                Class::Punct(b';' | b'{' | b'=' | b',') => break,
                Class::Punct(b':') if !self.is(at + 1, b':') => break,
                // `bool f(int x) NOT_REACHED`: a macro replaces the body.
                _ if self.contexts[close] == Context::Declarations
                    && found.len() == 1
                    && at == close + 2
                    && self.get(at).is_none_or(|next| next.first)
                    && (self.declares(at) || self.class(at) == Class::Directive) =>
                {
                    let (start, end) = found[0];
                    self.rewriter.erase(start, end);
                    self.rewriter.replace(b'{', start);
                    self.rewriter.replace(b'}', end - 1);
                    self.depth = 0;
                    return Some(at);
                }
                _ => return None,
            }
        }
        for (start, end) in found {
            self.rewriter.erase(start, end);
        }
        None
    }

    /// Whether a word is a type although it looks like a macro.
    pub(super) fn is_type_at(&self, at: usize) -> bool {
        self.preprocessor
            .never_macros
            .as_ref()
            .is_some_and(|never| never.is_match(self.rewriter.text(&self.tokens[at])))
    }

    pub(super) fn is_macro_at(&self, at: usize) -> bool {
        self.get(at).is_some_and(|token: &lexer::Token| self.preprocessor.is_macro(self.rewriter.text(token)))
    }
}
