//! The context of each token: declarations, members, statements, enum constants or values.

use super::lexer::{Class, Token};

/// The context of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Context {
    /// A file or a namespace.
    Declarations,
    /// The body of a type.
    Members,
    Statements,
    /// The constants of an enum.
    Constants,
    /// A list of values.
    Items,
}

/// The context of each token. An opening brace has the context inside it.
pub(super) fn read(tokens: &[Token]) -> Vec<Context> {
    let mut kinds = Vec::with_capacity(tokens.len());
    let mut around: Vec<Context> = Vec::new();
    let mut start = 0;
    for (at, token) in tokens.iter().enumerate() {
        let current = around.last().copied().unwrap_or(Context::Declarations);
        match token.class {
            Class::Punct(b'{') => {
                let kind = inside(tokens, start, at, current);
                around.push(kind);
                kinds.push(kind);
                start = at + 1;
                continue;
            }
            Class::Punct(b'}') => {
                around.pop();
                start = at + 1;
            }
            Class::Punct(b';') | Class::Directive => start = at + 1,
            _ => {}
        }
        kinds.push(current);
    }
    kinds
}

/// The context that a brace opens, judging by the statement before it.
fn inside(tokens: &[Token], start: usize, at: usize, around: Context) -> Context {
    let Some(before) = at.checked_sub(1).filter(|&before| before >= start) else {
        return if around == Context::Items { around } else { Context::Statements };
    };
    match tokens[before].class {
        Class::Punct(b'=' | b',' | b'(' | b'[' | b'{') => Context::Items,
        Class::Punct(b')') => Context::Statements,
        Class::Text if around != Context::Statements => Context::Declarations,
        _ if around == Context::Items => Context::Items,
        _ => {
            let head = &tokens[start..at];
            let bracket = head.iter().position(|token| token.class == Class::Punct(b'('));
            let word = |wanted: fn(Class) -> bool| head.iter().position(|token| wanted(token.class));
            if let Some(list) = word(|class| class == Class::List)
                && bracket.is_none_or(|bracket| list < bracket)
            {
                Context::Constants
            } else if word(|class| class == Class::Region).is_some() {
                Context::Declarations
            } else if head
                .iter()
                .enumerate()
                // A tag among template parameters opens nothing.
                .position(|(at, token)| {
                    token.class == Class::Tag
                        && (at == 0 || !matches!(head[at - 1].class, Class::Punct(b'<' | b',')))
                })
                .is_some_and(|tag| {
                    // `struct x *f() const {` opens a body; `class EXPORT(x) C {` a type.
                    bracket.is_none_or(|bracket| tag > bracket || tokens[before].class == Class::Word)
                })
            {
                Context::Members
            } else {
                Context::Statements
            }
        }
    }
}

/// Links every bracket to its partner.
pub(super) fn pair(tokens: &mut [Token]) {
    let mut open: Vec<usize> = Vec::new();
    for at in 0..tokens.len() {
        match tokens[at].class {
            Class::Punct(b'(' | b'[' | b'{') => open.push(at),
            Class::Punct(close @ (b')' | b']' | b'}')) => {
                let wanted = match close {
                    b')' => b'(',
                    b']' => b'[',
                    _ => b'{',
                };
                // A brace closes everything left open inside it.
                while let Some(&last) = open.last() {
                    let fits = tokens[last].class == Class::Punct(wanted);
                    if !fits && close != b'}' {
                        break;
                    }
                    open.pop();
                    if fits {
                        tokens[last].partner = at as u32;
                        tokens[at].partner = last as u32;
                        break;
                    }
                }
            }
            _ => {}
        }
    }
}
