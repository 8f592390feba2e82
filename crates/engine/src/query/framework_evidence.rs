//! Signs of frameworks in the tree: packages that manifests name, and text in source files.

use crate::{EngineError, Snapshot};
use orient_lang::{Ecosystem, FilePatterns, KnownFrameworks};
use orient_model::{RepoPath, SurfaceKind};
use orient_store::{ExcludedFiles, FileRow};
use orient_text::{PatternSyntax, required_trigrams};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Maximum number of manifests of an ecosystem that are read, nearest to the root first.
const MAX_MANIFESTS: usize = 300;
/// Maximum number of source files that are read for one sign.
const MAX_FILES: usize = 60;

/// A framework that the tree shows a sign of.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FrameworkEvidence {
    /// What it registers.
    pub does: SurfaceKind,
    /// The rule files that find it; none if there are no rules.
    pub rules: &'static [String],
    /// The package, or what the sign is.
    pub name: &'static str,
    /// The first file that shows it.
    pub found_in: RepoPath,
    /// The languages of programs that use it; empty if a source file shows it.
    pub languages: &'static [String],
}

impl Snapshot {
    /// The frameworks that the tree shows signs of, with and without rules.
    pub fn framework_evidence(&self) -> Result<Arc<Vec<FrameworkEvidence>>, EngineError> {
        self.caches.framework_evidence(self.generation(), || self.find_frameworks())
    }

    fn find_frameworks(&self) -> Result<Vec<FrameworkEvidence>, EngineError> {
        let known = KnownFrameworks::builtin();
        let files = self.unresolved_files()?;
        let mut found: Vec<FrameworkEvidence> = Vec::new();
        for (at, ecosystem) in known.ecosystems.iter().enumerate() {
            let manifests = files.manifests.iter().filter(|(of, _)| *of == at).map(|(_, row)| row);
            let mut manifests: Vec<&FileRow> = manifests.collect();
            manifests.sort_by_key(|row| (row.path.display().matches('/').count(), &row.path));
            let named = if manifests.is_empty() {
                self.imported(ecosystem, at)?
            } else {
                manifests.truncate(MAX_MANIFESTS);
                self.named(ecosystem, at, &manifests)?
            };
            for (package, found_in) in named {
                let of_package = known
                    .frameworks
                    .iter()
                    .filter(|one| one.ecosystem == at && one.packages.iter().any(|name| name == package));
                for framework in of_package {
                    let is_used = framework.uses.is_empty()
                        || self.first_with(&ecosystem.sources, &framework.uses)?.is_some();
                    if is_used {
                        found.push(FrameworkEvidence {
                            does: framework.does,
                            rules: &framework.rules,
                            name: package,
                            found_in: found_in.clone(),
                            languages: &ecosystem.languages,
                        });
                    }
                }
            }
        }
        for sign in &known.signs {
            if let Some(found_in) = self.first_with(&sign.files, &sign.texts)? {
                let (does, rules, name) = (sign.does, sign.rules.as_slice(), sign.title.as_str());
                found.push(FrameworkEvidence { does, rules, name, found_in, languages: &[] });
            }
        }
        found.sort();
        found.dedup();
        Ok(found)
    }

    /// The known packages that manifests name, each with the first manifest.
    fn named(
        &self,
        ecosystem: &'static Ecosystem,
        at: usize,
        manifests: &[&FileRow],
    ) -> Result<Vec<(&'static str, RepoPath)>, EngineError> {
        let mut wanted = packages_of(at);
        let mut found = Vec::new();
        self.each_text(manifests.iter().copied(), |row, text| {
            let text = ecosystem.folded(text);
            wanted.retain(|&package| {
                let is_named = ecosystem.names(&text, package);
                if is_named {
                    found.push((package, row.path.clone()));
                }
                !is_named
            });
        })?;
        Ok(found)
    }

    /// The known packages that source files import, for a tree without manifests of the ecosystem.
    fn imported(
        &self,
        ecosystem: &'static Ecosystem,
        at: usize,
    ) -> Result<Vec<(&'static str, RepoPath)>, EngineError> {
        let packages = packages_of(at);
        // Most trees have sources of few ecosystems, and the search for hundreds of packages is not free.
        let files = self.unresolved_files()?;
        let has_sources = || files.program.iter().any(|(path, _)| ecosystem.sources.matches(&path.display()));
        if ecosystem.imports.is_empty() || packages.is_empty() || !has_sources() {
            return Ok(Vec::new());
        }
        let spelled =
            |package: &str| if ecosystem.fold_case { package.replace('-', "_") } else { package.to_owned() };
        let texts: Vec<String> = packages
            .iter()
            .flat_map(|package| ecosystem.imports.iter().map(|form| form.replace("{}", &spelled(package))))
            .collect();
        let mut found: BTreeSet<(&'static str, RepoPath)> = BTreeSet::new();
        for row in self.files_with(&ecosystem.sources, &texts)? {
            self.each_text([&row], |row, text| {
                for package in &packages {
                    let is_imported = ecosystem.imports.iter().any(|form| {
                        let import = form.replace("{}", &spelled(package));
                        let ends = |at: usize| {
                            let after = &text[at + import.len()..];
                            !after.starts_with(|c: char| c.is_alphanumeric() || c == '_' || c == '-')
                        };
                        text.match_indices(&import).any(|(at, _)| ends(at))
                    });
                    if is_imported {
                        found.insert((package, row.path.clone()));
                    }
                }
            })?;
        }
        let mut first: Vec<(&'static str, RepoPath)> = found.into_iter().collect();
        first.dedup_by_key(|(package, _)| *package);
        Ok(first)
    }

    /// The first file among some that contains one of the texts, or that exists if there are none.
    fn first_with(&self, files: &FilePatterns, texts: &[String]) -> Result<Option<RepoPath>, EngineError> {
        for row in self.files_with(files, texts)? {
            let mut has = texts.is_empty();
            self.each_text([&row], |_, text| has |= texts.iter().any(|one| text.contains(one.as_str())))?;
            if has {
                return Ok(Some(row.path));
            }
        }
        Ok(None)
    }

    /// The first files of the program, by path, that may contain one of the texts.
    fn files_with(&self, files: &FilePatterns, texts: &[String]) -> Result<Vec<FileRow>, EngineError> {
        let syntax = PatternSyntax { literal: true, ignore_case: false, unicode: false };
        let excluded = match texts {
            [] => ExcludedFiles::default(),
            texts => self.left_out(&required_trigrams(texts.iter().map(String::as_str), syntax))?,
        };
        let mut found = Vec::new();
        for (path, id) in &self.unresolved_files()?.program {
            // The index excludes most files, so that few paths are compared.
            if !excluded.contains(*id) && files.matches(&path.display()) {
                found.extend(self.store.file_by_id(*id)?);
                if found.len() == MAX_FILES {
                    break;
                }
            }
        }
        Ok(found)
    }
}

/// The known packages of an ecosystem, each once.
fn packages_of(ecosystem: usize) -> Vec<&'static str> {
    let known = KnownFrameworks::builtin().frameworks.iter().filter(|one| one.ecosystem == ecosystem);
    let packages: BTreeSet<&str> = known.flat_map(|one| one.packages.iter().map(String::as_str)).collect();
    packages.into_iter().collect()
}
