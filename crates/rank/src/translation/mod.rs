//! Translation of questions in other languages to the English words of code.
//!
//! A glossary, compiled into the binary, maps terms of eight languages to the words that programmers write in identifiers and comments.
//! The question itself shows its language. Words of the question stay terms of the query, since comments may be in its language;
//! their translations are added. Names, paths and everything else that is written as code is untouched.
//!
//! Example: `wo werden Verbindungen nach einer Zeitüberschreitung geschlossen` is searched as `connection timeout close`.

mod glossary;
mod inflection;
mod language;
mod segmentation;

use glossary::{Entries, Glossary};
use inflection::{fold, split_words};
pub use language::Language;
use language::{Script, script};
use segmentation::Segment;

/// Maximum number of words of a term of the glossary.
const MAX_PHRASE: usize = 5;

/// A word of a question and its translations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TranslatedWord {
    /// The word as written.
    pub word: String,
    /// English alternatives, best first. Each is one word or several.
    pub english: Vec<&'static str>,
}

/// The translation of a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Translation {
    /// The language of the question.
    pub language: Language,
    /// The translated words, each once, in order.
    pub words: Vec<TranslatedWord>,
    /// Words that the glossary does not have, each once, in order.
    pub unknown: Vec<String>,
    /// The question with translations instead of its words, and without function words.
    pub english: String,
    /// The same for the rest of a report.
    pub body: String,
}

/// A part of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Piece {
    /// Written as code, or of another script.
    Kept(String),
    /// A word with translations.
    Translated(TranslatedWord),
    /// A word that the glossary does not have.
    Unknown(String),
}

/// The language of a text; `None` for English and for what has nothing to translate.
pub(crate) fn language_of(text: &str) -> Option<Language> {
    language::detect(text)
}

/// The parts of a text in a language. Function words are left out.
pub(crate) fn pieces(text: &str, language: Language) -> Vec<Piece> {
    match language {
        Language::Chinese | Language::Japanese | Language::Korean => segmented(text, language),
        _ => inflected(text, language),
    }
}

/// The text of the parts that are written as code.
pub(crate) fn kept_text(pieces: &[Piece]) -> String {
    let kept = pieces.iter().filter_map(|piece| match piece {
        Piece::Kept(text) => Some(text.as_str()),
        _ => None,
    });
    kept.collect::<Vec<_>>().join(" ")
}

/// The text with translations instead of words. Unknown words of the Latin script may be English.
pub(crate) fn english_text(pieces: &[Piece]) -> String {
    let mut text = String::new();
    for piece in pieces {
        let part = match piece {
            Piece::Kept(part) => part.as_str(),
            Piece::Translated(word) => word.english.first().copied().unwrap_or_default(),
            Piece::Unknown(word) if word.is_ascii() => word.as_str(),
            Piece::Unknown(_) => continue,
        };
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(part);
    }
    text
}

impl Translation {
    /// The translation of a question, and of the rest of a report.
    pub(crate) fn new(language: Language, title: &[Piece], body: &[Piece]) -> Self {
        let (mut words, mut unknown): (Vec<TranslatedWord>, Vec<String>) = (Vec::new(), Vec::new());
        for piece in title.iter().chain(body) {
            match piece {
                Piece::Translated(word) if !words.contains(word) => words.push(word.clone()),
                Piece::Unknown(word) if !unknown.contains(word) => unknown.push(word.clone()),
                _ => {}
            }
        }
        Self { language, words, unknown, english: english_text(title), body: english_text(body) }
    }
}

/// The alternatives of entries; `None` for function words.
fn alternatives(entries: Entries<'_>) -> Option<Vec<&'static str>> {
    let mut english: Vec<&'static str> = Vec::new();
    for alternative in entries.english() {
        if !english.contains(&alternative) {
            english.push(alternative);
        }
    }
    (!english.is_empty()).then_some(english)
}

fn segmented(text: &str, language: Language) -> Vec<Piece> {
    let mut pieces = Vec::new();
    for (is_cjk, run) in segmentation::runs(text) {
        if !is_cjk {
            pieces.extend(run.split_whitespace().map(|token| Piece::Kept(token.to_owned())));
            continue;
        }
        for segment in segmentation::segment(run, language) {
            match segment {
                Segment::Word(word, entries) => {
                    if let Some(english) = alternatives(entries) {
                        pieces.push(Piece::Translated(TranslatedWord { word: word.to_owned(), english }));
                    }
                }
                Segment::Unknown(word) => pieces.push(Piece::Unknown(word.to_owned())),
            }
        }
    }
    pieces
}

/// A word of a text in a language with inflection.
struct Word<'t> {
    text: &'t str,
    folded: String,
    /// Whether it follows another word without punctuation in between.
    continues: bool,
}

fn inflected(text: &str, language: Language) -> Vec<Piece> {
    let glossary = Glossary::of(language);
    let mut pieces = Vec::new();
    let mut words: Vec<Word<'_>> = Vec::new();
    let mut ended = true;
    for (at, token) in text.split_whitespace().enumerate() {
        let bare = token.trim_matches(|c: char| !c.is_alphanumeric() && c != '_' && c != '$');
        if bare.is_empty() {
            ended = true;
            continue;
        }
        if is_kept(token, bare, at, language) {
            flush(&mut words, glossary, &mut pieces);
            pieces.push(Piece::Kept(token.to_owned()));
            ended = true;
            continue;
        }
        let starts_clause = !token.starts_with(char::is_alphanumeric);
        for (nth, part) in words_of(bare, glossary).into_iter().enumerate() {
            let continues = !(ended || nth == 0 && starts_clause);
            words.push(Word { text: part, folded: fold(part), continues });
            ended = false;
        }
        ended = !token.ends_with(char::is_alphanumeric);
    }
    flush(&mut words, glossary, &mut pieces);
    pieces
}

/// The words of a token. A hyphenated word is one if the glossary has it: `en-tête`, but not `est-il`.
fn words_of<'t>(token: &'t str, glossary: &Glossary) -> Vec<&'t str> {
    let split = |word: &'t str| {
        let whole = !word.contains('-') || glossary.find_word(&fold(word)).is_some();
        let separator = if whole { '\'' } else { '-' };
        word.split(separator).filter(|part| !part.is_empty())
    };
    split_words(token).into_iter().flat_map(split).collect()
}

/// Whether a token is written as code, or in another script than the language.
fn is_kept(token: &str, bare: &str, at: usize, language: Language) -> bool {
    let quoted = token.starts_with(['`', '"']);
    let inner = bare.contains(['/', '\\', '.', '_', '$', ':', '(', '=', '<', '>']);
    let foreign = language == Language::Russian && script(bare) != Script::Cyrillic;
    if quoted
        || inner
        || foreign
        || bare.contains(|c: char| c.is_ascii_digit())
        || crate::query_analysis::is_code(bare)
    {
        return true;
    }
    // A capital inside of a sentence marks a name, except where all nouns have one.
    let capital = at > 0 && bare.is_ascii() && bare.chars().next().is_some_and(char::is_uppercase);
    let in_glossary = || Glossary::of(language).find_word(&fold(bare)).is_some();
    capital && language != Language::German && bare.chars().any(char::is_lowercase) && !in_glossary()
}

/// Translates words: the longest phrase of the glossary first.
fn flush(words: &mut Vec<Word<'_>>, glossary: &Glossary, pieces: &mut Vec<Piece>) {
    let mut at = 0;
    while at < words.len() {
        let follow = words[at + 1..].iter().take_while(|word| word.continues).count();
        let phrase = (2..=MAX_PHRASE.min(follow + 1)).rev().find_map(|count| {
            let folded: Vec<&str> = words[at..at + count].iter().map(|word| word.folded.as_str()).collect();
            Some((count, glossary.find_phrase(&folded)?))
        });
        let (count, found) = match phrase {
            Some((count, entries)) => (count, vec![entries]),
            None => (1, glossary.find_parts(&words[at].folded)),
        };
        let word = words[at..at + count].iter().map(|word| word.text).collect::<Vec<_>>().join(" ");
        if found.is_empty() {
            // Single letters are elided articles and the like.
            if words[at].folded.chars().count() > 1 {
                pieces.push(Piece::Unknown(word));
            }
        } else {
            for entries in found {
                if let Some(english) = alternatives(entries) {
                    pieces.push(Piece::Translated(TranslatedWord { word: word.clone(), english }));
                }
            }
        }
        at += count;
    }
    words.clear();
}

#[cfg(test)]
mod tests;
