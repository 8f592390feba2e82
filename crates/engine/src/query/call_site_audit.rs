//! The audit of call sites: which nodes that look like calls the graph does not account for.

use crate::extraction::Language;
use crate::query::path_pattern::PathPattern;
use crate::refresh::{FactsSource, IndexRepository};
use crate::{Cancel, EngineError, FileQuery, Snapshot};
use orient_lang::CallSite;
use orient_model::RepoPath;
use orient_resolve::{CallOutcome, CallResult, Resolver};
use orient_store::FileRow;
use std::collections::BTreeMap;

/// Bytes of decoded facts that stay in memory.
const FACTS_BYTES: u64 = 256 << 20;

/// The call sites of a language, by what became of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CallSiteCounts {
    /// All sites.
    pub sites: u64,
    /// Sites with an edge.
    pub edges: u64,
    /// Sites that call something outside the repository.
    pub external: u64,
    /// Sites that are candidates, with a reason.
    pub candidates: u64,
    /// Calls of an anonymous function inside the symbol that contains it.
    pub local: u64,
    /// Sites without a name that nothing is known about: `f()()`, `table[key]()`.
    pub unnamed: u64,
    /// Sites that are none of these.
    pub silent: u64,
}

/// A call site that is neither edge, external reference nor candidate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SilentSite {
    /// The file.
    pub path: RepoPath,
    /// The line.
    pub line: u32,
    /// The callee as written.
    pub callee: String,
    /// Whether the extractor found a call here, and only resolution has no result.
    pub is_extracted: bool,
}

/// The result of an audit.
#[derive(Clone, Debug, Default)]
pub struct CallSiteAudit {
    /// The counts by language, sorted by name.
    pub languages: BTreeMap<&'static str, CallSiteCounts>,
    /// The silent sites by path and line.
    pub silent: Vec<SilentSite>,
    /// The sites without a name, likewise.
    pub unnamed: Vec<SilentSite>,
    /// Number of files that could not be read or parsed.
    pub unread: u64,
}

impl Snapshot {
    /// Compares the call sites in the syntax trees of all files, or of those that match a pattern, with what resolution makes of them.
    pub fn audit_call_sites(
        &self,
        within: Option<&PathPattern>,
        threads: usize,
        cancel: &Cancel,
    ) -> Result<CallSiteAudit, EngineError> {
        let query = FileQuery { path: within.cloned(), indexed: Some(true), ..FileQuery::default() };
        let mut files = self.files(&query, 0, usize::MAX)?.rows;
        let language = |file: &FileRow| Language::of(file.language.as_deref(), &file.path);
        files.retain(|file| language(file).is_some_and(Language::is_resolved));
        let Some(table) = self.store.reader().symbol_table(u64::MAX)? else {
            return Ok(CallSiteAudit::default());
        };
        let tree = self.tree.open()?;
        let facts = FactsSource::new(self.paths.cache(), tree, self.max_file_size, FACTS_BYTES)
            .with_layers(self.compiler_layers());
        let repository = IndexRepository::new(&table, &facts);
        let resolver = Resolver::new(&repository);
        let scanned = self.scan_files(&files, threads, cancel, |file, bytes| {
            let sites = language(file)?.call_sites(bytes)?;
            let outcomes = u32::try_from(file.id.0).map(|number| resolver.call_outcomes(number)).ok()?;
            Some(FileSites::of(&file.path, &sites, &outcomes))
        })?;
        let mut audit = CallSiteAudit::default();
        for (file, found) in files.iter().zip(scanned) {
            match (language(file), found) {
                (Some(language), Ok(Some(found))) => audit.add(language.name(), found),
                (_, Err(_)) => audit.unread += 1,
                _ => {}
            }
        }
        Ok(audit)
    }
}

/// The sites of one file.
#[derive(Default)]
struct FileSites {
    counts: CallSiteCounts,
    silent: Vec<SilentSite>,
    unnamed: Vec<SilentSite>,
}

impl FileSites {
    fn of(path: &RepoPath, sites: &[CallSite], outcomes: &[CallOutcome]) -> Self {
        let mut found = Self::default();
        for site in sites {
            let first = outcomes.partition_point(|outcome| outcome.at < site.start);
            let here = outcomes[first..].iter().take_while(|outcome| outcome.at < site.end);
            let result = here.map(|outcome| outcome.result).min();
            let counts = &mut found.counts;
            counts.sites += 1;
            let count = match result {
                Some(CallResult::Edge) => &mut counts.edges,
                Some(CallResult::External) => &mut counts.external,
                Some(CallResult::Candidate) => &mut counts.candidates,
                Some(CallResult::Local) => &mut counts.local,
                Some(CallResult::Nothing) | None => {
                    let list = if site.is_named { &mut found.silent } else { &mut found.unnamed };
                    list.push(SilentSite {
                        path: path.clone(),
                        line: site.line,
                        callee: site.callee.clone(),
                        is_extracted: result.is_some(),
                    });
                    if site.is_named { &mut counts.silent } else { &mut counts.unnamed }
                }
            };
            *count += 1;
        }
        found
    }
}

impl CallSiteAudit {
    fn add(&mut self, language: &'static str, found: FileSites) {
        let sum = self.languages.entry(language).or_default();
        let add = found.counts;
        sum.sites += add.sites;
        sum.edges += add.edges;
        sum.external += add.external;
        sum.candidates += add.candidates;
        sum.local += add.local;
        sum.unnamed += add.unnamed;
        sum.silent += add.silent;
        self.silent.extend(found.silent);
        self.unnamed.extend(found.unnamed);
    }
}
