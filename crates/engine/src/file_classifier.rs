//! Classifies files by language and role: the settings override what the extractor detects.

use crate::EngineError;
use crate::custom_roles::CustomRoles;
use crate::extraction::{self, Language};
use globset::{Glob, GlobBuilder, GlobSet, GlobSetBuilder};
use orient_lang::RolePatterns;
use orient_model::{RepoPath, Role};
use orient_settings::{Index, Settings};
use std::path::PathBuf;

/// How files of this repository are classified.
pub(crate) struct FileClassifier {
    overrides: GlobSet,
    /// The language of each override, longest glob first.
    chosen: Vec<Language>,
    roles: RolePatterns,
    extraction_version: u64,
    resolution_version: u64,
}

impl FileClassifier {
    pub(crate) fn new(settings: &Settings) -> Result<Self, EngineError> {
        let index = &settings.index;
        let mut pairs: Vec<(&String, &String)> = index.languages.iter().collect();
        pairs.sort_by_key(|(glob, _)| (std::cmp::Reverse(glob.len()), *glob));
        let known = |(_, name): &(&String, &String)| {
            Language::by_name(name).ok_or_else(|| EngineError::Setting {
                key: "index.languages",
                problem: match Language::nearest(name) {
                    Some(near) => format!("there is no language `{name}`; did you mean `{near}`?"),
                    None => format!("there is no language `{name}`"),
                },
            })
        };
        Ok(Self {
            chosen: pairs.iter().map(known).collect::<Result<_, _>>()?,
            overrides: globs("index.languages", pairs.iter().map(|(glob, _)| glob.as_str()))?,
            roles: RolePatterns::new(&index.generated, &index.vendored).map_err(|problem| {
                EngineError::Setting { key: "index.generated or index.vendored", problem }
            })?,
            extraction_version: extraction_version(index),
            resolution_version: resolution_version(),
        })
    }

    /// Version of extraction: it changes whenever the same tree may give a different index.
    pub(crate) fn extraction_version(&self) -> u64 {
        self.extraction_version
    }

    /// Version of resolution: it changes whenever the same facts may give a different graph.
    pub(crate) fn resolution_version(&self) -> u64 {
        self.resolution_version
    }

    /// Simulates other resolution rules.
    #[cfg(test)]
    pub(crate) fn set_resolver(&mut self, resolver: u64) {
        self.resolution_version = resolver;
    }

    pub(crate) fn detect(&self, path: &RepoPath, bytes: &[u8]) -> Option<Language> {
        if !self.overrides.is_empty() {
            let first = self.overrides.matches(native(path)).into_iter().min();
            if let Some(&language) = first.and_then(|at| self.chosen.get(at)) {
                return Some(language.at(path));
            }
        }
        Language::detect(path, bytes)
    }

    pub(crate) fn role(&self, path: &RepoPath, language: Option<Language>, generated: bool) -> Role {
        extraction::role(path, language, generated, &self.roles)
    }
}

/// Checks settings that are only compiled on use: globs must compile and languages must exist.
pub fn check_settings(settings: &Settings) -> Result<(), EngineError> {
    FileClassifier::new(settings)?;
    CustomRoles::new(settings)?;
    orient_walk::check_excludes(&settings.index.exclude)?;
    Ok(())
}

/// A path that the system cannot represent is matched in its displayed form.
fn native(path: &RepoPath) -> PathBuf {
    orient_walk::to_native(path).unwrap_or_else(|| path.display().into_owned().into())
}

/// Compiles globs over paths from the root. A glob without a slash matches file names in any directory.
fn globs<'p>(key: &'static str, patterns: impl Iterator<Item = &'p str>) -> Result<GlobSet, EngineError> {
    let bad = |error: &globset::Error| EngineError::Setting { key, problem: error.to_string() };
    let mut set = GlobSetBuilder::new();
    for pattern in patterns {
        set.add(glob(pattern).map_err(|error| bad(&error))?);
    }
    set.build().map_err(|error| bad(&error))
}

/// Compiles one glob in the form that users write.
pub(crate) fn glob(pattern: &str) -> Result<Glob, globset::Error> {
    let anchored = pattern.strip_prefix('/').unwrap_or(pattern);
    let anywhere = format!("**/{pattern}");
    let full = if pattern.contains('/') { anchored } else { anywhere.as_str() };
    GlobBuilder::new(full).literal_separator(true).build()
}

fn extraction_version(index: &Index) -> u64 {
    let mut hasher = blake3::Hasher::new();
    let mut add = |text: &str| {
        hasher.update(&(text.len() as u64).to_le_bytes());
        hasher.update(text.as_bytes());
    };
    add(&crate::chunk_features::version());
    for (number, patterns) in [&index.generated, &index.vendored].into_iter().enumerate() {
        add(&number.to_string());
        for pattern in patterns {
            add(pattern);
        }
    }
    for (glob, language) in &index.languages {
        add(glob);
        add(language);
    }
    hasher.update(&orient_lang::facts_version().to_le_bytes());
    short(&hasher)
}

fn resolution_version() -> u64 {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&orient_resolve::RESOLVER.to_le_bytes());
    hasher.update(&orient_lang::rules_version().to_le_bytes());
    short(&hasher)
}

fn short(hasher: &blake3::Hasher) -> u64 {
    let mut short = [0; 8];
    short.copy_from_slice(&hasher.finalize().as_bytes()[..8]);
    // SQLite stores signed integers.
    u64::from_le_bytes(short) >> 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn globs_follow_gitignore_semantics() {
        let matches =
            |pattern: &str, path: &str| glob(pattern).expect("a glob").compile_matcher().is_match(path);
        assert!(matches("*.inc", "a/b/c.inc"));
        assert!(matches("/gen/*.c", "gen/x.c"));
        assert!(matches("gen/**", "gen/a/b.c"));
        assert!(!matches("gen/*.c", "gen/a/b.c"));
        assert!(!matches("gen/**", "src/gen/b.c"));
    }

    #[test]
    fn settings_set_roles_and_change_the_version() {
        let mut settings = Settings::default();
        let plain = FileClassifier::new(&settings).expect("defaults are fine");
        settings.index.vendored = vec!["deps/**".to_owned()];
        settings.index.generated = vec!["**/*.gen.c".to_owned()];
        let set = FileClassifier::new(&settings).expect("good globs");
        assert_ne!(plain.extraction_version(), set.extraction_version());
        assert_eq!(set.role(&"deps/x.gen.c".into(), None, false), Role::Vendored);
        assert_eq!(set.role(&"a/x.gen.c".into(), None, false), Role::Generated);
    }

    #[test]
    fn an_invalid_setting_is_named() {
        let mut settings = Settings::default();
        settings.index.generated = vec!["a{".to_owned()];
        let error = FileClassifier::new(&settings).err().expect("no glob").to_string();
        assert!(error.starts_with("setting index.generated"), "{error}");
        let mut settings = Settings::default();
        settings.index.languages.insert("*.x".to_owned(), "klingon".to_owned());
        let error = FileClassifier::new(&settings).err().expect("no language").to_string();
        assert_eq!(error, "setting index.languages: there is no language `klingon`");
        settings.index.languages.insert("*.x".to_owned(), "pyton".to_owned());
        let error = FileClassifier::new(&settings).err().expect("no language").to_string();
        assert_eq!(error, "setting index.languages: there is no language `pyton`; did you mean `python`?");
    }
}
