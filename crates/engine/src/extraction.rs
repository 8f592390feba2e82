//! The only module that calls the extractor: language detection, facts, roles and syntax highlighting.

use orient_lang::{CallSite, Pack, Registry, RolePatterns, TokenClass, classify, is_generated};
use orient_model::{Facts, Issue, IssueKind, Modules, RepoPath, Role, Rules, Span, SymbolKind};
use std::collections::HashMap;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;

/// Classifies the tokens of some lines of a file for syntax highlighting: ranges in order, without overlap.
pub fn highlight(path: &str, lines: &str) -> Vec<(Range<usize>, TokenClass)> {
    let language = Registry::builtin().detect(path.as_bytes(), lines.as_bytes());
    // A parser panic must not fail the query.
    let highlighted =
        || language.map(|pack| orient_lang::highlight(pack, lines.as_bytes())).unwrap_or_default();
    catch_unwind(AssertUnwindSafe(highlighted)).unwrap_or_default()
}

/// A language.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Language(&'static Pack);

impl Language {
    /// Detects the language of a file by its name, or else by its first line.
    pub(crate) fn detect(path: &RepoPath, bytes: &[u8]) -> Option<Self> {
        Registry::builtin().detect(path.as_bytes(), bytes).map(Self)
    }

    /// The language with this name or alias. For a file, use [`Self::of`].
    pub(crate) fn by_name(name: &str) -> Option<Self> {
        Registry::builtin().by_name(name).map(Self)
    }

    /// The language that a file was detected as, in the variant for its path.
    pub(crate) fn of(name: Option<&str>, path: &RepoPath) -> Option<Self> {
        name.and_then(Self::by_name).map(|language| language.at(path))
    }

    /// The variant of this language for a file at this path: some files are also project files.
    pub(crate) fn at(self, path: &RepoPath) -> Self {
        Self(Registry::builtin().for_file(self.0, path.as_bytes()))
    }

    /// The language name or alias with the smallest edit distance to a word.
    pub(crate) fn nearest(word: &str) -> Option<&'static str> {
        let packs = Registry::builtin().packs().iter();
        let names = packs
            .flat_map(|pack| std::iter::once(pack.name()).chain(pack.aliases().iter().map(String::as_str)));
        orient_model::nearest(word, names)
    }

    pub(crate) fn name(self) -> &'static str {
        self.0.name()
    }

    /// The resolution rules of the language; `None` if nothing is resolved.
    pub(crate) fn rules(self) -> Option<&'static Rules> {
        self.0.rules()
    }

    /// Whether the names in its files are resolved.
    pub(crate) fn is_resolved(self) -> bool {
        self.rules().is_some_and(|rules| !rules.outline_only)
    }

    /// Whether a definition means the same without its neighbours.
    pub(crate) fn has_independent_definitions(self) -> bool {
        self.0.has_independent_definitions()
    }

    /// Whether its files have preprocessor directives.
    pub(crate) fn has_directives(self) -> bool {
        self.0.has_directives()
    }

    /// The call sites of a text; `None` if the language is shallow. A panic of the parser costs the sites of this text only.
    pub(crate) fn call_sites(self, bytes: &[u8]) -> Option<Vec<CallSite>> {
        catch_unwind(AssertUnwindSafe(|| orient_lang::call_sites(self.0, bytes))).ok().flatten()
    }

    /// The version of a language's extraction: it changes whenever the same bytes may give different facts. Plain
    /// text depends on code that all languages share, so its version combines all of theirs.
    pub(crate) fn version(language: Option<Self>) -> u64 {
        language.map_or_else(orient_lang::facts_version, |Self(pack)| pack.version())
    }

    /// The version of the extraction of a file: in some languages a file is a symbol with the name of the file, so that the
    /// same bytes give other facts under another name.
    pub(crate) fn version_of(language: Option<Self>, path: &RepoPath) -> u64 {
        let version = Self::version(language);
        match language {
            Some(Self(pack)) if pack.names_files() => {
                let name = blake3::hash(path.file_name());
                let bits = name.as_bytes()[..8].iter().fold(0, |sum, &byte| sum << 8 | u64::from(byte));
                version ^ (bits & NAME_BITS)
            }
            _ => version,
        }
    }
}

/// The names of project files.
pub(crate) fn project_files() -> Vec<String> {
    Registry::builtin().project_files().map(str::to_owned).collect()
}

/// The bits of a version that the name of a file changes.
const NAME_BITS: u64 = 0xffff_ffff;

/// Whether facts with a version are those of this program: of a language, of project files or of plain text.
pub(crate) fn is_current() -> impl Fn(u64) -> bool {
    let registry = Registry::builtin();
    let packs = registry.packs().iter().chain(registry.projects());
    let versions = packs.map(Pack::version).chain([Language::version(None)]);
    let known: Vec<u64> = versions.map(|version| version & !NAME_BITS).collect();
    move |version| known.contains(&(version & !NAME_BITS))
}

/// The resolution rules of all languages that have them, sorted by name.
fn all_rules() -> impl Iterator<Item = (&'static str, &'static Rules)> {
    Registry::builtin().packs().iter().filter_map(|pack| Some((pack.name(), pack.rules()?)))
}

/// The resolution rules of a language by name.
pub(crate) fn rules(language: &str) -> Option<&'static Rules> {
    Registry::builtin().by_name(language)?.rules()
}

/// Whether the files of a directory are one unit of a language, such as a package, within which every file may use every other.
pub fn directory_is_unit(language: &str) -> bool {
    rules(language).is_some_and(|rules| matches!(rules.modules, Modules::Directory | Modules::Namespace))
}

/// The runtime or framework that uses a symbol of this path, name and kind without naming it in the source.
pub(crate) fn runtime_use(language: &str, path: &str, name: &str, kind: SymbolKind) -> Option<&'static str> {
    Registry::builtin().by_name(language)?.runtime_use(path, name, kind)
}

/// Languages whose files see each other's definitions.
#[derive(Default)]
pub(crate) struct Family {
    pub(crate) languages: Vec<&'static str>,
    /// Languages whose files look up definitions of the family: its own, those whose contracts it implements, and those whose
    /// markup its style sheets select.
    pub(crate) observers: Vec<&'static str>,
    /// Whether files are included textually, as in C.
    pub(crate) includes: bool,
}

/// A language family by name.
pub(crate) fn family(name: &str) -> Option<&'static Family> {
    static FAMILIES: OnceLock<HashMap<&'static str, Family>> = OnceLock::new();
    let families = FAMILIES.get_or_init(|| {
        let mut families: HashMap<_, Family> = HashMap::new();
        for (language, rules) in all_rules() {
            let family = families.entry(rules.family.as_str()).or_default();
            family.languages.push(language);
            family.observers.push(language);
            family.includes |= rules.modules == Modules::Include;
        }
        for (language, rules) in all_rules() {
            let contracts = rules.frameworks.iter().flat_map(|framework| &framework.contracts);
            let styled = rules.markup.selectors.iter();
            for name in contracts.flat_map(|contract| &contract.families).chain(styled) {
                if let Some(family) = families.get_mut(name.as_str())
                    && !family.observers.contains(&language)
                {
                    family.observers.push(language);
                }
            }
        }
        families
    });
    families.get(name)
}

/// Extracts the facts of a file. A panic of the extractor costs the facts of this file only.
pub(crate) fn facts(language: Option<Language>, path: &RepoPath, bytes: &[u8]) -> Facts {
    let name = String::from_utf8_lossy(path.file_name());
    guarded(bytes, || orient_lang::extract_file(language.map(|Language(pack)| pack), &name, bytes))
}

fn guarded(bytes: &[u8], extract: impl FnOnce() -> Facts) -> Facts {
    catch_unwind(AssertUnwindSafe(extract)).unwrap_or_else(|_| {
        let mut facts = catch_unwind(|| orient_lang::extract(None, bytes)).unwrap_or_default();
        facts.outline.issues.push(Issue { kind: IssueKind::Failed, span: Span::default() });
        facts
    })
}

/// Whether a text that is not extracted declares itself generated.
pub(crate) fn generated(bytes: &[u8]) -> bool {
    is_generated(bytes)
}

/// Typical memory for parsing a file of this size; a file that needs more is parsed alone.
pub(crate) fn usual_memory(bytes: u64) -> u64 {
    orient_lang::usual_memory(bytes)
}

/// The role of a file.
pub(crate) fn role(
    path: &RepoPath,
    language: Option<Language>,
    generated: bool,
    roles: &RolePatterns,
) -> Role {
    classify(path, language.map(|Language(pack)| pack), generated, roles)
}

/// The command that runs tests of a language, each given by the path of its file and its qualified name.
pub fn test_command(language: &str, tests: &[(String, String)]) -> Option<String> {
    Registry::builtin().by_name(language)?.test_command(tests)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn name_and_path_restore_the_detected_language() {
        for path in ["a/package.json", "a/other.json", "go.mod", "x.gemspec"] {
            let path = RepoPath::from(path);
            let detected = Language::detect(&path, b"").expect("a known file");
            let again = Language::of(Some(detected.name()), &path).expect("a name");
            assert_eq!(
                Language::version(Some(detected)),
                Language::version(Some(again)),
                "{}",
                path.display()
            );
        }
    }

    #[test]
    fn an_extractor_panic_becomes_an_issue_of_the_file() {
        let facts = guarded(b"one\ntwo\n", || panic!("made up for this test"));
        assert_eq!(
            facts.outline.issues.iter().map(|issue| issue.kind).collect::<Vec<_>>(),
            [IssueKind::Failed]
        );
        assert!(!facts.outline.chunks.is_empty(), "and the text can still be found");
    }
}
