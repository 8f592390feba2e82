//! Language packs at run time: everything a pack says, compiled on first use.
//!
//! Data flows one way: `schema` holds the files as written; `conventions`, `node_table`, `queries`, `scanners` and
//! `project` compile one part each; a [`Pack`] owns the compiled parts; a registry owns the packs.

mod builtin;
pub(crate) mod embedded_files;
pub(crate) mod file_patterns;
pub(crate) mod file_role;
pub(crate) mod known_frameworks;
pub(crate) mod registry;
mod rules;

use crate::conventions::{Conventions, FileSymbol, RuntimeNames};
use crate::facts::hash::{hash, mix};
use crate::node_table::{self, NodeTable};
use crate::project::Project;
use crate::queries::QuerySet;
use crate::scanners::{self, Scanner};
use crate::schema::error::PackError;
use crate::schema::manifest::PackManifest;
use crate::schema::node_table::TableSpec;
use crate::schema::pack_files::PackFiles;
use crate::schema::project_rules::ProjectSpec;
use orient_model::{Role, Rules, SymbolKind};
use std::sync::{Arc, OnceLock};

/// Increment whenever the same bytes and pack may give other facts.
const EXTRACTOR_VERSION: u64 = 22;

include!(concat!(env!("OUT_DIR"), "/fingerprints.rs"));

/// The version of all built-in packs together: it changes whenever the same bytes may give other facts in some language.
pub fn facts_version() -> u64 {
    mix(EXTRACTOR_VERSION, FACTS_FINGERPRINT)
}

/// The version of the resolution rules of all built-in packs, frameworks included.
pub fn rules_version() -> u64 {
    RULES_FINGERPRINT
}

/// A language pack. Clones share everything compiled.
#[derive(Clone)]
pub struct Pack {
    language: Arc<Language>,
    /// In a pack for project files: the rules for them.
    project: Option<Arc<ProjectPart>>,
}

/// The part of a pack that does not depend on the kind of project file.
struct Language {
    manifest: PackManifest,
    files: &'static PackFiles,
    role: Role,
    /// The packs of the languages embedded in its files.
    embedded: Vec<Pack>,
    extractor: OnceLock<Extractor>,
    conventions: OnceLock<Conventions>,
    rules: OnceLock<Option<Rules>>,
    runtime_names: OnceLock<Vec<RuntimeNames>>,
    version: OnceLock<u64>,
}

struct ProjectPart {
    name: &'static str,
    bytes: &'static [u8],
    spec: ProjectSpec,
    compiled: OnceLock<Option<Project>>,
}

/// How facts are extracted from files of a language.
pub(crate) enum Extractor {
    /// By a node table: all facts.
    Deep(Box<NodeTable>),
    /// By queries: symbols and references by name.
    Shallow(Box<QuerySet>),
    /// By a hand-written scanner, if there is no grammar.
    Scanner(Scanner),
    /// As plain text.
    Text,
}

impl Pack {
    /// Loads a pack. [`Self::embed`] completes one with embedded languages.
    pub(crate) fn load(files: &'static PackFiles) -> Result<Self, PackError> {
        let manifest: PackManifest = orient_binary_toml::decode(files.manifest)
            .map_err(|error| PackError::syntax(files.name, "pack.toml", &error))?;
        let role = match &manifest.role {
            Some(word) => word.parse().map_err(|()| PackError::Word {
                pack: manifest.name.clone(),
                place: "role".to_owned(),
                word: word.clone(),
                what: "role",
                known: Role::ALL.iter().map(|role| role.as_str()).collect::<Vec<_>>().join(", "),
            })?,
            None => Role::Source,
        };
        let language = Language {
            manifest,
            files,
            role,
            embedded: Vec::new(),
            extractor: OnceLock::new(),
            conventions: OnceLock::new(),
            rules: OnceLock::new(),
            runtime_names: OnceLock::new(),
            version: OnceLock::new(),
        };
        Ok(Self { language: Arc::new(language), project: None })
    }

    /// Sets the packs of its embedded languages, chosen from `plain`: the packs without embedded languages. The pack must
    /// not have been cloned yet.
    pub(crate) fn embed(&mut self, plain: &[Self]) {
        if let Some(language) = Arc::get_mut(&mut self.language) {
            let names = language.manifest.embedded_languages();
            let packs = names.filter_map(|name| plain.iter().find(|pack| pack.is_called(name)).cloned());
            language.embedded = packs.collect();
        }
    }

    /// The same pack for files that also state where modules are.
    pub(crate) fn with_project(&self, name: &'static str, bytes: &'static [u8]) -> Result<Self, PackError> {
        let file = format!("projects/{name}.toml");
        let spec = orient_binary_toml::decode(bytes)
            .map_err(|error| PackError::syntax(self.language.files.name, &file, &error))?;
        let part = ProjectPart { name, bytes, spec, compiled: OnceLock::new() };
        Ok(Self { language: Arc::clone(&self.language), project: Some(Arc::new(part)) })
    }

    /// The rules for the kinds of project files in its language: their names and files.
    pub(crate) fn project_rules(&self) -> &'static [(&'static str, &'static [u8])] {
        self.language.files.projects
    }

    /// The name users write: `python`.
    pub fn name(&self) -> &str {
        &self.manifest().name
    }

    /// The name shown to people: `Python`.
    pub fn title(&self) -> &str {
        &self.manifest().title
    }

    /// Other names users write for it.
    pub fn aliases(&self) -> &[String] {
        &self.manifest().aliases
    }

    /// Whether users call it by this name or alias.
    pub(crate) fn is_called(&self, name: &str) -> bool {
        self.name() == name || self.aliases().iter().any(|alias| alias == name)
    }

    /// Its grammar, if it has one.
    pub fn grammar(&self) -> Option<&orient_grammars::Language> {
        match self.extractor() {
            Extractor::Deep(table) => Some(&table.language),
            Extractor::Shallow(queries) => Some(queries.language()),
            Extractor::Scanner(_) | Extractor::Text => None,
        }
    }

    /// The character that stands for `$` while a structural pattern is parsed: one that the grammar accepts at the start of
    /// a name.
    pub fn metavariable(&self) -> char {
        self.manifest().metavariable.unwrap_or('$')
    }

    /// What a piece of code needs before it so that the grammar does not read it as text; none in most languages.
    pub fn code_prefix(&self) -> &str {
        self.manifest().code_prefix.as_deref().unwrap_or_default()
    }

    /// The patterns of its file names.
    pub fn files(&self) -> &[String] {
        &self.manifest().files
    }

    /// What people call the project files it reads; none for a pack that reads other files.
    pub fn project_title(&self) -> Option<&str> {
        self.project.as_ref().map(|project| project.spec.title.as_str())
    }

    /// The patterns of the names of the project files it reads.
    pub fn project_files(&self) -> &[String] {
        self.project.as_ref().map_or(&[], |project| &project.spec.files)
    }

    /// Whether all facts are extracted from its files, not only symbols and references by name.
    pub fn is_deep(&self) -> bool {
        self.language.files.node_table.is_some()
    }

    /// Whether symbols and references by name are extracted from its files.
    pub fn is_shallow(&self) -> bool {
        self.language.files.queries.is_some() || self.manifest().scanner.is_some()
    }

    /// The role of its files, unless their path says otherwise.
    pub fn role(&self) -> Role {
        self.language.role
    }

    /// What resolution must know of the language; none for one whose names are not resolved.
    pub fn rules(&self) -> Option<&Rules> {
        self.language.rules.get_or_init(|| rules::of_pack(self.language.files).unwrap_or_default()).as_ref()
    }

    /// The user of a symbol of this path, name and kind that no source refers to: `called by the language`.
    pub fn runtime_use(&self, path: &str, name: &str, kind: SymbolKind) -> Option<&str> {
        let names = || rules::runtime_names(self.language.files).unwrap_or_default();
        let names = self.language.runtime_names.get_or_init(names);
        names.iter().find_map(|names| names.why(path, name, kind))
    }

    /// The command that runs tests, each given by the path of its file and its qualified name.
    pub fn test_command(&self, tests: &[(String, String)]) -> Option<String> {
        let command = self.manifest().tests.command.as_deref()?;
        let list = |separator: &str, part: &dyn Fn(&(String, String)) -> String| {
            let mut parts: Vec<String> = Vec::new();
            for text in tests.iter().map(part) {
                if !parts.contains(&text) {
                    parts.push(text);
                }
            }
            parts.join(separator)
        };
        let own_name = |(_, name): &(String, String)| name.rsplit('.').next().unwrap_or(name).to_owned();
        let directory = |(path, _): &(String, String)| {
            path.rsplit_once('/').map_or_else(|| ".".to_owned(), |(directory, _)| format!("./{directory}"))
        };
        let place = |(path, name): &(String, String)| format!("{path}::{}", name.replace('.', "::"));
        let filled = command
            .replace("{places}", &list(" ", &place))
            .replace("{files}", &list(" ", &|(path, _)| path.clone()))
            .replace("{directories}", &list(" ", &directory))
            .replace("{names}", &list("|", &own_name))
            .replace("{words}", &list(" ", &own_name));
        Some(filled)
    }

    /// A number that changes whenever the same bytes may give other facts: part of every cache key.
    pub fn version(&self) -> u64 {
        let language = *self.language.version.get_or_init(|| self.language.compute_version());
        match &self.project {
            Some(project) => mix(language, hash(project.bytes)),
            None => language,
        }
    }

    /// The tokens of its grammar, in the order of their ids; none without a grammar. For generators of text that looks
    /// like the language.
    pub fn tokens(&self) -> Vec<&str> {
        let language = match self.extractor() {
            Extractor::Deep(table) => &table.language,
            Extractor::Shallow(queries) => queries.language(),
            Extractor::Scanner(_) | Extractor::Text => return Vec::new(),
        };
        let kinds = 0..language.node_kind_count() as u16;
        let tokens =
            kinds.filter(|&kind| !language.node_kind_is_named(kind) && language.node_kind_is_visible(kind));
        tokens.filter_map(|kind| language.node_kind_for_id(kind)).collect()
    }

    /// Whether the facts of its files depend on the name of the file.
    pub fn names_files(&self) -> bool {
        !self.manifest().file_symbol.is_empty()
    }

    /// Whether a definition means the same without its neighbours: not where a file contains several languages or is a symbol itself.
    pub fn has_independent_definitions(&self) -> bool {
        let has_grammar = matches!(self.extractor(), Extractor::Deep(_) | Extractor::Shallow(_));
        has_grammar && !self.manifest().embeds() && !self.names_files()
    }

    /// Whether the meaning of its files depends on preprocessor directives.
    pub fn has_directives(&self) -> bool {
        matches!(self.extractor(), Extractor::Deep(table) if table.preprocessor.is_some())
    }

    /// The rule by which a file is a symbol itself.
    pub(crate) fn file_symbol(&self, file_name: &str, source: &[u8]) -> Option<&FileSymbol> {
        self.conventions().file_symbols.iter().find(|symbol| symbol.fits(file_name, source))
    }

    pub(crate) fn manifest(&self) -> &PackManifest {
        &self.language.manifest
    }

    /// The pack of an embedded language.
    pub(crate) fn embedded(&self, name: &str) -> Option<&Self> {
        self.language.embedded.iter().find(|pack| pack.is_called(name))
    }

    pub(crate) fn extractor(&self) -> &Extractor {
        self.language.extractor.get_or_init(|| self.language.compile().unwrap_or(Extractor::Text))
    }

    pub(crate) fn conventions(&self) -> &Conventions {
        let compile = || Conventions::compile(self.manifest()).unwrap_or_default();
        self.language.conventions.get_or_init(compile)
    }

    /// The rules for project files, if it is a pack for them.
    pub(crate) fn project(&self) -> Option<&Project> {
        let part = self.project.as_ref()?;
        part.compiled.get_or_init(|| Project::compile(self.manifest(), part.name, &part.spec).ok()).as_ref()
    }

    /// All errors of the pack.
    pub(crate) fn faults(&self) -> Vec<PackError> {
        match &self.project {
            Some(project) => {
                let compiled = Project::compile(self.manifest(), project.name, &project.spec);
                compiled.err().into_iter().collect()
            }
            None => self.language.faults(),
        }
    }
}

impl Language {
    fn compute_version(&self) -> u64 {
        let files = [self.files.manifest].into_iter().chain(self.files.node_table);
        let files = files.chain(self.files.queries.map(str::as_bytes)).chain(self.inherited_tables());
        let own = files.fold(EXTRACTOR_VERSION, |sum, file| mix(sum, hash(file)));
        self.embedded.iter().fold(own, |sum, inner| mix(sum, inner.version()))
    }

    fn faults(&self) -> Vec<PackError> {
        let mut faults = self.compile().err().unwrap_or_default();
        faults.extend(Conventions::compile(&self.manifest).err());
        faults.extend(self.embedded_faults());
        faults.extend(rules::of_pack(self.files).err());
        faults.extend(rules::runtime_names(self.files).err());
        for ambiguous in &self.manifest.ambiguous_files {
            let compiled = regex::Regex::new(&ambiguous.contains);
            faults.extend(compiled.err().map(|error| self.manifest.pattern_error("ambiguous_files", &error)));
        }
        faults
    }

    /// Embedded languages must exist and embed nothing themselves, and the grammar must have the named nodes.
    fn embedded_faults(&self) -> Vec<PackError> {
        let unknown = |what, word: &str| PackError::Unknown {
            pack: self.manifest.name.clone(),
            place: "embedded".to_owned(),
            what,
            word: word.to_owned(),
        };
        let missing = self.manifest.embedded_languages();
        let missing = missing.filter(|name| !self.embedded.iter().any(|pack| pack.is_called(name)));
        let mut faults: Vec<PackError> =
            missing.map(|name| unknown("language without embedded languages", name)).collect();
        let grammar = orient_grammars::grammar(self.manifest.grammar_name());
        let nodes = self.manifest.embedded.iter().flat_map(|spec| [Some(&spec.node), spec.text.as_ref()]);
        for kind in nodes.flatten() {
            if grammar.as_ref().is_none_or(|grammar| grammar.id_for_node_kind(kind, true) == 0) {
                faults.push(unknown("node kind", kind));
            }
        }
        faults
    }

    fn compile(&self) -> Result<Extractor, Vec<PackError>> {
        let pack = &self.manifest.name;
        if let Some(name) = &self.manifest.scanner {
            let scanner = scanners::find(name).map(Extractor::Scanner);
            return scanner.map_err(|unknown| vec![unknown.at(pack, "scanner", name)]);
        }
        if self.files.node_table.is_none() && self.files.queries.is_none() {
            return Ok(Extractor::Text);
        }
        let name = self.manifest.grammar_name();
        let grammar = orient_grammars::grammar(name)
            .ok_or_else(|| vec![PackError::Grammar { pack: pack.clone(), grammar: name.to_owned() }])?;
        if let Some(table) = self.files.node_table {
            let inherited = self.inherited_tables().map(|bytes| self.table_spec(bytes));
            let inherited: Result<Vec<TableSpec>, PackError> = inherited.collect();
            let spec = self.table_spec(table).map_err(|error| vec![error])?;
            let inherited = inherited.map_err(|error| vec![error])?;
            let table = node_table::compile(pack, &grammar, &spec, &inherited)?;
            return Ok(Extractor::Deep(Box::new(table)));
        }
        let queries = self.files.queries.unwrap_or_default();
        QuerySet::compile(pack, grammar, queries, &self.manifest.regex_symbol)
            .map(|queries| Extractor::Shallow(Box::new(queries)))
            .map_err(|error| vec![error])
    }

    /// The node tables that its own extends, outermost first.
    fn inherited_tables(&self) -> impl Iterator<Item = &'static [u8]> {
        self.manifest.inherits.iter().filter_map(|name| builtin::pack(name)?.node_table)
    }

    fn table_spec(&self, bytes: &[u8]) -> Result<TableSpec, PackError> {
        orient_binary_toml::decode(bytes)
            .map_err(|error| PackError::syntax(&self.manifest.name, "table.toml", &error))
    }
}

impl std::fmt::Debug for Pack {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Pack").field(&self.name()).finish()
    }
}
