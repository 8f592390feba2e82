//! The arguments of `find`.

use crate::answer::Cursor;
use clap::Args;
use orient_structural::{QuerySpec, Relation};

/// Arguments of `find`.
#[derive(Args)]
pub(crate) struct FindArgs {
    /// Code with metavariables, such as `$X.unwrap()` or `f($$$ARGS)`; or `(node_kind)`
    #[arg(value_name = "PATTERN", allow_hyphen_values = true)]
    pub(super) pattern: String,
    /// Files, directories or globs to search; default: the whole tree
    #[arg(value_name = "PATH")]
    pub(super) paths: Vec<String>,
    /// The language of the pattern; several if it is valid in each
    #[arg(long, short = 'l', value_name = "LANGUAGE", value_delimiter = ',')]
    pub(super) lang: Vec<String>,
    /// Only matches inside code that matches this pattern
    #[arg(long, value_name = "PATTERN")]
    inside: Vec<String>,
    /// Only matches that contain code that matches this pattern
    #[arg(long, value_name = "PATTERN")]
    has: Vec<String>,
    /// No matches that also match this pattern
    #[arg(long, value_name = "PATTERN")]
    not: Vec<String>,
    /// No matches inside code that matches this pattern
    #[arg(long, value_name = "PATTERN")]
    not_inside: Vec<String>,
    /// No matches that contain code that matches this pattern
    #[arg(long, value_name = "PATTERN")]
    not_has: Vec<String>,
    /// The node kind in the pattern to find, if the pattern is its context
    #[arg(long, value_name = "KIND")]
    selector: Option<String>,
    /// How exactly tokens must agree: smart (default), cst, ast, relaxed, signature, template
    #[arg(long, value_name = "STRICTNESS")]
    strictness: Option<String>,
    /// Print a unified diff that replaces each match by this code; changes nothing
    #[arg(long, short, value_name = "CODE", allow_hyphen_values = true)]
    pub(super) rewrite: Option<String>,
    /// Files, directories or globs to leave out
    #[arg(long, value_name = "PATH", value_delimiter = ',')]
    pub(super) exclude: Vec<String>,
    /// Only files with these roles: source, test, generated, vendored, doc, config
    #[arg(long, value_name = "ROLE", value_delimiter = ',')]
    pub(super) role: Vec<String>,
    /// Print only the paths of files with a match
    #[arg(long)]
    pub(super) files_with_matches: bool,
    /// Print only the number of matches per file
    #[arg(long, short)]
    pub(super) count: bool,
    /// Maximum number of matches; 0 means all; default: 100
    #[arg(long, value_name = "N")]
    pub(super) limit: Option<u64>,
    /// Continue after the cursor of the previous answer
    #[arg(long, value_name = "CURSOR")]
    pub(super) after: Option<Cursor>,
}

impl FindArgs {
    /// The query.
    pub(super) fn spec(&self) -> QuerySpec {
        let all = [
            (Relation::Inside, &self.inside),
            (Relation::Has, &self.has),
            (Relation::Not, &self.not),
            (Relation::NotInside, &self.not_inside),
            (Relation::NotHas, &self.not_has),
        ];
        let constraints =
            all.iter().flat_map(|(relation, texts)| texts.iter().map(|text| (*relation, text.clone())));
        QuerySpec {
            pattern: self.pattern.clone(),
            selector: self.selector.clone(),
            strictness: self.strictness.clone(),
            constraints: constraints.collect(),
            rewrite: self.rewrite.clone(),
        }
    }
}
