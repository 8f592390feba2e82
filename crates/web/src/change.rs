//! The page of a change: its symbols, what may break, which tests reach it, and a side-by-side diff of a file.

mod side_by_side;

use crate::ask::{Asked, Asker, CommitData, NamedSymbol};
use crate::code::{LineStyle, SourceText, revision_argument};
use crate::response::View;
use crate::routes::PageContext;
use crate::{layout, urls};
use maud::{Markup, html};
use orient_tools::{Code, ToolError, count, plural};
use serde::Deserialize;
use serde_json::json;
use side_by_side::{DiffRow, diff_rows, with_context};
use std::collections::BTreeMap;

/// Maximum number of symbols.
const MAX_SYMBOLS: u32 = 500;
/// Longer files are not compared.
const MAX_DIFF_LINES: usize = 50_000;

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct ChangesData {
    from: String,
    to: String,
    files: u64,
    symbols: u64,
    changes: Vec<ChangedSymbol>,
    other_files: Vec<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct ChangedSymbol {
    change: Vec<String>,
    breaking: bool,
    kind: String,
    symbol: String,
    path: String,
    line: u32,
    was: Option<String>,
    signature_before: Option<String>,
    signature: String,
    users: Option<UsersData>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct UsersData {
    uses_total: u64,
    uses: Vec<UseData>,
    changed_with_it: u64,
    candidates_total: u64,
    candidates: Vec<UseData>,
    mentions_total: u64,
    mentions: Vec<String>,
    tests_total: u64,
    tests: Vec<String>,
}

/// A use that is not changed with what it uses.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct UseData {
    path: String,
    line: u32,
    within: String,
    confidence: String,
    reason: Option<String>,
    now: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct LogData {
    commits: Vec<CommitData>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct ShownData {
    source: String,
}

/// The page of a change.
pub(crate) fn page(context: &PageContext<'_>) -> Result<View, ToolError> {
    let request = context.request;
    let range = Some(request.get("range").trim()).filter(|range| !range.is_empty()).unwrap_or("HEAD");
    let path = request.get("path");
    let arguments = json!({ "range": range, "limit": MAX_SYMBOLS, "breaking": request.flag("breaking"),
        "path": if path.is_empty() { json!(null) } else { json!(path) } });
    let found = context.asker.ask::<ChangesData>(Asked::Changes, arguments);
    let content = match found {
        Ok(found) => html! {
            (summary(&found.data, request.flag("breaking"), range, path))
            (layout::notes(&found.metadata))
            (symbols(&found.data, range))
            @if !path.is_empty() { (diff(context.asker, path, &found.data)?) }
        },
        Err(error) if error.code().http() < 500 => layout::error(&error),
        Err(error) => return Err(error),
    };
    let body = html! {
        h1 { "Changes" }
        (form(range, path))
        (content)
        (recent(context.asker))
    };
    Ok(View::Page { title: format!("Changes {range}"), section: "change", body })
}

fn form(range: &str, path: &str) -> Markup {
    html! {
        form.search action="/change" method="get" {
            label for="range" { "Range" }
            input id="range" name="range" value=(range) list="ranges" autocomplete="off" spellcheck="false";
            datalist id="ranges" {
                option value="HEAD" { "what is not committed" }
                option value="HEAD~1..HEAD" { "the last commit" }
                option value="HEAD~10..HEAD" { "the last ten commits" }
                option value="main..." { "since the branch left main" }
            }
            label for="path" { "Path" }
            input id="path" name="path" value=(path) autocomplete="off" spellcheck="false";
            button type="submit" { "Compare" }
        }
    }
}

fn summary(changes: &ChangesData, breaking: bool, range: &str, path: &str) -> Markup {
    let breaks = changes.changes.iter().filter(|change| change.breaking).count() as u64;
    let toggle = if breaking { "" } else { "1" };
    html! {
        p.summary role="status" {
            strong { (changes.from) } " → " strong { (changes.to) } ": "
            (plural(changes.files, "file", "files")) ", " (plural(changes.symbols, "symbol", "symbols"))
            @if breaks > 0 { " · " span.badge.maybe { (plural(breaks, "may break users", "may break users")) } }
            " · " a href=(urls::with_parameters("/change", &[("range", range), ("path", path), ("breaking", toggle)])) {
                @if breaking { "show all" } @else { "only what may break" }
            }
        }
    }
}

fn symbols(changes: &ChangesData, range: &str) -> Markup {
    if changes.changes.is_empty() && changes.other_files.is_empty() {
        return layout::empty(
            "Nothing changed.",
            &html! { p.dim { "Compare with another revision above, or choose a commit below." } },
        );
    }
    let mut by_file: BTreeMap<&str, Vec<&ChangedSymbol>> = BTreeMap::new();
    for change in &changes.changes {
        by_file.entry(&change.path).or_default().push(change);
    }
    let diff_link =
        |path: &str| urls::with_parameters("/change", &[("range", range), ("path", path)]) + "#diff";
    html! {
        @for (path, list) in &by_file {
            section.file-changes {
                h2 { a href=(urls::code(path, "")) { (path) } " " a.small href=(diff_link(path)) data-item { "diff" } }
                ul.changes { @for change in list { li { (symbol(change)) } } }
            }
        }
        @if !changes.other_files.is_empty() {
            section aria-labelledby="other-files" {
                h2 id="other-files" { "Changed without changed symbols" }
                ul.plain { @for path in &changes.other_files { li { a href=(diff_link(path)) data-item { (path) } } } }
            }
        }
    }
}

fn symbol(change: &ChangedSymbol) -> Markup {
    let removed = change.change.iter().any(|word| word == "removed");
    html! {
        @for word in &change.change { span.badge.(change_class(word)) { (word) } " " }
        (layout::kind(&change.kind)) " "
        @if removed { s { (change.symbol) } } @else { a href=(urls::line(&change.path, change.line, "")) { (change.symbol) } }
        @if let Some(was) = &change.was { span.dim { " was " (was) } }
        @if change.breaking { " " span.badge.maybe { "may break users" } }
        @if let Some(before) = &change.signature_before {
            pre.signature { del { (before) } "\n" ins { (change.signature) } }
        }
        @if let Some(users) = &change.users { (self::users(users)) }
    }
}

fn change_class(word: &str) -> &'static str {
    match word {
        "added" => "sure",
        "removed" => "maybe",
        _ => "likely",
    }
}

fn users(users: &UsersData) -> Markup {
    let place = |text: &str| -> Option<(String, String, u32)> {
        let (place, name) = text.split_once(' ').unwrap_or((text, ""));
        let (path, line) = place.rsplit_once(':')?;
        Some((name.to_owned(), path.to_owned(), line.parse().ok()?))
    };
    let list = |title: &str, total: u64, all: &[String]| {
        html! {
            @if total > 0 {
                div.users {
                    span.dim { (count(total)) " " (title) ": " }
                    @for text in all {
                        @match place(text) {
                            Some((name, path, line)) => { a href=(urls::line(&path, line, "")) { @if name.is_empty() { (path) } @else { (name) } } " " },
                            None => { (text) " " },
                        }
                    }
                    @if total > all.len() as u64 { span.dim { "…" } }
                }
            }
        }
    };
    let sites = |title: &str, total: u64, all: &[UseData]| {
        html! {
            @if total > 0 {
                div.users {
                    span.dim { (count(total)) " " (title) ": " }
                    ul.plain { @for one in all { li { (use_left_behind(one)) } } }
                    @if total > all.len() as u64 { span.dim { "…" } }
                }
            }
        }
    };
    html! {
        (sites("not changed with it", users.uses_total, &users.uses))
        @if users.changed_with_it > 0 {
            div.users.dim { (plural(users.changed_with_it, "use is", "uses are")) " changed with it" }
        }
        (list("tests", users.tests_total, &users.tests))
        (sites("unresolved, may mean it", users.candidates_total, &users.candidates))
        (list("other lines with the name", users.mentions_total, &users.mentions))
    }
}

fn use_left_behind(one: &UseData) -> Markup {
    html! {
        a href=(urls::line(&one.path, one.line, "")) { (one.path) ":" (one.line) } " "
        @if one.within.is_empty() { "top level" } @else { (one.within) }
        @if one.confidence != "exact" { span.dim { " " (one.confidence) } }
        @if let Some(now) = &one.now { span.dim { " now " (now) } }
        @else if let Some(reason) = &one.reason { span.dim { " " (reason) } }
    }
}

/// The side-by-side diff of a file.
fn diff(asker: &Asker<'_>, path: &str, changes: &ChangesData) -> Result<Markup, ToolError> {
    let before = text_at(asker, path, &changes.from)?;
    let to = if changes.to == "working tree" { "" } else { changes.to.as_str() };
    let after = text_at(asker, path, to)?;
    let (Some(before), Some(after)) = (&before, &after) else {
        let message = if before.is_none() { "The file is new." } else { "The file was removed." };
        return Ok(html! { section id="diff" { p.dim { (message) } } });
    };
    let (old, new) = (SourceText::new(path, before), SourceText::new(path, after));
    if old.len().max(new.len()) > MAX_DIFF_LINES {
        return Ok(html! { section id="diff" { p.dim { "The file is too long to be compared here." } } });
    }
    let (old_lines, new_lines): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    let rows = with_context(&diff_rows(&old_lines, &new_lines));
    let style = LineStyle { links: &[], marks: &[], whole: false };
    let cell = |source: &SourceText<'_>, line: Option<usize>, class: &str| {
        html! {
            td.n { @if let Some(line) = line { (line + 1) } }
            td.text.(if line.is_some() { class } else { "none" }) { @if let Some(line) = line { code { (source.render(line, &style)) } } }
        }
    };
    Ok(html! {
        section id="diff" aria-labelledby="diff-title" {
            h2 id="diff-title" { "Diff of " (path) }
            @if rows.is_empty() { p.dim { "The text is the same." } }
            div.scroll tabindex="0" role="region" aria-labelledby="diff-title" {
                table.diff {
                    colgroup { col.number; col; col.number; col; }
                    thead { tr { th scope="col" colspan="2" { (changes.from) } th scope="col" colspan="2" { (changes.to) } } }
                    tbody {
                        @for row in &rows {
                            @match row {
                                DiffRow::Gap(lines) => tr.gap { td colspan="4" { (plural(*lines as u64, "line", "lines")) " unchanged" } },
                                DiffRow::Same(old_line, new_line) => tr { (cell(&old, Some(*old_line), "")) (cell(&new, Some(*new_line), "")) },
                                DiffRow::Changed(old_line, new_line) => tr { (cell(&old, *old_line, "del")) (cell(&new, *new_line, "ins")) },
                            }
                        }
                    }
                }
            }
        }
    })
}

/// The text of a file at a revision; `None` if it has no such file.
fn text_at(asker: &Asker<'_>, path: &str, revision: &str) -> Result<Option<String>, ToolError> {
    let arguments = json!({ "symbol": path, "lines": "1-", "at": revision_argument(revision) });
    match asker.ask::<NamedSymbol<ShownData>>(Asked::Show, arguments) {
        Ok(found) => Ok(match found.data {
            NamedSymbol::One(shown) => Some(shown.source),
            NamedSymbol::Several { .. } | NamedSymbol::None { .. } => None,
        }),
        Err(error) if error.code() == Code::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// The latest commits, each a link to its change. Nothing without a history.
fn recent(asker: &Asker<'_>) -> Markup {
    let found = asker.ask::<NamedSymbol<LogData>>(Asked::Log, json!({ "limit": 15 }));
    let commits = match found.map(|found| found.data) {
        Ok(NamedSymbol::One(log)) => log.commits,
        _ => return html! {},
    };
    html! {
        @if !commits.is_empty() {
            section aria-labelledby="recent" {
                h2 id="recent" { "Latest commits" }
                ul.plain { @for one in &commits { li { (layout::commit(one)) } } }
            }
        }
    }
}
