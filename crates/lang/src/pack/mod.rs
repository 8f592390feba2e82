//! A language pack: which files it is for, and how they are read. Compiled on first use.

pub(crate) mod file_role;
pub(crate) mod registry;

use crate::conventions::runtime_names::{RuntimeNames, RuntimeSpec};
use crate::conventions::test_rules::{TestRules, TestSpec};
use crate::embedded::EmbedSpec;
use crate::node_table::{self, Table};
use crate::project::{Project, ProjectSource, ValuesSpec};
use crate::queries::{AlsoSpec, Tags};
use crate::schema::error::PackError;
use crate::schema::node_table::TableSpec;
use crate::schema::resolution_rules::RulesSpec;
use crate::schema::vocabulary::{self, HEADER_WORDS, HeaderWord};
use globset::{Glob, GlobSet, GlobSetBuilder};
use orient_model::{Role, Rules, SymbolKind, Visibility};
use regex::Regex;
use registry::Source;
use serde::Deserialize;
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, OnceLock};

/// `pack.toml`: what must be known of a language before any file of it is read.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Header {
    /// The name users write.
    pub(crate) name: String,
    /// The name people read.
    pub(crate) title: String,
    /// The grammar, where it is not called as the pack.
    pub(crate) grammar: Option<String>,
    /// Files by name: `*.py`, `Makefile`. The longest pattern wins.
    pub(crate) files: Vec<String>,
    /// Interpreters named on a first line.
    pub(crate) shebangs: Vec<String>,
    /// Other names users write for it.
    pub(crate) aliases: Vec<String>,
    /// What its files are for, unless their place says otherwise.
    pub(crate) role: Option<String>,
    /// How many levels of indentation its parser can hold, where it ends the process beyond them.
    pub(crate) levels: Option<usize>,
    /// What makes its parser read on for ever if the last line of the text has no end.
    pub(crate) unended: Option<String>,
    /// How the parts of a qualified name are joined in the source.
    pub(crate) separator: Option<String>,
    /// Names hidden, shown, or constant by convention.
    pub(crate) private: Option<String>,
    pub(crate) public: Option<String>,
    pub(crate) constant: Option<String>,
    /// Names that a pattern binds; others are uses of what has that name already.
    pub(crate) binds: Option<String>,
    /// The part of a module's path that it is known by: the first group.
    pub(crate) module_name: Option<String>,
    /// How tests are told.
    pub(crate) tests: TestSpec,
    /// Files a program wrote, by name.
    pub(crate) generated: Vec<String>,
    /// Files that mark the root of a package.
    pub(crate) roots: Vec<String>,
    /// Files of other packs that are of this language when their first bytes say so.
    pub(crate) contested: Vec<Contested>,
    /// The scanner of ours that reads it, where there is no grammar.
    pub(crate) scanner: Option<String>,
    /// Other languages inside its files.
    pub(crate) embed: Vec<EmbedSpec>,
    /// In shallow packs: symbols that the grammar does not know.
    pub(crate) also: Vec<AlsoSpec>,
    /// In shallow packs: who may use a symbol that says nothing, and words of its headers.
    pub(crate) visibility: Option<String>,
    pub(crate) words: BTreeMap<String, String>,
    /// What resolution must know; without it names are not resolved.
    pub(crate) resolve: Option<RulesSpec>,
    /// How its files are read as values, where project files are written in it.
    pub(crate) values: Option<ValuesSpec>,
    /// Names that a runtime or framework uses by itself.
    pub(crate) runtime: Vec<RuntimeSpec>,
}

/// Files that several languages call the same.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Contested {
    /// The files, by name.
    pub(crate) files: Vec<String>,
    /// What their first bytes hold if they are of this language.
    pub(crate) contains: String,
}

/// A language pack.
pub struct Pack {
    pub(crate) header: Arc<Header>,
    pub(crate) source: Source,
    role: Role,
    rules: Option<Rules>,
    body: OnceLock<Body>,
    conventions: OnceLock<Conventions>,
    words: OnceLock<HashMap<Vec<u8>, HeaderWord>>,
    version: OnceLock<u64>,
    project: OnceLock<Option<Project>>,
}

/// How files of the language are read.
pub(crate) enum Body {
    /// By a table: everything.
    Deep(Box<Table>),
    /// By queries: symbols and names.
    Shallow(Box<Tags>),
    /// By a scanner of ours, where there is no grammar.
    Scanner(crate::scanners::Scanner),
    /// As text.
    Text,
}

/// Compiled patterns of the header.
pub(crate) struct Conventions {
    pub(crate) private: Option<Regex>,
    pub(crate) public: Option<Regex>,
    pub(crate) constant: Option<Regex>,
    pub(crate) binds: Option<Regex>,
    pub(crate) module_name: Option<Regex>,
    pub(crate) tests: TestRules,
    pub(crate) runtime: Vec<RuntimeNames>,
    pub(crate) test_files: GlobSet,
    pub(crate) generated_files: GlobSet,
}

impl Pack {
    pub(crate) fn load(source: Source) -> Result<Self, PackError> {
        let header: Header = toml::from_str(&source.header).map_err(|error| PackError::Syntax {
            pack: source.name.to_string(),
            file: "pack.toml",
            message: error.to_string(),
        })?;
        let role = match &header.role {
            Some(word) => word.parse().map_err(|()| PackError::Word {
                pack: header.name.clone(),
                place: "role".to_owned(),
                word: word.clone(),
                what: "role",
                known: Role::ALL.iter().map(|role| role.as_str()).collect::<Vec<_>>().join(", "),
            })?,
            None => Role::Source,
        };
        let rules = header.resolve.as_ref().map(|spec| spec.rules(&header.name)).transpose()?;
        Ok(Self::new(Arc::new(header), source, role, rules))
    }

    /// The same pack for files that also say where modules are.
    pub(crate) fn with_project(&self, project: ProjectSource) -> Self {
        let source = Source { project: Some(project), ..self.source.clone() };
        Self::new(Arc::clone(&self.header), source, self.role, self.rules.clone())
    }

    fn new(header: Arc<Header>, source: Source, role: Role, rules: Option<Rules>) -> Self {
        Self {
            header,
            source,
            role,
            rules,
            body: OnceLock::new(),
            conventions: OnceLock::new(),
            words: OnceLock::new(),
            version: OnceLock::new(),
            project: OnceLock::new(),
        }
    }

    /// The name users write: `python`.
    pub fn name(&self) -> &str {
        &self.header.name
    }

    /// The name people read: `Python`.
    pub fn title(&self) -> &str {
        &self.header.title
    }

    /// Other names users write for it.
    pub fn aliases(&self) -> &[String] {
        &self.header.aliases
    }

    /// The patterns of file names it is for.
    pub fn files(&self) -> &[String] {
        &self.header.files
    }

    /// What people call the project files it reads; none for a pack that reads others.
    pub fn project_title(&self) -> Option<&str> {
        self.project().map(Project::title)
    }

    /// The names of the project files it reads.
    pub fn project_files(&self) -> &[&'static str] {
        self.source.project.as_ref().map_or(&[], |project| project.files)
    }

    /// Whether everything is read from its files, not only symbols and names.
    pub fn is_deep(&self) -> bool {
        self.source.table.is_some()
    }

    /// Whether symbols and names are read from its files.
    pub fn is_shallow(&self) -> bool {
        self.source.tags.is_some() || self.header.scanner.is_some()
    }

    /// What its files are for, unless their place says otherwise.
    pub fn role(&self) -> Role {
        self.role
    }

    /// What resolution must know of the language; none for one whose names are not resolved.
    pub fn rules(&self) -> Option<&Rules> {
        self.rules.as_ref()
    }

    /// Who uses a symbol of this name and kind without naming it in the source: `called by the language`.
    pub fn runtime_use(&self, name: &str, kind: SymbolKind) -> Option<&str> {
        self.conventions().runtime.iter().find_map(|names| names.why(name, kind))
    }

    /// A number that changes whenever the same bytes may give other facts: part of every cache key.
    pub fn version(&self) -> u64 {
        *self.version.get_or_init(|| {
            // What is said about resolution changes no facts.
            let facts = self.source.header.split("\n[resolve").next().unwrap_or_default();
            let mut parts = vec![facts.as_bytes()];
            parts.extend(self.source.table.as_deref().map(str::as_bytes));
            parts.extend(self.source.tags.as_deref().map(str::as_bytes));
            parts.extend(self.source.project.as_ref().map(|project| project.text.as_bytes()));
            for (_, parent) in &self.source.inherited {
                parts.push(parent.as_bytes());
            }
            let own = parts.iter().fold(crate::EXTRACTOR, |sum, part| {
                crate::facts::hash::mix(sum, crate::facts::hash::hash(part))
            });
            crate::embedded::languages(self)
                .fold(own, |sum, inner| crate::facts::hash::mix(sum, inner.version()))
        })
    }

    /// The words and signs of its grammar, in the order of their numbers; none without a grammar. For those who generate
    /// text that looks like the language.
    pub fn tokens(&self) -> Vec<&str> {
        let language = match self.body() {
            Body::Deep(table) => &table.language,
            Body::Shallow(tags) => tags.language(),
            Body::Scanner(_) | Body::Text => return Vec::new(),
        };
        let kinds = 0..language.node_kind_count() as u16;
        let words =
            kinds.filter(|&kind| !language.node_kind_is_named(kind) && language.node_kind_is_visible(kind));
        words.filter_map(|kind| language.node_kind_for_id(kind)).collect()
    }

    pub(crate) fn body(&self) -> &Body {
        self.body.get_or_init(|| self.compile().unwrap_or(Body::Text))
    }

    pub(crate) fn conventions(&self) -> &Conventions {
        self.conventions.get_or_init(|| self.compile_conventions().unwrap_or_else(|_| Conventions::none()))
    }

    /// What its files say about where modules are, if they are project files.
    pub(crate) fn project(&self) -> Option<&Project> {
        let compile = || self.source.project.as_ref().and_then(|source| Project::new(self, source).ok());
        self.project.get_or_init(compile).as_ref()
    }

    /// All faults of the pack; none for a good one.
    pub(crate) fn faults(&self) -> Vec<PackError> {
        let mut faults = self.compile().err().unwrap_or_default();
        faults.extend(self.compile_conventions().err());
        faults.extend(self.compile_words().err());
        faults.extend(crate::embedded::faults(self));
        faults.extend(self.source.project.as_ref().and_then(|source| Project::new(self, source).err()));
        for contested in &self.header.contested {
            faults.extend(self.regex("contested", Some(&contested.contains)).err());
        }
        faults
    }

    fn compile(&self) -> Result<Body, Vec<PackError>> {
        if let Some(name) = &self.header.scanner {
            let scanner = crate::scanners::find(name);
            return scanner
                .map(Body::Scanner)
                .map_err(|unknown| vec![unknown.at(self.name(), "scanner", name)]);
        }
        if self.source.table.is_none() && self.source.tags.is_none() {
            return Ok(Body::Text);
        }
        let name = self.header.grammar.as_deref().unwrap_or(&self.header.name);
        let language = orient_grammars::grammar(name).ok_or_else(|| {
            vec![PackError::Grammar { pack: self.name().to_owned(), grammar: name.to_owned() }]
        })?;
        if let Some(table) = &self.source.table {
            let inherited: Result<Vec<TableSpec>, PackError> =
                self.source.inherited.iter().map(|(_, text)| self.table_spec(text)).collect();
            let spec = self.table_spec(table).map_err(|error| vec![error])?;
            let inherited = inherited.map_err(|error| vec![error])?;
            return Ok(Body::Deep(Box::new(node_table::compile(self.name(), &language, &spec, &inherited)?)));
        }
        let tags = self.source.tags.as_deref().unwrap_or_default();
        Tags::compile(self.name(), language, tags, &self.header.also)
            .map(|tags| Body::Shallow(Box::new(tags)))
            .map_err(|error| vec![error])
    }

    fn table_spec(&self, text: &str) -> Result<TableSpec, PackError> {
        toml::from_str(text).map_err(|error| PackError::Syntax {
            pack: self.name().to_owned(),
            file: "table.toml",
            message: error.to_string(),
        })
    }

    /// The words that say something in the headers of a shallow pack's definitions.
    pub(crate) fn header_words(&self) -> &HashMap<Vec<u8>, HeaderWord> {
        self.words.get_or_init(|| self.compile_words().unwrap_or_default())
    }

    fn compile_words(&self) -> Result<HashMap<Vec<u8>, HeaderWord>, PackError> {
        let known = HEADER_WORDS.iter().map(|(word, said)| (word.as_bytes().to_vec(), *said));
        let mut words: HashMap<Vec<u8>, HeaderWord> = known.collect();
        for (word, said) in &self.header.words {
            let said =
                vocabulary::header_word(said).map_err(|unknown| unknown.at(self.name(), "words", said))?;
            words.insert(word.as_bytes().to_vec(), said);
        }
        if let Some(word) = &self.header.visibility {
            vocabulary::visibility(word).map_err(|unknown| unknown.at(self.name(), "visibility", word))?;
        }
        Ok(words)
    }

    /// Who may use a symbol of a shallow pack that says nothing about it.
    pub(crate) fn default_visibility(&self) -> Visibility {
        self.header
            .visibility
            .as_deref()
            .and_then(|word| vocabulary::visibility(word).ok())
            .unwrap_or_default()
    }

    fn compile_conventions(&self) -> Result<Conventions, PackError> {
        let header = &self.header;
        Ok(Conventions {
            private: self.regex("private", header.private.as_deref())?,
            public: self.regex("public", header.public.as_deref())?,
            constant: self.regex("constant", header.constant.as_deref())?,
            binds: self.regex("binds", header.binds.as_deref())?,
            module_name: self.regex("module_name", header.module_name.as_deref())?,
            tests: header.tests.compile(self.name())?,
            runtime: header.runtime.iter().map(|spec| spec.compile(self.name())).collect::<Result<_, _>>()?,
            test_files: self.globs("tests.files", &header.tests.files)?,
            generated_files: self.globs("generated", &header.generated)?,
        })
    }

    fn regex(&self, place: &str, pattern: Option<&str>) -> Result<Option<Regex>, PackError> {
        pattern.map(Regex::new).transpose().map_err(|error| self.bad_pattern(place, &error))
    }

    fn globs(&self, place: &str, patterns: &[String]) -> Result<GlobSet, PackError> {
        let mut builder = GlobSetBuilder::new();
        for pattern in patterns {
            builder.add(Glob::new(pattern).map_err(|error| self.bad_pattern(place, &error))?);
        }
        builder.build().map_err(|error| self.bad_pattern(place, &error))
    }

    fn bad_pattern(&self, place: &str, error: &dyn std::fmt::Display) -> PackError {
        PackError::Pattern {
            pack: self.name().to_owned(),
            place: place.to_owned(),
            message: error.to_string(),
        }
    }
}

impl Conventions {
    fn none() -> Self {
        Self {
            private: None,
            public: None,
            constant: None,
            binds: None,
            module_name: None,
            tests: TestRules::default(),
            runtime: Vec::new(),
            test_files: GlobSet::empty(),
            generated_files: GlobSet::empty(),
        }
    }
}

impl std::fmt::Debug for Pack {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Pack").field(&self.header.name).finish()
    }
}
