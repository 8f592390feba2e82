//! The list of hits.

use super::facets;
use super::hits::{Hit, HitList};
use super::query_syntax::ParsedQuery;
use crate::code::{LineStyle, SourceText, occurrences};
use crate::request::PageRequest;
use crate::{layout, urls};
use maud::{Markup, html};
use orient_tools::{count, plural};
use std::ops::Range;

/// Shorter words of a query are not marked in hits.
const MIN_MARKED_LENGTH: usize = 3;

/// The hits with their filters.
pub(crate) fn list(
    found: &HitList,
    query: &ParsedQuery,
    mode: &str,
    limit: u32,
    request: &PageRequest,
) -> Markup {
    if found.hits.is_empty() && found.files.is_empty() {
        return layout::empty("Nothing was found.", &nothing(query, mode));
    }
    let number = found.hits.len() as u64;
    let shown = plural(number, "hit", "hits");
    html! {
        div.results {
            (facets(found, query, mode))
            div.hits {
                p.summary role="status" {
                    @match found.total.filter(|total| *total > number) {
                        Some(total) => { (shown) " of " (count(total)) },
                        None => { (shown) @if found.has_more { " and more" } },
                    }
                    @if !found.confident { " · nothing matches well; these are the nearest" }
                }
                @if !found.files.is_empty() {
                    ul.file-hits aria-label="Files" {
                        @for path in &found.files { li { a.file href=(urls::code(path, "")) data-item { (path) } } }
                    }
                }
                ol.hit-list {
                    @for (at, hit) in found.hits.iter().enumerate() {
                        @let continues = at > 0 && found.hits[at - 1].path == hit.path;
                        li { (self::hit(hit, query, mode, continues, request.flag("explain"))) }
                    }
                }
                @if (found.has_more || found.total.is_some_and(|total| total > number) || !found.metadata.reasons.is_empty()) && limit < 200 {
                    p { a.more href=(request.with_one("limit", &(limit * 3).min(200).to_string())) { "More hits" } }
                }
                (layout::notes(&found.metadata))
            }
        }
    }
}

fn nothing(query: &ParsedQuery, mode: &str) -> Markup {
    html! {
        ul.plain {
            @for (name, _) in super::QUALIFIERS {
                @if query.has(name) { li { a href=(urls::search(&query.without(name), mode)) { "Search without " (name) ":" } } }
            }
            @for (other, title, about) in super::MODES {
                @if *other != mode { li { a href=(urls::search(&query.without(""), other)) { (title) } " " span.dim { (about) } } }
            }
        }
    }
}

fn hit(hit: &Hit, query: &ParsedQuery, mode: &str, same_file: bool, explain: bool) -> Markup {
    let target = if hit.handle.is_empty() {
        urls::line(&hit.path, hit.line, "")
    } else {
        urls::symbol(&hit.path, &hit.handle, hit.line, "")
    };
    let is_line = mode == "regex";
    html! {
        article.hit.continued[same_file && is_line] {
            @if !(same_file && is_line) {
                header {
                    a.title href=(target) data-item data-card=[(!hit.handle.is_empty()).then(|| urls::card(&hit.handle, ""))] {
                        @if hit.symbol.is_empty() { (hit.path) ":" (hit.line) } @else { strong { (hit.symbol) } }
                    }
                    @if !hit.kind.is_empty() { " " (layout::kind(&hit.kind)) }
                    @if !hit.symbol.is_empty() { " " a.path href=(urls::line(&hit.path, hit.line, "")) { (hit.path) ":" (hit.line) } }
                    @if hit.exact { " " span.badge.sure { "exact name" } }
                    @if !matches!(hit.role.as_str(), "" | "source") { " " span.badge { (hit.role) } }
                }
            }
            @for (at, (line, text)) in hit.source.iter().enumerate() {
                (excerpt(hit, *line, text, query, mode, at == 0))
            }
            @if !hit.also.is_empty() {
                p.also { "also here: " @for (line, name) in &hit.also { a href=(urls::line(&hit.path, *line, "")) { (name) } " " } }
            }
            @if !hit.explanation.is_empty() {
                details.why open[explain] {
                    summary { "why this rank" }
                    table {
                        @for (rule, added) in &hit.explanation {
                            tr { th scope="row" { (rule.replace('_', " ")) } td.num { (format!("{added:+.2}")) } }
                        }
                        tr { th scope="row" { "score" } td.num { (format!("{:.2}", hit.score)) } }
                    }
                }
            }
        }
    }
}

/// Lines of a hit, highlighted, with the words of the query marked.
fn excerpt(hit: &Hit, first: u32, text: &str, query: &ParsedQuery, mode: &str, is_first: bool) -> Markup {
    let source = SourceText::new(&hit.path, text);
    let marks = match mode {
        "regex" if is_first => hit.marks.clone(),
        "structural" => Vec::new(),
        _ => word_marks(text, &query.text),
    };
    let style = LineStyle { links: &[], marks: &marks, whole: false };
    html! {
        div.source.excerpt {
            @for index in 0..source.len() {
                @let line = first + index as u32;
                div.l {
                    a.n href=(urls::line(&hit.path, line, "")) tabindex="-1" data-item[mode == "regex"] { (line) }
                    code { (source.render(index, &style)) "\n" }
                }
            }
        }
    }
}

/// Where the words of a query occur in a text, in any case, as whole words or as the beginning of one.
fn word_marks(text: &str, query: &str) -> Vec<Range<usize>> {
    // Lower-casing ASCII keeps every offset.
    let lower = text.to_ascii_lowercase();
    let mut marks: Vec<Range<usize>> = Vec::new();
    for word in query.split(|c: char| !c.is_alphanumeric() && c != '_') {
        if word.len() < MIN_MARKED_LENGTH {
            continue;
        }
        let word = word.to_ascii_lowercase();
        let whole: Vec<Range<usize>> = occurrences(&lower, &word).collect();
        if whole.is_empty() {
            marks.extend(lower.match_indices(&word).map(|(at, found)| at..at + found.len()));
        } else {
            marks.extend(whole);
        }
    }
    marks.sort_unstable_by_key(|mark| (mark.start, mark.end));
    let mut apart: Vec<Range<usize>> = Vec::new();
    for mark in marks {
        if apart.last().is_none_or(|last| last.end <= mark.start) {
            apart.push(mark);
        }
    }
    apart
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_the_query_are_marked_without_overlap() {
        assert_eq!(word_marks("fn parse_header(Header h)", "the header of").first(), Some(&(16..22)));
        assert_eq!(word_marks("runner run", "run runner"), [0..6, 7..10]);
        assert!(word_marks("abc", "").is_empty());
    }
}
