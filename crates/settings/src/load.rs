//! Loads settings: merges all sources in order of precedence and records where each value comes from.

use crate::error::{Problem, ProblemKind, SettingsError};
use crate::key::Key;
use crate::paths::{self, REPOSITORY_FILE};
use crate::repository::{self, IgnoredEntry, Validator};
use crate::table::{Settings, keys};
use crate::value::RawValue;
use orient_safefs::open_regular;
use std::fmt;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use toml::de::DeTable;

/// Maximum size of the user's file.
const MAX_USER_FILE: u64 = 1 << 20;
/// Maximum size of a repository's file, which is smaller because its globs cost memory and time.
pub const MAX_REPOSITORY_FILE: u64 = 64 << 10;

/// The short alias of `ORIENT_STORE_DIR`.
const STORE_VARIABLE: &str = "ORIENT_STORE";

/// The inputs of [`load`]. Plain data, so that tests can construct it.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    /// The user's file, which need not exist.
    pub user_file: Option<PathBuf>,
    /// The root of the repository, which may contain a `.orient.toml`.
    pub repository: Option<PathBuf>,
    /// What its `.orient.toml` contains, if that is not what is on disk: the content of another commit's.
    pub repository_content: Option<Vec<u8>>,
    /// The environment.
    pub environment: Vec<(String, String)>,
    /// Settings from the command line.
    pub overrides: Vec<Override>,
    /// The directory against which relative paths of the environment and the command line are resolved.
    pub working_dir: PathBuf,
}

/// A setting from the command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Override {
    /// The full name of the setting: `index.threads`.
    pub key: String,
    /// Its value as text.
    pub value: String,
    /// The flag it came from, for messages.
    pub flag: String,
}

impl Sources {
    /// The sources of this process for the repository at `root`. Variables that are not UTF-8 are ignored.
    pub fn detect(root: &Path) -> Self {
        let environment = std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
            .filter(|(name, _)| name.starts_with("ORIENT_"))
            .collect();
        Self {
            user_file: paths::user_file(),
            repository: Some(root.to_owned()),
            repository_content: None,
            environment,
            overrides: Vec::new(),
            working_dir: std::env::current_dir().unwrap_or_else(|_| root.to_owned()),
        }
    }
}

/// The kind of source of a value, in order of increasing precedence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Source {
    /// The default in the table of settings.
    Default,
    /// The user's file.
    User,
    /// The repository's file.
    Repository,
    /// An environment variable.
    Environment,
    /// A command-line flag.
    CommandLine,
}

impl Source {
    /// The name in output.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::User => "user",
            Self::Repository => "repository",
            Self::Environment => "environment",
            Self::CommandLine => "command line",
        }
    }
}

/// The exact source of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// The kind of source.
    pub source: Source,
    /// The file and line, the variable or the flag; empty for a default.
    pub location: String,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.location.is_empty() { self.source.as_str() } else { &self.location })
    }
}

/// The effective value of a setting.
#[derive(Clone)]
pub struct Effective {
    /// The setting.
    pub key: &'static Key,
    /// Its value, in TOML syntax.
    pub value: String,
    /// Where the value comes from.
    pub origin: Origin,
}

/// The result of [`load`].
#[derive(Clone)]
pub struct Loaded {
    /// The effective settings.
    pub settings: Settings,
    /// Each setting with its origin, in the order of the table.
    pub origins: Vec<Effective>,
    /// Warnings: environment variables that look misspelt, and whether entries of `.orient.toml` are ignored.
    pub notes: Vec<String>,
    /// The entries of `.orient.toml` that have no effect.
    pub ignored: Vec<IgnoredEntry>,
}

/// Reads all sources in order of increasing precedence. A later value replaces an earlier one, including lists; but
/// `.orient.toml` only adds to lists and lowers limits. All problems are reported at once. Entries of `.orient.toml` that
/// are not valid, not permitted or rejected by `validate` are ignored with a note.
pub fn load(sources: &Sources, validate: Validator<'_>) -> Result<Loaded, SettingsError> {
    let mut loader = Loader::new();
    if let Some(path) = &sources.user_file {
        loader.user_file(path)?;
    }
    if let Some(root) = &sources.repository {
        let path = root.join(REPOSITORY_FILE);
        let text = match &sources.repository_content {
            None => read(&path, Source::Repository),
            Some(bytes) => text(bytes, MAX_REPOSITORY_FILE).map(Some),
        };
        loader.repository_file(&path, text, validate);
    }
    loader.environment(sources);
    for Override { key, value, flag } in &sources.overrides {
        let origin = Origin { source: Source::CommandLine, location: flag.clone() };
        loader.set(key, &RawValue::Text(value.clone()), &sources.working_dir, origin);
    }
    loader.finish()
}

struct Loader {
    settings: Settings,
    origins: Vec<Origin>,
    problems: Vec<Problem>,
    notes: Vec<String>,
    ignored: Vec<IgnoredEntry>,
}

impl Loader {
    fn new() -> Self {
        let default = Origin { source: Source::Default, location: String::new() };
        Self {
            settings: Settings::default(),
            origins: vec![default; keys().len()],
            problems: Vec::new(),
            notes: Vec::new(),
            ignored: Vec::new(),
        }
    }

    fn finish(self) -> Result<Loaded, SettingsError> {
        if !self.problems.is_empty() {
            return Err(SettingsError::Invalid(self.problems));
        }
        let origins = keys()
            .iter()
            .zip(self.origins)
            .map(|(key, origin)| Effective { key, value: key.format(&self.settings), origin })
            .collect();
        Ok(Loaded { settings: self.settings, origins, notes: self.notes, ignored: self.ignored })
    }

    fn problem(&mut self, location: String, kind: ProblemKind) {
        self.problems.push(Problem { location, kind });
    }

    fn user_file(&mut self, path: &Path) -> Result<(), SettingsError> {
        let unreadable = |source| SettingsError::Unreadable { path: path.to_owned(), source };
        let Some(text) = read(path, Source::User).map_err(unreadable)? else { return Ok(()) };
        let base = path.parent().unwrap_or(Path::new("/"));
        match parse_file(path, &text) {
            Err((location, problem)) => self.problem(location, problem),
            Ok(entries) => {
                for FileEntry { location, name, value } in entries {
                    match value {
                        Some(raw) => self.set(&name, &raw, base, Origin { source: Source::User, location }),
                        None => self.unknown(location, &name),
                    }
                }
            }
        }
        Ok(())
    }

    /// Applies `.orient.toml`; its errors become ignored entries.
    fn repository_file(
        &mut self,
        path: &Path,
        text: std::io::Result<Option<String>>,
        validate: Validator<'_>,
    ) {
        let base = path.parent().unwrap_or(Path::new("/"));
        let at = |location: String, (key, reason)| IgnoredEntry { key, location, reason };
        let mut ignored = Vec::new();
        let text = match text {
            Ok(Some(text)) => text,
            Ok(None) => return,
            Err(error) => {
                ignored.push(at(path.display().to_string(), (None, error.to_string())));
                String::new()
            }
        };
        let entries = parse_file(path, &text).unwrap_or_else(|(location, problem)| {
            ignored.push(at(location, (None, repository::sanitize(&problem.to_string()))));
            Vec::new()
        });
        for FileEntry { location, name, value } in entries {
            // Only settings have a value here; unknown sections are reported by name.
            let raw = value.unwrap_or(RawValue::Other("a table"));
            match repository::apply_entry(&self.settings, &name, &raw, base, validate) {
                Ok((index, settings)) => {
                    self.settings = settings;
                    self.origins[index] = Origin { source: Source::Repository, location };
                }
                Err(reason) => ignored.push(at(location, reason)),
            }
        }
        self.notes.extend(repository::summary(path, &ignored));
        self.ignored = repository::truncate(ignored);
    }

    /// Reads the environment. A variable with the name of a known section must be a setting. Other variables that begin
    /// with `ORIENT_` may belong to other programs, so a probable misspelling is only a note.
    fn environment(&mut self, sources: &Sources) {
        let mut variables: Vec<_> = sources.environment.iter().collect();
        variables.sort();
        for (name, value) in variables {
            let Some(rest) = name.strip_prefix("ORIENT_") else { continue };
            let key = if name == STORE_VARIABLE {
                keys().iter().find(|key| key.path() == "store.dir")
            } else {
                keys().iter().find(|key| key.env() == *name)
            };
            let origin = Origin { source: Source::Environment, location: name.clone() };
            if let Some(key) = key {
                self.set(&key.path(), &RawValue::Text(value.clone()), &sources.working_dir, origin);
                continue;
            }
            let nearest = nearest_variable(name);
            let section = rest.split('_').next().unwrap_or_default().to_lowercase();
            if keys().iter().any(|key| key.section == section) {
                self.problem(name.clone(), ProblemKind::Unknown { name: name.clone(), nearest });
            } else if let Some(nearest) = nearest {
                self.notes.push(format!("the variable {name} is not a setting; did you mean {nearest}?"));
            }
        }
    }

    fn set(&mut self, full: &str, raw: &RawValue, base: &Path, origin: Origin) {
        let Some(index) = keys().iter().position(|key| key.path() == full) else {
            self.unknown(origin.location, full);
            return;
        };
        let key = &keys()[index];
        if let Err(problem) = (key.setter)(&mut self.settings, raw, base) {
            let example = match origin.source {
                Source::Environment | Source::CommandLine => key.example.to_owned(),
                _ => format!("{} = {}", key.name, key.example),
            };
            self.problem(origin.location, ProblemKind::Value { key: full.to_owned(), problem, example });
            return;
        }
        self.origins[index] = origin;
    }

    fn unknown(&mut self, location: String, name: &str) {
        self.problem(location, ProblemKind::unknown(name));
    }
}

/// The text of a settings file; `None` if it does not exist. A repository's file must not be a symbolic link, which could
/// make messages quote any file on the machine.
fn read(path: &Path, source: Source) -> std::io::Result<Option<String>> {
    let (opened, max) = match source {
        Source::Repository => (open_regular(path), MAX_REPOSITORY_FILE),
        _ => (fs::File::open(path), MAX_USER_FILE),
    };
    let file = match opened {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) if error.kind() == std::io::ErrorKind::NotADirectory => return Ok(None),
        Err(error) => return Err(error),
    };
    if !file.metadata()?.is_file() {
        return Err(std::io::Error::other("not a regular file"));
    }
    let mut bytes = Vec::new();
    file.take(max + 1).read_to_end(&mut bytes)?;
    text(&bytes, max).map(Some)
}

/// The bytes of a settings file as text.
fn text(bytes: &[u8], max: u64) -> std::io::Result<String> {
    if bytes.len() as u64 > max {
        return Err(std::io::Error::other(format!("the file is larger than {}KiB", max >> 10)));
    }
    std::str::from_utf8(bytes).map(str::to_owned).map_err(|_| {
        std::io::Error::new(std::io::ErrorKind::InvalidData, "stream did not contain valid UTF-8")
    })
}

/// An entry of a settings file. Unknown sections have no value.
struct FileEntry {
    location: String,
    name: String,
    value: Option<RawValue>,
}

/// Parses a settings file; an error comes with its location.
fn parse_file(path: &Path, text: &str) -> Result<Vec<FileEntry>, (String, ProblemKind)> {
    let location = |offset: usize| format!("{}:{}", path.display(), line_at(text, offset));
    let document = DeTable::parse(text).map_err(|error| {
        let offset = error.span().map_or(0, |span| span.start);
        (location(offset), ProblemKind::Syntax(error.message().to_owned()))
    })?;
    let entries = entries(document.get_ref()).into_iter();
    Ok(entries.map(|(offset, name, value)| FileEntry { location: location(offset), name, value }).collect())
}

/// The entries of a file, in the order of its lines: offset, full name, and value unless the section is unknown.
fn entries(document: &DeTable<'_>) -> Vec<(usize, String, Option<RawValue>)> {
    let mut found = Vec::new();
    for (section, value) in document {
        let section_name = section.get_ref().as_ref();
        let known = keys().iter().any(|key| key.section == section_name);
        match value.get_ref().as_table().filter(|_| known) {
            None => found.push((section.span().start, section_name.to_owned(), None)),
            Some(table) => found.extend(table.iter().map(|(name, value)| {
                let full = format!("{section_name}.{}", name.get_ref());
                (name.span().start, full, Some(RawValue::from_toml(value.get_ref())))
            })),
        }
    }
    found.sort_by_key(|&(offset, ..)| offset);
    found
}

fn line_at(text: &str, offset: usize) -> usize {
    text.as_bytes().iter().take(offset).filter(|&&byte| byte == b'\n').count() + 1
}

/// The setting most similar to an unknown name. A key without its section is a common mistake and matches too.
pub(crate) fn nearest_setting(name: &str) -> Option<String> {
    let (section, bare) = name.split_once('.').unwrap_or(("", name));
    let paths: Vec<String> = keys().iter().map(Key::path).collect();
    if let Some(key) = keys().iter().find(|key| key.name == bare) {
        return Some(key.path());
    }
    if let Some(near) = orient_model::nearest(name, paths.iter().map(String::as_str)) {
        return Some(near.to_owned());
    }
    let mut sections: Vec<&str> = keys().iter().map(|key| key.section).collect();
    sections.dedup();
    if section.is_empty()
        && let Some(near) = orient_model::nearest(bare, sections.iter().copied())
    {
        return Some(near.to_owned());
    }
    let near = orient_model::nearest(bare, keys().iter().map(|key| key.name))?;
    keys().iter().find(|key| key.name == near).map(Key::path)
}

fn nearest_variable(name: &str) -> Option<String> {
    let names: Vec<String> = keys().iter().map(Key::env).collect();
    let known = names.iter().map(String::as_str).chain([STORE_VARIABLE]);
    orient_model::nearest(name, known).map(ToOwned::to_owned)
}
