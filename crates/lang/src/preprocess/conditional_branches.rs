//! Conditional compilation: if the branches of an `#if` are not complete code each, one of them is kept.
//!
//! Example: both branches of the first conditional are complete declarations, so nothing is erased. In the second, each
//! branch is only the header of a function whose body follows, so the first branch is kept, and the directives and the
//! other branch are erased:
//!
//! ```text
//! #ifdef A           #ifdef A
//! int a;             void f(int a)     kept
//! #else              #else
//! int b;             void f()          erased
//! #endif             #endif
//!                    { }
//! ```
//!
//! A branch is complete if a statement could begin before it, its brackets balance, it begins and ends like a statement,
//! and what follows the conditional does not continue it.

use super::Rewriter;
use super::lexer::{Class, Token};

/// Maximum number of tokens to look back over.
const LOOK_BACK_CAP: usize = 4000;

/// A conditional whose end has not been reached.
#[expect(clippy::struct_excessive_bools, reason = "four independent facts about a conditional")]
struct Conditional {
    /// Its directives so far, as indices of tokens.
    directives: Vec<usize>,
    /// Whether each branch so far is complete code.
    whole: bool,
    /// Bracket depth before it, and after its first branch.
    before: Depth,
    after_first: Option<Depth>,
    lowest: i32,
    /// Whether all branches end with a comma.
    commas: bool,
    /// Whether its directives are erased even if all branches are complete.
    flat: bool,
    /// Whether it is in the initialiser list of a constructor, or a label precedes it.
    colon: bool,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct Depth {
    round: i32,
    curly: i32,
}

/// Resolves all conditionals; returns the tokens that remain.
pub(super) fn resolve(tokens: Vec<Token>, flat: bool, rewriter: &mut Rewriter<'_>) -> Vec<Token> {
    let other = tokens.iter().filter(|token| flat && token.class == Class::Directive);
    other.for_each(|token| rewriter.erase(token.start, token.end));
    if !tokens.iter().any(|token| token.class == Class::Open) {
        return tokens;
    }
    let mut dead = vec![false; tokens.len()];
    let mut open: Vec<Conditional> = Vec::new();
    let mut depth = Depth::default();
    // For each open brace whether it contains a list of values.
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
                open.push(Conditional {
                    directives: vec![at],
                    whole,
                    before: depth,
                    after_first: None,
                    lowest: depth.curly,
                    commas: true,
                    flat,
                    colon: follows_colon(&tokens, &dead, at),
                });
                continue;
            }
            Class::Middle => {
                if let Some(conditional) = open.last_mut() {
                    conditional.end_branch(&tokens, at, depth, rewriter);
                    conditional.directives.push(at);
                    depth = conditional.before;
                }
                continue;
            }
            Class::Close => {
                if let Some(mut conditional) = open.pop() {
                    conditional.end_branch(&tokens, at, depth, rewriter);
                    conditional.directives.push(at);
                    conditional.whole &= !matches!(tokens.get(at + 1), Some(next) if continues(&tokens, at + 1, next, rewriter));
                    depth = conditional.after_first.unwrap_or(depth);
                    conditional.settle(&tokens, rewriter, &mut dead);
                }
                continue;
            }
            _ => continue,
        }
        if let Some(conditional) = open.last_mut() {
            conditional.lowest = conditional.lowest.min(depth.curly);
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

/// Whether a colon precedes this token, or a colon and initialisers: `: a(1), b(2),`.
fn follows_colon(tokens: &[Token], dead: &[bool], at: usize) -> bool {
    let live = |&index: &usize| !dead[index] && !matches!(tokens[index].class, Class::Directive);
    let mut depth = 0;
    for (passed, index) in (0..at).rev().take(LOOK_BACK_CAP).filter(live).enumerate() {
        match tokens[index].class {
            Class::Punct(b':') if depth == 0 => return true,
            Class::Punct(b',') if depth == 0 => {}
            _ if passed == 0 => return false,
            Class::Punct(b')' | b'}' | b']') => depth += 1,
            Class::Punct(b'(' | b'{' | b'[') if depth > 0 => depth -= 1,
            Class::Punct(b'(' | b'{' | b'[' | b';' | b'=') if depth == 0 => return false,
            _ => {}
        }
    }
    false
}

/// Whether a statement could begin here, judging by the token before.
fn starts_here(tokens: &[Token], dead: &[bool], flat: bool, at: usize) -> bool {
    let Some(before) = live_before(tokens, dead, at) else { return true };
    match tokens[before].class {
        Class::Punct(b']') => flat,
        Class::Punct(b')') | Class::Word if flat => false,
        Class::Punct(b';' | b'{' | b'}' | b':' | b',' | b')')
        | Class::Open
        | Class::Middle
        | Class::Close => true,
        // A macro on a line of its own.
        Class::Word => tokens[before].first,
        _ => false,
    }
}

/// Whether the token after a conditional continues its branches.
fn continues(tokens: &[Token], at: usize, next: &Token, rewriter: &Rewriter<'_>) -> bool {
    match next.class {
        Class::Prefix => rewriter.text(next) == b"else",
        Class::Punct(b'{' | b';') => at >= 2 && matches!(last_of_branch(tokens, at - 1), Class::Punct(b')')),
        _ => false,
    }
}

fn last_of_branch(tokens: &[Token], close: usize) -> Class {
    tokens[..close].last().map_or(Class::End, |token| token.class)
}

impl Conditional {
    fn end_branch(&mut self, tokens: &[Token], at: usize, depth: Depth, rewriter: &Rewriter<'_>) {
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
            Class::Prefix => rewriter.text(first) != b"else",
            _ => true,
        };
        self.whole &= match last.class {
            Class::Punct(sign) if self.flat => matches!(sign, b';' | b'}' | b',' | b']'),
            Class::Word if self.flat => false,
            Class::Punct(sign) => match sign {
                b')' => !ends_with_condition(branch),
                b',' if self.colon => false,
                // A label needs a statement after it.
                b':' => !matches!(branch, [.., label, _] if label.class == Class::Word && label.first),
                _ => matches!(sign, b';' | b'}' | b'{' | b',' | b':' | b']' | b'>'),
            },
            Class::Word => last.first || branch.len() < 3 && first.first,
            Class::Directive | Class::Open | Class::Middle | Class::Close => true,
            _ => false,
        };
    }

    /// Keeps all branches if they are complete; otherwise the first that may be compiled.
    fn settle(&self, tokens: &[Token], rewriter: &mut Rewriter<'_>, dead: &mut [bool]) {
        if self.whole && !self.flat {
            return;
        }
        for &directive in &self.directives {
            rewriter.erase(tokens[directive].start, tokens[directive].end);
            dead[directive] = true;
        }
        // List items are complete in any combination.
        if self.whole || self.commas && self.directives.len() > 2 {
            return;
        }
        let never = |directive: usize| {
            let text = rewriter.text(&tokens[directive]);
            text.trim_ascii_end().ends_with(b" 0")
        };
        let kept =
            (0..self.directives.len() - 1).find(|&branch| !never(self.directives[branch])).unwrap_or(0);
        for (branch, pair) in self.directives.windows(2).enumerate() {
            if branch == kept {
                continue;
            }
            rewriter.erase(tokens[pair[0]].end, tokens[pair[1]].start);
            dead[pair[0] + 1..pair[1]].fill(true);
        }
    }
}

/// Whether a branch ends with a condition whose statement follows it.
fn ends_with_condition(branch: &[Token]) -> bool {
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
