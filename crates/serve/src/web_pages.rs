//! The web pages over HTTP: renders them on worker threads, compresses them, and adds the headers that confine them. The pages
//! themselves are `orient-web`'s.

use crate::access_control::SESSION_COOKIE;
use crate::index_events::IndexEvents;
use crate::server::{CancelOnDrop, ServerState};
use axum::body::Body;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use orient_engine::{Cancel, NoProgress};
use orient_tools::{Code, QueueClass, Session, ToolError};
use orient_web::{
    LoginState, PageCache, PageEnvironment, PagePlace, PageRequest, PageResponse, RecentCall, ServerReport,
    login_page, respond, starting_page,
};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use tokio_util::sync::CancellationToken;
use zlib_rs::{DeflateConfig, ReturnCode, compress_bound, compress_slice};

/// Nothing is loaded from elsewhere, nothing inline runs, and no other page may embed ours.
const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
     connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

/// Headers of every page.
const HEADERS: &[(&str, &str)] = &[
    ("content-security-policy", CONTENT_SECURITY_POLICY),
    ("x-content-type-options", "nosniff"),
    // Without a referrer, a browser hides the origin of a form from its own server.
    ("referrer-policy", "same-origin"),
    ("x-frame-options", "DENY"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
    ("vary", "accept-encoding, cookie"),
];

/// Shorter contents are not compressed.
const MIN_COMPRESSED_BYTES: usize = 1024;
/// Fast rather than small: most readers are on the same machine.
const COMPRESSION_LEVEL: i32 = 3;
/// A page that takes longer is given up.
pub(crate) const PAGE_TIMEOUT: Duration = Duration::from_mins(1);

/// The response to a request that does not read.
pub(crate) fn method_refusal(method: &Method) -> Option<Response> {
    let is_read = matches!(*method, Method::GET | Method::HEAD);
    (!is_read).then(|| (StatusCode::METHOD_NOT_ALLOWED, "pages are read with GET\n").into_response())
}

/// The path and the query of a request for a page.
pub(crate) fn page_target(uri: &Uri) -> &str {
    uri.path_and_query().map_or("/", |target| target.as_str())
}

/// The response to a request whose page is not ready in time.
pub(crate) fn page_timeout() -> Response {
    (StatusCode::GATEWAY_TIMEOUT, "the page takes too long\n").into_response()
}

/// What all requests for pages share.
pub(crate) struct WebState {
    cache: PageCache,
    /// The time of the start: entity tags of an earlier process are not valid.
    process: u64,
    started: Instant,
    events: IndexEvents,
    stop: CancellationToken,
}

impl WebState {
    pub(crate) fn new(state: Arc<ServerState>, stop: CancellationToken) -> Self {
        let process = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |age| age.as_nanos() as u64);
        Self {
            cache: PageCache::default(),
            process,
            started: Instant::now(),
            events: IndexEvents::start(state, stop.clone()),
            stop,
        }
    }

    /// Answers a request for a page.
    pub(crate) async fn page(
        self: Arc<Self>,
        state: Arc<ServerState>,
        method: &Method,
        uri: &Uri,
        headers: &HeaderMap,
    ) -> Response {
        if let Some(refusal) = method_refusal(method) {
            return refusal;
        }
        let target = page_target(uri);
        let request = PageRequest::parse(target);
        let is_compressible = accepts_gzip(headers);
        if let Some(asset) = PageResponse::asset(&request) {
            return http_response(asset, is_compressible);
        }
        let if_none_match =
            headers.get(header::IF_NONE_MATCH).and_then(|tag| tag.to_str().ok()).map(str::to_owned);
        let rendered = tokio::time::timeout(PAGE_TIMEOUT, self.render(state, request, if_none_match)).await;
        match rendered {
            Ok(response) => http_response(response, is_compressible),
            Err(_) => page_timeout(),
        }
    }

    async fn render(
        self: Arc<Self>,
        state: Arc<ServerState>,
        request: PageRequest,
        if_none_match: Option<String>,
    ) -> PageResponse {
        let tree = match state.tree(Vec::new()).await {
            Ok(tree) => tree,
            Err(error) => return starting_page(error.message()),
        };
        let slot = state.slots(QueueClass { heavy: false, deep: true }).acquire_owned().await;
        let guard = CancelOnDrop(Cancel::default());
        let cancel = guard.0.clone();
        let (shared, progress) = (tree.clone(), tree.indexing.clone());
        state.release_memory_when_idle();
        let rendered = tokio::task::spawn_blocking(move || {
            let _slot = slot;
            let session = Session::for_tree(&shared.host, &NoProgress, &cancel);
            let server = || self.report(&state);
            let environment = PageEnvironment {
                redacts: state.redacts(&shared),
                cache: Some(&self.cache),
                process: self.process,
                if_none_match: if_none_match.as_deref(),
                server: &server,
                place: PagePlace::default(),
            };
            respond(&session, &request, &environment)
        });
        let failed = || Err(ToolError::new(Code::Internal, "the page failed"));
        match rendered.await.unwrap_or_else(|_| failed()) {
            Ok(response) => response,
            Err(_) if progress.is_running() => starting_page(&progress.progress().description),
            Err(error) => starting_page(error.message()),
        }
    }

    fn report(&self, state: &ServerState) -> ServerReport {
        let now = Instant::now();
        let indexing = state.opened().filter(|tree| tree.indexing.is_running());
        let calls = state.recent_calls.list().into_iter().map(|call| RecentCall {
            age: now.saturating_duration_since(call.begun),
            client: call.client,
            tool: call.tool,
            question: call.question,
            took: call.took,
            tokens: call.tokens,
            outcome: call.outcome,
        });
        ServerReport {
            uptime: self.started.elapsed(),
            sessions: state.metrics.sessions.load(Ordering::Relaxed),
            memory: resident_memory(),
            indexing: indexing.map(|tree| tree.indexing.progress().description),
            calls: calls.collect(),
        }
    }

    /// The stream of events.
    pub(crate) fn events(&self) -> Response {
        let Some(body) = self.events.listen(self.stop.clone()) else {
            return (StatusCode::SERVICE_UNAVAILABLE, "too many listeners\n").into_response();
        };
        let mut response = Response::new(body);
        confine(response.headers_mut());
        response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
        response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        response
    }
}

/// The form for the token.
pub(crate) fn login_form(state: LoginState, next: &str) -> Response {
    let mut response = (StatusCode::UNAUTHORIZED, login_page(state, local_address(next))).into_response();
    confine(response.headers_mut());
    let html = HeaderValue::from_static("text/html; charset=utf-8");
    response.headers_mut().insert(header::CONTENT_TYPE, html);
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// The response to the right token: a cookie that stands for it, and the page that was asked for.
pub(crate) fn logged_in(cookie: &str, next: &str, is_encrypted: bool) -> Response {
    let mut response = StatusCode::SEE_OTHER.into_response();
    confine(response.headers_mut());
    // Scripts cannot read the cookie, and no other site can send it. A browser would not send a `Secure` one over plain HTTP.
    let secure = if is_encrypted { "; Secure" } else { "" };
    let cookie = format!("{SESSION_COOKIE}={cookie}; Path=/; HttpOnly; SameSite=Strict{secure}");
    if let (Ok(cookie), Ok(next)) =
        (HeaderValue::from_str(&cookie), HeaderValue::from_str(local_address(next)))
    {
        response.headers_mut().insert(header::SET_COOKIE, cookie);
        response.headers_mut().insert(header::LOCATION, next);
    }
    response
}

/// An address on this server; the start page for any other.
fn local_address(next: &str) -> &str {
    let is_local =
        next.starts_with('/') && !next.starts_with("//") && !next.contains(['\\', '\r', '\n', '\t']);
    if is_local { next } else { "/" }
}

fn confine(headers: &mut HeaderMap) {
    for (name, value) in HEADERS {
        headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
    }
}

pub(crate) fn accepts_gzip(headers: &HeaderMap) -> bool {
    let accepted = headers.get(header::ACCEPT_ENCODING).and_then(|value| value.to_str().ok());
    accepted.is_some_and(|accepted| {
        accepted.split(',').any(|one| {
            let mut parts = one.split(';').map(str::trim);
            parts.next() == Some("gzip") && parts.all(|part| part != "q=0" && part != "q=0.0")
        })
    })
}

pub(crate) fn http_response(page: PageResponse, is_compressible: bool) -> Response {
    let packed =
        (is_compressible && page.body.len() >= MIN_COMPRESSED_BYTES).then(|| gzip(&page.body)).flatten();
    let is_packed = packed.is_some();
    let body = packed.map_or_else(|| Body::from(page.body.to_vec()), Body::from);
    let mut response = Response::new(body);
    *response.status_mut() = StatusCode::from_u16(page.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let headers = response.headers_mut();
    confine(headers);
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(page.content_type));
    if is_packed {
        headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    }
    let caching = match (page.immutable, &page.etag) {
        (true, _) => "public, max-age=31536000, immutable",
        // The browser keeps the page, but asks whether it is still valid.
        (false, Some(_)) => "private, no-cache",
        (false, None) => "no-store",
    };
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(caching));
    if let Some(tag) = page.etag.and_then(|tag| HeaderValue::from_str(&tag).ok()) {
        headers.insert(header::ETAG, tag);
    }
    response
}

/// Compresses a content; `None` if that fails.
fn gzip(content: &[u8]) -> Option<Vec<u8>> {
    const HEADER_BYTES: usize = 32;
    // 15 bits of window, and 16 for the header and trailer of gzip.
    let config = DeflateConfig { level: COMPRESSION_LEVEL, window_bits: 31, ..DeflateConfig::default() };
    let mut packed = vec![0; compress_bound(content.len()) + HEADER_BYTES];
    let (written, code) = compress_slice(&mut packed, content, config);
    let length = (code == ReturnCode::Ok).then_some(written.len())?;
    packed.truncate(length);
    Some(packed)
}

/// The resident memory of this process.
fn resident_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.trim().trim_end_matches("kB").trim().parse::<u64>().ok().map(|kilobytes| kilobytes * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_addresses_of_this_server_are_followed() {
        assert_eq!(local_address("/code/a?b=c"), "/code/a?b=c");
        for foreign in [
            "",
            "https://evil.example",
            "//evil.example",
            "/\\evil.example",
            "/a\r\nSet-Cookie: x",
            "javascript:alert(1)",
        ] {
            assert_eq!(local_address(foreign), "/", "{foreign:?}");
        }
    }

    #[test]
    fn gzip_is_used_only_if_it_is_accepted() {
        let accepts = |value: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::ACCEPT_ENCODING, value.parse().expect("a value"));
            accepts_gzip(&headers)
        };
        assert!(accepts("gzip, deflate, br") && accepts("br;q=1, gzip;q=0.5"));
        assert!(!accepts("br") && !accepts("gzip;q=0") && !accepts_gzip(&HeaderMap::new()));
    }

    #[test]
    fn packed_contents_are_gzip() {
        let content = b"orient ".repeat(1000);
        let packed = gzip(&content).expect("it is compressed");
        assert_eq!(packed[..2], [0x1f, 0x8b]);
        assert!(packed.len() < content.len() / 10);
    }
}
