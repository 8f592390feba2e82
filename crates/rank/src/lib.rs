//! Ranking: from a query and candidate chunks to an ordered list of hits with explanations.
//!
//! [`analyse`] classifies the query, translates it to English and extracts its terms; [`Bm25`] scores chunks by their terms; [`rank`] fuses the channels
//! and applies the rules, one module each in `rules/`. All weights are in one table, [`Weights`]; every rule can be disabled;
//! every hit lists the contribution of each rule.
//!
//! Pure: no files, no SQL, no index. The caller provides the candidates.

mod bm25;
mod candidate;
mod explanation;
mod likelihood;
mod mentioned_paths;
mod query_analysis;
mod question_scope;
mod quoted_messages;
mod ranking;
mod report_text;
mod repository_parts;
mod result_confidence;
mod rules;
mod same_file_chunks;
mod stop_words;
mod thesaurus;
mod translation;
mod weights;

pub use bm25::{Bm25, CorpusSize, FileEvidence, Posting, ScratchBuffers, TermEvidence};
pub use candidate::{Candidate, FileInfo, Pool};
pub use explanation::{RankedChunk, ScorePart};
pub use likelihood::HitEvidence;
pub use mentioned_paths::PathMention;
pub use query_analysis::{Analysis, Form, RequestedRoles, Term, analyse};
pub use question_scope::Scope;
pub use ranking::{ResultLimits, has_more, rank};
pub use rules::Rule;
pub use stop_words::is_stop_word;
pub use translation::{Language, TranslatedWord, Translation};
pub use weights::{EnabledRules, Weights};
