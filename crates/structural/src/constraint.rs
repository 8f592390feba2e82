//! Conditions on a match: what it is inside, what it contains, and what it is not.

use crate::pack_language::Document;
use crate::query::NodePattern;
use ast_grep_core::meta_var::MetaVarEnv;
use ast_grep_core::{Matcher, Node};
use std::borrow::Cow;

/// How a match relates to the pattern of a constraint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// A node around the match matches the pattern.
    Inside,
    /// A node in the match matches the pattern.
    Has,
    /// The match does not match the pattern.
    Not,
    /// No node around the match matches the pattern.
    NotInside,
    /// No node in the match matches the pattern.
    NotHas,
}

impl Relation {
    /// Whether the pattern must be found.
    pub(crate) fn is_positive(self) -> bool {
        matches!(self, Self::Inside | Self::Has)
    }
}

/// A condition on a match.
pub(crate) struct Constraint {
    pub(crate) relation: Relation,
    pub(crate) pattern: NodePattern,
}

impl Constraint {
    /// Whether the condition holds for a match. Metavariables that the pattern has bound must be equal here too, and a
    /// condition that holds binds its own: `$F($$$)` inside `fn $F($$$) { $$$ }` finds functions that call themselves.
    pub(crate) fn holds<'t>(
        &self,
        node: &Node<'t, Document>,
        variables: &mut Cow<'_, MetaVarEnv<'t, Document>>,
    ) -> bool {
        let mut trial = Cow::Owned(variables.as_ref().clone());
        let found = match self.relation {
            Relation::Inside | Relation::NotInside => self.first(node.ancestors(), &mut trial),
            Relation::Has | Relation::NotHas => self.first(node.dfs().skip(1), &mut trial),
            Relation::Not => self.first(std::iter::once(node.clone()), &mut trial),
        };
        if found && self.relation.is_positive() {
            *variables = Cow::Owned(trial.into_owned());
        }
        found == self.relation.is_positive()
    }

    /// Whether one of the nodes matches; binds the metavariables of the first that does.
    fn first<'t>(
        &self,
        nodes: impl Iterator<Item = Node<'t, Document>>,
        variables: &mut Cow<'_, MetaVarEnv<'t, Document>>,
    ) -> bool {
        for node in nodes {
            let mut trial = Cow::Borrowed(variables.as_ref());
            if self.pattern.match_node_with_env(node, &mut trial).is_some() {
                let bound = trial.into_owned();
                *variables = Cow::Owned(bound);
                return true;
            }
        }
        false
    }
}
