//! `projects/*.toml` as written: rules that read statements about modules from a project file.

use serde::Deserialize;

/// The rules for one kind of project file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ProjectSpec {
    /// What people call such a file.
    pub(crate) title: String,
    /// Patterns of the names of such files.
    pub(crate) files: Vec<String>,
    pub(crate) rules: Vec<ProjectRuleSpec>,
}

/// A rule: every value that `at` selects makes one statement, or one for each match of `matches`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ProjectRuleSpec {
    /// The path of keys that leads to the values.
    pub(crate) at: String,
    /// The kind of the statement.
    pub(crate) says: String,
    /// Templates of the statement's name and value.
    #[serde(default)]
    pub(crate) name: String,
    #[serde(default = "itself")]
    pub(crate) value: String,
    /// Template of the text that `matches` search.
    #[serde(default = "itself")]
    pub(crate) text: String,
    /// Regular expressions. Each searches what the first group of the one before matched; every match of the last makes
    /// a statement.
    #[serde(default)]
    pub(crate) matches: Vec<String>,
    /// Texts to replace in the value, with their replacements.
    #[serde(default)]
    pub(crate) replace: Vec<(String, String)>,
    /// Template of the directory that absolute paths in the value are made relative to.
    #[serde(default)]
    pub(crate) from: Option<String>,
}

fn itself() -> String {
    "{}".to_owned()
}
