//! Search queries: the text, its filters and the ranking options.

use crate::{PathPattern, RemoteQuery};
use orient_model::{RepoPath, Role, SymbolKind};
use orient_rank::{EnabledRules, ResultLimits, Weights};
use orient_store::SymbolId;
use std::collections::BTreeSet;
use std::sync::Arc;

/// A search query with its filters.
#[derive(Clone, Debug, Default)]
pub struct SearchQuery {
    /// The query text.
    pub text: String,
    /// Maximum number of hits.
    pub limit: usize,
    /// Maximum number of further hits in the file of each hit.
    pub also: usize,
    /// In files of one of these languages; empty for any.
    pub languages: Vec<String>,
    /// In files with one of these roles; empty for any.
    pub roles: Vec<Role>,
    /// In files whose path matches.
    pub path: Option<PathPattern>,
    /// In one of these files; `None` for any.
    pub among: Option<BTreeSet<RepoPath>>,
    /// In one of these symbols; `None` for any.
    pub symbols: Option<Arc<BTreeSet<SymbolId>>>,
    /// In symbols of one of these kinds; empty for any.
    pub kinds: Vec<SymbolKind>,
    /// Only whole symbols and the heads of large ones.
    pub symbols_only: bool,
    /// Whether to skip the vector channel.
    pub without_vectors: bool,
    /// The query embedded by a remote model, whose vectors then replace the built-in ones.
    pub remote: Option<RemoteQuery>,
    /// The ranking rules in force.
    pub enabled_rules: EnabledRules,
    /// The weights of ranking.
    pub weights: Weights,
}

impl SearchQuery {
    /// How many results are requested.
    pub(super) fn limits(&self) -> ResultLimits {
        ResultLimits { hits: self.limit, also: self.also }
    }
}
