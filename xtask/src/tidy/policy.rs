//! The policy that tidy enforces, read from `xtask/tidy.toml`.

use crate::workspace;
use anyhow::{Context, Result};
use serde::Deserialize;
use std::collections::BTreeMap;

/// All of `tidy.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Policy {
    pub(crate) budgets: Budgets,
    /// Our crates by role, each with the roles it may depend on.
    pub(crate) dependencies: BTreeMap<String, Vec<String>>,
    /// Additional roles that tests may use.
    #[serde(default)]
    pub(crate) test_dependencies: BTreeMap<String, Vec<String>>,
    /// External packages, each with the roles that may depend on it.
    pub(crate) only: BTreeMap<String, Vec<String>>,
    pub(crate) pure: Pure,
    pub(crate) opener: Opener,
    pub(crate) unsafety: Unsafety,
    pub(crate) languages: Languages,
    pub(crate) operations: Operations,
    /// Files that may exceed a size budget.
    #[serde(default)]
    pub(crate) long: Vec<Exempt>,
    pub(crate) names: Names,
    pub(crate) links: Links,
    pub(crate) retired: Retired,
    #[serde(default)]
    pub(crate) text: Vec<Text>,
}

/// Limits on lines and counts.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Budgets {
    pub(crate) file_warn: usize,
    pub(crate) file_fail: usize,
    pub(crate) file_median: usize,
    pub(crate) function_warn: usize,
    pub(crate) function_fail: usize,
    pub(crate) trait_methods: usize,
    pub(crate) locked_packages: usize,
}

/// Crates that do no input or output.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Pure {
    pub(crate) crates: Vec<String>,
    pub(crate) paths: Vec<String>,
    #[serde(default)]
    pub(crate) exempt: Vec<Exempt>,
}

/// The only crate that opens files of repositories.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Opener {
    /// Its directory.
    pub(crate) directory: String,
    /// The ends of paths that open a file or a directory by its name.
    pub(crate) paths: Vec<String>,
    /// Files of our own and of the user.
    pub(crate) exempt: Vec<Exempt>,
}

/// Files that may contain unsafe code.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Unsafety {
    pub(crate) files: Vec<String>,
}

/// Rules about the names of languages.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Languages {
    pub(crate) packs: String,
    pub(crate) free: Vec<String>,
    pub(crate) neutral: Vec<String>,
    pub(crate) everyday: Vec<String>,
    #[serde(default)]
    pub(crate) exempt: Vec<Word>,
}

/// Rules about the names of operations.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Operations {
    /// Directories that iterate over the operation table and must not name an operation.
    pub(crate) surfaces: Vec<String>,
}

/// A word that one file may use although it is the name of a pack.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Word {
    pub(crate) file: String,
    pub(crate) name: String,
    pub(crate) reason: String,
}

/// A file that is exempt from a rule.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Exempt {
    pub(crate) file: String,
    pub(crate) reason: String,
}

/// Meaningless file names.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Names {
    pub(crate) forbidden: Vec<String>,
}

/// Which pages are not checked for broken links.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Links {
    /// Prefixes of their paths.
    pub(crate) free: Vec<String>,
}

/// Words that the glossary replaced.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Retired {
    /// Prefixes of paths where they may occur.
    pub(crate) free: Vec<String>,
    /// Each with what to write instead.
    pub(crate) words: BTreeMap<String, String>,
}

/// Text that no file may contain.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Text {
    pub(crate) pattern: String,
    pub(crate) reason: String,
}

/// Reads the policy.
pub(crate) fn policy() -> Result<Policy> {
    toml::from_str(&workspace::text("xtask/tidy.toml")?).context("xtask/tidy.toml")
}
