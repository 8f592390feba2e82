//! Query analysis: form, scope, terms, names and requested file roles.

use crate::mentioned_paths::{self, PathMention};
use crate::question_scope::{Scope, scope};
use crate::quoted_messages;
use crate::report_text::{PartKind, Report};
use crate::stop_words;
use crate::thesaurus;
use crate::translation::{self, Language, Piece, TranslatedWord, Translation};
use orient_model::Handle;
use orient_text::{for_each_term, plain_words, term_hash};

/// The form of a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A name, possibly qualified: `Server.run`.
    Name,
    /// A path or the end of one.
    Path,
    /// Words in quotes.
    Quoted,
    /// A pattern for text search.
    Pattern,
    /// Words.
    Prose,
}

/// The file roles that a query asks for, which otherwise rank lower.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a role that a query may request")]
pub struct RequestedRoles {
    /// Tests, fixtures, benchmarks.
    pub tests: bool,
    /// Documentation.
    pub docs: bool,
    /// Examples.
    pub examples: bool,
    /// Configuration and data.
    pub config: bool,
    /// Generated and vendored code.
    pub foreign: bool,
}

/// A term of a query.
#[derive(Clone, Debug, PartialEq)]
pub struct Term {
    /// Its normalised text.
    pub text: String,
    /// Its number in the index.
    pub number: u32,
    /// Its weight, apart from its rarity.
    pub weight: f32,
    /// Whether the query writes it as code: camel case, underscores, dots, or in quotes.
    pub code: bool,
    /// Whether it counts only if it occurs: a word in another language than English, or a further translation of one.
    pub optional: bool,
}

/// The analysis of a query.
#[derive(Clone, Debug, PartialEq)]
pub struct Analysis {
    /// Its form.
    pub form: Form,
    /// Its scope.
    pub scope: Scope,
    /// Its distinct terms, in order.
    pub terms: Vec<Term>,
    /// Terms that mean something similar in code; they count only if they occur.
    pub related: Vec<Term>,
    /// Names that the query writes as code, as written.
    pub names: Vec<String>,
    /// Words that look like paths.
    pub paths: Vec<PathMention>,
    /// Parts of messages of programs that the query quotes, as the source probably spells them.
    pub messages: Vec<String>,
    /// The requested file roles.
    pub requested: RequestedRoles,
    /// The query, or the title of a report.
    pub text: String,
    /// The rest of a report that is running text; empty if the query is not a report.
    pub body: String,
    /// The translation of a query in another language than English.
    pub translation: Option<Translation>,
    /// Whether the query is a report: a title followed by paragraphs, code or output.
    pub report: bool,
}

impl Analysis {
    /// The text to embed by a model that knows English: the query, or the title of a report.
    pub fn english(&self) -> &str {
        self.translation.as_ref().map_or(&self.text, |translation| &translation.english)
    }

    /// The same for the rest of a report.
    pub fn english_body(&self) -> &str {
        self.translation.as_ref().map_or(&self.body, |translation| &translation.body)
    }
}

/// Analyses a query.
pub fn analyse(query: &str) -> Analysis {
    let query = query.trim();
    let Some(report) = Report::parse(query) else {
        return match translation::language_of(query) {
            None => analyse_question(query),
            Some(language) => analyse_foreign(query, language),
        };
    };
    // One word in the body of a report does not say what is looked for; the title does.
    let (title, body) = (report.title(), report.prose());
    let language = translation::language_of(&format!("{title}\n{body}"));
    let translation = language.map(|language| {
        Translation::new(
            language,
            &translation::pieces(title, language),
            &translation::pieces(&body, language),
        )
    });
    let mut all_names = Vec::new();
    for part in &report.parts {
        let is_code = part.kind != PartKind::Prose && part.kind != PartKind::Title;
        let found = match language {
            Some(language) if !is_code => foreign_names(&translation::pieces(part.text, language)),
            _ => names(part.text),
        };
        for name in found {
            let is_name = !is_code || self::is_code(&name);
            if is_name && !all_names.contains(&name) {
                all_names.push(name);
            }
        }
    }
    let english = translation.as_ref().map_or(title, |translation| &translation.english);
    let terms = report_terms(&report, &all_names, language);
    Analysis {
        form: Form::Prose,
        scope: scope(english, language.is_some()),
        related: if language.is_none() { thesaurus::related(title, &terms) } else { Vec::new() },
        terms,
        names: all_names,
        paths: mentioned_paths::mentions(report.parts.iter().map(|part| (part.text, part.block))),
        messages: quoted_messages::in_report(report.parts.iter().map(|part| (part.kind, part.text))),
        requested: requested(english),
        text: title.to_owned(),
        body,
        report: true,
        translation,
    }
}

/// Analyses a query in English, or one that consists of names.
fn analyse_question(query: &str) -> Analysis {
    let (names, form) = (names(query), form(query));
    let terms = terms(query, &names);
    Analysis {
        form,
        scope: scope(query, false),
        related: if form == Form::Prose { thesaurus::related(query, &terms) } else { Vec::new() },
        terms,
        names,
        paths: mentioned_paths::mentions(std::iter::once((query, 0))),
        messages: quoted_messages::in_question(query),
        requested: requested(query),
        text: query.to_owned(),
        body: String::new(),
        report: false,
        translation: None,
    }
}

/// Analyses a query in another language.
fn analyse_foreign(query: &str, language: Language) -> Analysis {
    let pieces = translation::pieces(query, language);
    let translation = Translation::new(language, &pieces, &[]);
    let names = foreign_names(&pieces);
    Analysis {
        form: if form(query) == Form::Quoted { Form::Quoted } else { Form::Prose },
        scope: scope(&translation.english, true),
        terms: foreign_terms(&pieces, &names),
        related: Vec::new(),
        paths: mentioned_paths::mentions(std::iter::once((translation::kept_text(&pieces).as_str(), 0))),
        messages: Vec::new(),
        names,
        requested: requested(&translation.english),
        text: query.to_owned(),
        body: String::new(),
        report: false,
        translation: Some(translation),
    }
}

/// The names in a text in another language: only what is written as code.
fn foreign_names(pieces: &[Piece]) -> Vec<String> {
    // No token is the first of a sentence, and none is alone.
    names(&format!("- {}", translation::kept_text(pieces)))
}

/// The weight of a further translation of a word, relative to the best one.
const ALTERNATIVE: f32 = 0.5;

/// The terms of a text in another language: its words, as far as they occur, and their translations.
fn foreign_terms(pieces: &[Piece], names: &[String]) -> Vec<Term> {
    let mut found: Vec<Term> = Vec::new();
    let mut add = |term: Term| match found.iter_mut().find(|known| known.number == term.number) {
        Some(known) => {
            known.weight = known.weight.max(term.weight);
            known.code |= term.code;
            known.optional &= term.optional;
        }
        None => found.push(term),
    };
    for piece in pieces {
        match piece {
            Piece::Kept(text) => terms(text, names).into_iter().for_each(&mut add),
            Piece::Unknown(word) => original_terms(word).into_iter().for_each(&mut add),
            Piece::Translated(TranslatedWord { word, english }) => {
                for (nth, alternative) in english.iter().enumerate() {
                    for word in alternative.split(' ') {
                        let weight = stop_words::weight(word) * if nth == 0 { 1.0 } else { ALTERNATIVE };
                        for_each_term(word.as_bytes(), |term, _| {
                            if weight > 0.0 {
                                add(new_term(term, weight, nth > 0));
                            }
                        });
                    }
                }
                original_terms(word).into_iter().for_each(&mut add);
            }
        }
    }
    found
}

/// The terms of a word in another language. Together they weigh as much as one word.
fn original_terms(word: &str) -> Vec<Term> {
    let mut found: Vec<Term> = Vec::new();
    for_each_term(word.as_bytes(), |term, _| found.push(new_term(term, 1.0, true)));
    let share = 1.0 / crate::bm25::as_f32(found.len().max(1));
    found.into_iter().map(|term| Term { weight: share, ..term }).collect()
}

fn new_term(term: &[u8], weight: f32, optional: bool) -> Term {
    let text = String::from_utf8_lossy(term).into_owned();
    Term { number: term_hash(term), text, weight, code: false, optional }
}

fn has_any(words: &[String], list: &[&str]) -> bool {
    words.iter().any(|word| list.contains(&word.as_str()))
}

fn requested(query: &str) -> RequestedRoles {
    let words = plain_words(query);
    let has = |list: &[&str]| has_any(&words, list);
    RequestedRoles {
        tests: asks_for_a_test(&words)
            || has(&[
                "tests",
                "testing",
                "tested",
                "spec",
                "specs",
                "fixture",
                "fixtures",
                "mock",
                "mocks",
                "benchmark",
                "benchmarks",
                "bench",
            ]),
        docs: has(&["doc", "docs", "documentation", "readme", "changelog", "guide", "tutorial", "manual"]),
        examples: has(&["example", "examples", "demo", "demos", "sample", "samples", "tutorial"]),
        config: has(&[
            "config",
            "configuration",
            "settings",
            "setting",
            "workflow",
            "ci",
            "dependencies",
            "manifest",
        ]),
        foreign: has(&["generated", "vendored", "vendor", "bundled"]),
    }
}

/// Whether the singular `test` asks for a test. Often it does not: `test whether a path is absolute`, `the test client`.
fn asks_for_a_test(words: &[String]) -> bool {
    const BEFORE: &[&str] = &["unit", "integration", "regression", "which", "what"];
    const BEHIND: &[&str] = &["for", "of", "that", "case", "cases", "file", "files", "suite", "coverage"];
    let among = |word: Option<&String>, list: &[&str]| word.is_some_and(|word| list.contains(&word.as_str()));
    words.len() == 1 && words[0] == "test"
        || words.iter().enumerate().filter(|(_, word)| *word == "test").any(|(at, _)| {
            let before = at.checked_sub(1).and_then(|at| words.get(at));
            among(before, BEFORE) || among(words.get(at + 1), BEHIND)
        })
}

fn form(query: &str) -> Form {
    let single = !query.contains(char::is_whitespace);
    if query.len() > 1 && query.starts_with('"') && query.ends_with('"') {
        return Form::Quoted;
    }
    // A dot alone is ambiguous: `server.go`, `Server.run`.
    if single && query.len() > 2 && query.contains('/') && !query.contains("//") {
        return Form::Path;
    }
    let name = |c: char| {
        c.is_alphanumeric()
            || matches!(c, '_' | '$' | '.' | ':' | '#' | '/' | '?' | '!' | '~' | '-' | '(' | ')')
    };
    if single && !query.is_empty() && query.chars().all(name) {
        return Form::Name;
    }
    if single || query.contains(".*") || query.contains("\\b") || query.contains("\\s") {
        return Form::Pattern;
    }
    Form::Prose
}

/// Whether a word is written as code: camel case, underscores or `::`.
pub(crate) fn is_code(word: &str) -> bool {
    let inner: Vec<char> = word.chars().collect();
    let has_lower = inner.iter().any(|c| c.is_lowercase());
    let camel = inner.windows(2).any(|two| two[0].is_lowercase() && two[1].is_uppercase())
        || (has_lower
            && inner
                .windows(3)
                .any(|three| three[0].is_uppercase() && three[1].is_uppercase() && three[2].is_lowercase()));
    camel || word.trim_matches('_').contains('_') || word.contains("::")
}

/// The tokens of a query that may be names, without punctuation.
fn names(query: &str) -> Vec<String> {
    let single = !query.contains(char::is_whitespace);
    let mut names: Vec<String> = Vec::new();
    for (at, token) in query.split_whitespace().enumerate() {
        let quoted = token.starts_with(['`', '"', '\''])
            && token.trim_end_matches([',', '.', ';', ')']).ends_with(['`', '"', '\'']);
        let bare = token.trim_matches(|c: char| !c.is_alphanumeric() && c != '_' && c != '$');
        let called = token.ends_with("()") || token.ends_with("(),");
        let dotted = bare.contains('.') && !bare.contains('/') && !bare.ends_with('.');
        let capital = at > 0
            && bare.chars().next().is_some_and(char::is_uppercase)
            && bare.chars().any(char::is_lowercase);
        if bare.len() < 2 {
            continue;
        }
        if single || quoted || called || dotted || capital || is_code(bare) {
            let name = bare.trim_end_matches("()").to_owned();
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    names
}

fn terms(query: &str, names: &[String]) -> Vec<Term> {
    let mut terms: Vec<Term> = Vec::new();
    let code: Vec<String> =
        names.iter().flat_map(|name| Handle::split(name)).map(|name| name.to_lowercase()).collect();
    let mut add = |text: String, weight: f32, is_code: bool| {
        if weight <= 0.0 {
            return;
        }
        if let Some(term) = terms.iter_mut().find(|term| term.text == text) {
            term.weight = term.weight.max(weight);
            term.code |= is_code;
            return;
        }
        let number = term_hash(text.as_bytes());
        terms.push(Term { number, text, weight, code: is_code, optional: false });
    };
    let single = !query.contains(char::is_whitespace);
    for token in
        query.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '$').filter(|token| !token.is_empty())
    {
        let lower = token.to_lowercase();
        let is_code = code.contains(&lower);
        let weight = if single || is_code { 1.0 } else { stop_words::weight(&lower) };
        for_each_term(token.as_bytes(), |term, _| {
            add(String::from_utf8_lossy(term).into_owned(), weight, is_code);
        });
    }
    for token in query.split(|c: char| !c.is_alphanumeric() && c != '-') {
        for joint in compound(token).into_iter().flatten() {
            add(joint, 1.0, false);
        }
    }
    terms
}

/// The weight of a term by the part of a report that it is in. Outside the title, names weigh more than words.
const PROSE: f32 = 0.5;
const CODE: f32 = 0.25;
const OUTPUT: f32 = 0.2;
const NAME: f32 = 0.8;
/// How much a repeated term weighs more: by this share of the logarithm of its count.
const REPEATED: f32 = 0.3;
/// The weight of everything after the title, as a share of the title's.
const BODY_SHARE: f32 = 1.0;
/// A title of fewer words counts as one of this many.
const MIN_TITLE_TERMS: f32 = 4.0;
/// Maximum number of terms of a report; the weightiest are kept.
const MAX_TERMS: usize = 64;

/// The terms of a report. The title weighs at least as much as the rest together, however long that is.
fn report_terms(report: &Report<'_>, names: &[String], language: Option<Language>) -> Vec<Term> {
    let terms_of = |text: &str| match language {
        None => terms(text, names),
        Some(language) => foreign_terms(&translation::pieces(text, language), names),
    };
    let mut found = terms_of(report.title());
    let title_weight = found.iter().map(|term| term.weight).sum::<f32>().max(MIN_TITLE_TERMS);
    let mut rest: Vec<(Term, f32)> = Vec::new();
    for part in report.parts.iter().skip(1) {
        let base = match part.kind {
            PartKind::Title | PartKind::Prose => PROSE,
            PartKind::Code => CODE,
            PartKind::Output => OUTPUT,
        };
        for term in terms_of(part.text) {
            let of_part = if term.code && part.kind == PartKind::Prose { NAME } else { base };
            let weight = term.weight * of_part;
            match rest.iter_mut().find(|(known, _)| known.number == term.number) {
                Some((known, count)) => {
                    known.weight = known.weight.max(weight);
                    known.code |= term.code;
                    *count += 1.0;
                }
                None => rest.push((Term { weight, ..term }, 1.0)),
            }
        }
    }
    for (term, count) in &mut rest {
        term.weight *= 1.0 + REPEATED * count.ln();
    }
    for term in &mut found {
        if let Some((known, _)) = rest.iter().find(|(known, _)| known.number == term.number) {
            term.code |= known.code;
        }
    }
    let mut rest: Vec<Term> = rest.into_iter().map(|(term, _)| term).collect();
    rest.retain(|term| found.iter().all(|known| known.number != term.number));
    rest.sort_by(|a, b| b.weight.total_cmp(&a.weight).then_with(|| a.text.cmp(&b.text)));
    rest.truncate(MAX_TERMS.saturating_sub(found.len()));
    let all: f32 = rest.iter().map(|term| term.weight).sum();
    let scale = (BODY_SHARE * title_weight / all.max(f32::MIN_POSITIVE)).min(1.0);
    found.extend(rest.into_iter().map(|term| Term { weight: term.weight * scale, ..term }));
    found
}

/// Spellings in code of a hyphenated word: `v-if` is `vIf` or `v_if`.
fn compound(token: &str) -> Option<[String; 2]> {
    let lower = token.trim_matches('-').to_lowercase();
    lower.contains('-').then(|| [lower.replace('-', ""), lower.replace('-', "_")])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_form_of_a_query_is_recognised() {
        assert_eq!(analyse("Server.run").form, Form::Name);
        assert_eq!(analyse("src/net/server.go").form, Form::Path);
        assert_eq!(analyse("\"connection refused\"").form, Form::Quoted);
        assert_eq!(analyse("fn\\s+parse_.*").form, Form::Pattern);
        assert_eq!(analyse("where are retries handled").form, Form::Prose);
    }

    #[test]
    fn words_written_as_code_are_names() {
        assert_eq!(
            analyse("how PreparedRequest encodes `files` and parse_url()").names,
            ["PreparedRequest", "files", "parse_url"]
        );
        assert_eq!(analyse("how are requests sent").names, [""; 0]);
        assert_eq!(analyse("Context").names, ["Context"]);
    }

    #[test]
    fn stop_words_have_no_weight() {
        let terms: Vec<String> =
            analyse("how does the parser get its tokens").terms.into_iter().map(|term| term.text).collect();
        assert_eq!(terms, ["parser", "token"]);
    }

    #[test]
    fn hyphenated_words_are_also_searched_as_identifiers() {
        let terms: Vec<String> =
            analyse("compile v-if --fast").terms.into_iter().map(|term| term.text).collect();
        assert_eq!(terms, ["compil", "fast", "vif", "v_if"]);
    }

    #[test]
    fn requested_roles_are_recognised() {
        assert!(analyse("tests of the parser").requested.tests);
        assert!(!analyse("the parser").requested.tests);
        assert!(analyse("unit test of the parser").requested.tests);
        assert!(analyse("which test covers the parser").requested.tests);
        assert!(!analyse("test whether a path is absolute").requested.tests);
        assert!(!analyse("how does the test client send a request").requested.tests);
    }
}
