//! Errors of structural patterns.

/// A pattern that cannot be searched for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StructuralError {
    /// There is no such language.
    #[error("there is no language `{0}`")]
    UnknownLanguage(String),
    /// The language has no syntax trees.
    #[error("{0} has no grammar, so it cannot be searched by structure")]
    NoGrammar(String),
    /// The pattern is empty or only blank.
    #[error("the pattern is empty")]
    Empty,
    /// The pattern is more than one piece of code.
    #[error("`{0}` is more than one expression or statement")]
    SeveralNodes(String),
    /// The pattern is a single metavariable for a list.
    #[error("`{0}` alone would match any list of code")]
    OnlyList(String),
    /// The selected kind does not exist, or not in the pattern.
    #[error("the pattern has no node of kind `{0}`")]
    Selector(String),
    /// The strictness does not exist.
    #[error("there is no strictness `{0}`")]
    Strictness(String),
    /// A metavariable of the rewrite that no pattern binds.
    #[error("the rewrite uses `${0}`, which no pattern binds")]
    Unbound(String),
    /// The pattern cannot be parsed.
    #[error("the pattern cannot be parsed: {0}")]
    Parse(String),
}
