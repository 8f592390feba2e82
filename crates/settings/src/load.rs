//! From what was written, weakest source first, to the settings in force and where each comes from.

use crate::error::{Fault, Problem, SettingsError};
use crate::key::Key;
use crate::places::{self, REPOSITORY_FILE};
use crate::repository::{self, Check, Ignored};
use crate::table::{Settings, keys};
use crate::value::Raw;
use orient_safefs::open_plain;
use std::fmt;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use toml::de::DeTable;

/// A settings file is a page of text; whatever is larger is something else.
const LARGEST_FILE: u64 = 1 << 20;
/// The same for one that a stranger wrote: every glob in it takes memory and time.
const LARGEST_OF_REPOSITORY: u64 = 64 << 10;

/// The short name of `ORIENT_STORE_DIR`, which is the one people know.
const STORE_VARIABLE: &str = "ORIENT_STORE";

/// Everything settings can be read from. Plain data, so that a test can make one up.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    /// The user's own file; it need not exist.
    pub user_file: Option<PathBuf>,
    /// The root of the repository, whose `.orient.toml` is read if there is one.
    pub repository: Option<PathBuf>,
    /// The environment.
    pub environment: Vec<(String, String)>,
    /// What was said on the command line.
    pub overrides: Vec<Override>,
    /// Where relative paths of the environment and the command line hang from.
    pub folder: PathBuf,
}

/// A setting made on the command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Override {
    /// The full name of the setting: `index.threads`.
    pub key: String,
    /// Its value as text.
    pub value: String,
    /// The flag that said so, for messages.
    pub flag: String,
}

impl Sources {
    /// The sources of this machine for the repository at `root`. Variables that are not text cannot be settings
    /// and are left out.
    pub fn of_machine(root: &Path) -> Self {
        let environment = std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
            .filter(|(name, _)| name.starts_with("ORIENT_"))
            .collect();
        Self {
            user_file: places::user_file(),
            repository: Some(root.to_owned()),
            environment,
            overrides: Vec::new(),
            folder: std::env::current_dir().unwrap_or_else(|_| root.to_owned()),
        }
    }
}

/// Where a value comes from; a later one wins over an earlier one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Source {
    /// The table of settings.
    Default,
    /// The user's own file.
    User,
    /// The repository's file.
    Repository,
    /// A variable of the environment.
    Environment,
    /// A flag.
    CommandLine,
}

impl Source {
    /// The word users see.
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

/// Where exactly a value comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// The kind of source.
    pub source: Source,
    /// The file and line, the variable or the flag; empty for a default.
    pub place: String,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.place.is_empty() { self.source.as_str() } else { &self.place })
    }
}

/// A setting in force.
#[derive(Clone)]
pub struct Effective {
    /// Which.
    pub key: &'static Key,
    /// Its value, as one would write it in a file.
    pub value: String,
    /// Where that comes from.
    pub origin: Origin,
}

/// The outcome of [`load`].
#[derive(Clone)]
pub struct Loaded {
    /// The settings in force.
    pub settings: Settings,
    /// Each of them with its origin, in the order of the table.
    pub origins: Vec<Effective>,
    /// Things that look like a slip but may be none of our business, and whether something of the repository's is ignored.
    pub notes: Vec<String>,
    /// What of the repository's file has no effect.
    pub ignored: Vec<Ignored>,
}

/// Reads all sources, weakest first. A later value replaces an earlier one whole, lists too; but the file of a repository
/// only adds to lists and lowers limits. Everything that is wrong is reported at once, except for what a repository says:
/// that is ignored and noted, and so is what does not pass the `check`.
pub fn load(sources: &Sources, check: Check<'_>) -> Result<Loaded, SettingsError> {
    let mut loading = Loading::new();
    if let Some(path) = &sources.user_file {
        loading.user_file(path)?;
    }
    if let Some(root) = &sources.repository {
        loading.repository_file(&root.join(REPOSITORY_FILE), check);
    }
    loading.environment(sources);
    for Override { key, value, flag } in &sources.overrides {
        let origin = Origin { source: Source::CommandLine, place: flag.clone() };
        loading.set(key, &Raw::Text(value.clone()), &sources.folder, origin);
    }
    loading.finish()
}

struct Loading {
    settings: Settings,
    origins: Vec<Origin>,
    problems: Vec<Problem>,
    notes: Vec<String>,
    ignored: Vec<Ignored>,
}

impl Loading {
    fn new() -> Self {
        let default = Origin { source: Source::Default, place: String::new() };
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
            .map(|(key, origin)| Effective { key, value: key.shown(&self.settings), origin })
            .collect();
        Ok(Loaded { settings: self.settings, origins, notes: self.notes, ignored: self.ignored })
    }

    fn problem(&mut self, place: String, fault: Fault) {
        self.problems.push(Problem { place, fault });
    }

    fn user_file(&mut self, path: &Path) -> Result<(), SettingsError> {
        let unreadable = |source| SettingsError::Unreadable { path: path.to_owned(), source };
        let Some(text) = read(path, Source::User).map_err(unreadable)? else { return Ok(()) };
        let base = path.parent().unwrap_or(Path::new("/"));
        match parsed(path, &text) {
            Err((place, fault)) => self.problem(place, fault),
            Ok(entries) => {
                for Line { place, name, value } in entries {
                    match value {
                        Some(raw) => self.set(&name, &raw, base, Origin { source: Source::User, place }),
                        None => self.unknown(place, &name),
                    }
                }
            }
        }
        Ok(())
    }

    /// The file of a repository: whatever is wrong with it has no effect, and is told.
    fn repository_file(&mut self, path: &Path, check: Check<'_>) {
        let base = path.parent().unwrap_or(Path::new("/"));
        let at = |place: String, (key, why)| Ignored { key, place, why };
        let mut ignored = Vec::new();
        let text = match read(path, Source::Repository) {
            Ok(Some(text)) => text,
            Ok(None) => return,
            Err(error) => {
                ignored.push(at(path.display().to_string(), (None, error.to_string())));
                String::new()
            }
        };
        let lines = parsed(path, &text).unwrap_or_else(|(place, fault)| {
            ignored.push(at(place, (None, repository::quoted(&fault.to_string()))));
            Vec::new()
        });
        for Line { place, name, value } in lines {
            // An entry that is no section is no setting either, whatever its value.
            let raw = value.unwrap_or(Raw::Other("a table"));
            match repository::applied(&self.settings, &name, &raw, base, check) {
                Ok((index, settings)) => {
                    self.settings = settings;
                    self.origins[index] = Origin { source: Source::Repository, place };
                }
                Err(why) => ignored.push(at(place, why)),
            }
        }
        self.notes.extend(repository::summary(path, &ignored));
        self.ignored = repository::capped(ignored);
    }

    /// Every variable of a section we know must be a setting. Others that begin with our name may belong to
    /// somebody else, so a near miss is only noted.
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
            let origin = Origin { source: Source::Environment, place: name.clone() };
            if let Some(key) = key {
                self.set(&key.path(), &Raw::Text(value.clone()), &sources.folder, origin);
                continue;
            }
            let nearest = nearest_variable(name);
            let section = rest.split('_').next().unwrap_or_default().to_lowercase();
            if keys().iter().any(|key| key.section == section) {
                self.problem(name.clone(), Fault::Unknown { name: name.clone(), nearest });
            } else if let Some(nearest) = nearest {
                self.notes.push(format!("the variable {name} is no setting; did you mean {nearest}?"));
            }
        }
    }

    fn set(&mut self, full: &str, raw: &Raw, base: &Path, origin: Origin) {
        let Some(index) = keys().iter().position(|key| key.path() == full) else {
            self.unknown(origin.place, full);
            return;
        };
        let key = &keys()[index];
        if let Err(problem) = (key.setter)(&mut self.settings, raw, base) {
            let example = match origin.source {
                Source::Environment | Source::CommandLine => key.example.to_owned(),
                _ => format!("{} = {}", key.name, key.example),
            };
            self.problem(origin.place, Fault::Value { key: full.to_owned(), problem, example });
            return;
        }
        self.origins[index] = origin;
    }

    fn unknown(&mut self, place: String, name: &str) {
        self.problem(place, Fault::unknown(name));
    }
}

/// The text of a settings file; nothing if there is none. A repository's file must be a file of its own: a link would let
/// it quote any file of the machine in a message.
fn read(path: &Path, source: Source) -> std::io::Result<Option<String>> {
    let (opened, most) = match source {
        Source::Repository => (open_plain(path), LARGEST_OF_REPOSITORY),
        _ => (fs::File::open(path), LARGEST_FILE),
    };
    let file = match opened {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) if error.kind() == std::io::ErrorKind::NotADirectory => return Ok(None),
        Err(error) => return Err(error),
    };
    if !file.metadata()?.is_file() {
        return Err(std::io::Error::other("it is not a plain file"));
    }
    let mut text = String::new();
    file.take(most + 1).read_to_string(&mut text)?;
    if text.len() as u64 > most {
        return Err(std::io::Error::other(format!("it is larger than {}KiB", most >> 10)));
    }
    Ok(Some(text))
}

/// An entry of a file. The value is missing for what is not a section we know.
struct Line {
    place: String,
    name: String,
    value: Option<Raw>,
}

/// What a file says, or why it says nothing, and where.
fn parsed(path: &Path, text: &str) -> Result<Vec<Line>, (String, Fault)> {
    let place = |offset: usize| format!("{}:{}", path.display(), line_at(text, offset));
    let document = DeTable::parse(text).map_err(|error| {
        let offset = error.span().map_or(0, |span| span.start);
        (place(offset), Fault::Syntax(error.message().to_owned()))
    })?;
    let lines = entries(document.get_ref()).into_iter();
    Ok(lines.map(|(offset, name, value)| Line { place: place(offset), name, value }).collect())
}

/// What a file says, in the order of its lines: where, the full name, and the value, which is missing for what is not
/// a section we know.
fn entries(document: &DeTable<'_>) -> Vec<(usize, String, Option<Raw>)> {
    let mut found = Vec::new();
    for (section, value) in document {
        let section_name = section.get_ref().as_ref();
        let known = keys().iter().any(|key| key.section == section_name);
        match value.get_ref().as_table().filter(|_| known) {
            None => found.push((section.span().start, section_name.to_owned(), None)),
            Some(table) => found.extend(table.iter().map(|(name, value)| {
                let full = format!("{section_name}.{}", name.get_ref());
                (name.span().start, full, Some(Raw::from_toml(value.get_ref())))
            })),
        }
    }
    found.sort_by_key(|&(offset, ..)| offset);
    found
}

fn line_at(text: &str, offset: usize) -> usize {
    text.as_bytes().iter().take(offset).filter(|&&byte| byte == b'\n').count() + 1
}

/// The setting that was meant. A bare key without its section is a common slip, so it counts too.
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
