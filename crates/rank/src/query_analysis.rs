//! Query analysis: form, scope, terms, names and requested file roles.

use crate::mentioned_paths::{self, PathMention};
use crate::report_text::{PartKind, Report};
use crate::stop_words;
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

/// How much of the repository a query is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// One place.
    Targeted,
    /// Several places that belong together.
    CrossCutting,
    /// An overview.
    Exploratory,
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
    /// Names that the query writes as code, as written.
    pub names: Vec<String>,
    /// Words that look like paths.
    pub paths: Vec<PathMention>,
    /// The requested file roles.
    pub requested: RequestedRoles,
    /// The text to embed: the query, or the title of a report.
    pub text: String,
    /// The rest of a report that is running text; empty if the query is not a report.
    pub body: String,
    /// Whether the query is a report: a title followed by paragraphs, code or output.
    pub report: bool,
}

/// Words of cross-cutting queries.
const ACROSS: &[&str] = &[
    "across",
    "everywhere",
    "every",
    "all",
    "throughout",
    "usages",
    "places",
    "overall",
    "flow",
    "pipeline",
    "lifecycle",
    "interact",
    "together",
];
/// Words of exploratory queries.
const OVERVIEW: &[&str] =
    &["overview", "architecture", "structure", "structured", "organized", "organised", "design", "layout"];

/// Analyses a query.
pub fn analyse(query: &str) -> Analysis {
    let query = query.trim();
    let Some(report) = Report::parse(query) else {
        let names = names(query);
        let paths = mentioned_paths::mentions(std::iter::once((query, 0)));
        let form = form(query);
        return Analysis {
            form,
            scope: scope(query),
            terms: terms(query, &names),
            names,
            paths,
            requested: requested(query),
            text: query.to_owned(),
            body: String::new(),
            report: false,
        };
    };
    // One word in the body of a report does not say what is looked for; the title does.
    let title = report.title();
    let mut all_names = Vec::new();
    for part in &report.parts {
        let is_code = part.kind != PartKind::Prose && part.kind != PartKind::Title;
        for name in names(part.text) {
            let is_name = !is_code || self::is_code(&name);
            if is_name && !all_names.contains(&name) {
                all_names.push(name);
            }
        }
    }
    Analysis {
        form: Form::Prose,
        scope: scope(title),
        terms: report_terms(&report, &all_names),
        names: all_names,
        paths: mentioned_paths::mentions(report.parts.iter().map(|part| (part.text, part.block))),
        requested: requested(title),
        text: title.to_owned(),
        body: report.prose(),
        report: true,
    }
}

fn has_any(words: &[String], list: &[&str]) -> bool {
    words.iter().any(|word| list.contains(&word.as_str()))
}

fn scope(query: &str) -> Scope {
    let words = plain_words(query);
    if has_any(&words, OVERVIEW) {
        Scope::Exploratory
    } else if has_any(&words, ACROSS) {
        Scope::CrossCutting
    } else {
        Scope::Targeted
    }
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
fn is_code(word: &str) -> bool {
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
        match terms.iter_mut().find(|term| term.text == text) {
            Some(term) => {
                term.weight = term.weight.max(weight);
                term.code |= is_code;
            }
            None => {
                terms.push(Term { number: term_hash(text.as_bytes()), text, weight, code: is_code });
            }
        }
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
fn report_terms(report: &Report<'_>, names: &[String]) -> Vec<Term> {
    let mut found = terms(report.title(), names);
    let title_weight = found.iter().map(|term| term.weight).sum::<f32>().max(MIN_TITLE_TERMS);
    let mut rest: Vec<(Term, f32)> = Vec::new();
    for part in report.parts.iter().skip(1) {
        let base = match part.kind {
            PartKind::Title | PartKind::Prose => PROSE,
            PartKind::Code => CODE,
            PartKind::Output => OUTPUT,
        };
        for term in terms(part.text, names) {
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
