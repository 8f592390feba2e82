//! What a search takes.

use crate::arguments::{enum_values, path_argument};
use crate::error::{Code, ToolError};
use crate::graph::changed_symbols::ChangeSource;
use crate::session::Session;
use clap::{Args, ValueEnum};
use orient_engine::{Rule, SearchQuery, Snapshot, Switches};
use schemars::JsonSchema;
use serde::Deserialize;

/// An answer meant for reading is not longer than this unless asked for.
const LIMIT: usize = 10;
const MOST: usize = 200;
/// So many other places of the file of each hit are named beside it.
const ALSO: usize = 4;
const TOKENS: usize = 2000;

/// A question, and what the answer must be like.
#[derive(Args, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct SearchArgs {
    /// What you look for: words, a name, a path
    #[arg(value_name = "QUERY", required = true)]
    #[serde(deserialize_with = "crate::arguments::string_or_list::one_or_many")]
    #[schemars(with = "String")]
    pub(crate) query: Vec<String>,
    /// Only in files of these languages
    #[arg(long, value_name = "LANGUAGE", value_delimiter = ',')]
    pub(crate) lang: Vec<String>,
    /// Only in this file or folder, or in files that match this glob
    #[arg(long, value_name = "PATH")]
    pub(crate) path: Option<String>,
    /// Only in symbols of these kinds: function, method, class, …
    #[arg(long, value_name = "KIND", value_delimiter = ',')]
    pub(crate) kind: Vec<String>,
    /// Only in files with these roles: source, test, doc, config, generated, vendored
    #[arg(long, value_name = "ROLE", value_delimiter = ',')]
    pub(crate) role: Vec<String>,
    /// Only symbols, no code between them and no prose
    #[arg(long)]
    pub(crate) symbols_only: bool,
    /// Only in files that changed since a revision (`HEAD~3`, `main...`), or in a unified diff: a file, or `-` for what is piped in
    #[arg(long, value_name = "REVISION|DIFF")]
    pub(crate) changed: Option<ChangeSource>,
    /// At most so many hits
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<usize>,
    /// The text of the answer is no longer than about so many tokens
    #[arg(long, value_name = "N")]
    pub(crate) max_tokens: Option<usize>,
    /// Put hits of one file together: file, folder or none; without it, where the question is about several places
    #[arg(long, value_name = "BY")]
    pub(crate) group: Option<String>,
    /// Say why each hit stands where it stands
    #[arg(long)]
    pub(crate) explain: bool,
    /// Leave parts of the ranking out, to see what they are worth
    #[arg(long, value_name = "PART", value_delimiter = ',', hide = true)]
    pub(crate) without: Vec<RankingPart>,
    /// Leave the vectors out: by words and names alone
    #[arg(long)]
    pub(crate) no_vectors: bool,
}

/// A part of the ranking.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[value(rename_all = "snake_case")]
pub(crate) enum RankingPart {
    Vectors,
    Words,
    Meaning,
    Definition,
    Identifier,
    Neighbours,
    Centrality,
    Inside,
    Deeds,
    Size,
    BestOfFile,
    Coherence,
    Density,
    FileName,
    Folder,
    Role,
    Decay,
    Also,
    Spread,
}

impl RankingPart {
    /// The rule it stands for; none for a whole channel.
    fn rule(self) -> Option<Rule> {
        Some(match self {
            Self::Vectors => return None,
            Self::Words => Rule::Lexical,
            Self::Meaning => Rule::Semantic,
            Self::Definition => Rule::Definition,
            Self::Identifier => Rule::Identifier,
            Self::Neighbours => Rule::Neighbours,
            Self::Centrality => Rule::Centrality,
            Self::Inside => Rule::Inside,
            Self::Deeds => Rule::Deeds,
            Self::Size => Rule::Size,
            Self::BestOfFile => Rule::Best,
            Self::Coherence => Rule::Coherence,
            Self::Density => Rule::Density,
            Self::FileName => Rule::Stem,
            Self::Folder => Rule::Folder,
            Self::Role => Rule::Role,
            Self::Decay => Rule::Decay,
            Self::Also => Rule::Also,
            Self::Spread => Rule::Spread,
        })
    }
}

/// What hits are put together by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Group {
    None,
    File,
    Folder,
}

impl SearchArgs {
    /// The most tokens of the text form.
    pub(crate) fn tokens(&self) -> usize {
        self.max_tokens.unwrap_or(TOKENS)
    }

    /// How hits are put together, if it was said.
    pub(crate) fn group(&self) -> Result<Option<Group>, ToolError> {
        let Some(word) = self.group.as_deref() else { return Ok(None) };
        enum_values::one_of("way to group", word, &["file", "folder", "none"])?;
        Ok(Some(match word {
            "file" => Group::File,
            "folder" => Group::Folder,
            _ => Group::None,
        }))
    }

    /// The question to the engine.
    pub(crate) fn query(&self, session: &Session<'_>, snapshot: &Snapshot) -> Result<SearchQuery, ToolError> {
        let text = self.query.join(" ").trim().to_owned();
        if text.is_empty() {
            return Err(ToolError::new(Code::BadArgument, "say what you look for")
                .hint("for example `orient search \"where are retries handled\"`"));
        }
        let within =
            self.path.as_deref().map(|typed| path_argument::resolve(session, snapshot, typed)).transpose()?;
        let among = match &self.changed {
            None => None,
            Some(since) => Some(since.files(session, snapshot, false)?.into_keys().collect()),
        };
        Ok(SearchQuery {
            text,
            limit: self.limit.unwrap_or(LIMIT).clamp(1, MOST),
            also: ALSO,
            languages: enum_values::languages(&self.lang, snapshot)?,
            roles: enum_values::roles(&self.role)?,
            path: within.map(|named| named.pattern),
            among,
            kinds: enum_values::kinds(&self.kind)?,
            symbols_only: self.symbols_only,
            without_vectors: self.no_vectors || self.without.contains(&RankingPart::Vectors),
            switches: self
                .without
                .iter()
                .filter_map(|part| part.rule())
                .fold(Switches::ALL, Switches::without),
            ..SearchQuery::default()
        })
    }
}
