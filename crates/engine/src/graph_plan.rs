//! Which files must be resolved again after a change: pure, from what changed and who depends on it.

use orient_model::Says;
use orient_store::{FileId, StoreError};
use std::collections::BTreeSet;

/// What became of a file, as far as others may depend on it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Touch {
    /// The file, where it is still there.
    pub(crate) file: Option<FileId>,
    /// The names others may ask for of which they would now see something else; none where nobody can tell.
    pub(crate) names: Option<Vec<String>>,
    /// The family of languages whose files alone see these names; none where others may.
    pub(crate) family: Option<&'static str>,
    /// How far a change of what it says about modules reaches, if it does.
    pub(crate) reach: Option<Reach>,
}

/// How far a change of a project file reaches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Reach {
    /// To the files at and below this folder.
    Folder(Vec<u8>),
    /// To files that may be anywhere.
    Anywhere,
}

/// What must be resolved again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum GraphPlan {
    /// All files.
    Everything,
    /// These.
    Files(BTreeSet<FileId>),
}

/// What the planner asks of the index.
pub(crate) trait Dependents {
    /// The files that ask for a name: all, or those of a family of languages.
    fn asking(&mut self, name: &str, family: Option<&str>) -> Result<Vec<FileId>, StoreError>;
    /// The indexed files at and below a folder.
    fn under(&mut self, folder: &[u8]) -> Result<Vec<FileId>, StoreError>;
}

/// Files that ask for this name are resolved again whatever changed.
const ALWAYS: &str = "";

/// Which files to resolve again: those that changed, those that ask for a name that changed, those with edges to what
/// is gone, and those that a project file reaches.
pub(crate) fn plan(
    touched: &[Touch],
    severed: Vec<FileId>,
    index: &mut dyn Dependents,
) -> Result<GraphPlan, StoreError> {
    let unknown = |touch: &Touch| touch.names.is_none() || touch.reach == Some(Reach::Anywhere);
    if touched.iter().any(unknown) {
        return Ok(GraphPlan::Everything);
    }
    let mut files: BTreeSet<FileId> = severed.into_iter().collect();
    files.extend(touched.iter().filter_map(|touch| touch.file));
    let mut names: BTreeSet<(&str, Option<&str>)> = BTreeSet::new();
    for touch in touched {
        names.extend(touch.names.iter().flatten().map(|name| (name.as_str(), touch.family)));
        names.insert((ALWAYS, None));
    }
    for &(name, family) in &names {
        if family.is_none() || !names.contains(&(name, None)) {
            files.extend(index.asking(name, family)?);
        }
    }
    for touch in touched {
        if let Some(Reach::Folder(folder)) = &touch.reach {
            files.extend(index.under(folder)?);
        }
    }
    Ok(GraphPlan::Files(files))
}

/// A statement of a project file as text.
pub(crate) type Said = (Says, String, String);

/// How far it reaches that a project file in this folder said one thing and now says another. Only what a package needs
/// is its own affair; names, entries and aliases may matter to files anywhere.
pub(crate) fn reach(folder: &[u8], before: &[Said], after: &[Said]) -> Option<Reach> {
    if before == after {
        return None;
    }
    let rest = |said: &[Said]| -> Vec<Said> {
        said.iter().filter(|(says, ..)| *says != Says::Depends).cloned().collect()
    };
    Some(if rest(before) == rest(after) { Reach::Folder(folder.to_vec()) } else { Reach::Anywhere })
}

/// The names of which others see something else: those of one list alone, and those with another hash. Both lists are
/// sorted.
pub(crate) fn changed(before: &[(String, u64)], after: &[(String, u64)]) -> Vec<String> {
    let (before, after): (BTreeSet<_>, BTreeSet<_>) = (before.iter().collect(), after.iter().collect());
    let mut names: Vec<String> = before.symmetric_difference(&after).map(|(name, _)| name.clone()).collect();
    names.dedup();
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Files 1 to 9; `f` is asked for by 3 and, in another family, by 4, `g` by 5, and 9 is always tried again.
    struct Index;

    impl Dependents for Index {
        fn asking(&mut self, name: &str, family: Option<&str>) -> Result<Vec<FileId>, StoreError> {
            Ok(match (name, family) {
                ("f", None) => vec![FileId(3), FileId(4)],
                ("f", Some("other")) => vec![FileId(4)],
                ("g", None) => vec![FileId(5)],
                (ALWAYS, None) => vec![FileId(9)],
                _ => Vec::new(),
            })
        }
        fn under(&mut self, folder: &[u8]) -> Result<Vec<FileId>, StoreError> {
            Ok(if folder == b"lib" { vec![FileId(6), FileId(7)] } else { Vec::new() })
        }
    }

    fn files(touched: &[Touch], severed: &[i64]) -> Vec<i64> {
        let severed = severed.iter().copied().map(FileId).collect();
        match plan(touched, severed, &mut Index).expect("no store, no fault") {
            GraphPlan::Everything => vec![-1],
            GraphPlan::Files(files) => files.into_iter().map(|file| file.0).collect(),
        }
    }

    fn touch(file: Option<i64>, names: &[&str], reach: Option<Reach>) -> Touch {
        let names = Some(names.iter().map(|&name| name.to_owned()).collect());
        Touch { file: file.map(FileId), names, family: None, reach }
    }

    #[test]
    fn a_changed_body_concerns_its_file_alone() {
        assert_eq!(files(&[touch(Some(1), &[], None)], &[]), [1, 9]);
        assert_eq!(files(&[], &[]), [0; 0], "nothing changed, nothing is tried again");
    }

    #[test]
    fn a_changed_definition_concerns_those_who_ask_for_its_name() {
        assert_eq!(files(&[touch(Some(1), &["f", "h"], None)], &[]), [1, 3, 4, 9]);
        assert_eq!(files(&[touch(None, &["f"], None), touch(Some(2), &["g"], None)], &[]), [2, 3, 4, 5, 9]);
    }

    #[test]
    fn a_definition_that_only_one_family_sees_concerns_no_other() {
        let own = |file| Touch { family: Some("other"), ..touch(Some(file), &["f"], None) };
        assert_eq!(files(&[own(1)], &[]), [1, 4, 9]);
        assert_eq!(files(&[own(1), touch(Some(2), &["f"], None)], &[]), [1, 2, 3, 4, 9]);
    }

    #[test]
    fn who_points_at_what_is_gone_is_resolved_again() {
        assert_eq!(files(&[touch(None, &[], None)], &[8]), [8, 9]);
    }

    #[test]
    fn a_project_file_concerns_its_folder_or_all() {
        let folder = Some(Reach::Folder(b"lib".to_vec()));
        assert_eq!(files(&[touch(Some(1), &[], folder)], &[]), [1, 6, 7, 9]);
        assert_eq!(files(&[touch(Some(1), &[], Some(Reach::Anywhere))], &[]), [-1]);
    }

    #[test]
    fn what_cannot_be_told_concerns_all() {
        assert_eq!(files(&[Touch { file: Some(FileId(1)), ..Touch::default() }], &[]), [-1]);
    }

    #[test]
    fn only_what_a_package_needs_is_its_own_affair() {
        let said = |says, name: &str| (says, name.to_owned(), String::new());
        let (name, other) = (said(Says::Name, "a"), said(Says::Name, "b"));
        let needs = said(Says::Depends, "c");
        let (plain, needing) = ([name.clone()], [needs, name]);
        assert_eq!(reach(b"x", &plain, &plain), None);
        assert_eq!(reach(b"x", &plain, &needing), Some(Reach::Folder(b"x".to_vec())));
        assert_eq!(reach(b"x", &plain, &[other]), Some(Reach::Anywhere));
    }

    #[test]
    fn names_that_came_went_or_look_different_have_changed() {
        let list = |pairs: &[(&str, u64)]| {
            pairs.iter().map(|&(name, hash)| (name.to_owned(), hash)).collect::<Vec<_>>()
        };
        let (before, after) = (list(&[("a", 1), ("b", 1), ("c", 1)]), list(&[("b", 1), ("c", 2), ("d", 1)]));
        assert_eq!(changed(&before, &after), ["a", "c", "d"]);
        assert_eq!(changed(&after, &after), [""; 0]);
    }
}
