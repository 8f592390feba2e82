//! Choices of the preprocessor: where the branches do not fit together as code, one of them is kept.

use super::Page;
use super::lexer::{Class, Token};

/// So many tokens are looked back over.
const LOOK_BACK_CAP: usize = 4000;

/// A choice that is still open.
#[expect(clippy::struct_excessive_bools, reason = "four independent facts about a run of branches")]
struct Choice {
    /// Its directives so far, as indices of tokens.
    directives: Vec<usize>,
    /// Whether each finished branch stands on its own as code.
    whole: bool,
    /// Depth of brackets before it, and after its first branch.
    before: Depth,
    after_first: Option<Depth>,
    lowest: i32,
    /// Whether all branches end with a comma.
    commas: bool,
    /// Whether its directives go even where its branches fit together.
    flat: bool,
    /// Whether a colon stands before it: of a label, or of a list of initial values.
    colon: bool,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct Depth {
    round: i32,
    curly: i32,
}

/// Settles all choices; returns the tokens that are left.
pub(super) fn choose(tokens: Vec<Token>, flat: bool, page: &mut Page<'_>) -> Vec<Token> {
    let other = tokens.iter().filter(|token| flat && token.class == Class::Directive);
    other.for_each(|token| page.wipe(token.start, token.end));
    if !tokens.iter().any(|token| token.class == Class::Open) {
        return tokens;
    }
    let mut dead = vec![false; tokens.len()];
    let mut open: Vec<Choice> = Vec::new();
    let mut depth = Depth::default();
    // Braces whose inside is a list of values.
    let mut values: Vec<bool> = Vec::new();
    for at in 0..tokens.len() {
        match tokens[at].class {
            Class::Punct(b'(' | b'[') => depth.round += 1,
            Class::Punct(b')' | b']') => depth.round -= 1,
            Class::Punct(b'{') => {
                depth.curly += 1;
                values.push(opens_values(&tokens, &dead, at, values.last() == Some(&true)));
            }
            Class::Punct(b'}') => {
                depth.curly -= 1;
                values.pop();
            }
            Class::Open => {
                let whole = depth.round <= 0
                    && !values.last().is_some_and(|&inside| inside)
                    && starts_here(&tokens, &dead, flat, at);
                open.push(Choice {
                    directives: vec![at],
                    whole,
                    before: depth,
                    after_first: None,
                    lowest: depth.curly,
                    commas: true,
                    flat,
                    colon: live_before(&tokens, &dead, at)
                        .is_some_and(|before| tokens[before].class == Class::Punct(b':')),
                });
                continue;
            }
            Class::Middle => {
                if let Some(choice) = open.last_mut() {
                    choice.end_branch(&tokens, at, depth, page);
                    choice.directives.push(at);
                    depth = choice.before;
                }
                continue;
            }
            Class::Close => {
                if let Some(mut choice) = open.pop() {
                    choice.end_branch(&tokens, at, depth, page);
                    choice.directives.push(at);
                    choice.whole &=
                        !matches!(tokens.get(at + 1), Some(next) if goes_on(&tokens, at + 1, next, page));
                    depth = choice.after_first.unwrap_or(depth);
                    choice.settle(&tokens, page, &mut dead);
                }
                continue;
            }
            _ => continue,
        }
        if let Some(choice) = open.last_mut() {
            choice.lowest = choice.lowest.min(depth.curly);
        }
    }
    tokens.into_iter().zip(dead).filter(|(_, dead)| !dead).map(|(token, _)| token).collect()
}

fn opens_values(tokens: &[Token], dead: &[bool], at: usize, inside: bool) -> bool {
    let Some(before) = live_before(tokens, dead, at) else { return false };
    match tokens[before].class {
        Class::Punct(b'=') => true,
        Class::Punct(b',' | b'{') => inside,
        _ => false,
    }
}

fn live_before(tokens: &[Token], dead: &[bool], at: usize) -> Option<usize> {
    (0..at)
        .rev()
        .take(LOOK_BACK_CAP)
        .find(|&index| !dead[index] && !matches!(tokens[index].class, Class::Directive))
}

/// Whether a statement could start here, judged by what stands before.
fn starts_here(tokens: &[Token], dead: &[bool], flat: bool, at: usize) -> bool {
    let Some(before) = live_before(tokens, dead, at) else { return true };
    match tokens[before].class {
        Class::Punct(b']') => flat,
        Class::Punct(b')') | Class::Word if flat => false,
        Class::Punct(b';' | b'{' | b'}' | b':' | b',' | b')')
        | Class::Open
        | Class::Middle
        | Class::Close => true,
        // A macro that stands alone.
        Class::Word => tokens[before].first,
        _ => false,
    }
}

/// Whether what comes behind a choice belongs to what is in it.
fn goes_on(tokens: &[Token], at: usize, next: &Token, page: &Page<'_>) -> bool {
    match next.class {
        Class::Prefix => page.text(next) == b"else",
        Class::Punct(b'{' | b';') => at >= 2 && matches!(last_of_branch(tokens, at - 1), Class::Punct(b')')),
        _ => false,
    }
}

fn last_of_branch(tokens: &[Token], close: usize) -> Class {
    tokens[..close].last().map_or(Class::End, |token| token.class)
}

impl Choice {
    fn end_branch(&mut self, tokens: &[Token], at: usize, depth: Depth, page: &Page<'_>) {
        let start = self.directives.last().map_or(at, |&directive| directive + 1);
        let balanced = depth == self.before && self.lowest >= self.before.curly;
        self.whole &= balanced;
        self.lowest = self.before.curly;
        self.after_first.get_or_insert(depth);
        let branch = &tokens[start.min(at)..at];
        let (Some(first), Some(last)) = (branch.first(), branch.last()) else { return };
        self.commas &= last.class == Class::Punct(b',');
        self.whole &= match first.class {
            Class::Punct(sign) => {
                matches!(sign, b'{' | b'}' | b';' | b'*' | b'(' | b'~' | b'[' | b':' | b'#' | b'@')
            }
            Class::Text | Class::Number => false,
            Class::Prefix => page.text(first) != b"else",
            _ => true,
        };
        self.whole &= match last.class {
            Class::Punct(sign) if self.flat => matches!(sign, b';' | b'}' | b',' | b']'),
            Class::Word if self.flat => false,
            Class::Punct(sign) => match sign {
                b')' => !behind_condition(branch),
                b',' if self.colon => false,
                // A label wants a statement behind it.
                b':' => !matches!(branch, [.., label, _] if label.class == Class::Word && label.first),
                _ => matches!(sign, b';' | b'}' | b'{' | b',' | b':' | b']' | b'>'),
            },
            Class::Word => last.first || branch.len() < 3 && first.first,
            Class::Directive | Class::Open | Class::Middle | Class::Close => true,
            _ => false,
        };
    }

    /// Keeps all branches where they fit together; otherwise the first that may be compiled.
    fn settle(&self, tokens: &[Token], page: &mut Page<'_>, dead: &mut [bool]) {
        if self.whole && !self.flat {
            return;
        }
        for &directive in &self.directives {
            page.wipe(tokens[directive].start, tokens[directive].end);
            dead[directive] = true;
        }
        // Items of a list fit together whatever the choice.
        if self.whole || self.commas && self.directives.len() > 2 {
            return;
        }
        let never = |directive: usize| {
            let text = page.text(&tokens[directive]);
            text.trim_ascii_end().ends_with(b" 0")
        };
        let kept =
            (0..self.directives.len() - 1).find(|&branch| !never(self.directives[branch])).unwrap_or(0);
        for (branch, pair) in self.directives.windows(2).enumerate() {
            if branch == kept {
                continue;
            }
            page.wipe(tokens[pair[0]].end, tokens[pair[1]].start);
            dead[pair[0] + 1..pair[1]].fill(true);
        }
    }
}

/// Whether a branch ends with the condition of a statement that comes behind it.
fn behind_condition(branch: &[Token]) -> bool {
    let mut depth = 0;
    for (at, token) in branch.iter().enumerate().rev().take(LOOK_BACK_CAP) {
        match token.class {
            Class::Punct(b')') => depth += 1,
            Class::Punct(b'(') => {
                depth -= 1;
                if depth == 0 {
                    return at > 0 && branch[at - 1].class == Class::Condition;
                }
            }
            _ => {}
        }
    }
    true
}
