//! Compares changed files before and after: which of their slots differ, and which lookups find other symbols.

use super::invalidation::{
    ChangedName, ChangedNames, FileChange, ProjectScope, ProjectStatement, VisibleChange, changed, reach,
};
use super::resolver_hooks::ResolverHooks;
use super::resolver_input::{FactsSource, has_rules, number};
use crate::extraction::Language;
use crate::progress::Cancel;
use crate::refresh::pipeline::ParallelWork;
use orient_model::{Modules, RepoPath, Rules, SharedScope};
use orient_resolve::{FileFacts, WHOLE_FILE, content_key, path_keys};
use orient_store::{FileId, IndexedFile};
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// Estimated memory to compare a file besides its facts.
const BYTES_PER_FILE: u64 = 256 << 10;

/// A changed path: the indexed file before and after.
#[derive(Clone, Debug)]
pub(crate) struct ChangedPath {
    pub(crate) path: RepoPath,
    pub(crate) before: Option<IndexedFile>,
    pub(crate) after: Option<IndexedFile>,
    /// The other files of its directory, if it was added and files see their whole directory.
    pub(crate) siblings: Vec<FileId>,
}

impl ChangedPath {
    pub(crate) fn new(path: RepoPath, before: Option<IndexedFile>, after: Option<IndexedFile>) -> Self {
        Self { path, before, after, siblings: Vec::new() }
    }

    /// Whether the file was added and files of its language see their whole directory.
    pub(crate) fn joins_directory(&self) -> bool {
        let by_directory = |rules: &Rules| {
            rules.shared_scope == SharedScope::Directory || rules.modules == Modules::Directory
        };
        self.before.is_none() && self.rules().is_some_and(by_directory)
    }

    /// Whether the file existed before with the same language and role.
    fn is_edit(&self) -> bool {
        let described =
            |file: &Option<IndexedFile>| file.as_ref().map(|file| (file.language.clone(), file.role));
        described(&self.before) == described(&self.after)
    }

    /// The resolution rules of its language, if the language did not change.
    fn rules(&self) -> Option<&'static Rules> {
        let file = match (&self.before, &self.after) {
            (Some(_), Some(_)) if !self.is_edit() => None,
            (before, after) => after.as_ref().or(before.as_ref()),
        };
        Language::by_name(file?.language.as_deref()?)?.rules()
    }
}

/// Compares the interface of a file before and after a change.
pub(super) struct CompareInterface<'r> {
    pub(super) facts: &'r FactsSource,
    pub(super) resolver: ResolverHooks,
    pub(super) cancel: &'r Cancel,
}

impl ParallelWork for CompareInterface<'_> {
    type Job = ChangedPath;
    type Output = FileChange;
    type Tools = ();

    fn tools(&self) {}

    fn cost(&self, _: &ChangedPath) -> u64 {
        BYTES_PER_FILE
    }

    fn run(&self, (): &mut (), path_change: &ChangedPath) -> (FileChange, u64) {
        let file = path_change.after.as_ref().map(|file| file.id);
        let compare = || self.compare(path_change);
        let compared = catch_unwind(AssertUnwindSafe(compare)).ok().flatten();
        let change = match compared {
            Some((names, reach)) => FileChange { file, names: Some(names), reach },
            None => FileChange { file, ..FileChange::default() },
        };
        (change, 0)
    }

    fn stop(&self) -> bool {
        self.cancel.is_cancelled()
    }
}

impl CompareInterface<'_> {
    /// The names whose meaning changed for others, and the effect of project statements; `None` if the previous facts
    /// are lost.
    fn compare(&self, path_change: &ChangedPath) -> Option<(ChangedNames, Option<ProjectScope>)> {
        let ChangedPath { path, before, after, siblings } = path_change;
        let old = self.interface(before.as_ref(), |file| self.facts.read_before(file))?;
        // Goes through the cache, because the file is resolved next.
        let kept = |file: &IndexedFile| self.facts.get(number(file.id)?, || Some(file.clone()));
        let new = self.interface(after.as_ref(), kept)?;
        let reach = reach(path.directory(), &old.statements, &new.statements);
        let names = changed(&old.interface, &new.interface);
        let mut paths = if path_change.is_edit() { Vec::new() } else { path_keys(path) };
        paths.push(content_key(path));
        // Transitive includers are known only while the file stays in place.
        let stays = |rules: &&Rules| path_change.is_edit() || rules.modules != Modules::Include;
        let file = after.as_ref().or(before.as_ref());
        if let (Some(rules), Some(file)) = (path_change.rules().filter(stays), file) {
            let named = |interface: &FileInterface| match &interface.facts {
                Some(facts) => (self.resolver.named)(&facts.outline, rules, &names),
                None => BTreeMap::new(),
            };
            let (mut before, mut after) = (named(&old), named(&new));
            let changed_name = |name: &String| ChangedName {
                before: before.remove(name).unwrap_or_default(),
                after: after.remove(name).unwrap_or_default(),
                name: name.clone(),
            };
            let names: Vec<ChangedName> = names.iter().map(changed_name).collect();
            // No file depends on an added file yet.
            let all_dependents = path_change.before.is_some()
                && (!path_change.is_edit() || names.iter().any(|edited| edited.name == WHOLE_FILE));
            let (at, family, siblings) = (file.id, rules.family.as_str(), siblings.clone());
            return Some((
                ChangedNames::Visible(VisibleChange { at, family, all_dependents, paths, siblings, names }),
                reach,
            ));
        }
        if path_change.is_edit() {
            return Some((ChangedNames::All(names.into_iter().chain(paths).collect()), reach));
        }
        // Everything that depended on the file or its names is affected.
        let all = old.interface.into_iter().chain(new.interface).map(|(name, _)| name);
        Some((ChangedNames::All(all.chain(paths).collect()), reach))
    }

    fn interface(
        &self,
        file: Option<&IndexedFile>,
        read: impl FnOnce(&IndexedFile) -> Option<Arc<FileFacts>>,
    ) -> Option<FileInterface> {
        let Some(file) = file.filter(|file| has_rules(file) || file.is_project_file) else {
            return Some(FileInterface::default());
        };
        let facts = read(file)?;
        let text = |atom| facts.outline.strings.get(atom).to_owned();
        let statements = facts.outline.manifest.iter();
        let statements =
            statements.map(|statement| (statement.says, text(statement.name), text(statement.value)));
        let rules = Language::by_name(&facts.language).and_then(Language::rules);
        let interface = (self.resolver.slots)(&facts, rules);
        let statements = statements.collect();
        Some(FileInterface { interface, statements, facts: Some(facts) })
    }
}

/// The interface of a file.
#[derive(Default)]
struct FileInterface {
    interface: Vec<(String, u64)>,
    statements: Vec<ProjectStatement>,
    facts: Option<Arc<FileFacts>>,
}
