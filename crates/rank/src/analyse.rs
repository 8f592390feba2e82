//! What kind of question it is, and which terms it asks for.

use crate::stop;
use orient_model::Handle;
use orient_text::{for_each_term, plain_words, term_hash};

/// What a question looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A name, perhaps with those around it: `Server.run`.
    Name,
    /// A path, or the end of one.
    Path,
    /// Words between quotes: they are looked for as they stand, too.
    Quoted,
    /// A pattern for a text search.
    Pattern,
    /// Words.
    Prose,
}

/// How much of a repository a question is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// One place.
    Targeted,
    /// Several places that belong together.
    CrossCutting,
    /// An overview.
    Exploratory,
}

/// What a question asks for that is otherwise held back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is one thing a question may speak of")]
pub struct Asked {
    /// Tests, fixtures, benchmarks.
    pub tests: bool,
    /// Prose.
    pub docs: bool,
    /// Examples and demonstrations.
    pub examples: bool,
    /// Settings and data.
    pub config: bool,
    /// What a program wrote, or what was copied from elsewhere.
    pub foreign: bool,
}

/// A term that is asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct Term {
    /// As it is compared.
    pub text: String,
    /// Its number in the index.
    pub number: u32,
    /// What it counts, apart from how rare it is.
    pub weight: f32,
    /// Whether it is an identifier of several parts, as a whole.
    pub whole: bool,
    /// Whether the question wrote it as code: with capitals inside, underscores, dots or quotes around.
    pub code: bool,
}

/// What is known of a question before anything is looked up.
#[derive(Clone, Debug, PartialEq)]
pub struct Analysis {
    /// What it looks like.
    pub form: Form,
    /// How much it is about.
    pub scope: Scope,
    /// The terms, in order, each once.
    pub terms: Vec<Term>,
    /// Names that the question writes as code, as written: they may be definitions.
    pub names: Vec<String>,
    /// Parts that look like paths.
    pub paths: Vec<String>,
    /// What is asked for that is otherwise held back.
    pub asked: Asked,
    /// The text for the embedding: what is left of the question.
    pub text: String,
}

/// Words that ask for something across the repository.
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
const OVERVIEW: &[&str] =
    &["overview", "architecture", "structure", "structured", "organized", "organised", "design", "layout"];

/// Looks at a question.
pub fn analyse(question: &str) -> Analysis {
    let question = question.trim();
    let words = plain_words(question);
    let has = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
    let names = names(question);
    let paths = paths(question);
    let form = form(question, &paths);
    let scope = if has(OVERVIEW) {
        Scope::Exploratory
    } else if has(ACROSS) {
        Scope::CrossCutting
    } else {
        Scope::Targeted
    };
    let asked = Asked {
        tests: has(&[
            "test",
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
    };
    Analysis { form, scope, terms: terms(question, &names), names, paths, asked, text: question.to_owned() }
}

fn form(question: &str, paths: &[String]) -> Form {
    let single = !question.contains(char::is_whitespace);
    if question.len() > 1 && question.starts_with('"') && question.ends_with('"') {
        return Form::Quoted;
    }
    // A dot alone may as well stand between names: `server.go`, `Server.run`.
    if single && paths.iter().any(|path| path.contains('/')) {
        return Form::Path;
    }
    let name = |c: char| {
        c.is_alphanumeric()
            || matches!(c, '_' | '$' | '.' | ':' | '#' | '/' | '?' | '!' | '~' | '-' | '(' | ')')
    };
    if single && !question.is_empty() && question.chars().all(name) {
        return Form::Name;
    }
    if single || question.contains(".*") || question.contains("\\b") || question.contains("\\s") {
        return Form::Pattern;
    }
    Form::Prose
}

/// Whether a word is written as code writes it.
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

/// The tokens of a question that may be names, without what stands around them.
fn names(question: &str) -> Vec<String> {
    let single = !question.contains(char::is_whitespace);
    let mut names: Vec<String> = Vec::new();
    for (at, token) in question.split_whitespace().enumerate() {
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

fn paths(question: &str) -> Vec<String> {
    let is_path = |token: &&str| {
        let slashed = token.contains('/') && !token.contains("//") && token.len() > 2;
        let file = token.rsplit_once('.').is_some_and(|(stem, end)| {
            !stem.is_empty()
                && (1..=4).contains(&end.len())
                && end.chars().all(|c| c.is_ascii_lowercase())
                && stem.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/'))
        });
        slashed || file
    };
    let bare = |token: &str| {
        token
            .trim_matches(|c: char| matches!(c, '`' | '"' | '\'' | ',' | ';' | ':' | '(' | ')' | '?'))
            .trim_end_matches('.')
            .to_owned()
    };
    question.split_whitespace().map(bare).filter(|token| is_path(&token.as_str())).collect()
}

fn terms(question: &str, names: &[String]) -> Vec<Term> {
    let mut terms: Vec<Term> = Vec::new();
    let code: Vec<String> =
        names.iter().flat_map(|name| Handle::split(name)).map(|name| name.to_lowercase()).collect();
    let mut add = |text: String, weight: f32, whole: bool, is_code: bool| {
        if weight <= 0.0 {
            return;
        }
        match terms.iter_mut().find(|term| term.text == text) {
            Some(term) => {
                term.weight = term.weight.max(weight);
                term.code |= is_code;
            }
            None => {
                terms.push(Term { number: term_hash(text.as_bytes()), text, weight, whole, code: is_code });
            }
        }
    };
    let single = !question.contains(char::is_whitespace);
    for token in question
        .split(|c: char| !c.is_alphanumeric() && c != '_' && c != '$')
        .filter(|token| !token.is_empty())
    {
        let lower = token.to_lowercase();
        let is_code = code.contains(&lower);
        let weight = if single || is_code { 1.0 } else { stop::weight(&lower) };
        for_each_term(token.as_bytes(), |term, whole| {
            add(String::from_utf8_lossy(term).into_owned(), weight, whole, is_code);
        });
    }
    for token in question.split(|c: char| !c.is_alphanumeric() && c != '-') {
        for joint in compound(token).into_iter().flatten() {
            add(joint, 1.0, true, false);
        }
    }
    terms
}

/// What code may call something that prose writes with hyphens: `v-if` is `vIf` or `v_if` there.
fn compound(token: &str) -> Option<[String; 2]> {
    let lower = token.trim_matches('-').to_lowercase();
    lower.contains('-').then(|| [lower.replace('-', ""), lower.replace('-', "_")])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_are_told_apart() {
        assert_eq!(analyse("Server.run").form, Form::Name);
        assert_eq!(analyse("src/net/server.go").form, Form::Path);
        assert_eq!(analyse("\"connection refused\"").form, Form::Quoted);
        assert_eq!(analyse("fn\\s+parse_.*").form, Form::Pattern);
        assert_eq!(analyse("where are retries handled").form, Form::Prose);
    }

    #[test]
    fn names_are_what_is_written_as_code() {
        assert_eq!(
            analyse("how PreparedRequest encodes `files` and parse_url()").names,
            ["PreparedRequest", "files", "parse_url"]
        );
        assert_eq!(analyse("how are requests sent").names, [""; 0]);
        assert_eq!(analyse("Context").names, ["Context"]);
    }

    #[test]
    fn empty_words_ask_for_nothing() {
        let terms: Vec<String> =
            analyse("how does the parser get its tokens").terms.into_iter().map(|term| term.text).collect();
        assert_eq!(terms, ["parser", "token"]);
    }

    #[test]
    fn words_with_hyphens_are_one_name_in_code() {
        let terms: Vec<String> =
            analyse("compile v-if --fast").terms.into_iter().map(|term| term.text).collect();
        assert_eq!(terms, ["compil", "fast", "vif", "v_if"]);
    }

    #[test]
    fn what_is_asked_for_is_not_held_back() {
        assert!(analyse("tests of the parser").asked.tests);
        assert!(!analyse("the parser").asked.tests);
    }
}
