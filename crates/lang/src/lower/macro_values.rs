//! The value of a macro that stands for its argument: `#define TEXT(x) L ## x`, `#define PASS(x) (x)`, `#define STR(x) TEXT(x)`.
//!
//! The body of a macro is text to the grammar. If it is one parameter, possibly in parentheses or pasted to a prefix, or a call with one
//! parameter, that is what the macro returns.

use super::Lowering;
use crate::parse::flat_tree::NodeId;
use orient_model::{Expr, ExprId, ExprList, Return};

impl Lowering<'_> {
    /// Records what a macro returns, if its body stands for an argument.
    pub(super) fn macro_value(&mut self, scope: u32, body: NodeId) {
        let Ok(text) = str::from_utf8(self.tree.bytes(body)) else { return };
        let Some(value) = passed(text) else { return };
        let (value, callee) = match value {
            PassedArgument::Itself(name) => (name.to_owned(), None),
            PassedArgument::To(callee, name) => (name.to_owned(), Some(callee.to_owned())),
        };
        let value = self.name_expr(&value);
        let value = match callee {
            Some(callee) => {
                let callee = self.name_expr(&callee);
                let args = ExprList { start: self.flow.operands.len() as u32, len: 1 };
                self.flow.operands.push(value);
                self.push_expr(Expr::Call { callee, args })
            }
            None => value,
        };
        self.flow.returns.push(Return { scope, value, yields: false });
    }

    fn name_expr(&mut self, name: &str) -> ExprId {
        let name = self.names.intern(name);
        self.push_expr(Expr::Name(name))
    }
}

/// What a macro does with its argument.
#[derive(Debug, PartialEq, Eq)]
enum PassedArgument<'t> {
    /// It is the value.
    Itself(&'t str),
    /// It is passed to another macro.
    To(&'t str, &'t str),
}

fn passed(body: &str) -> Option<PassedArgument<'_>> {
    let is_name = |text: &str| {
        text.starts_with(|c: char| c.is_alphabetic() || c == '_')
            && text.chars().all(|c| c.is_alphanumeric() || c == '_')
    };
    let body = body.split("/*").next().unwrap_or_default();
    let mut text = body.split("//").next().unwrap_or_default().trim();
    while let Some(inner) = text.strip_prefix('(').and_then(|text| text.strip_suffix(')')) {
        text = inner.trim();
    }
    let pasted = text.rsplit_once("##").map_or(text, |(_, name)| name.trim());
    if is_name(pasted) {
        return Some(PassedArgument::Itself(pasted));
    }
    let (callee, argument) = text.strip_suffix(')')?.split_once('(')?;
    let (callee, argument) = (callee.trim(), argument.trim());
    (is_name(callee) && is_name(argument)).then_some(PassedArgument::To(callee, argument))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_that_is_a_parameter_or_passes_it_on_has_its_value() {
        assert_eq!(passed("x"), Some(PassedArgument::Itself("x")));
        assert_eq!(passed("((x)) // same"), Some(PassedArgument::Itself("x")));
        assert_eq!(passed("L ## x"), Some(PassedArgument::Itself("x")));
        assert_eq!(passed("TEXT(x)"), Some(PassedArgument::To("TEXT", "x")));
        assert_eq!(passed("x + 1"), None);
        assert_eq!(passed("(x) + (y)"), None);
        assert_eq!(passed("do_it(x, 1)"), None);
    }
}
