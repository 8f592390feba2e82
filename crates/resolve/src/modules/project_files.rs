//! Project files: where the modules of a language are.

use crate::repository::Repository;
use orient_model::{Rules, Says};

/// A project file.
#[derive(Debug)]
pub(crate) struct Manifest {
    /// The directory it is in.
    pub(crate) directory: String,
    /// Its name.
    pub(crate) file: String,
    /// The language family of a source file with imports that apply to its project; empty for a project file.
    family: String,
    statements: Vec<(Says, String, String)>,
}

impl Manifest {
    /// All its statements of one kind: name and value.
    pub(super) fn all(&self, says: Says) -> impl Iterator<Item = (&str, &str)> {
        let of_kind = self.statements.iter().filter(move |(kind, ..)| *kind == says);
        of_kind.map(|(_, name, value)| (name.as_str(), value.as_str()))
    }

    /// The value of the first statement of a kind.
    pub(super) fn first(&self, says: Says) -> Option<&str> {
        self.all(says).next().map(|(_, value)| value)
    }

    /// Whether it is a project file of a language with these rules.
    fn is_of(&self, rules: &Rules) -> bool {
        if self.family.is_empty() {
            return rules.manifests.iter().any(|name| matches_pattern(name, &self.file));
        }
        rules.project_wide_imports && rules.family == self.family
    }
}

/// All project files, by path.
#[derive(Debug, Default)]
pub(crate) struct Project {
    manifests: Vec<Manifest>,
}

impl Project {
    pub(crate) fn read(repository: &dyn Repository) -> Self {
        let (mut manifests, mut sources) = (Vec::new(), Vec::new());
        for file in repository.manifests() {
            let Some(facts) = repository.facts(file) else { continue };
            let outline = &facts.outline;
            let text = |atom| outline.strings.get(atom).to_owned();
            let rules = repository.rules(&facts.language).filter(|rules| rules.project_wide_imports);
            sources.extend(rules.map(|rules| (manifests.len(), rules)));
            manifests.push(Manifest {
                family: rules.map(|rules| rules.family.clone()).unwrap_or_default(),
                directory: String::from_utf8_lossy(facts.path.directory()).into_owned(),
                file: String::from_utf8_lossy(facts.path.file_name()).into_owned(),
                statements: outline.manifest.iter().map(|s| (s.says, text(s.name), text(s.value))).collect(),
            });
        }
        let mut project = Self { manifests };
        project.attach_sources(&sources);
        project
    }

    /// Moves what source files say to the directory of their project: of the nearest project file.
    fn attach_sources(&mut self, sources: &[(usize, &Rules)]) {
        let home = |&(at, rules): &(usize, &Rules)| {
            let near = self.around(rules, &self.manifests[at].directory);
            let project = near.into_iter().find(|near| near.family.is_empty());
            (at, project.map_or(String::new(), |project| project.directory.clone()))
        };
        let homes: Vec<(usize, String)> = sources.iter().map(home).collect();
        for (at, directory) in homes {
            self.manifests[at].directory = directory;
        }
    }

    /// The project files of a language.
    pub(super) fn of<'p>(&'p self, rules: &'p Rules) -> impl DoubleEndedIterator<Item = &'p Manifest> {
        self.manifests.iter().filter(|manifest| manifest.is_of(rules))
    }

    /// Project files in this directory and the directories above, nearest first.
    pub(super) fn around<'p>(&'p self, rules: &'p Rules, directory: &str) -> Vec<&'p Manifest> {
        // Few project files are above a directory: that check comes first.
        let around = self.manifests.iter().filter(|manifest| is_inside(directory, &manifest.directory));
        let mut found: Vec<&Manifest> = around.filter(|manifest| manifest.is_of(rules)).collect();
        found.sort_by_key(|manifest| std::cmp::Reverse(manifest.directory.len()));
        found
    }

    /// The project file of the package with this name.
    pub(super) fn package<'p>(&'p self, rules: &'p Rules, name: &str) -> Option<&'p Manifest> {
        self.of(rules).find(|manifest| manifest.all(Says::Name).any(|(_, value)| value == name))
    }
}

/// Whether a directory is another one or inside of it.
fn is_inside(directory: &str, outer: &str) -> bool {
    outer.is_empty()
        || directory == outer
        || (directory.starts_with(outer) && directory.as_bytes().get(outer.len()) == Some(&b'/'))
}

/// Whether a file name matches a pattern with at most one `*`.
pub(super) fn matches_pattern(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == name,
        Some((head, tail)) => {
            name.len() >= head.len() + tail.len() && name.starts_with(head) && name.ends_with(tail)
        }
    }
}

/// Resolves `.` and `..` in a path; none if it leaves the repository.
pub(crate) fn normal(directory: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> =
        if path.starts_with('/') { Vec::new() } else { directory.split('/').collect() };
    parts.retain(|part| !part.is_empty());
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}
