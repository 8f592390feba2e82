//! The rules of tidy as data: `xtask/tidy.toml`.

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
    pub(crate) arrows: BTreeMap<String, Vec<String>>,
    /// What tests may also use.
    #[serde(default)]
    pub(crate) test_arrows: BTreeMap<String, Vec<String>>,
    /// Crates from outside, each with the roles that may name it.
    pub(crate) only: BTreeMap<String, Vec<String>>,
    pub(crate) pure: Pure,
    pub(crate) unsafety: Unsafety,
    pub(crate) languages: Languages,
    pub(crate) operations: Operations,
    /// Files that may pass a budget.
    #[serde(default)]
    pub(crate) long: Vec<Exempt>,
    /// Files that are put into another file while building, where `//!` cannot stand.
    #[serde(default)]
    pub(crate) included: Vec<Exempt>,
    pub(crate) names: Names,
    pub(crate) links: Links,
    pub(crate) retired: Retired,
    #[serde(default)]
    pub(crate) text: Vec<Text>,
}

/// Sizes in lines, and counts.
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

/// Crates without input and output.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Pure {
    pub(crate) crates: Vec<String>,
    pub(crate) paths: Vec<String>,
    #[serde(default)]
    pub(crate) exempt: Vec<Exempt>,
}

/// Where unsafe code may stand.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Unsafety {
    pub(crate) files: Vec<String>,
}

/// Where languages may be named.
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

/// Where operations must not be named.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Operations {
    /// Folders that show the table of operations and know none of them.
    pub(crate) surfaces: Vec<String>,
}

/// A word that may stand in one file although it is the name of a pack.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Word {
    pub(crate) file: String,
    pub(crate) name: String,
    pub(crate) reason: String,
}

/// A file a rule passes over.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Exempt {
    pub(crate) file: String,
    pub(crate) reason: String,
}

/// File names that say nothing.
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

/// Text no file may hold.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Text {
    pub(crate) pattern: String,
    pub(crate) reason: String,
}

/// The rules as they stand in the repository.
pub(crate) fn policy() -> Result<Policy> {
    toml::from_str(&workspace::text("xtask/tidy.toml")?).context("xtask/tidy.toml")
}
