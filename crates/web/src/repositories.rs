//! The pages of a server with many repositories: the list of those that a reader may see, and the addresses of their pages.
//!
//! The pages of a repository are below `/r/NAME/-/`; no part of a name is `-`. They are the same pages as those of one directory, with other
//! addresses. A search over all repositories shows paths that begin with the name of a repository; their links lead here.

use crate::ask::Asked;
use crate::layout::{self, Frame, Shell};
use crate::request::PageRequest;
use crate::response::{HTML, PageResponse};
use crate::search::{self, ParsedQuery};
use crate::{home, urls};
use maud::{Markup, html};
use orient_tools::{OPERATIONS, Operation, ToolError, count, plural};
use serde_json::{Value, json};
use std::sync::Arc;

/// What separates the name of a repository from the address of a page.
const SEPARATOR: &str = "/-/";
/// The attributes whose values are addresses of pages.
const ADDRESS_ATTRIBUTES: &[&str] = &["href", "action", "data-card", "data-deferred"];
/// Addresses that are the same for all repositories.
const COMMON_ADDRESSES: &[&str] = &["assets/", "repositories\""];

/// A repository of the list.
pub struct ListedRepository<'l> {
    /// Its name.
    pub name: &'l str,
    /// A retained branch, and whether it is the default one.
    pub branch: &'l str,
    /// Whether it is the first branch of the repository.
    pub is_default: bool,
    /// The published commit.
    pub commit: &'l str,
    /// Number of paths.
    pub paths: u64,
}

/// What the pages of a server with many repositories begin with.
pub fn repository_base(name: &str) -> String {
    urls::with_parameters::<&str, &str>(&format!("/r/{name}/-"), &[])
}

/// The repository and the address of its page in a request target such as `/r/acme/shop/-/code/src?at=`.
pub fn split_repository(target: &str) -> Option<(String, String)> {
    let (path, query) = target.split_once('?').map_or((target, None), |(path, query)| (path, Some(query)));
    let rest = path.strip_prefix("/r/")?;
    let (name, page) = rest.split_once(SEPARATOR).or_else(|| Some((rest.strip_suffix("/-")?, "")))?;
    let page = query.map_or_else(|| format!("/{page}"), |query| format!("/{page}?{query}"));
    Some((PageRequest::parse(name).path, page))
}

/// The address of a page of one repository for a link among the hits of all: paths and handles begin with the name of the repository.
/// `None` if no name of a repository is their beginning.
pub fn repository_address<'n>(target: &str, names: impl Iterator<Item = &'n str>) -> Option<String> {
    let request = PageRequest::parse(target);
    let symbol = request.get("symbol").to_owned();
    let labelled = request.path.strip_prefix("/code/").unwrap_or(&symbol).to_owned();
    let is_beginning = |name: &&str| labelled.strip_prefix(*name).is_some_and(|rest| rest.starts_with('/'));
    let name = names.filter(is_beginning).max_by_key(|name| name.len())?;
    let own = |text: &str| {
        text.strip_prefix(name).and_then(|rest| rest.strip_prefix('/')).unwrap_or(text).to_owned()
    };
    let page = match request.path.strip_prefix("/code/") {
        Some(path) => format!("/code/{}", own(path)),
        None if matches!(request.path.as_str(), "/graph" | "/card") => request.path.clone(),
        None => return None,
    };
    let mut parameters = request.parameters().to_vec();
    for (_, value) in parameters.iter_mut().filter(|(parameter, _)| parameter == "symbol") {
        *value = own(value);
    }
    Some(urls::with_parameters(&format!("/r/{name}/-{page}"), &parameters))
}

/// The operation that a search over all repositories asks, with the arguments that decide which of them may have an answer.
pub fn search_question(target: &str) -> (&'static Operation, Value) {
    let request = PageRequest::parse(target);
    let text = ParsedQuery::parse(request.get("q")).text;
    let (asked, arguments) = match search::mode(request.get("mode")) {
        "names" => (Asked::Symbols, json!({ "name": text })),
        "regex" => (Asked::Grep, json!({ "regexp": [text], "smart_case": true })),
        "structural" => (Asked::Find, json!({ "pattern": text })),
        _ => (Asked::Search, json!({ "query": text })),
    };
    let operation = OPERATIONS.iter().find(|operation| operation.name == asked.name());
    (operation.unwrap_or(&OPERATIONS[0]), arguments)
}

/// Whether a request for a search has nothing to search for.
pub fn is_empty_search(target: &str) -> bool {
    PageRequest::parse(target).get("q").trim().is_empty()
}

/// The list of repositories, with a box that searches all of them.
pub fn repositories_page(repositories: &[ListedRepository<'_>]) -> PageResponse {
    let names = repositories.iter().filter(|one| one.is_default).count() as u64;
    let body = html! {
        div.home {
            h1 { "Repositories" }
            p.dim { (plural(names, "repository", "repositories")) " that you may read" }
            form.search action="/search" method="get" data-search {
                label.hidden for="sq" { "Query" }
                input id="sq" type="search" name="q" autocomplete="off" autofocus spellcheck="false"
                    placeholder="A name, some words, or a question, in all repositories";
                button type="submit" { "Search" }
            }
            div id="results" aria-live="polite" data-results {}
            table.listing {
                tbody {
                    @for one in repositories {
                        @let label = if one.is_default { one.name.to_owned() } else { format!("{}@{}", one.name, one.branch) };
                        tr {
                            td { a.dir href={ (repository_base(&label)) "/" } data-item { (label) } }
                            td { (one.branch) }
                            td { code { (one.commit.get(..10).unwrap_or(one.commit)) } }
                            td.num { (count(one.paths)) }
                        }
                    }
                }
            }
        }
    };
    shared_page(200, "home", "Repositories", &body)
}

/// The page with keys and syntax, outside of the pages of a repository.
pub fn shared_help_page() -> PageResponse {
    shared_page(200, "", home::HELP, &home::help_body())
}

/// The page of an error outside of the pages of a repository.
pub fn shared_error_page(error: &ToolError) -> PageResponse {
    shared_page(error.code().http(), "", "Not found", &layout::error(error))
}

fn shared_page(status: u16, section: &'static str, title: &str, body: &Markup) -> PageResponse {
    let shell = Shell { root: String::new(), section, base: String::new(), is_shared: true };
    let frame = Frame { generation: None, pending: 0 };
    PageResponse::html(status, layout::page(&shell, title, body, frame))
}

/// The same page below another address. Templates escape quotation marks in texts and values, so `href="` only occurs where an
/// attribute begins.
pub(crate) fn rebased(response: PageResponse, base: &str) -> PageResponse {
    if base.is_empty() || response.content_type != HTML {
        return response;
    }
    let page = String::from_utf8_lossy(&response.body);
    let mut moved = String::with_capacity(page.len() + page.len() / 8);
    let mut rest = &*page;
    while let Some(at) = rest.find("=\"/") {
        let (before, value) = rest.split_at(at + 2);
        moved.push_str(before);
        let attribute = &before[..at];
        let is_address = ADDRESS_ATTRIBUTES
            .iter()
            .any(|name| attribute.strip_suffix(name).is_some_and(|before| before.ends_with([' ', '\n'])));
        if is_address && !COMMON_ADDRESSES.iter().any(|common| value[1..].starts_with(common)) {
            moved.push_str(base);
        }
        rest = value;
    }
    moved.push_str(rest);
    PageResponse { body: Arc::from(moved.into_bytes()), ..response }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_pages_of_repositories_are_separated() {
        let split = |target: &str| split_repository(target).expect("a page of a repository");
        let pair = |name: &str, page: &str| (name.to_owned(), page.to_owned());
        assert_eq!(split("/r/acme/shop/-/code/a/-/b.py?at=x"), pair("acme/shop", "/code/a/-/b.py?at=x"));
        assert_eq!(split("/r/shop%40main/-/"), pair("shop@main", "/"));
        assert_eq!(split("/r/shop/-"), pair("shop", "/"));
        assert!(split_repository("/r/shop").is_none() && split_repository("/code/shop").is_none());
    }

    #[test]
    fn hits_of_all_repositories_lead_to_the_pages_of_one() {
        let names = ["acme", "acme/shop", "tariff"];
        let address = |target: &str| repository_address(target, names.into_iter());
        assert_eq!(address("/code/acme/shop/src/a.py").as_deref(), Some("/r/acme/shop/-/code/src/a.py"));
        assert_eq!(
            address("/code/tariff/a.py?symbol=tariff%2Fa.py%23x").as_deref(),
            Some("/r/tariff/-/code/a.py?symbol=a.py%23x")
        );
        assert_eq!(
            address("/graph?symbol=acme/b.py%23f").as_deref(),
            Some("/r/acme/-/graph?symbol=b.py%23f")
        );
        assert_eq!(address("/code/zanzibar/a.py"), None);
        assert_eq!(address("/status?symbol=acme/b"), None);
    }

    #[test]
    fn only_addresses_in_attributes_are_moved() {
        let page = html! {
            link href="/assets/style.css";
            a href="/code/a" title="/code/a" data-card="/card?symbol=x" { " href=\"/code/b\"" }
            a href="/repositories" { "all" }
            input value="/x href=\"/y\"";
            a href="#L1" {}
        };
        let moved = rebased(PageResponse::html(200, page), "/r/shop/-");
        assert_eq!(
            String::from_utf8_lossy(&moved.body),
            "<link href=\"/assets/style.css\"><a href=\"/r/shop/-/code/a\" title=\"/code/a\" data-card=\"/r/shop/-/card?symbol=x\">\
             href=&quot;/code/b&quot;</a><a href=\"/repositories\">all</a><input value=\"/x href=&quot;/y&quot;\"><a href=\"#L1\"></a>"
                .replace("\">href", "\"> href")
        );
    }
}
