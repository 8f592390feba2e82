//! Project files: what they say about where modules are.
//!
//! A pack may have `projects/*.toml` for files of its language with certain names. Each is a list of rules: keys that lead
//! to a value, and which statement that makes. The file keeps all other facts of its language.

mod key_path;
mod line_scanners;
mod template;
mod value;
mod value_reader;

pub(crate) use key_path::Glob;
pub(crate) use value_reader::ValuesSpec;

use crate::pack::Pack;
use crate::parse::budget::Budget;
use crate::schema::error::PackError;
use key_path::Path;
use orient_model::{Atom, Outline, Says, Statement};
use regex::Regex;
use serde::Deserialize;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use template::{Found, Template};
use value::Value;
use value_reader::Reader;

/// Statements kept of one file.
const STATEMENTS_CAP: usize = 10_000;
/// Longer than any path or name: a text that landed in the wrong place.
const TEXT_CAP: usize = 1_000;

/// A project file as it is compiled in.
#[derive(Clone, Debug)]
pub(crate) struct ProjectSource {
    /// The language its files are in.
    pub(crate) pack: &'static str,
    /// The name of its file of rules.
    pub(crate) name: &'static str,
    /// The files, by name.
    pub(crate) files: &'static [&'static str],
    pub(crate) text: Cow<'static, str>,
}

/// A file of rules.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Spec {
    /// What people call such a file.
    title: String,
    rules: Vec<RuleSpec>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RuleSpec {
    /// Keys that lead to the value; see [`Path::new`].
    at: String,
    says: String,
    #[serde(default)]
    name: String,
    #[serde(default = "itself")]
    value: String,
    /// What `matches` look at.
    #[serde(default = "itself")]
    text: String,
    /// Patterns: each is looked for in what the first group of the one before found. Every match of the last is a
    /// statement.
    #[serde(default)]
    matches: Vec<String>,
    /// What in the value is written otherwise in a path.
    #[serde(default)]
    replace: Vec<(String, String)>,
    /// The folder that paths in the value start from, where the file names one.
    #[serde(default)]
    from: Option<String>,
}

fn itself() -> String {
    "{}".to_owned()
}

/// A compiled file of rules.
pub(crate) struct Project {
    title: String,
    reader: Reader,
    rules: Vec<Rule>,
}

struct Rule {
    at: Path,
    says: Says,
    name: Template,
    value: Template,
    text: Template,
    matches: Vec<Regex>,
    replace: Vec<(String, String)>,
    from: Option<Template>,
}

impl Project {
    pub(crate) fn new(pack: &Pack, source: &ProjectSource) -> Result<Self, PackError> {
        let spec: Spec = toml::from_str(&source.text).map_err(|error| PackError::Syntax {
            pack: pack.name().to_owned(),
            file: "projects",
            message: format!("{}.toml: {error}", source.name),
        })?;
        let rule = |(index, rule): (usize, &RuleSpec)| {
            Rule::new(pack, &format!("projects/{}.toml: rule {}", source.name, index + 1), rule)
        };
        Ok(Self {
            title: spec.title,
            reader: Reader::new(pack)?,
            rules: spec.rules.iter().enumerate().map(rule).collect::<Result<_, _>>()?,
        })
    }

    /// What people call such a file.
    pub(crate) fn title(&self) -> &str {
        &self.title
    }

    /// Adds what a file says to its outline: in the order of the rules, each thing once.
    pub(crate) fn add(&self, bytes: &[u8], outline: &mut Outline, budget: &mut Budget) {
        let value = self.reader.read(bytes, budget);
        let mut said = Said::new(outline);
        for rule in &self.rules {
            rule.apply(&value, &mut said);
        }
    }
}

impl Rule {
    fn new(pack: &Pack, place: &str, spec: &RuleSpec) -> Result<Self, PackError> {
        let bad = |message: String| PackError::Pattern {
            pack: pack.name().to_owned(),
            place: place.to_owned(),
            message,
        };
        let says = spec.says.parse().map_err(|()| PackError::Word {
            pack: pack.name().to_owned(),
            place: place.to_owned(),
            word: spec.says.clone(),
            what: "statement",
            known: Says::ALL.iter().map(|says| says.as_str()).collect::<Vec<_>>().join(", "),
        })?;
        let regex = |pattern: &String| Regex::new(pattern).map_err(|error| bad(error.to_string()));
        Ok(Self {
            at: Path::new(&spec.at),
            says,
            name: Template::new(&spec.name).map_err(bad)?,
            value: Template::new(&spec.value).map_err(bad)?,
            text: Template::new(&spec.text).map_err(bad)?,
            matches: spec.matches.iter().map(regex).collect::<Result<_, _>>()?,
            replace: spec.replace.clone(),
            from: spec.from.as_deref().map(Template::new).transpose().map_err(bad)?,
        })
    }

    fn apply(&self, root: &Value, said: &mut Said<'_>) {
        for (value, keys) in self.at.select(root) {
            let Some((last, before)) = self.matches.split_last() else {
                self.state(&Found { value, keys: &keys, groups: &[] }, said);
                continue;
            };
            let Some(text) = self.text.fill(&Found { value, keys: &keys, groups: &[] }) else { continue };
            let mut texts = vec![text.as_str()];
            for pattern in before {
                let first =
                    |text| pattern.captures_iter(text).filter_map(|found| Some(found.get(1)?.as_str()));
                texts = texts.into_iter().flat_map(first).collect();
            }
            for found in texts.into_iter().flat_map(|text| last.captures_iter(text)) {
                let groups: Vec<Option<&str>> = found.iter().map(|group| group.map(|g| g.as_str())).collect();
                self.state(&Found { value, keys: &keys, groups: &groups }, said);
            }
        }
    }

    fn state(&self, found: &Found<'_, '_>, said: &mut Said<'_>) {
        let (Some(name), Some(mut value)) = (self.name.fill(found), self.value.fill(found)) else { return };
        for (old, new) in &self.replace {
            value = value.replace(old.as_str(), new);
        }
        if let Some(folder) = self.from.as_ref().and_then(|from| from.fill(found)) {
            value = relative(&value, &folder);
        }
        said.add(self.says, name.trim(), value.trim());
    }
}

/// An absolute path as seen from an absolute folder; any other path stays as it is.
fn relative(path: &str, folder: &str) -> String {
    if !path.starts_with('/') || !folder.starts_with('/') {
        return path.to_owned();
    }
    let parts = |path| str::split(path, '/').filter(|part| !part.is_empty() && *part != ".");
    let shared = parts(path).zip(parts(folder)).take_while(|(a, b)| a == b).count();
    let up = parts(folder).skip(shared).map(|_| "..");
    up.chain(parts(path).skip(shared)).collect::<Vec<_>>().join("/")
}

/// The statements of a file while they are gathered.
struct Said<'o> {
    outline: &'o mut Outline,
    atoms: HashMap<String, Atom>,
    known: HashSet<Statement>,
}

impl<'o> Said<'o> {
    fn new(outline: &'o mut Outline) -> Self {
        let mut atoms = HashMap::new();
        for (atom, text) in outline.strings.iter() {
            atoms.entry(text.to_owned()).or_insert(atom);
        }
        Self { outline, atoms, known: HashSet::new() }
    }

    fn add(&mut self, says: Says, name: &str, value: &str) {
        // Only a folder may be empty: it is that of the file.
        let empty = value.is_empty() && !matches!(says, Says::Root | Says::Built);
        let odd = |text: &str| text.len() > TEXT_CAP || text.contains(['\n', '\0']);
        if empty || odd(name) || odd(value) || self.outline.manifest.len() >= STATEMENTS_CAP {
            return;
        }
        let statement = Statement { says, name: self.atom(name), value: self.atom(value) };
        if self.known.insert(statement) {
            self.outline.manifest.push(statement);
        }
    }

    fn atom(&mut self, text: &str) -> Atom {
        if let Some(&atom) = self.atoms.get(text) {
            return atom;
        }
        let atom = self.outline.strings.push(text);
        self.atoms.insert(text.to_owned(), atom);
        atom
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn absolute_paths_are_seen_from_the_folder() {
        assert_eq!(relative("/a/b/include", "/a/b/build"), "../include");
        assert_eq!(relative("/a/b", "/a/b"), "");
        assert_eq!(relative("../x", "/a"), "../x");
        assert_eq!(relative("/usr/include", "/a"), "../usr/include");
    }
}
