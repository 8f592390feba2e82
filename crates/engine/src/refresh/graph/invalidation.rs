//! Invalidation: which files must be resolved again after a change. A pure function of the changes and the dependency
//! index.
//!
//! Example: `a.c` defines `f`, `b.c` calls `f` and read `a.c` when it was resolved, `c.c` calls another `f` of
//! `d.c`. Editing the signature of `f` in `a.c` invalidates `a.c` (changed) and `b.c` (depends on the name `f` and on
//! the file `a.c`), but not `c.c`, which depends on the name only. If the edit makes `f` a type for the first time in
//! its family, every file that depends on `f` is invalidated, because name lookup itself may now give a different
//! answer.

use orient_model::Says;
use orient_resolve::{ChangedLookups, Kinds, NamedSymbols, anywhere_key};
use orient_store::{FileId, StoreError};
use std::collections::{BTreeMap, BTreeSet};

/// A changed file, as far as other files may depend on it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct FileChange {
    /// The file, if it still exists.
    pub(crate) file: Option<FileId>,
    /// The names whose meaning changed for others; `None` if unknown.
    pub(crate) names: Option<ChangedNames>,
    /// The files that a change of a project file affects, if any.
    pub(crate) reach: Option<ProjectScope>,
}

/// Names whose meaning changed for other files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ChangedNames {
    /// Every file that depends on one of them is affected.
    All(Vec<String>),
    /// Only files that may see the symbols are affected.
    Visible(VisibleChange),
}

/// Changed names of a file that was edited, added or removed, with who may see them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct VisibleChange {
    /// The file, as it is or was.
    pub(crate) at: FileId,
    /// The language family; only its files see the symbols.
    pub(crate) family: &'static str,
    /// Whether every file that depends on this file is affected, whatever names it uses.
    pub(crate) all_dependents: bool,
    /// Names that refer to the file itself: to its content, and to its path if it was added or removed.
    pub(crate) paths: Vec<String>,
    /// The other files of the directory of an added file, if files see their whole directory.
    pub(crate) siblings: Vec<FileId>,
    pub(crate) names: Vec<ChangedName>,
}

/// A changed slot, by the name it is stored under, with the symbols of this name before and after.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ChangedName {
    pub(crate) name: String,
    pub(crate) before: NamedSymbols,
    pub(crate) after: NamedSymbols,
}

impl ChangedName {
    fn lookups(&self) -> ChangedLookups {
        ChangedLookups::between(&self.before, &self.after)
    }
}

/// The files that a change of a project file affects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ProjectScope {
    /// The files at and below this directory.
    Directory(Vec<u8>),
    /// Any file.
    Anywhere,
}

/// The files to resolve again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Invalidation {
    /// All files.
    Everything,
    /// These files.
    Files(BTreeSet<FileId>),
}

/// Dependency lookups that invalidation needs.
pub(crate) trait DependencyIndex {
    /// The files that depend on a name: all, or those of a language family.
    fn dependents_of_name(&mut self, name: &str, family: Option<&str>) -> Result<Vec<FileId>, StoreError>;
    /// The indexed files at and below a directory.
    fn files_under(&mut self, directory: &[u8]) -> Result<Vec<FileId>, StoreError>;
    /// Whether the resolution of `dependent` read `file`.
    fn depends_on_file(&mut self, dependent: FileId, file: FileId, family: &str) -> Result<bool, StoreError>;
    /// The files whose resolution read one of these files, each given with its family.
    fn dependents_of_files(&mut self, files: &BTreeMap<FileId, &str>) -> Result<Vec<FileId>, StoreError>;
    /// Whether a file depends on a name.
    fn depends_on_name(&mut self, dependent: FileId, name: &str) -> Result<bool, StoreError>;
    /// The symbol kinds with a name in files of a family, except `without`; may stop once `enough` kinds are found.
    fn kinds(
        &mut self,
        name: &str,
        family: &str,
        without: &BTreeSet<FileId>,
        enough: Kinds,
    ) -> Result<Kinds, StoreError>;
}

/// Files that depend on this name are resolved again on every change.
const ALWAYS: &str = "";

/// The files to resolve again: changed files, files that depend on a changed name, files with edges to deleted
/// symbols, and files affected by a project file.
pub(crate) fn invalidate(
    changes: &[FileChange],
    severed: Vec<FileId>,
    index: &mut dyn DependencyIndex,
) -> Result<Invalidation, StoreError> {
    let unknown =
        |change: &FileChange| change.names.is_none() || change.reach == Some(ProjectScope::Anywhere);
    if changes.iter().any(unknown) {
        return Ok(Invalidation::Everything);
    }
    let mut invalidated = InvalidatedFiles { index, files: severed.into_iter().collect() };
    invalidated.files.extend(changes.iter().filter_map(|change| change.file));
    if !changes.is_empty() {
        invalidated.add_dependents(ALWAYS, None)?;
    }
    invalidated.by_name(changes)?;
    invalidated.by_visibility(changes)?;
    invalidated.by_file(changes)?;
    for change in changes {
        if let Some(ProjectScope::Directory(directory)) = &change.reach {
            invalidated.files.extend(invalidated.index.files_under(directory)?);
        }
    }
    Ok(Invalidation::Files(invalidated.files))
}

/// The files found so far.
struct InvalidatedFiles<'i> {
    index: &'i mut dyn DependencyIndex,
    files: BTreeSet<FileId>,
}

impl InvalidatedFiles<'_> {
    /// Adds every file that depends on a name.
    fn add_dependents(&mut self, name: &str, family: Option<&str>) -> Result<(), StoreError> {
        let dependents = self.index.dependents_of_name(name, family)?;
        self.files.extend(dependents);
        Ok(())
    }

    fn by_name(&mut self, changes: &[FileChange]) -> Result<(), StoreError> {
        let mut names = BTreeSet::new();
        for change in changes {
            let Some(ChangedNames::All(all) | ChangedNames::Visible(VisibleChange { paths: all, .. })) =
                &change.names
            else {
                continue;
            };
            names.extend(all.iter().map(String::as_str));
        }
        names.into_iter().try_for_each(|name| self.add_dependents(name, None))
    }

    fn by_file(&mut self, changes: &[FileChange]) -> Result<(), StoreError> {
        let mut all_dependents = BTreeMap::new();
        for change in changes {
            if let Some(ChangedNames::Visible(visible)) = &change.names
                && visible.all_dependents
            {
                all_dependents.insert(visible.at, visible.family);
            }
        }
        if !all_dependents.is_empty() {
            self.files.extend(self.index.dependents_of_files(&all_dependents)?);
        }
        Ok(())
    }

    fn by_visibility(&mut self, changes: &[FileChange]) -> Result<(), StoreError> {
        let mut names: BTreeMap<(&str, &str), Vec<(&VisibleChange, &ChangedName)>> = BTreeMap::new();
        for change in changes {
            let Some(ChangedNames::Visible(visible)) = &change.names else { continue };
            for edited in &visible.names {
                names.entry((visible.family, &edited.name)).or_default().push((visible, edited));
            }
        }
        for ((family, name), edits) in names {
            let lookups: Vec<ChangedLookups> = edits.iter().map(|(_, edited)| edited.lookups()).collect();
            if lookups.iter().any(|changed| changed.anywhere) {
                self.add_dependents(&anywhere_key(name), Some(family))?;
            }
            if lookups.iter().any(|changed| changed.everyone) || self.changes_kinds(family, name, &edits)? {
                self.add_dependents(name, Some(family))?;
                continue;
            }
            let containers: BTreeSet<&str> =
                lookups.iter().flat_map(|changed| &changed.containers).map(String::as_str).collect();
            for dependent in self.index.dependents_of_name(name, Some(family))? {
                if !self.files.contains(&dependent) && self.affects(dependent, family, &edits, &containers)? {
                    self.files.insert(dependent);
                }
            }
        }
        Ok(())
    }

    /// Whether a name is now that of a symbol of another kind than any before: lookups may ask for no more than that.
    fn changes_kinds(
        &mut self,
        family: &str,
        name: &str,
        edits: &[(&VisibleChange, &ChangedName)],
    ) -> Result<bool, StoreError> {
        let all =
            |kinds: fn(&ChangedName) -> Kinds| edits.iter().fold(0, |all, (_, edited)| all | kinds(edited).0);
        let differ = all(|edited| edited.before.kinds()) ^ all(|edited| edited.after.kinds());
        if differ == 0 {
            return Ok(false);
        }
        let without = edits.iter().map(|(visible, _)| visible.at).collect();
        let Kinds(elsewhere) = self.index.kinds(name, family, &without, Kinds(differ))?;
        Ok(differ & !elsewhere != 0)
    }

    /// Whether a changed slot affects a file that depends on its name: it read the changed file, or looked the name up in a
    /// container of a symbol that came or went.
    fn affects(
        &mut self,
        dependent: FileId,
        family: &str,
        edits: &[(&VisibleChange, &ChangedName)],
        containers: &BTreeSet<&str>,
    ) -> Result<bool, StoreError> {
        for &(visible, _) in edits {
            for &file in visible.siblings.iter().chain([&visible.at]) {
                if file == dependent || self.index.depends_on_file(dependent, file, family)? {
                    return Ok(true);
                }
            }
        }
        for container in containers {
            if self.index.depends_on_name(dependent, container)? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// A statement of a project file as text.
pub(crate) type ProjectStatement = (Says, String, String);

/// The files affected when the statements of a project file in this directory change. Dependencies of a package
/// concern its own directory; names, entry points and aliases may concern any file.
pub(crate) fn reach(
    directory: &[u8],
    before: &[ProjectStatement],
    after: &[ProjectStatement],
) -> Option<ProjectScope> {
    if before == after {
        return None;
    }
    let rest = |said: &[ProjectStatement]| -> Vec<ProjectStatement> {
        said.iter().filter(|(says, ..)| *says != Says::Depends).cloned().collect()
    };
    Some(if rest(before) == rest(after) {
        ProjectScope::Directory(directory.to_vec())
    } else {
        ProjectScope::Anywhere
    })
}

/// The names that differ between two sorted lists: present in only one, or with different hashes.
pub(crate) fn changed(before: &[(String, u64)], after: &[(String, u64)]) -> Vec<String> {
    let (before, after): (BTreeSet<_>, BTreeSet<_>) = (before.iter().collect(), after.iter().collect());
    let mut names: Vec<String> = before.symmetric_difference(&after).map(|(name, _)| name.clone()).collect();
    names.dedup();
    names
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extraction::{self, Language};
    use orient_model::SymbolKind;
    use orient_resolve::named_symbols;

    /// Files 1 to 9: 3 depends on `f` and file 1; 4 depends on `f` and `Cart`; 5 depends on `g`; 6 depends on `g` as
    /// a member of anything; 9 is always resolved again.
    struct Index;

    impl DependencyIndex for Index {
        fn dependents_of_name(
            &mut self,
            name: &str,
            family: Option<&str>,
        ) -> Result<Vec<FileId>, StoreError> {
            Ok(match (name, family) {
                ("f", _) => vec![FileId(3), FileId(4)],
                ("g", _) => vec![FileId(5)],
                ("g/", _) => vec![FileId(6)],
                (ALWAYS, None) => vec![FileId(9)],
                _ => Vec::new(),
            })
        }
        fn depends_on_file(&mut self, dependent: FileId, file: FileId, _: &str) -> Result<bool, StoreError> {
            Ok((dependent, file) == (FileId(3), FileId(1)))
        }
        fn dependents_of_files(&mut self, files: &BTreeMap<FileId, &str>) -> Result<Vec<FileId>, StoreError> {
            Ok(if files.contains_key(&FileId(1)) { vec![FileId(3)] } else { Vec::new() })
        }
        fn depends_on_name(&mut self, dependent: FileId, name: &str) -> Result<bool, StoreError> {
            Ok((dependent, name) == (FileId(4), "Cart"))
        }
        fn kinds(&mut self, _: &str, _: &str, _: &BTreeSet<FileId>, _: Kinds) -> Result<Kinds, StoreError> {
            Ok(Kinds::of([SymbolKind::Function, SymbolKind::Method]))
        }
        fn files_under(&mut self, directory: &[u8]) -> Result<Vec<FileId>, StoreError> {
            Ok(if directory == b"lib" { vec![FileId(6), FileId(7)] } else { Vec::new() })
        }
    }

    fn files(changes: &[FileChange], severed: &[i64]) -> Vec<i64> {
        let severed = severed.iter().copied().map(FileId).collect();
        match invalidate(changes, severed, &mut Index).expect("the test index cannot fail") {
            Invalidation::Everything => vec![-1],
            Invalidation::Files(files) => files.into_iter().map(|file| file.0).collect(),
        }
    }

    fn change(file: Option<i64>, names: &[&str], reach: Option<ProjectScope>) -> FileChange {
        let names = Some(ChangedNames::All(names.iter().map(|&name| name.to_owned()).collect()));
        FileChange { file: file.map(FileId), names, reach }
    }

    /// The symbols of a name in a source file, as lookups find them.
    fn symbols(name: &str, language: &str, source: &str) -> NamedSymbols {
        let language = Language::by_name(language);
        let facts = extraction::facts(language, &"a".into(), source.as_bytes());
        let rules = language.and_then(Language::rules).expect("the language is resolved");
        named_symbols(&facts.outline, rules, &[name.to_owned()]).remove(name).unwrap_or_default()
    }

    fn function(name: &str) -> NamedSymbols {
        symbols(name, "python", &format!("def {name}(): pass\n"))
    }

    fn edited(file: i64, name: &str, before: &NamedSymbols, after: &NamedSymbols) -> FileChange {
        let edited = ChangedName { name: name.to_owned(), before: before.clone(), after: after.clone() };
        let (at, names) = (FileId(file), vec![edited]);
        let visible = VisibleChange {
            at,
            family: "all",
            all_dependents: false,
            paths: Vec::new(),
            siblings: Vec::new(),
            names,
        };
        FileChange { file: Some(at), names: Some(ChangedNames::Visible(visible)), reach: None }
    }

    #[test]
    fn a_changed_body_invalidates_only_its_file() {
        assert_eq!(files(&[change(Some(1), &[], None)], &[]), [1, 9]);
        assert_eq!(files(&[], &[]), [0; 0], "without a change nothing is resolved again");
    }

    #[test]
    fn a_changed_definition_invalidates_files_that_depend_on_its_name() {
        assert_eq!(files(&[change(Some(1), &["f", "h"], None)], &[]), [1, 3, 4, 9]);
        assert_eq!(files(&[change(None, &["f"], None), change(Some(2), &["g"], None)], &[]), [2, 3, 4, 5, 9]);
    }

    #[test]
    fn an_edit_invalidates_files_that_depend_on_both_name_and_file() {
        let visible = function("f");
        assert_eq!(files(&[edited(1, "f", &visible, &visible)], &[]), [1, 3, 9]);
        assert_eq!(files(&[edited(2, "f", &visible, &visible)], &[]), [2, 9], "no file depends on 2");
    }

    #[test]
    fn an_added_file_invalidates_dependents_of_its_directory_and_path() {
        let mut came = edited(2, "f", &NamedSymbols::default(), &function("f"));
        let Some(ChangedNames::Visible(visible)) = &mut came.names else { unreachable!("built above") };
        (visible.siblings, visible.paths) = (vec![FileId(1)], vec!["g".to_owned()]);
        assert_eq!(
            files(&[came], &[]),
            [2, 3, 5, 9],
            "3 depends on 1 in the same directory; 5 depends on its path"
        );
    }

    #[test]
    fn a_removed_file_invalidates_every_file_that_read_it() {
        let mut went = edited(1, "h", &function("h"), &NamedSymbols::default());
        let Some(ChangedNames::Visible(visible)) = &mut went.names else { unreachable!("built above") };
        visible.all_dependents = true;
        assert_eq!(files(&[went], &[]), [1, 3, 9], "3 depends on none of its names");
    }

    #[test]
    fn an_edit_invalidates_dependents_of_the_enclosing_symbol() {
        let inside = symbols("f", "python", "class Cart:\n    def f(self): pass\n");
        assert_eq!(files(&[edited(2, "f", &function("f"), &inside)], &[]), [2, 4, 9]);
    }

    #[test]
    fn symbols_found_by_name_alone_invalidate_all_dependents_of_the_name() {
        let extension = symbols("f", "kotlin", "package a.b\nfun String.f() {}\n");
        assert_eq!(files(&[edited(2, "f", &function("f"), &extension)], &[]), [2, 3, 4, 9]);
        assert_eq!(
            files(&[edited(2, "f", &extension, &extension)], &[]),
            [2, 9],
            "who read it read its file"
        );
    }

    #[test]
    fn a_symbol_that_comes_or_goes_invalidates_lookups_of_all_symbols_of_the_name() {
        let member = symbols("g", "python", "class Cart:\n    def g(self): pass\n");
        assert_eq!(files(&[edited(2, "g", &member, &NamedSymbols::default())], &[]), [2, 6, 9]);
        assert_eq!(files(&[edited(2, "g", &member, &member)], &[]), [2, 9], "it is where it was");
    }

    #[test]
    fn the_first_symbol_of_a_kind_invalidates_all_dependents_of_the_name() {
        let (function, variable) = (function("f"), symbols("f", "python", "f = 1\n"));
        assert_eq!(
            files(&[edited(2, "f", &NamedSymbols::default(), &function)], &[]),
            [2, 9],
            "other functions have the name"
        );
        assert_eq!(
            files(&[edited(2, "f", &function, &variable)], &[]),
            [2, 3, 4, 9],
            "the name is now that of a variable"
        );
    }

    #[test]
    fn files_with_edges_to_deleted_symbols_are_resolved_again() {
        assert_eq!(files(&[change(None, &[], None)], &[8]), [8, 9]);
    }

    #[test]
    fn a_project_file_invalidates_its_directory_or_everything() {
        let directory = Some(ProjectScope::Directory(b"lib".to_vec()));
        assert_eq!(files(&[change(Some(1), &[], directory)], &[]), [1, 6, 7, 9]);
        assert_eq!(files(&[change(Some(1), &[], Some(ProjectScope::Anywhere))], &[]), [-1]);
    }

    #[test]
    fn an_unknown_change_invalidates_everything() {
        assert_eq!(files(&[FileChange { file: Some(FileId(1)), ..FileChange::default() }], &[]), [-1]);
    }

    #[test]
    fn only_dependencies_of_a_package_stay_local() {
        let said = |says, name: &str| (says, name.to_owned(), String::new());
        let (name, other) = (said(Says::Name, "a"), said(Says::Name, "b"));
        let needs = said(Says::Depends, "c");
        let (plain, needing) = ([name.clone()], [needs, name]);
        assert_eq!(reach(b"x", &plain, &plain), None);
        assert_eq!(reach(b"x", &plain, &needing), Some(ProjectScope::Directory(b"x".to_vec())));
        assert_eq!(reach(b"x", &plain, &[other]), Some(ProjectScope::Anywhere));
    }

    #[test]
    fn added_removed_and_different_names_have_changed() {
        let list = |pairs: &[(&str, u64)]| {
            pairs.iter().map(|&(name, hash)| (name.to_owned(), hash)).collect::<Vec<_>>()
        };
        let (before, after) = (list(&[("a", 1), ("b", 1), ("c", 1)]), list(&[("b", 1), ("c", 2), ("d", 1)]));
        assert_eq!(changed(&before, &after), ["a", "c", "d"]);
        assert_eq!(changed(&after, &after), [""; 0]);
    }
}
