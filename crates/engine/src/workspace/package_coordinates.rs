//! Package coordinates: what the projects of a root provide and require, as their manifests state it.

use crate::{EngineError, Snapshot};
use orient_model::{RepoPath, Says};
use std::collections::BTreeSet;
use std::sync::Arc;

/// A package of an ecosystem. Names are compared without case and with one separator, since registries do not distinguish
/// them: `Zope.Interface` is `zope-interface`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Coordinates {
    ecosystem: String,
    package: String,
}

impl Coordinates {
    fn new(ecosystem: &str, package: &str) -> Self {
        Self { ecosystem: ecosystem.to_owned(), package: package.to_lowercase().replace(['_', '.'], "-") }
    }

    /// The parts of the name that source code may write: `@scope/lib` is written as `lib`, `json-tools` as `json_tools`.
    pub(super) fn names(&self) -> Vec<String> {
        let last = self.package.rsplit(['/', ':']).next().unwrap_or_default();
        let mut names = vec![last.to_owned(), last.replace('-', "_")];
        names.dedup();
        names
    }
}

/// The packages that the projects of a tree provide and require, each as its ecosystem and its name; sorted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Packages {
    /// What they provide.
    pub provided: Vec<(String, String)>,
    /// What they require.
    pub required: Vec<(String, String)>,
}

impl Snapshot {
    /// The packages that the projects of the tree provide and require.
    pub fn packages(&self) -> Result<Packages, EngineError> {
        let projects = &self.package_projects()?.0;
        let pairs = |sets: Vec<&BTreeSet<Coordinates>>| {
            let all: BTreeSet<&Coordinates> = sets.into_iter().flatten().collect();
            all.into_iter().map(|one| (one.ecosystem.clone(), one.package.clone())).collect()
        };
        Ok(Packages {
            provided: pairs(projects.iter().map(|one| &one.provides).collect()),
            required: pairs(projects.iter().map(|one| &one.requires).collect()),
        })
    }
}

impl Snapshot {
    pub(super) fn package_projects(&self) -> Result<Arc<Projects>, EngineError> {
        self.caches.projects(self.generation(), || Projects::read(self))
    }
}

/// A manifest with the packages that it names.
#[derive(Debug)]
struct ProjectManifest {
    directory: Vec<u8>,
    provides: BTreeSet<Coordinates>,
    requires: BTreeSet<Coordinates>,
}

/// The projects of a root.
#[derive(Debug, Default)]
pub(crate) struct Projects(Vec<ProjectManifest>);

impl Projects {
    /// Reads the manifests of a root.
    fn read(snapshot: &Snapshot) -> Result<Self, EngineError> {
        let mut projects = Vec::new();
        let reader = snapshot.store.reader();
        for file in reader.project_files()? {
            let (Some(row), Some(outline)) = (snapshot.store.file_by_id(file)?, reader.outline(file)?) else {
                continue;
            };
            let (mut provides, mut requires) = (BTreeSet::new(), BTreeSet::new());
            for statement in &outline.manifest {
                let (name, value) =
                    (outline.strings.get(statement.name), outline.strings.get(statement.value));
                match statement.says {
                    Says::Provides if value.is_empty() => {
                        provides.insert(Coordinates::new(name, &file_stem(&row.path)));
                    }
                    Says::Provides => {
                        provides.insert(Coordinates::new(name, value));
                    }
                    Says::Requires => {
                        requires.insert(Coordinates::new(name, value));
                    }
                    _ => {}
                }
            }
            if !provides.is_empty() || !requires.is_empty() {
                let directory = row.path.directory().to_vec();
                projects.push(ProjectManifest { directory, provides, requires });
            }
        }
        Ok(Self(projects))
    }

    /// The packages that a file is part of: those of the nearest directory above it that provides any.
    pub(super) fn providing(&self, path: &RepoPath) -> BTreeSet<Coordinates> {
        let around = self.0.iter().filter(|one| !one.provides.is_empty() && holds(&one.directory, path));
        let nearest = around.clone().map(|one| one.directory.len()).max();
        around
            .filter(|one| Some(one.directory.len()) == nearest)
            .flat_map(|one| one.provides.clone())
            .collect()
    }

    /// Whether a project that contains a file requires one of these packages.
    pub(super) fn requires(&self, path: &RepoPath, packages: &BTreeSet<Coordinates>) -> bool {
        let mut around = self.0.iter().filter(|one| holds(&one.directory, path));
        around.any(|one| !one.requires.is_disjoint(packages))
    }

    /// Whether any project requires one of these packages.
    pub(super) fn any_requires(&self, packages: &BTreeSet<Coordinates>) -> bool {
        self.0.iter().any(|one| !one.requires.is_disjoint(packages))
    }
}

/// Whether a file is in a directory or below.
fn holds(directory: &[u8], path: &RepoPath) -> bool {
    directory.is_empty() || path.as_bytes().strip_prefix(directory).is_some_and(|rest| rest.starts_with(b"/"))
}

/// The name of a file without its extension.
fn file_stem(path: &RepoPath) -> String {
    let name = String::from_utf8_lossy(path.file_name());
    name.rsplit_once('.').map_or(&*name, |(stem, _)| stem).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_is_known_by_what_source_code_writes() {
        assert_eq!(Coordinates::new("npm", "@acme/Tariff").names(), ["tariff"]);
        assert_eq!(Coordinates::new("cargo", "json-tools").names(), ["json-tools", "json_tools"]);
        assert_eq!(Coordinates::new("maven", "org.acme:tariff").names(), ["tariff"]);
    }

    #[test]
    fn a_directory_holds_its_own_files_only() {
        assert!(holds(b"", &RepoPath::from("a.go")) && holds(b"lib", &RepoPath::from("lib/a/b.go")));
        assert!(!holds(b"lib", &RepoPath::from("library/a.go")));
        assert_eq!(file_stem(&RepoPath::from("src/Acme.Tariff.csproj")), "Acme.Tariff");
    }
}
