//! Words in a row: a declaration has a type and a name, and whatever is too many is a macro.

use super::lexer::Class;
use super::token_context::Kind;
use super::{Rules, lexer};

/// Longer rows are no declarations.
const RUN_CAP: usize = 24;
/// So many tokens and groups of tokens are looked back over for the type around a member.
const LOOK_BACK_CAP: usize = 4000;

/// One word of a row, or several joined by `::`.
#[derive(Clone, Copy)]
struct Unit {
    first: usize,
    last: usize,
    class: Class,
}

impl Rules<'_, '_> {
    /// Looks at the row of words from `at` on; returns what comes behind it.
    pub(super) fn word_run(&mut self, at: usize) -> usize {
        let mut units: Vec<Unit> = Vec::new();
        let mut next = at;
        loop {
            let class = self.class(next);
            if !class.is_word() || class.is_statement() || units.len() >= RUN_CAP {
                if let Some(behind) = self.macro_type(&units, next) {
                    next = behind;
                    continue;
                }
                // `class CAPABILITY("mutex") Mutex {`, `static __printf(1, 2) void f(`.
                if let Some(behind) = self.wipe_inner_macro(&units, next, at) {
                    units.pop();
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
            units.push(Unit { first: next, last, class });
            next = last + 1;
        }
        match self.class(next) {
            // `"a" STRING(x) "b"`
            Class::Punct(b'(') if units.len() == 1 && at > 0 && self.class(at - 1) == Class::Text => {
                let close = self.tokens[next].partner as usize;
                if self.class(close.wrapping_add(1)) == Class::Text {
                    self.page.wipe(self.tokens[at].start, self.tokens[close].end);
                }
            }
            // `int (CALL *f)(void)`
            Class::Punct(b'*') if units.len() == 1 && self.stands_before_pointer(at) => {
                self.page.wipe(self.tokens[at].start, self.tokens[at].end);
            }
            // `constexpr Name::operator bool() const {`
            Class::Punct(b':') if self.casts(next) => {
                for unit in units.iter().take_while(|unit| unit.class == Class::Qualifier) {
                    self.wipe_lead(unit.first, unit.last);
                }
            }
            Class::Punct(sign) => {
                if units.len() >= 2 {
                    self.thin_out(&units, next, sign, at);
                }
                self.behind_type(&units, at, sign);
            }
            Class::Statement if units.len() >= 2 && self.page.text(&self.tokens[next]) == b"operator" => {
                self.thin_out(&units, next, b'*', at);
            }
            // `KERN_INFO PREFIX "text"`: one word is enough.
            Class::Text if units.len() >= 2 && units.iter().all(|unit| self.looks_macro(unit)) => {
                let last = units[units.len() - 1];
                self.page.wipe(self.tokens[units[0].first].start, self.tokens[last.first].start);
            }
            _ => {}
        }
        next.max(at + 1)
    }

    fn casts(&self, colon: usize) -> bool {
        self.is(colon + 1, b':')
            && self.get(colon + 2).is_some_and(|word| self.page.text(word) == b"operator")
            && self.class(colon + 3).is_word()
    }

    fn looks_macro(&self, unit: &Unit) -> bool {
        unit.class == Class::Word
            && unit.first == unit.last
            && self.blank.is_macro(self.page.text(&self.tokens[unit.first]))
    }

    /// `typedef REMOVE_CONST(T) Name;`: the macro stands for a type, which needs no arguments.
    fn macro_type(&mut self, units: &[Unit], open: usize) -> Option<usize> {
        let (first, last) = (units.first()?, units.last()?);
        let typed = units.iter().any(|unit| unit.class == Class::Type || unit.class.is_tag());
        if first.class != Class::Qualifier || typed || !self.is(open, b'(') || !self.looks_macro(last) {
            return None;
        }
        let close = self.tokens[open].partner as usize;
        if self.class(close.wrapping_add(1)) != Class::Word || !self.is(close.wrapping_add(2), b';') {
            return None;
        }
        self.page.wipe(self.tokens[open].start, self.tokens[close].end);
        Some(close + 1)
    }

    /// A macro with arguments that is followed by the rest of the declaration.
    fn wipe_inner_macro(&mut self, units: &[Unit], open: usize, at: usize) -> Option<usize> {
        // `void *ATTR(malloc) f(`
        let behind_pointer = at > 0 && self.is(at - 1, b'*') && self.kinds[at] == Kind::Declarations;
        let last = units.last().filter(|_| units.len() >= 2 || behind_pointer)?;
        if !self.is(open, b'(') || !self.looks_macro(last) {
            return None;
        }
        let close = self.tokens[open].partner as usize;
        let behind = self.get(close.wrapping_add(1))?.class;
        let typed = units.iter().any(|unit| unit.class == Class::Type || unit.class.is_tag());
        let goes_on = match behind {
            Class::Tag | Class::List | Class::Type | Class::Qualifier => true,
            Class::Word => typed || behind_pointer,
            _ => false,
        };
        if !goes_on {
            return None;
        }
        let first = last.first;
        self.wipe_lead(first, close);
        Some(close + 1)
    }

    /// Takes words out of a row that has too many for a declaration that `sign` follows.
    fn thin_out(&mut self, units: &[Unit], next: usize, sign: u8, at: usize) {
        let single_colon = sign == b':' && !self.is(next + 1, b':');
        let tag = units.iter().position(|unit| unit.class.is_tag());
        let attribute = sign == b'[' && self.is(next + 1, b'[');
        if let Some(tag) = tag
            && attribute
            && tag + 2 == units.len()
            && self.looks_macro(&units[tag + 1])
        {
            self.page.wipe(self.tokens[units[tag + 1].first].start, self.tokens[units[tag + 1].last].end);
            return;
        }
        if let Some(tag) = tag
            && (matches!(sign, b'{' | b'<') || single_colon && units[tag].class == Class::Tag)
        {
            self.thin_definition(units, tag);
            return;
        }
        let named = tag.map(|tag| tag + 1);
        let typed =
            tag.is_some() || self.follows_type(at) || units.iter().any(|unit| unit.class == Class::Type);
        let loose: Vec<Unit> = units
            .iter()
            .enumerate()
            .filter(|(index, unit)| unit.class == Class::Word && Some(*index) != named)
            .map(|(_, unit)| *unit)
            .collect();
        let name = match sign {
            b'*' | b'&' => 0,
            b'<' => usize::from(loose.first().is_none_or(|unit| self.rank(unit) == 0)),
            // A cast has no name.
            b')' => usize::from(!(self.kinds[next] == Kind::Statements && at > 0 && self.is(at - 1, b'('))),
            b'(' if self.is(next + 1, b'*') && self.is(self.tokens[next].partner as usize + 1, b'(') => 0,
            b';' | b'=' | b'(' | b'[' | b',' | b'{' => 1,
            b':' if single_colon => 1,
            _ => return,
        };
        let last = units[units.len() - 1];
        let constructs = sign == b'(' && (self.names_itself(last) || self.names_its_type(last, &loose));
        let allowed = name + usize::from(!(typed || constructs));
        let Some(excess) = loose.len().checked_sub(allowed).filter(|&excess| excess > 0) else {
            let declares = self.kinds[next] != Kind::Statements || units[0].class == Class::Qualifier;
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
            && self.get(at + 1).is_some_and(|next| self.page.text(next) == b"template")
        {
            let token = self.tokens[at];
            self.page.wipe(token.start, token.end);
        }
    }

    /// A calling convention in the brackets of a pointer to a function.
    fn stands_before_pointer(&self, at: usize) -> bool {
        let Some(bracket) = at.checked_sub(1).filter(|&before| self.is(before, b'(')) else { return false };
        self.kinds[at] != Kind::Statements
            && self.is_macro_at(at)
            && bracket > 0
            && (matches!(self.class(bracket - 1), Class::Word | Class::Type) || self.is(bracket - 1, b'*'))
            && self.is(self.tokens[bracket].partner as usize + 1, b'(')
    }

    /// `Name::Name`: a constructor has no type.
    fn names_itself(&self, unit: Unit) -> bool {
        unit.last >= unit.first + 3
            && self.page.text(&self.tokens[unit.last]) == self.page.text(&self.tokens[unit.last - 3])
    }

    /// `MACRO Name(` in the body of `Name`: a constructor again.
    fn names_its_type(&self, unit: Unit, loose: &[Unit]) -> bool {
        if self.kinds[unit.first] != Kind::Members || !loose.iter().any(|other| self.looks_macro(other)) {
            return false;
        }
        self.type_around(unit.first)
            .is_some_and(|name| self.page.text(&self.tokens[name]) == self.page.text(&self.tokens[unit.last]))
    }

    /// The name of the type in whose body a token stands.
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

    /// `result_type(max)() const {`: the brackets keep a macro away from the name.
    pub(super) fn bracketed_name(&mut self, open: usize) {
        if !self.blank.functions
            || self.kinds[open] != Kind::Members
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
                self.page.wipe(token.start, token.end);
            }
        }
    }

    /// Whether the type of a declaration came before: `int *name`, `} name`, `int a, name`.
    fn follows_type(&self, at: usize) -> bool {
        let Some(before) = at.checked_sub(1) else { return false };
        match self.class(before) {
            Class::Punct(b'*' | b'&' | b']') => true,
            Class::Punct(b'>') => self.closes_type(before),
            Class::Punct(b',') => {
                self.depth == 0 && matches!(self.kinds[at], Kind::Declarations | Kind::Members)
            }
            Class::Punct(b'}') => {
                let open = self.tokens[before].partner as usize;
                matches!(self.kinds.get(open), Some(Kind::Members | Kind::Constants | Kind::Items))
            }
            _ => false,
        }
    }

    /// Whether a `>` ends the arguments of a type among members, and not the parameters of a template.
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
                            && self.kinds[at] == Kind::Members;
                    }
                }
                Class::Punct(b';' | b'{' | b'}') => return false,
                _ => {}
            }
        }
        false
    }

    /// How surely a word that looks like a macro is one.
    fn rank(&self, unit: &Unit) -> u8 {
        if !self.looks_macro(unit) {
            return 0;
        }
        let word = self.page.text(&self.tokens[unit.first]);
        match word {
            [b'_', b'_', ..] => 3,
            _ if word.contains(&b'_') => 2,
            _ => 1,
        }
    }

    fn drop_words(&mut self, loose: &[Unit], excess: usize, typed: bool, behind: (usize, u8)) {
        let mut candidates: Vec<(u8, usize)> = Vec::new();
        for (index, unit) in loose.iter().enumerate() {
            let rank = self.rank(unit);
            if rank > 0 || typed && index + 1 < loose.len() {
                candidates.push((rank, index));
            }
        }
        // `API int __name(`: a name may look like a macro, but something has to be the name.
        let name = loose.len() - 1;
        if behind.1 == b'('
            && candidates.iter().filter(|&&(rank, at)| rank > 1 && at != name).count() >= excess
        {
            candidates.retain(|&(rank, at)| at != name || rank < 3);
        }
        // `ULONG CALLBACK _ROUTINE(PVOID context)`: what takes parameters is no macro.
        if behind.1 == b'(' && self.lists_parameters(behind.0) {
            candidates.retain(|&(_, at)| at != name);
        }
        // Sure ones first, from the left; of the doubtful ones the rightmost: `BOOL WINAPI f()`.
        candidates
            .sort_by_key(|&(rank, index)| (3 - rank, if rank == 1 { loose.len() - index } else { index }));
        if candidates.len() < excess {
            return;
        }
        candidates.truncate(excess);
        candidates.sort_by_key(|&(_, index)| index);
        for (_, index) in candidates {
            let unit = loose[index];
            let mut last = unit.last;
            if unit.last + 1 == behind.0 && behind.1 == b'(' {
                last = self.tokens[behind.0].partner as usize;
            }
            self.wipe_lead(unit.first, last);
        }
    }

    /// Whether a bracket opens parameters with types and names, and not the arguments of a macro.
    fn lists_parameters(&self, open: usize) -> bool {
        matches!(self.class(open + 1), Class::Word | Class::Type)
            && self.class(open + 2) == Class::Word
            && (self.is(open + 3, b',') || self.is(open + 3, b')'))
    }

    /// `EXPORT class EXPORT Name final {`: the name is the last word.
    fn thin_definition(&mut self, units: &[Unit], tag: usize) {
        let words: Vec<usize> = units
            .iter()
            .enumerate()
            .filter(|(_, unit)| unit.class == Class::Word)
            .map(|(index, _)| index)
            .collect();
        let name = words.iter().rev().find(|&&index| index > tag).copied();
        for index in words {
            if Some(index) != name {
                self.wipe_lead(units[index].first, units[index].last);
            }
        }
    }

    /// `} __packed;`: words behind the body of a type.
    fn behind_type(&mut self, units: &[Unit], at: usize, sign: u8) {
        if at == 0
            || !matches!(sign, b';' | b'=' | b',' | b'[' | b'(' | b')')
            || !self.is(at - 1, b'}') && !self.is(at - 1, b']')
        {
            return;
        }
        let open = self.tokens[at - 1].partner as usize;
        if self.is(at - 1, b'}') && self.kinds.get(open).is_none_or(|&kind| kind == Kind::Statements) {
            return;
        }
        for unit in units {
            let mut end = self.tokens[unit.last].end;
            let mut guards = false;
            if self.is(unit.last + 1, b'(') {
                let close = self.tokens[unit.last + 1].partner as usize;
                let Some(token) = self.get(close) else { return };
                end = token.end;
                guards = self.is(at - 1, b']') && self.kinds[at] == Kind::Members && self.is(close + 1, b';');
            }
            if self.rank(unit) < if guards { 2 } else { 3 } {
                continue;
            }
            self.page.wipe(self.tokens[unit.first].start, end);
        }
    }

    /// Whether a row of words starts here that can only be a declaration.
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

    /// Macros between the parameters of a function and its body or end. Returns what comes behind a macro that is its body.
    pub(super) fn behind_parameters(&mut self, close: usize) -> Option<usize> {
        let mut at = close + 1;
        let mut found: Vec<(u32, u32)> = Vec::new();
        loop {
            match self.class(at) {
                Class::Word if self.blank.is_macro(self.page.text(&self.tokens[at])) => {
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
                // `bool f(int x) NOT_REACHED`: a macro for a body.
                _ if self.kinds[close] == Kind::Declarations
                    && found.len() == 1
                    && at == close + 2
                    && self.get(at).is_none_or(|next| next.first)
                    && (self.declares(at) || self.class(at) == Class::Directive) =>
                {
                    let (start, end) = found[0];
                    self.page.wipe(start, end);
                    self.page.replace(b'{', start);
                    self.page.replace(b'}', end - 1);
                    self.depth = 0;
                    return Some(at);
                }
                _ => return None,
            }
        }
        for (start, end) in found {
            self.page.wipe(start, end);
        }
        None
    }

    /// Whether a word looks like a type.
    pub(super) fn is_type_at(&self, at: usize) -> bool {
        self.blank.never.as_ref().is_some_and(|never| never.is_match(self.page.text(&self.tokens[at])))
    }

    pub(super) fn is_macro_at(&self, at: usize) -> bool {
        self.get(at).is_some_and(|token: &lexer::Token| self.blank.is_macro(self.page.text(token)))
    }
}
