//! What the file of a repository says and may not, or says wrongly. Its author is a stranger: nothing of that stops a
//! command, and what is quoted from it is short and plain.

use crate::error::Fault;
use crate::key::{Key, Scope};
use crate::places;
use crate::table::{Settings, keys};
use crate::value::Raw;
use std::path::Path;

/// Of so many entries it is said why they are ignored; the rest is counted.
const MOST: usize = 20;
/// How much is quoted of what stands in the file.
const LONGEST_QUOTE: usize = 160;

/// An entry of the file of a repository that has no effect.
#[derive(Clone)]
pub struct Ignored {
    /// The setting it is about, where it is one.
    pub key: Option<&'static Key>,
    /// The file and the line.
    pub place: String,
    /// Why it is ignored, and what to do instead.
    pub why: String,
}

/// Looks at settings as those who use them do; says what is wrong with them.
pub type Check<'c> = &'c dyn Fn(&Settings) -> Result<(), String>;

/// The settings with an entry of a repository's file, or why it is ignored.
pub(crate) fn applied(
    settings: &Settings,
    name: &str,
    raw: &Raw,
    base: &Path,
    check: Check<'_>,
) -> Result<(usize, Settings), (Option<&'static Key>, String)> {
    let Some(index) = keys().iter().position(|key| key.path() == name) else {
        return Err((None, quoted(&Fault::unknown(name).to_string())));
    };
    let key = &keys()[index];
    let ignored = |why: String| (Some(key), why);
    if key.scope == Scope::User {
        return Err(ignored(format!("a repository may not set {}; {}", key.path(), instead(key))));
    }
    let mut with = settings.clone();
    (key.setter)(&mut with, raw, base).map_err(|problem| {
        let example = format!("{} = {}", key.name, key.example);
        let fault = Fault::Value { key: key.path(), problem, example };
        ignored(quoted(&fault.to_string()))
    })?;
    match key.scope {
        Scope::RepositoryMayAdd { .. } if raw.takes_back() => {
            let why = "a repository may only add to it: an entry that begins with `!` takes something back";
            return Err(ignored(format!("{}: {why}", key.path())));
        }
        Scope::RepositoryMayAdd { .. } => (key.add)(&mut with, settings),
        Scope::RepositoryMayLower { .. } if !(key.is_at_most)(&with, settings) => {
            let (path, now) = (key.path(), key.shown(settings));
            return Err(ignored(format!(
                "a repository may only lower {path}, which is {now}; {}",
                instead(key)
            )));
        }
        Scope::RepositoryMayLower { .. } | Scope::User => {}
    }
    check(&with).map_err(|problem| ignored(quoted(&format!("{}: {problem}", key.path()))))?;
    Ok((index, with))
}

/// Where the user can say the same.
fn instead(key: &Key) -> String {
    let variable = key.env();
    match places::user_file() {
        Some(file) => format!("to have it, write it to {} or set {variable}", file.display()),
        None => format!("to have it, set {variable}"),
    }
}

/// How many settings are named in one sentence.
const NAMED: usize = 2;

/// All of it in one sentence, in which nothing stands that the author of the file chose.
pub(crate) fn summary(file: &Path, ignored: &[Ignored]) -> Option<String> {
    let mut named: Vec<String> = ignored.iter().filter_map(|one| one.key.map(Key::path)).collect();
    named.sort();
    named.dedup();
    let (settings, unknown) = (named.len(), ignored.iter().filter(|one| one.key.is_none()).count());
    let file = file.display();
    if settings == 0 {
        let whole = format!("what cannot be understood in {file} is ignored; `orient config` says why");
        return (unknown > 0).then_some(whole);
    }
    named.truncate(NAMED);
    let mut what = named.join(", ");
    if settings > NAMED {
        what = format!("{what} and {} more", settings - NAMED);
    }
    match unknown {
        0 => {}
        1 => what.push_str(" and 1 unknown entry"),
        _ => what = format!("{what} and {unknown} unknown entries"),
    }
    let are = if settings + unknown == 1 { "is" } else { "are" };
    let them = if settings == 1 { "it" } else { "them" };
    let user = places::user_file().map_or_else(String::new, |file| format!(", in {}", file.display()));
    Some(format!(
        "{what} {are} ignored in {file}: only the user may set {them}{user}; `orient config` says why"
    ))
}

/// The first of them, and how many more there are.
pub(crate) fn capped(mut ignored: Vec<Ignored>) -> Vec<Ignored> {
    if let Some(more) = ignored.len().checked_sub(MOST).filter(|more| *more > 0) {
        let place = ignored[MOST].place.clone();
        ignored.truncate(MOST);
        ignored.push(Ignored { key: None, place, why: format!("{more} more entries are ignored") });
    }
    ignored
}

/// Text with parts that stand in the file: on one line, without control characters, and not long.
pub(crate) fn quoted(text: &str) -> String {
    let mut plain: String =
        text.chars().take(LONGEST_QUOTE).map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect();
    if text.chars().nth(LONGEST_QUOTE).is_some() {
        plain.push('…');
    }
    plain
}
