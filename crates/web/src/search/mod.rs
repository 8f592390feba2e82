//! The search page: one box for names, words, questions, regular expressions and code patterns.

mod hits;
mod query_syntax;
mod results;

use crate::response::View;
use crate::routes::PageContext;
use crate::{layout, urls};
use hits::{Hit, HitList};
use maud::{Markup, html};
use orient_tools::{ToolError, count};
pub(crate) use query_syntax::{ParsedQuery, QUALIFIERS};
use std::collections::BTreeMap;

/// The ways to search: value of the parameter, name, explanation.
pub(crate) const MODES: &[(&str, &str, &str)] = &[
    ("auto", "All", "names, words and questions, ranked"),
    ("names", "Names", "names of symbols: exact, then prefix, then words"),
    ("regex", "Regex", "text, by a regular expression as in ripgrep"),
    ("structural", "Structural", "code with metavariables, such as foo($X)"),
];

/// The mode of a request.
pub(crate) fn mode(requested: &str) -> &'static str {
    MODES.iter().map(|(mode, ..)| *mode).find(|mode| *mode == requested).unwrap_or("auto")
}

/// The search page, or the list of hits alone.
pub(crate) fn page(context: &PageContext<'_>) -> Result<View, ToolError> {
    let request = context.request;
    let query = ParsedQuery::parse(request.get("q"));
    let mode = mode(request.get("mode"));
    let limit = request.number("limit", 30, 1, 200);
    let is_fragment = request.flag("fragment");
    let found =
        if query.is_empty() { Ok(None) } else { hits::search(context.asker, &query, mode, limit).map(Some) };
    let list = match found {
        Ok(None) => introduction(),
        Ok(Some(found)) => results::list(&found, &query, mode, limit, request),
        // A half-typed pattern is no reason for an error page.
        Err(error) if error.code().http() < 500 => layout::error(&error),
        Err(error) => return Err(error),
    };
    if is_fragment {
        return Ok(View::Fragment(list));
    }
    let title = if query.is_empty() { "Search".to_owned() } else { request.get("q").to_owned() };
    let body = html! {
        h1.hidden { "Search" }
        (form(request.get("q"), mode))
        div id="results" aria-live="polite" aria-busy="false" data-results { (list) }
    };
    Ok(View::Page { title, section: "search", body })
}

/// The form with the modes. The box of the header belongs to it.
fn form(query: &str, mode: &str) -> Markup {
    html! {
        form.search action="/search" method="get" data-search {
            label.hidden for="sq" { "Query" }
            input id="sq" type="search" name="q" value=(query) autocomplete="off" autofocus spellcheck="false"
                aria-describedby="search-hint" placeholder="parse header path:src lang:rust kind:function";
            fieldset.modes {
                legend.hidden { "Mode" }
                @for (value, name, about) in MODES {
                    label title=(about) {
                        input type="radio" name="mode" value=(value) checked[*value == mode];
                        span { (name) }
                    }
                }
            }
            button type="submit" { "Search" }
        }
        p.hint.dim id="search-hint" {
            "Narrow with " @for (name, _) in QUALIFIERS { code { (name) ":" } " " }
            "· ↑ ↓ move, Enter opens, / returns here"
        }
    }
}

fn introduction() -> Markup {
    let example = |query: &str, mode: &str, about: &str| {
        html! { li { a href=(urls::search(query, mode)) { code { (query) } } " " span.dim { (about) } } }
    };
    html! {
        div.empty {
            p { "Ask for a name, for words, or a whole question." }
            ul.plain {
                (example("where are settings loaded", "", "a question"))
                (example("main kind:function", "", "with a qualifier"))
                (example("TODO|FIXME", "regex", "a regular expression"))
            }
        }
    }
}

/// The number of hits per value of a qualifier, most first.
fn counts(found: &HitList, value: impl Fn(&Hit) -> Option<&str>) -> Vec<(&str, usize)> {
    let mut counted: BTreeMap<&str, usize> = BTreeMap::new();
    for value in found.hits.iter().filter_map(value) {
        *counted.entry(value).or_default() += 1;
    }
    let mut counted: Vec<(&str, usize)> = counted.into_iter().collect();
    counted.sort_by(|a, b| (b.1, a.0).cmp(&(a.1, b.0)));
    counted
}

/// The filters with the number of shown hits for each value.
fn facets(found: &HitList, query: &ParsedQuery, mode: &str) -> Markup {
    const MAX_VALUES: usize = 8;
    let directory = |hit: &'_ Hit| hit.path.split_once('/').map(|(first, _)| first.to_owned());
    let directories: Vec<Option<String>> = found.hits.iter().map(directory).collect();
    let groups = [
        ("lang", counts(found, |hit| hit.language.as_deref())),
        ("kind", counts(found, |hit| Some(hit.kind.as_str()).filter(|kind| !kind.is_empty()))),
        ("path", count_texts(&directories)),
    ];
    html! {
        aside.facets aria-label="Filters" {
            @for (name, values) in &groups {
                @if values.len() > 1 || query.has(name) {
                    h2 { (name) }
                    ul {
                        @for (value, number) in values.iter().take(MAX_VALUES) {
                            li { a href=(urls::search(&query.with(name, value), mode)) { (value) " " span.count { (count(*number as u64)) } } }
                        }
                        @if query.has(name) { li { a.clear href=(urls::search(&query.without(name), mode)) { "any " (name) } } }
                    }
                }
            }
        }
    }
}

fn count_texts(texts: &[Option<String>]) -> Vec<(&str, usize)> {
    let mut counted: BTreeMap<&str, usize> = BTreeMap::new();
    for text in texts.iter().flatten() {
        *counted.entry(text).or_default() += 1;
    }
    let mut counted: Vec<(&str, usize)> = counted.into_iter().collect();
    counted.sort_by(|a, b| (b.1, a.0).cmp(&(a.1, b.0)));
    counted
}
