//! Answers a request: finds its route, renders the page or takes it from the cache, and turns errors into pages.

use crate::ask::Asker;
use crate::assets;
use crate::layout::{self, Frame, Shell};
use crate::page_cache::PageCache;
use crate::repositories::rebased;
use crate::request::PageRequest;
use crate::routes::{self, PageContext, Render, RouteKind};
use crate::status::ServerReport;
use maud::{DOCTYPE, Markup, html};
use orient_tools::{Code, Session, ToolError};
use std::sync::Arc;

/// The content type of pages.
pub(crate) const HTML: &str = "text/html; charset=utf-8";

/// What a view renders.
pub(crate) enum View {
    /// A page with a title, inside the frame of all pages.
    Page { title: String, section: &'static str, body: Markup },
    /// A part of a page.
    Fragment(Markup),
    /// A file.
    File { content_type: &'static str, text: String },
}

/// A response, without the parts that are the same for all of them.
#[derive(Clone, Debug)]
pub struct PageResponse {
    /// The HTTP status.
    pub status: u16,
    /// The type of the content.
    pub content_type: &'static str,
    /// The content.
    pub body: Arc<[u8]>,
    /// The entity tag, if the content depends on the generation of the index alone.
    pub etag: Option<String>,
    /// Whether the content never changes.
    pub immutable: bool,
}

impl PageResponse {
    pub(crate) fn new(status: u16, content_type: &'static str, body: impl Into<Arc<[u8]>>) -> Self {
        Self { status, content_type, body: body.into(), etag: None, immutable: false }
    }

    pub(crate) fn html(status: u16, page: Markup) -> Self {
        Self::new(status, HTML, page.into_string().into_bytes())
    }

    /// A file of this crate; `None` for any other path.
    pub fn asset(request: &PageRequest) -> Option<Self> {
        let name = request.path.strip_prefix("/assets/")?;
        Some(match assets::find(name) {
            Some(asset) => {
                let body: Arc<[u8]> = asset.content.as_bytes().into();
                Self { immutable: true, ..Self::new(200, asset.content_type, body) }
            }
            None => Self::new(404, "text/plain; charset=utf-8", b"no such file\n".as_slice()),
        })
    }
}

/// What a server provides for every request.
pub struct PageEnvironment<'e> {
    /// Whether credentials in answers are redacted.
    pub redacts: bool,
    /// Rendered pages, if they may be kept: all readers of the server may see all of them.
    pub cache: Option<&'e PageCache>,
    /// Distinguishes this process from earlier ones in entity tags: another version may render differently.
    pub process: u64,
    /// The value of the `If-None-Match` header.
    pub if_none_match: Option<&'e str>,
    /// The state of the server.
    pub server: &'e dyn Fn() -> ServerReport,
    /// Where the pages are.
    pub place: PagePlace<'e>,
}

/// Where pages are, and what they are about.
#[derive(Clone, Copy, Debug, Default)]
pub struct PagePlace<'e> {
    /// What their addresses begin with; empty for those of a server with one directory.
    pub base: &'e str,
    /// The name that they show; `None` for that of the directory.
    pub name: Option<&'e str>,
    /// Whether the server has many repositories for many people: there is no working tree, and no state for everybody.
    pub is_shared: bool,
}

/// Answers a request. Fails only with [`Code::Busy`] and [`Code::NotIndexed`], if there is no index to answer from yet.
pub fn respond(
    session: &Session<'_>,
    request: &PageRequest,
    environment: &PageEnvironment<'_>,
) -> Result<PageResponse, ToolError> {
    if let Some(asset) = PageResponse::asset(request) {
        return Ok(asset);
    }
    Ok(rebased(respond_at_root(session, request, environment)?, environment.place.base))
}

/// The same, with addresses that begin at the root.
fn respond_at_root(
    session: &Session<'_>,
    request: &PageRequest,
    environment: &PageEnvironment<'_>,
) -> Result<PageResponse, ToolError> {
    let asker = Asker::new(session, environment.redacts);
    let PagePlace { base, name, is_shared } = environment.place;
    let root = || name.map_or_else(|| asker.root_name(), str::to_owned);
    let shell = |section| Shell { root: root(), section, base: base.to_owned(), is_shared };
    let is_offered = |route: &&routes::Route| !is_shared || !matches!(route.kind, RouteKind::Local(_));
    let Some(route) = routes::find(&request.path).filter(is_offered) else {
        let error = ToolError::new(Code::NotFound, format!("there is no page {}", request.path));
        return Ok(error_page(&error, &shell(""), request));
    };
    let (render, is_indexed) = match route.kind {
        RouteKind::Indexed(render) => (render, !depends_on_history(request) && environment.cache.is_some()),
        RouteKind::Fresh(render) | RouteKind::Local(render) => (render, false),
        RouteKind::Asset | RouteKind::Server => {
            let error = ToolError::new(Code::NotFound, format!("there is no page {}", request.path));
            return Ok(error_page(&error, &shell(""), request));
        }
    };
    let generation = if is_indexed { session.generation()? } else { 0 };
    let etag = is_indexed.then(|| format!("\"{:x}-{generation}\"", environment.process));
    if etag.is_some() && etag.as_deref() == environment.if_none_match {
        return Ok(PageResponse { etag, ..PageResponse::new(304, HTML, Vec::new()) });
    }
    let key = request.key();
    if is_indexed
        && let Some((content_type, body)) = environment.cache.and_then(|cache| cache.get(&key, generation))
    {
        return Ok(PageResponse { etag, ..PageResponse::new(200, content_type, body) });
    }
    let response = match rendered(render, &asker, request, environment, &shell) {
        Ok(response) => response,
        Err(error) if matches!(error.code(), Code::Busy | Code::NotIndexed) => return Err(error),
        Err(error) => return Ok(error_page(&error, &shell(""), request)),
    };
    // A page that lacks pending files, or that another generation answered, is not kept.
    if !is_indexed
        || response.status != 200
        || asker.pending.get() > 0
        || asker.generation.get().is_some_and(|answered| answered != generation)
    {
        return Ok(response);
    }
    if let Some(cache) = environment.cache {
        cache.put(key, generation, (response.content_type, response.body.clone()));
    }
    Ok(PageResponse { etag, ..response })
}

/// Whether a page also depends on what a revision means now.
fn depends_on_history(request: &PageRequest) -> bool {
    !request.get("at").is_empty() || request.flag("blame")
}

fn rendered(
    render: Render,
    asker: &Asker<'_>,
    request: &PageRequest,
    environment: &PageEnvironment<'_>,
    shell: &dyn Fn(&'static str) -> Shell,
) -> Result<PageResponse, ToolError> {
    let is_shared = environment.place.is_shared;
    let view = render(&PageContext { asker, request, server: environment.server, is_shared })?;
    Ok(match view {
        View::Fragment(part) => PageResponse::html(200, part),
        View::File { content_type, text } => PageResponse::new(200, content_type, text.into_bytes()),
        View::Page { title, section, body } => {
            let frame = Frame { generation: asker.generation.get(), pending: asker.pending.get() };
            PageResponse::html(200, layout::page(&shell(section), &title, &body, frame))
        }
    })
}

/// The page of an error; only its text for a request for a fragment.
fn error_page(error: &ToolError, shell: &Shell, request: &PageRequest) -> PageResponse {
    let part = layout::error(error);
    if request.flag("fragment") {
        return PageResponse::html(error.code().http(), part);
    }
    let title = if error.code() == Code::NotFound { "Not found" } else { "Error" };
    let frame = Frame { generation: None, pending: 0 };
    PageResponse::html(error.code().http(), layout::page(shell, title, &part, frame))
}

/// The page while the first index is being built, with what is being done. It reloads itself.
pub fn starting_page(progress: &str) -> PageResponse {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            (layout::head("Indexing", Some(2)))
            body {
                main.narrow id="main" {
                    h1 { "The first index is being built" }
                    p role="status" { (progress) }
                    progress aria-label="Indexing" {}
                    p.dim { "This page continues by itself as soon as there is something to show." }
                }
            }
        }
    };
    PageResponse::html(503, page)
}
