//! The web pages of a server of shared trees: the list of repositories, a search over all of them, and the pages of each that need
//! only its index. A reader has sent a token; every page opens what that token may read, and nothing else.

use crate::access_control::{AccessControl, SESSION_COOKIE};
use crate::server::{CancelOnDrop, ServerState};
use crate::shared_call::SharedCall;
use crate::shared_trees::{Caller, RepositoryLine, SharedTrees};
use crate::web_pages::{
    PAGE_TIMEOUT, accepts_gzip, http_response, method_refusal, page_target, page_timeout,
};
use axum::http::{HeaderMap, Method, Uri, header};
use axum::response::{IntoResponse, Redirect, Response};
use orient_engine::{Cancel, NoProgress};
use orient_tools::{Code, QueueClass, Redactor, RootFilter, Session, ToolError};
use orient_web::{
    ListedRepository, PageEnvironment, PagePlace, PageRequest, PageResponse, ServerReport, is_empty_search,
    repositories_page, repository_address, repository_base, respond, search_question, shared_error_page,
    shared_help_page, split_repository,
};
use std::sync::Arc;
use std::time::Instant;

/// The name of a page in the audit log.
const PAGE: &str = "page";
/// Maximum length of an address in the audit log, in characters.
const MAX_SUBJECT: usize = 200;

/// Paths that programs use; everything else is a page.
const PROGRAM_PATHS: &[&str] = &["/v1/", "/mcp", "/metrics", "/healthz", "/readyz", "/.well-known/"];

/// Whether a path is that of a page, which a browser asks for.
pub(crate) fn is_page(path: &str) -> bool {
    !PROGRAM_PATHS.iter().any(|prefix| path.starts_with(prefix))
}

/// Whether anybody may read a page: the form for the token, and what it is drawn with.
pub(crate) fn is_public_page(path: &str) -> bool {
    path == "/login" || path.starts_with("/assets/")
}

/// The token of a request for a page: a browser has it in a cookie, after it was typed into the form.
pub(crate) fn page_token(headers: &HeaderMap) -> Option<String> {
    if let Some(token) = AccessControl::bearer_token(headers) {
        return Some(token.to_owned());
    }
    let texts = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut pairs = texts.flat_map(|text| text.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.find(|(name, _)| *name == SESSION_COOKIE).map(|(_, token)| token.to_owned())
}

/// What a page is answered with.
enum PageAnswer {
    Page(PageResponse),
    /// Another address of this server.
    Moved(String),
}

/// Answers a request for a page.
pub(crate) async fn page(
    trees: Arc<dyn SharedTrees>,
    state: Arc<ServerState>,
    caller: Caller,
    method: &Method,
    uri: &Uri,
    headers: &HeaderMap,
) -> Response {
    if let Some(refusal) = method_refusal(method) {
        return refusal;
    }
    let target = page_target(uri).to_owned();
    let is_compressible = accepts_gzip(headers);
    if let Some(asset) = PageResponse::asset(&PageRequest::parse(&target)) {
        return http_response(asset, is_compressible);
    }
    let slot = state.slots(QueueClass { heavy: false, deep: true }).acquire_owned().await;
    state.release_memory_when_idle();
    let guard = CancelOnDrop(Cancel::default());
    let cancel = guard.0.clone();
    let rendered = tokio::task::spawn_blocking(move || {
        let _slot = slot;
        SharedPage { trees, state: &state, caller, target: &target, cancel: &cancel }.answer()
    });
    match tokio::time::timeout(PAGE_TIMEOUT, rendered).await {
        Ok(Ok(PageAnswer::Page(page))) => http_response(page, is_compressible),
        Ok(Ok(PageAnswer::Moved(address))) => Redirect::to(&address).into_response(),
        Ok(Err(_)) | Err(_) => page_timeout(),
    }
}

/// A request for a page.
struct SharedPage<'p> {
    trees: Arc<dyn SharedTrees>,
    state: &'p ServerState,
    caller: Caller,
    target: &'p str,
    cancel: &'p Cancel,
}

impl SharedPage<'_> {
    /// The page, or that of the error. Every page is recorded.
    fn answer(self) -> PageAnswer {
        let begun = Instant::now();
        let mut asked = Vec::new();
        let answered = self.open(&mut asked);
        let outcome = answered.as_ref().map_or_else(|error| error.code().word(), |_| "ok");
        let subject: String = Redactor::default().text(self.target).chars().take(MAX_SUBJECT).collect();
        self.call(None).record(PAGE, &subject, &asked, outcome, begun);
        self.state.metrics.record_call(PAGE, outcome, begun.elapsed());
        answered.unwrap_or_else(|error| PageAnswer::Page(shared_error_page(&error)))
    }

    fn call(&self, repository: Option<String>) -> SharedCall {
        let (trees, caller) = (self.trees.clone(), self.caller.clone());
        SharedCall { trees, caller, repository, own: Vec::new() }
    }

    fn open(&self, asked: &mut Vec<String>) -> Result<PageAnswer, ToolError> {
        let path = self.target.split('?').next().unwrap_or_default();
        if let Some((name, page)) = split_repository(self.target) {
            let base = repository_base(&name);
            let place = PagePlace { base: &base, name: Some(&name), is_shared: true };
            return self.render(&self.call(Some(name.clone())), RootFilter::Any, &page, place, asked);
        }
        match path {
            "/" | "/repositories" => self.list(),
            "/search" if is_empty_search(self.target) => self.list(),
            "/help" => Ok(PageAnswer::Page(shared_help_page())),
            "/search" => {
                let (operation, arguments) = search_question(self.target);
                let filter = operation.root_filter(&arguments);
                let place = PagePlace { base: "", name: Some("all repositories"), is_shared: true };
                self.render(&self.call(None), filter, self.target, place, asked)
            }
            _ => {
                let lines = self.trees.repositories(&self.caller)?;
                let names = lines.iter().map(|line| line.name.as_str());
                let moved = repository_address(self.target, names).map(PageAnswer::Moved);
                moved.ok_or_else(|| ToolError::new(Code::NotFound, "there is nothing here").hint(""))
            }
        }
    }

    /// The list of repositories, which is the page of a search without a query too: nothing is opened for it.
    fn list(&self) -> Result<PageAnswer, ToolError> {
        let lines = self.trees.repositories(&self.caller)?;
        Ok(PageAnswer::Page(repositories_page(&listed(&lines))))
    }

    /// Renders a page from the trees that it may be about.
    fn render(
        &self,
        call: &SharedCall,
        filter: RootFilter,
        page: &str,
        place: PagePlace<'_>,
        asked: &mut Vec<String>,
    ) -> Result<PageAnswer, ToolError> {
        let opened = call.open(search_question(page).0, filter)?;
        asked.clone_from(&opened.repositories);
        let session = opened.tree.join(&|tree| Session::for_tree(&tree.host, &NoProgress, self.cancel))?;
        let environment = PageEnvironment {
            redacts: self.state.redacts(&opened.tree),
            // Pages of different readers and repositories have nothing in common.
            cache: None,
            process: 0,
            if_none_match: None,
            server: &ServerReport::default,
            place,
        };
        respond(&session, &PageRequest::parse(page), &environment).map(PageAnswer::Page)
    }
}

/// The lines of the list; the default branch of a repository is the first.
fn listed(lines: &[RepositoryLine]) -> Vec<ListedRepository<'_>> {
    let is_default = |at: usize| at == 0 || lines[at - 1].name != lines[at].name;
    lines
        .iter()
        .enumerate()
        .map(|(at, line)| ListedRepository {
            name: &line.name,
            branch: &line.branch,
            is_default: is_default(at),
            commit: &line.commit,
            paths: line.files,
        })
        .collect()
}
