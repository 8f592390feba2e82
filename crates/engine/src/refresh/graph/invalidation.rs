//! Which files must be resolved again after a change: pure, from what changed and who depends on it.

use orient_model::Says;
use orient_resolve::{Afar, any_member};
use orient_store::{FileId, StoreError};
use std::collections::{BTreeMap, BTreeSet};

/// What became of a file, as far as others may depend on it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Touch {
    /// The file, where it is still there.
    pub(crate) file: Option<FileId>,
    /// The names others may ask for of which they would now see something else; none where nobody can tell.
    pub(crate) names: Option<Names>,
    /// How far a change of what it says about modules reaches, if it does.
    pub(crate) reach: Option<Reach>,
}

/// Names of which others would now see something else.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Names {
    /// Whoever asks for one of them is concerned.
    All(Vec<String>),
    /// Those are who may see the symbols that have them.
    Seen(Seen),
}

/// Names in a file that was edited, came or went, as far as others see them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Seen {
    /// The file, as it is or was.
    pub(crate) at: FileId,
    /// The family of languages whose files alone see its symbols.
    pub(crate) family: &'static str,
    /// Whether whoever looked at the file is concerned, whatever he asks for.
    pub(crate) whole: bool,
    /// Names by which anybody may ask for the file itself, where it came or went.
    pub(crate) paths: Vec<String>,
    /// The files beside one that came, where whoever looks at one of a folder looks at all.
    pub(crate) beside: Vec<FileId>,
    pub(crate) names: Vec<Edited>,
}

/// A name in a file, as it was and is seen from afar.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Edited {
    pub(crate) name: String,
    pub(crate) before: Afar,
    pub(crate) after: Afar,
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
    /// Whether a file of a family looked at another when it was resolved.
    fn looked(&mut self, asker: FileId, file: FileId, family: &str) -> Result<bool, StoreError>;
    /// The files that looked at one of some files, each given with its family.
    fn looking(&mut self, files: &BTreeMap<FileId, &str>) -> Result<Vec<FileId>, StoreError>;
    /// Whether a file asks for a name.
    fn asks(&mut self, asker: FileId, name: &str) -> Result<bool, StoreError>;
    /// The sorts of symbols that have a name in files of a family, without some of them; `enough` need not be gone past.
    fn sorts(
        &mut self,
        name: &str,
        family: &str,
        without: &BTreeSet<FileId>,
        enough: u64,
    ) -> Result<u64, StoreError>;
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
    let mut planning = Planning { index, files: severed.into_iter().collect() };
    planning.files.extend(touched.iter().filter_map(|touch| touch.file));
    if !touched.is_empty() {
        planning.everyone(ALWAYS, None)?;
    }
    planning.by_name(touched)?;
    planning.by_sight(touched)?;
    planning.by_whole(touched)?;
    for touch in touched {
        if let Some(Reach::Folder(folder)) = &touch.reach {
            planning.files.extend(planning.index.under(folder)?);
        }
    }
    Ok(GraphPlan::Files(planning.files))
}

/// A plan on its way.
struct Planning<'i> {
    index: &'i mut dyn Dependents,
    files: BTreeSet<FileId>,
}

impl Planning<'_> {
    /// All who ask for a name.
    fn everyone(&mut self, name: &str, family: Option<&str>) -> Result<(), StoreError> {
        let asking = self.index.asking(name, family)?;
        self.files.extend(asking);
        Ok(())
    }

    fn by_name(&mut self, touched: &[Touch]) -> Result<(), StoreError> {
        let mut names = BTreeSet::new();
        for touch in touched {
            let Some(Names::All(all) | Names::Seen(Seen { paths: all, .. })) = &touch.names else {
                continue;
            };
            names.extend(all.iter().map(String::as_str));
        }
        names.into_iter().try_for_each(|name| self.everyone(name, None))
    }

    fn by_whole(&mut self, touched: &[Touch]) -> Result<(), StoreError> {
        let mut whole = BTreeMap::new();
        for touch in touched {
            if let Some(Names::Seen(seen)) = &touch.names
                && seen.whole
            {
                whole.insert(seen.at, seen.family);
            }
        }
        if !whole.is_empty() {
            self.files.extend(self.index.looking(&whole)?);
        }
        Ok(())
    }

    fn by_sight(&mut self, touched: &[Touch]) -> Result<(), StoreError> {
        let mut names: BTreeMap<(&str, &str), Vec<(&Seen, &Edited)>> = BTreeMap::new();
        for touch in touched {
            let Some(Names::Seen(seen)) = &touch.names else { continue };
            for edited in &seen.names {
                names.entry((seen.family, &edited.name)).or_default().push((seen, edited));
            }
        }
        for ((family, name), edits) in names {
            if self.concerns_all(family, name, &edits)? {
                self.everyone(name, Some(family))?;
                continue;
            }
            for asker in self.index.asking(name, Some(family))? {
                if !self.files.contains(&asker) && self.concerns(asker, family, &edits)? {
                    self.files.insert(asker);
                }
            }
            if edits.iter().any(|(_, edited)| edited.before.member || edited.after.member) {
                self.everyone(&any_member(name), Some(family))?;
            }
        }
        Ok(())
    }

    /// Whether edits of a name concern whoever asks for it: one of its symbols is found by the name alone, or symbols of
    /// some sort have the name for the first time, or no longer.
    fn concerns_all(
        &mut self,
        family: &str,
        name: &str,
        edits: &[(&Seen, &Edited)],
    ) -> Result<bool, StoreError> {
        if edits.iter().any(|(_, edited)| edited.before.everyone || edited.after.everyone) {
            return Ok(true);
        }
        let before = edits.iter().fold(0, |all, (_, edited)| all | edited.before.sorts);
        let after = edits.iter().fold(0, |all, (_, edited)| all | edited.after.sorts);
        let differ = before ^ after;
        if differ == 0 {
            return Ok(false);
        }
        let without = edits.iter().map(|(seen, _)| seen.at).collect();
        let elsewhere = self.index.sorts(name, family, &without, differ)?;
        Ok(differ & !elsewhere != 0)
    }

    /// Whether edits of a name concern one who asks for it: he looked at the file, or asks for what is around a symbol.
    fn concerns(
        &mut self,
        asker: FileId,
        family: &str,
        edits: &[(&Seen, &Edited)],
    ) -> Result<bool, StoreError> {
        for &(seen, edited) in edits {
            for &file in seen.beside.iter().chain([&seen.at]) {
                if file == asker || self.index.looked(asker, file, family)? {
                    return Ok(true);
                }
            }
            for around in edited.before.around.iter().chain(&edited.after.around) {
                if self.index.asks(asker, around)? {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }
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

    /// Files 1 to 9; `f` is asked for by 3, who looked at 1, and by 4, who asks for `Cart`; `g` by 5, and as a member of
    /// anything by 6; 9 is always tried again.
    struct Index;

    impl Dependents for Index {
        fn asking(&mut self, name: &str, family: Option<&str>) -> Result<Vec<FileId>, StoreError> {
            Ok(match (name, family) {
                ("f", _) => vec![FileId(3), FileId(4)],
                ("g", _) => vec![FileId(5)],
                ("g/", _) => vec![FileId(6)],
                (ALWAYS, None) => vec![FileId(9)],
                _ => Vec::new(),
            })
        }
        fn looked(&mut self, asker: FileId, file: FileId, _: &str) -> Result<bool, StoreError> {
            Ok((asker, file) == (FileId(3), FileId(1)))
        }
        fn looking(&mut self, files: &BTreeMap<FileId, &str>) -> Result<Vec<FileId>, StoreError> {
            Ok(if files.contains_key(&FileId(1)) { vec![FileId(3)] } else { Vec::new() })
        }
        fn asks(&mut self, asker: FileId, name: &str) -> Result<bool, StoreError> {
            Ok((asker, name) == (FileId(4), "Cart"))
        }
        fn sorts(&mut self, _: &str, _: &str, _: &BTreeSet<FileId>, _: u64) -> Result<u64, StoreError> {
            Ok(1)
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
        let names = Some(Names::All(names.iter().map(|&name| name.to_owned()).collect()));
        Touch { file: file.map(FileId), names, reach }
    }

    fn edited(file: i64, name: &str, before: &Afar, after: &Afar) -> Touch {
        let edited = Edited { name: name.to_owned(), before: before.clone(), after: after.clone() };
        let (at, names) = (FileId(file), vec![edited]);
        let seen = Seen { at, family: "all", whole: false, paths: Vec::new(), beside: Vec::new(), names };
        Touch { file: Some(at), names: Some(Names::Seen(seen)), reach: None }
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
    fn an_edit_concerns_those_who_ask_and_looked_at_the_file() {
        let seen = Afar { sorts: 1, ..Afar::default() };
        assert_eq!(files(&[edited(1, "f", &seen, &seen)], &[]), [1, 3, 9]);
        assert_eq!(files(&[edited(2, "f", &seen, &seen)], &[]), [2, 9], "nobody looked at 2");
    }

    #[test]
    fn a_file_that_comes_concerns_those_who_look_at_its_folder_or_ask_for_its_path() {
        let mut came = edited(2, "f", &Afar::default(), &Afar { sorts: 1, ..Afar::default() });
        let Some(Names::Seen(seen)) = &mut came.names else { unreachable!("an edit is seen") };
        (seen.beside, seen.paths) = (vec![FileId(1)], vec!["g".to_owned()]);
        assert_eq!(
            files(&[came], &[]),
            [2, 3, 5, 9],
            "3 looked at 1, which is beside it; 5 asks for its path"
        );
    }

    #[test]
    fn a_file_that_goes_concerns_whoever_looked_at_it() {
        let mut went = edited(1, "h", &Afar::default(), &Afar::default());
        let Some(Names::Seen(seen)) = &mut went.names else { unreachable!("an edit is seen") };
        seen.whole = true;
        assert_eq!(files(&[went], &[]), [1, 3, 9], "3 asks for no name of it");
    }

    #[test]
    fn an_edit_concerns_those_who_ask_for_what_is_around_it() {
        let inside = Afar { sorts: 1, around: vec!["Cart".to_owned()], ..Afar::default() };
        assert_eq!(files(&[edited(2, "f", &Afar { sorts: 1, ..Afar::default() }, &inside)], &[]), [2, 4, 9]);
    }

    #[test]
    fn an_edit_concerns_all_who_ask_where_the_name_alone_is_enough() {
        let (seen, alone) =
            (Afar { sorts: 1, ..Afar::default() }, Afar { everyone: true, ..Afar::default() });
        assert_eq!(files(&[edited(2, "f", &seen, &alone)], &[]), [2, 3, 4, 9]);
        let member = Afar { sorts: 1, member: true, ..Afar::default() };
        assert_eq!(
            files(&[edited(2, "g", &member, &Afar::default())], &[]),
            [2, 6, 9],
            "members of anything"
        );
    }

    #[test]
    fn an_edit_concerns_all_who_ask_where_it_brings_the_first_of_its_sort() {
        let (member, ty) = (Afar { sorts: 1, ..Afar::default() }, Afar { sorts: 4, ..Afar::default() });
        assert_eq!(
            files(&[edited(2, "f", &Afar::default(), &member)], &[]),
            [2, 9],
            "there are members of the name"
        );
        assert_eq!(files(&[edited(2, "f", &member, &ty)], &[]), [2, 3, 4, 9], "it is that of a type now");
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
