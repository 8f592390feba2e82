//! What resolution and answers must know of a language: the rules of its pack, those that it takes over from another pack, and
//! the frameworks of its family. Read on first use: most commands need those of the languages in the repository only.

use super::builtin;
use crate::conventions::RuntimeNames;
use crate::schema::error::PackError;
use crate::schema::framework_rules;
use crate::schema::pack_files::PackFiles;
use crate::schema::resolution_rules::{RulesFile, Takeover};
use orient_model::{Framework, Rules};
use std::sync::OnceLock;

/// The rules of a pack; none for a language whose names are not resolved and that has no frameworks.
pub(super) fn of_pack(files: &PackFiles) -> Result<Option<Rules>, PackError> {
    let Some(section) = read(files)?.resolve else {
        let frameworks: Vec<Framework> = frameworks(files).collect::<Result<_, _>>()?;
        // A language without resolution may still define what a program exposes.
        let rules =
            Rules { frameworks, family: files.name.to_owned(), outline_only: true, ..Rules::default() };
        return Ok((!rules.frameworks.is_empty()).then_some(rules));
    };
    let mut rules = section.into_rules(files.name);
    if let Some(other) = builtin::pack(&rules.markup.like) {
        let taken = read(other)?.resolve.unwrap_or_default().into_rules(other.name);
        rules = Rules { markup: rules.markup, ..taken };
    }
    let related = builtin::packs().iter().zip(families());
    let related =
        related.filter(|(_, family)| family.as_ref() == Some(&rules.family)).map(|(other, _)| other);
    rules.frameworks = related.flat_map(frameworks).collect::<Result<_, _>>()?;
    Ok(Some(rules))
}

/// The names that a runtime or framework uses by itself.
pub(super) fn runtime_names(files: &PackFiles) -> Result<Vec<RuntimeNames>, PackError> {
    read(files)?.runtime.iter().map(|spec| RuntimeNames::compile(files.name, spec)).collect()
}

fn read(files: &PackFiles) -> Result<RulesFile, PackError> {
    let Some(bytes) = files.rules else { return Ok(RulesFile::default()) };
    orient_binary_toml::decode(bytes).map_err(|error| PackError::syntax(files.name, "rules.toml", &error))
}

/// The families of all packs, read once: each pack looks for those of its own.
fn families() -> &'static [Option<String>] {
    static FAMILIES: OnceLock<Vec<Option<String>>> = OnceLock::new();
    FAMILIES.get_or_init(|| builtin::packs().iter().map(family).collect())
}

/// The family of a language whose names are resolved.
fn family(files: &PackFiles) -> Option<String> {
    let takeover: Takeover = orient_binary_toml::decode(files.rules?).ok()?;
    let resolve = takeover.resolve?;
    match builtin::pack(&resolve.markup.like) {
        Some(other) => family(other),
        None if resolve.family.is_empty() => Some(files.name.to_owned()),
        None => Some(resolve.family),
    }
}

fn frameworks(files: &PackFiles) -> impl Iterator<Item = Result<Framework, PackError>> {
    files.frameworks.iter().map(|(name, bytes)| {
        let file = format!("frameworks/{name}.toml");
        framework_rules::read(bytes).map_err(|error| PackError::syntax(files.name, &file, &error))
    })
}
