//! Files that were not read and could have changed an answer: they make it partial.

use super::{Cause, Doubt};
use crate::text::number_format::{bytes, count};
use orient_engine::{EmbeddedFiles, EmbeddedForm, PathPattern, SkipReason, Snapshot};
use orient_model::RepoPath;

/// Maximum number of files and directories named; the rest are counted.
const MAX_NAMED: usize = 3;

/// The files that could change an answer.
#[derive(Clone, Copy)]
pub(crate) enum AnswerScope<'a> {
    /// Any file of the tree.
    Tree,
    /// The files of these paths.
    Within(&'a PathPattern),
    /// Only the files it was computed from, all of which were read.
    FilesRead,
}

impl<'a> From<Option<&'a PathPattern>> for AnswerScope<'a> {
    fn from(within: Option<&'a PathPattern>) -> Self {
        within.map_or(Self::Tree, Self::Within)
    }
}

/// The reason why an answer about these files is partial, if some were not read. An answer about the uses of names depends on a file only if
/// one of the names may be in it; any other, only if it is code.
pub(crate) fn doubt(snapshot: &Snapshot, about: AnswerScope<'_>, names: &[&str]) -> Option<Doubt> {
    let within = match about {
        AnswerScope::Tree => None,
        AnswerScope::Within(pattern) => Some(pattern),
        AnswerScope::FilesRead => return None,
    };
    let unread = snapshot.unread(within).and_then(|mut unread| {
        let mut kept = Vec::new();
        for (path, why) in unread.drain(..) {
            // Data and style sheets use no code.
            let is_data = EmbeddedFiles::of(&path.display())
                .is_some_and(|known| matches!(known.form, EmbeddedForm::Data | EmbeddedForm::None));
            let mut counts = !is_data && names.is_empty();
            for name in names.iter().filter(|_| !is_data) {
                counts |= snapshot.may_mention(&path, name)?;
            }
            if counts {
                kept.push((path, why));
            }
        }
        Ok(kept)
    });
    match unread {
        Ok(unread) if unread.is_empty() => None,
        Ok(unread) => Some(Doubt::new(Cause::Unread, unread.len() as u64, list(&unread))),
        Err(error) => {
            let text = format!("the files that were not read are unknown: {error}");
            Some(Doubt::new(Cause::Unread, 1, text))
        }
    }
}

/// The files of these paths that were not read, whatever they are.
pub(crate) fn named(snapshot: &Snapshot, within: &PathPattern) -> Option<String> {
    let unread = snapshot.unread(Some(within)).ok().filter(|unread| !unread.is_empty())?;
    Some(list(&unread))
}

fn list(unread: &[(RepoPath, Option<SkipReason>)]) -> String {
    let named: Vec<String> =
        unread.iter().take(MAX_NAMED).map(|(path, why)| one(path, why.as_ref())).collect();
    let more = unread.len() - named.len();
    let more = if more > 0 { format!(" and {} more", count(more as u64)) } else { String::new() };
    format!("not read: {}{more}", named.join(", "))
}

fn one(path: &RepoPath, why: Option<&SkipReason>) -> String {
    let why = match why {
        None => "the parser gave up".to_owned(),
        Some(SkipReason::TooLarge { size, .. }) => bytes(*size),
        Some(SkipReason::Unreadable(why)) => why.clone(),
        Some(why) => why.to_string(),
    };
    format!("{} ({why})", path.display())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_few_files_are_named_and_the_rest_counted() {
        let denied = || Some(SkipReason::Unreadable("permission denied".to_owned()));
        let mut unread = vec![
            ("locked".into(), denied()),
            ("src/big.c".into(), Some(SkipReason::TooLarge { size: 3 << 20, limit: 2 << 20 })),
            ("src/odd.c".into(), None),
        ];
        let all = "not read: locked (permission denied), src/big.c (3.0 MiB), src/odd.c (the parser gave up)";
        assert_eq!(list(&unread), all);
        unread.extend((0..1500).map(|number| (RepoPath::from(format!("x{number}").as_str()), denied())));
        assert!(list(&unread).ends_with(" and 1,500 more"), "{}", list(&unread));
    }
}
