//! The arguments of `search`, and their translation to a query of the engine.

use crate::arguments::program_arguments::Word;
use crate::arguments::{argument_aliases, enum_values, path_argument};
use crate::error::{Code, ToolError};
use crate::graph::changed_symbols::ChangeSource;
use crate::graph::symbol_roles::RoleSelection;
use crate::session::Session;
use clap::{Args, ValueEnum};
use orient_engine::{EnabledRules, Rule, Scope, SearchQuery, Snapshot, analyse};

/// Default number of hits.
const DEFAULT_LIMIT: usize = 10;
/// The same for a question about every part of the repository.
const DEFAULT_PARTS: usize = 20;
pub(super) const MAX_LIMIT: usize = 200;
/// Maximum number of other chunks listed per hit.
const MAX_ALSO: usize = 4;
const DEFAULT_TOKENS: usize = 2000;

/// Arguments of `search`.
#[derive(Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is an independent flag")]
pub(crate) struct SearchArgs {
    /// A question, a name or a path
    #[arg(value_name = "QUERY", required = true)]
    pub(crate) query: Vec<Word>,
    /// Only in files of these languages
    #[arg(long, value_name = "LANGUAGE", value_delimiter = ',')]
    pub(crate) lang: Vec<String>,
    /// Only in this file or directory, or in files that match this glob
    #[arg(long, value_name = "PATH")]
    pub(crate) path: Option<String>,
    /// Only in symbols of these kinds: function, method, class, …
    #[arg(long, value_name = "KIND", value_delimiter = ',')]
    pub(crate) kind: Vec<String>,
    /// Only roles: source, test, doc, config, generated, vendored, handler, service, model, …
    #[arg(long, value_name = "ROLE", value_delimiter = ',')]
    pub(crate) role: Vec<String>,
    /// Only chunks with every word of the query, in any case
    #[arg(long)]
    pub(crate) all_words: bool,
    /// Only symbols, no code between them and no documentation
    #[arg(long)]
    pub(crate) symbols_only: bool,
    /// Only in files changed since a revision (`HEAD~3`, `main...`), or in a unified diff: a file, or `-`
    #[arg(long, value_name = "REVISION|DIFF")]
    pub(crate) changed: Option<ChangeSource>,
    /// Maximum number of hits; 0 means all that are ranked, at most 200 [default: 10]
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<usize>,
    /// Only hits with at least this likelihood, 0 to 1
    #[arg(long, value_name = "LIKELIHOOD")]
    pub(crate) min_score: Option<f32>,
    /// Maximum number of tokens, approximately [default: 2000]
    #[arg(long, value_name = "N")]
    pub(crate) max_tokens: Option<usize>,
    /// Group hits: file, directory, none; default: file for broad questions
    #[arg(long, value_name = "UNIT")]
    pub(crate) group: Option<String>,
    /// If the query names exactly one symbol and there is no limit, show it alone
    #[arg(long)]
    pub(crate) single: bool,
    /// Show the score of each rule
    #[arg(long)]
    pub(crate) explain: bool,
    /// Disable channels or rules of the ranking, for measurements
    #[arg(long, value_name = "RULE", value_delimiter = ',', hide = true)]
    pub(crate) without: Vec<RankingPart>,
    /// Search by words and names only
    #[arg(long)]
    pub(crate) no_vectors: bool,
}

/// A channel or rule of the ranking.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
pub(crate) enum RankingPart {
    Vectors,
    Words,
    Meaning,
    Definition,
    Mention,
    WordsInFile,
    Implementation,
    Size,
    BestOfFile,
    Coherence,
    Role,
    Decay,
    Also,
    Part,
}

impl RankingPart {
    /// The rule; `None` for a channel.
    fn rule(self) -> Option<Rule> {
        Some(match self {
            Self::Vectors => return None,
            Self::Words => Rule::Lexical,
            Self::Meaning => Rule::Semantic,
            Self::Definition => Rule::Definition,
            Self::Mention => Rule::Mention,
            Self::WordsInFile => Rule::WordsInFile,
            Self::Implementation => Rule::Implementation,
            Self::Size => Rule::Size,
            Self::BestOfFile => Rule::Best,
            Self::Coherence => Rule::Coherence,
            Self::Role => Rule::Role,
            Self::Decay => Rule::Decay,
            Self::Also => Rule::Also,
            Self::Part => Rule::Part,
        })
    }
}

/// How hits are grouped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Group {
    None,
    File,
    Directory,
    /// By package, or by directory where there are few packages.
    Part,
}

impl Group {
    /// The grouping that nobody requested: broad questions are answered by file, or by part of the repository.
    pub(super) fn default_for(scope: Scope) -> Self {
        match scope {
            Scope::EveryPart => Self::Part,
            Scope::CrossCutting | Scope::Exploratory => Self::File,
            Scope::Targeted => Self::None,
        }
    }
}

impl SearchArgs {
    /// Maximum number of tokens of the text form.
    pub(crate) fn tokens(&self) -> usize {
        self.max_tokens.unwrap_or(DEFAULT_TOKENS)
    }

    /// Whether a query that names one symbol is answered with this symbol alone: only without filters.
    pub(crate) fn wants_single(&self) -> bool {
        let lists = [&self.lang, &self.kind, &self.role];
        let filtered =
            lists.iter().any(|list| !list.is_empty()) || self.path.is_some() || self.changed.is_some();
        self.single && self.limit.is_none() && !filtered && !self.explain
    }

    /// The minimum likelihood of a hit.
    pub(crate) fn min_score(&self) -> Result<f32, ToolError> {
        let minimum = self.min_score.unwrap_or(0.0);
        if (0.0..=1.0).contains(&minimum) {
            return Ok(minimum);
        }
        Err(ToolError::new(Code::BadArgument, format!("{minimum} is not a likelihood"))
            .hint("`min_score` is between 0 and 1; hits above 0.5 are more likely right than wrong"))
    }

    /// The requested grouping.
    pub(crate) fn group(&self) -> Result<Option<Group>, ToolError> {
        let Some(word) = self.group.as_deref().map(argument_aliases::grouping) else { return Ok(None) };
        enum_values::one_of("grouping", word, &["file", "directory", "none"])?;
        Ok(Some(match word {
            "file" => Group::File,
            "directory" => Group::Directory,
            _ => Group::None,
        }))
    }

    /// The query of the engine.
    pub(crate) fn query(&self, session: &Session<'_>, snapshot: &Snapshot) -> Result<SearchQuery, ToolError> {
        let text = self.query.join(" ").trim().to_owned();
        if text.is_empty() {
            return Err(ToolError::new(Code::BadArgument, "a query is required")
                .hint("for example `orient search \"where are retries handled\"`"));
        }
        let within =
            self.path.as_deref().map(|typed| path_argument::resolve(session, snapshot, typed)).transpose()?;
        let among = match &self.changed {
            None => None,
            Some(since) => Some(since.files(session, snapshot, false)?.files.into_keys().collect()),
        };
        let roles = RoleSelection::new(session, snapshot, &self.role)?;
        let default_limit =
            if analyse(&text).scope == Scope::EveryPart { DEFAULT_PARTS } else { DEFAULT_LIMIT };
        Ok(SearchQuery {
            text,
            limit: match self.limit {
                Some(0) => MAX_LIMIT,
                limit => limit.unwrap_or(default_limit).min(MAX_LIMIT),
            },
            also: MAX_ALSO,
            languages: enum_values::languages(&self.lang, snapshot)?,
            roles: roles.files,
            symbols: roles.symbols,
            path: within.map(|named| named.pattern),
            among,
            kinds: enum_values::kinds(&self.kind)?,
            symbols_only: self.symbols_only,
            without_vectors: self.no_vectors || self.without.contains(&RankingPart::Vectors),
            enabled_rules: self
                .without
                .iter()
                .filter_map(|part| part.rule())
                .fold(EnabledRules::ALL, EnabledRules::without),
            ..SearchQuery::default()
        })
    }
}
