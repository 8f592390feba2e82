//! The conventions of a language, compiled from its pack: what names, modifier words and file names mean, and which
//! symbols are tests.

mod file_symbols;
pub(crate) mod generated;
mod markup_uses;
mod runtime_names;
mod test_rules;

use crate::schema::error::PackError;
use crate::schema::manifest::PackManifest;
use crate::schema::vocabulary::{self, HEADER_WORDS, HeaderWord};
pub(crate) use file_symbols::FileSymbol;
use globset::{Glob, GlobSet, GlobSetBuilder};
use markup_uses::MarkupUse;
use orient_model::Visibility;
use regex::Regex;
pub(crate) use runtime_names::RuntimeNames;
use std::collections::HashMap;
use test_rules::TestRules;

/// The compiled conventions of a language.
pub(crate) struct Conventions {
    /// The separator of qualified names in the source.
    pub(crate) separator: String,
    /// Names that are private, public or constants by convention.
    pub(crate) private_names: Option<Regex>,
    pub(crate) public_names: Option<Regex>,
    pub(crate) constant_names: Option<Regex>,
    /// Names that a pattern binds.
    pub(crate) pattern_variables: Option<Regex>,
    /// The part of a module's path that is its name.
    pub(crate) module_name: Option<Regex>,
    /// Which symbols are tests.
    pub(crate) tests: TestRules,
    /// Files that hold tests, and files that are generated.
    pub(crate) test_files: GlobSet,
    pub(crate) generated_files: GlobSet,
    /// In shallow packs: the meaning of modifier words in the header of a definition.
    pub(crate) modifier_words: HashMap<Vec<u8>, HeaderWord>,
    /// In shallow packs: the visibility of a symbol that does not state one.
    pub(crate) default_visibility: Visibility,
    /// In packs without a node table: uses in markup.
    pub(crate) markup_uses: Vec<MarkupUse>,
    /// Files that are a symbol themselves.
    pub(crate) file_symbols: Vec<FileSymbol>,
}

impl Conventions {
    /// Compiles the conventions that a manifest states.
    pub(crate) fn compile(manifest: &PackManifest) -> Result<Self, PackError> {
        let regex = |place: &str, pattern: &Option<String>| {
            let compiled = pattern.as_deref().map(Regex::new).transpose();
            compiled.map_err(|error| manifest.pattern_error(place, &error))
        };
        let pack = manifest.name.as_str();
        let visibility = |word: &String| {
            vocabulary::visibility(word).map_err(|unknown| unknown.at(pack, "default_visibility", word))
        };
        Ok(Self {
            separator: manifest.separator.clone().unwrap_or_else(|| ".".to_owned()),
            private_names: regex("private_names", &manifest.private_names)?,
            public_names: regex("public_names", &manifest.public_names)?,
            constant_names: regex("constant_names", &manifest.constant_names)?,
            pattern_variables: regex("pattern_variables", &manifest.pattern_variables)?,
            module_name: regex("module_name", &manifest.module_name)?,
            tests: TestRules::compile(pack, &manifest.tests)?,
            test_files: globs(manifest, "tests.files", &manifest.tests.files)?,
            generated_files: globs(manifest, "generated_files", &manifest.generated_files)?,
            modifier_words: modifier_words(manifest)?,
            default_visibility: manifest
                .default_visibility
                .as_ref()
                .map(visibility)
                .transpose()?
                .unwrap_or_default(),
            markup_uses: manifest
                .uses
                .iter()
                .map(|spec| MarkupUse::compile(manifest, spec))
                .collect::<Result<_, _>>()?,
            file_symbols: manifest
                .file_symbol
                .iter()
                .map(|spec| FileSymbol::compile(manifest, spec))
                .collect::<Result<_, _>>()?,
        })
    }
}

impl Default for Conventions {
    /// No conventions at all.
    fn default() -> Self {
        Self {
            separator: ".".to_owned(),
            private_names: None,
            public_names: None,
            constant_names: None,
            pattern_variables: None,
            module_name: None,
            tests: TestRules::default(),
            test_files: GlobSet::empty(),
            generated_files: GlobSet::empty(),
            modifier_words: HashMap::new(),
            default_visibility: Visibility::default(),
            markup_uses: Vec::new(),
            file_symbols: Vec::new(),
        }
    }
}

fn globs(manifest: &PackManifest, place: &str, patterns: &[String]) -> Result<GlobSet, PackError> {
    let mut builder = GlobSetBuilder::new();
    for pattern in patterns {
        builder.add(Glob::new(pattern).map_err(|error| manifest.pattern_error(place, &error))?);
    }
    builder.build().map_err(|error| manifest.pattern_error(place, &error))
}

/// The common modifier words, with those that the manifest adds or changes.
fn modifier_words(manifest: &PackManifest) -> Result<HashMap<Vec<u8>, HeaderWord>, PackError> {
    let common = HEADER_WORDS.iter().map(|(word, meaning)| (word.as_bytes().to_vec(), *meaning));
    let mut words: HashMap<Vec<u8>, HeaderWord> = common.collect();
    for (word, meaning) in &manifest.modifier_words {
        let meaning = vocabulary::header_word(meaning)
            .map_err(|unknown| unknown.at(&manifest.name, "modifier_words", meaning))?;
        words.insert(word.as_bytes().to_vec(), meaning);
    }
    Ok(words)
}
