//! How relevant a symbol is to the target of a request, in three tiers.

use std::collections::BTreeSet;

/// The score from which a symbol is approved. Measured: see `docs/design/tasks.md`.
pub const APPROVE_FROM: f32 = 0.3;
/// The score below which a symbol is refused.
pub const REFUSE_BELOW: f32 = 0.05;

/// What is done with a symbol that an agent names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tier {
    /// It belongs to the target.
    Approved,
    /// It may: the task's risk is high.
    HighRisk,
    /// It does not: explore again.
    Refused,
}

impl Tier {
    /// The tier of a score.
    pub fn of(score: f32) -> Self {
        if score >= APPROVE_FROM {
            Self::Approved
        } else if score >= REFUSE_BELOW {
            Self::HighRisk
        } else {
            Self::Refused
        }
    }

    /// Its word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Approved => "approved",
            Self::HighRisk => "high risk",
            Self::Refused => "refused",
        }
    }
}

/// The relevance of a symbol: the similarity of the texts by the embedding model, and the share of the target's words that
/// the name or the text of the symbol contains. Words are the stronger evidence where there are any.
pub fn relevance(similarity: f32, in_name: f32, in_text: f32) -> f32 {
    let words = (0.8 * in_name + 0.35 * in_text).min(1.0);
    (0.55 * similarity.max(0.0) + 0.6 * words).min(1.0)
}

/// The share of the words of a text that another contains, by stem: `uploads failed` and `upload_fails` share both.
pub fn shared_words(of: &str, within: &str) -> f32 {
    let (of, within) = (stems(of), stems(within));
    if of.is_empty() {
        return 0.0;
    }
    let shared = of.iter().filter(|word| within.contains(*word)).count();
    let count = |words: usize| f32::from(u16::try_from(words).unwrap_or(u16::MAX));
    count(shared) / count(of.len())
}

/// Words that say nothing about what a text is about.
const STOP_WORDS: &[&str] = &[
    "a", "an", "and", "are", "as", "at", "be", "by", "do", "does", "for", "from", "if", "in", "is", "it",
    "its", "not", "of", "on", "or", "should", "that", "the", "this", "to", "when", "with",
];

/// The words of a text or an identifier, split at case changes and reduced to a stem.
fn stems(text: &str) -> BTreeSet<String> {
    let mut words: Vec<String> = vec![String::new()];
    let mut lower_before = false;
    for c in text.chars() {
        if !c.is_alphanumeric() || (c.is_uppercase() && lower_before) {
            words.push(String::new());
        }
        if let (true, Some(word)) = (c.is_alphanumeric(), words.last_mut()) {
            word.extend(c.to_lowercase());
        }
        lower_before = c.is_lowercase() || c.is_numeric();
    }
    words
        .iter()
        .filter(|word| word.len() > 1 && !STOP_WORDS.contains(&word.as_str()))
        .map(|word| stem(word))
        .collect()
}

/// A word without the endings that inflect it.
fn stem(word: &str) -> String {
    const ENDINGS: &[&str] = &["ations", "ation", "ings", "ing", "ies", "ed", "es", "er", "s", "e", "y"];
    for ending in ENDINGS {
        if let Some(root) = word.strip_suffix(ending)
            && root.chars().count() >= 3
        {
            return root.to_owned();
        }
    }
    word.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_match_by_stem_in_text_and_identifiers() {
        assert!((shared_words("uploads failed", "upload_fails") - 1.0).abs() < 1e-6);
        assert!((shared_words("parse dates", "DateParser") - 1.0).abs() < 1e-6);
        assert!((shared_words("retry the upload", "RetryPolicy") - 0.5).abs() < 1e-6);
        assert!(shared_words("the of", "the of") < f32::EPSILON, "stop words are no evidence");
    }

    #[test]
    fn tiers_are_ordered_by_score() {
        assert_eq!(Tier::of(APPROVE_FROM), Tier::Approved);
        assert_eq!(Tier::of(REFUSE_BELOW), Tier::HighRisk);
        assert_eq!(Tier::of(REFUSE_BELOW - 0.01), Tier::Refused);
        assert_eq!(Tier::of(f32::NAN), Tier::Refused);
    }
}
