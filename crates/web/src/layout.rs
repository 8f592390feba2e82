//! What all pages share: head, header with the search box, navigation, footer; and the small parts that many pages show.

use crate::ask::CommitData;
use crate::request::PageRequest;
use crate::{assets, urls};
use maud::{DOCTYPE, Markup, html};
use orient_tools::{AnswerMetadata, Code, ToolError, count};

/// What the header shows.
pub(crate) struct Shell {
    /// The name of the served directory.
    pub(crate) root: String,
    /// The section of the navigation that the page belongs to.
    pub(crate) section: &'static str,
    /// What addresses begin with.
    pub(crate) base: String,
    /// Whether the server has many repositories for many people.
    pub(crate) is_shared: bool,
}

impl Shell {
    /// The sections that the server has. Outside of a repository, there is the search only.
    fn sections(&self) -> impl Iterator<Item = &'static (&'static str, &'static str, &'static str)> {
        let (is_shared, is_outside) = (self.is_shared, self.is_shared && self.base.is_empty());
        SECTIONS.iter().filter(move |(key, ..)| {
            let is_local = matches!(*key, "change" | "status");
            !(is_shared && is_local) && (!is_outside || *key == "search")
        })
    }
}

/// What the footer shows.
#[derive(Clone, Copy)]
pub(crate) struct Frame {
    pub(crate) generation: Option<u64>,
    pub(crate) pending: u64,
}

/// The sections of the navigation: key of access, name, address.
const SECTIONS: &[(&str, &str, &str)] = &[
    ("search", "Search", "/search"),
    ("code", "Code", "/code/"),
    ("graph", "Graph", "/graph"),
    ("map", "Map", "/map"),
    ("change", "Changes", "/change"),
    ("status", "Status", "/status"),
];

/// The head of a page; with `refresh`, the browser reloads it after that many seconds.
pub(crate) fn head(title: &str, refresh: Option<u32>) -> Markup {
    html! {
        head {
            meta charset="utf-8";
            meta name="viewport" content="width=device-width, initial-scale=1";
            meta name="color-scheme" content="light dark";
            @if let Some(seconds) = refresh {
                meta http-equiv="refresh" content=(seconds);
            }
            title { (title) " · Orient" }
            link rel="stylesheet" href=(assets::style());
            link rel="icon" href=(assets::icon()) type="image/svg+xml";
            script type="module" src=(assets::script()) {}
        }
    }
}

/// A page.
pub(crate) fn page(shell: &Shell, title: &str, body: &Markup, frame: Frame) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            (head(title, None))
            body data-generation=[frame.generation] data-base=[Some(&shell.base).filter(|base| !base.is_empty())] data-shared[shell.is_shared] {
                a.skip href="#main" { "Skip to content" }
                (header(shell))
                main id="main" tabindex="-1" { (body) }
                (footer(frame))
            }
        }
    }
}

fn header(shell: &Shell) -> Markup {
    html! {
        header.top {
            a.brand href="/" { "orient" span.root { (shell.root) } }
            // The start page and the search page have a larger box of their own.
            @if !matches!(shell.section, "home" | "search") {
                form.find role="search" action="/search" method="get" {
                    label.hidden for="q" { "Search names, words, questions" }
                    input id="q" type="search" name="q" autocomplete="off" spellcheck="false"
                        placeholder="Search names, words, questions   ( / )";
                }
            }
            nav aria-label="Views" {
                @if shell.is_shared { a href="/repositories" { "Repositories" } }
                @for (key, name, address) in shell.sections() {
                    a href=(address) aria-current=[(*key == shell.section).then_some("page")] { (name) }
                }
            }
            button.theme type="button" hidden data-theme-toggle aria-label="Switch between light and dark" { "◐" }
        }
    }
}

fn footer(frame: Frame) -> Markup {
    html! {
        footer {
            span id="live" role="status" {
                @if let Some(generation) = frame.generation { "generation " (generation) }
                @if frame.pending > 0 { " · " (count(frame.pending)) " files pending" }
            }
            a href="/help" { "Keys and syntax (?)" }
        }
    }
}

/// What an answer says about itself: why it is partial, and remarks. Nothing for a complete answer.
pub(crate) fn notes(metadata: &AnswerMetadata) -> Markup {
    html! {
        @if !metadata.reasons.is_empty() || !metadata.notes.is_empty() {
            ul.notes {
                @for reason in &metadata.reasons { li.partial { (reason.text) } }
                @for note in &metadata.notes { li { (note.text) } }
            }
        }
    }
}

/// A part of a page that takes longer than the rest: a script fetches it when the page is shown. Without scripts, a link leads to
/// the whole page. `placeholder` is shown until then.
pub(crate) fn deferred(request: &PageRequest, what: &str, placeholder: &Markup) -> Markup {
    html! {
        div data-deferred=(request.with(|_| {})) aria-busy="true" {
            (placeholder)
            noscript { p { a href=(request.with_one("whole", "1")) { "Show " (what) } } }
            p.dim role="status" data-scripted { "Reading " (what) "…" }
        }
    }
}

/// A message about an empty result, with what to do next.
pub(crate) fn empty(message: &str, next: &Markup) -> Markup {
    html! { div.empty { p { (message) } (next) } }
}

/// An error with its hint.
pub(crate) fn error(error: &ToolError) -> Markup {
    html! {
        div.error role="alert" {
            h1 { @if error.code() == Code::NotFound { "Not found" } @else { "That did not work" } }
            p { (error.message()) }
            @if !error.help().is_empty() { p.dim { (error.help()) } }
            p { a href="/" { "Start page" } " · " a href="/help" { "Keys and syntax" } }
        }
    }
}

/// The path of a file with a link for each directory. The last part is not linked.
pub(crate) fn breadcrumbs(path: &str, revision: &str) -> Markup {
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    html! {
        nav.crumbs aria-label="Path" {
            a href=(urls::code("", revision)) { "root" }
            @for (at, part) in parts.iter().enumerate() {
                span.sep aria-hidden="true" { "/" }
                @if at + 1 == parts.len() {
                    strong { (part) }
                } @else {
                    a href=(urls::code(&parts[..=at].join("/"), revision)) { (part) }
                }
            }
        }
    }
}

/// A confidence as a small label.
pub(crate) fn confidence(word: &str) -> Markup {
    let class = match word {
        "exact" => "sure",
        "probable" => "likely",
        _ => "maybe",
    };
    html! { span.badge.(class) { (word) } }
}

/// The kind of a symbol as a small label.
pub(crate) fn kind(word: &str) -> Markup {
    html! { span.kind { (word) } }
}

/// A bar whose length is a share of the largest value. Decoration: the number stands beside it.
pub(crate) fn bar(value: u64, most: u64) -> Markup {
    let width = value.saturating_mul(100).checked_div(most).unwrap_or(0).max(u64::from(value > 0));
    html! {
        svg.bar viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true" {
            rect.track width="100" height="8" {}
            rect.fill width=(width) height="8" {}
        }
    }
}

/// A commit in one line.
pub(crate) fn commit(commit: &CommitData) -> Markup {
    html! {
        a.mono href=(urls::with_parameters("/change", &[("range", &format!("{0}~1..{0}", commit.commit))])) { (commit.commit) }
        " " span.dim { (commit.date) " " (commit.author) }
        " " (commit.subject)
    }
}

/// Why the form for the token is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoginState {
    /// No token was given.
    Required,
    /// The given token is wrong.
    Rejected,
}

/// The form for the token. `next` is the address to go to afterwards.
pub fn login_page(state: LoginState, next: &str) -> String {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            (head("Sign in", None))
            body {
                main.narrow id="main" {
                    h1 { "orient" }
                    p { "This server requires a token." }
                    @if state == LoginState::Rejected {
                        p.error role="alert" { "The token is wrong." }
                    }
                    form.login method="post" action="/login" {
                        input type="hidden" name="next" value=(next);
                        label for="token" { "Token" }
                        input id="token" name="token" type="password" required autofocus autocomplete="current-password";
                        button type="submit" { "Sign in" }
                    }
                }
            }
        }
    };
    page.into_string()
}
