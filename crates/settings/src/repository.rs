//! Applies `.orient.toml`, whose author the user may not trust.
//!
//! An entry that is not permitted or not valid is ignored with a message; it never makes a command fail. Text quoted
//! from the file is truncated and contains no control characters.

use crate::error::ProblemKind;
use crate::key::{Key, RepositoryPermission};
use crate::paths;
use crate::table::{Settings, keys};
use crate::value::RawValue;
use std::path::Path;

/// Maximum number of ignored entries reported one by one; the rest are counted.
const MAX_REPORTED: usize = 20;
/// Maximum number of characters quoted from the file.
const MAX_QUOTE: usize = 160;

/// An entry of `.orient.toml` that has no effect.
#[derive(Clone)]
pub struct IgnoredEntry {
    /// The setting, if the entry names one.
    pub key: Option<&'static Key>,
    /// The file and the line.
    pub location: String,
    /// Why it is ignored, and what to do instead.
    pub reason: String,
}

/// Validates settings for their users: whether every language exists, for example.
pub type Validator<'c> = &'c dyn Fn(&Settings) -> Result<(), String>;

/// Applies one entry of `.orient.toml`: the index of its key and the new settings, or why it is ignored.
pub(crate) fn apply_entry(
    settings: &Settings,
    name: &str,
    raw: &RawValue,
    base: &Path,
    validate: Validator<'_>,
) -> Result<(usize, Settings), (Option<&'static Key>, String)> {
    let Some(index) = keys().iter().position(|key| key.path() == name) else {
        return Err((None, sanitize(&ProblemKind::unknown(name).to_string())));
    };
    let key = &keys()[index];
    let ignored = |reason: String| (Some(key), reason);
    if key.repository == RepositoryPermission::Deny {
        return Err(ignored(format!("a repository may not set {}; {}", key.path(), alternative(key))));
    }
    let mut with = settings.clone();
    (key.setter)(&mut with, raw, base).map_err(|problem| {
        let example = format!("{} = {}", key.name, key.example);
        let problem = ProblemKind::Value { key: key.path(), problem, example };
        ignored(sanitize(&problem.to_string()))
    })?;
    match key.repository {
        RepositoryPermission::Add { .. } if raw.has_negation() => {
            let reason = "a repository may only add entries; one that begins with `!` removes others";
            return Err(ignored(format!("{}: {reason}", key.path())));
        }
        RepositoryPermission::Add { .. } => (key.merge)(&mut with, settings),
        RepositoryPermission::Lower { .. } if !(key.is_at_most)(&with, settings) => {
            let (path, now) = (key.path(), key.format(settings));
            return Err(ignored(format!(
                "a repository may only lower {path}, which is {now}; {}",
                alternative(key)
            )));
        }
        RepositoryPermission::Lower { .. } | RepositoryPermission::Deny => {}
    }
    validate(&with).map_err(|problem| ignored(sanitize(&format!("{}: {problem}", key.path()))))?;
    Ok((index, with))
}

/// Where the user can set it instead.
fn alternative(key: &Key) -> String {
    let variable = key.env();
    match paths::user_file() {
        Some(file) => format!("to set it, write it to {} or set {variable}", file.display()),
        None => format!("to set it, set {variable}"),
    }
}

/// Maximum number of settings named in the summary.
const MAX_NAMED: usize = 2;

/// One sentence about all ignored entries. It quotes nothing from the file.
pub(crate) fn summary(file: &Path, ignored: &[IgnoredEntry]) -> Option<String> {
    let mut named: Vec<String> = ignored.iter().filter_map(|entry| entry.key.map(Key::path)).collect();
    named.sort();
    named.dedup();
    let (settings, unknown) = (named.len(), ignored.iter().filter(|entry| entry.key.is_none()).count());
    let file = file.display();
    if settings == 0 {
        let text = format!("entries of {file} that are not valid are ignored; `orient config` shows why");
        return (unknown > 0).then_some(text);
    }
    named.truncate(MAX_NAMED);
    let mut what = named.join(", ");
    if settings > MAX_NAMED {
        what = format!("{what} and {} more", settings - MAX_NAMED);
    }
    match unknown {
        0 => {}
        1 => what.push_str(" and 1 unknown entry"),
        _ => what = format!("{what} and {unknown} unknown entries"),
    }
    let are = if settings + unknown == 1 { "is" } else { "are" };
    let them = if settings == 1 { "it" } else { "them" };
    let user = paths::user_file().map_or_else(String::new, |file| format!(", in {}", file.display()));
    Some(format!(
        "{what} {are} ignored in {file}: only the user may set {them}{user}; `orient config` shows why"
    ))
}

/// Keeps the first entries and appends how many more there are.
pub(crate) fn truncate(mut ignored: Vec<IgnoredEntry>) -> Vec<IgnoredEntry> {
    if let Some(more) = ignored.len().checked_sub(MAX_REPORTED).filter(|more| *more > 0) {
        let location = ignored[MAX_REPORTED].location.clone();
        ignored.truncate(MAX_REPORTED);
        ignored.push(IgnoredEntry {
            key: None,
            location,
            reason: format!("{more} more entries are ignored"),
        });
    }
    ignored
}

/// Replaces control characters and truncates text that quotes the file.
pub(crate) fn sanitize(text: &str) -> String {
    let mut plain: String =
        text.chars().take(MAX_QUOTE).map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect();
    if text.chars().nth(MAX_QUOTE).is_some() {
        plain.push('…');
    }
    plain
}
