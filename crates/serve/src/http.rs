//! Serves many clients over HTTP from one engine. Every resource that a client could exhaust has a limit: connections, sessions,
//! request size, time.

use crate::access_control::{AccessControl, Rejection, RequiredProof};
use crate::connections::{Connection, Connections, GuardedBody};
use crate::error::ServeError;
use crate::served_tree::Options;
use crate::server::{CALL_TIMEOUT, KEEP_ALIVE, Server, ServerState};
use crate::session_eviction::Sessions;
use crate::tls::{TlsFiles, TlsServer};
use crate::web_pages::{WebState, logged_in, login_form};
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, Method, StatusCode, Uri, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use hyper::body::Incoming;
use hyper::service::Service;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use orient_web::LoginState;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use tokio_util::sync::CancellationToken;

/// Maximum size of a request in bytes: the largest legitimate argument is a diff.
const MAX_REQUEST_BYTES: usize = 4 << 20;
/// How long a client may take to send a request.
const REQUEST_READ_TIMEOUT: Duration = Duration::from_secs(15);
/// Sessions without a request end after this time.
const SESSION_IDLE_TIMEOUT: Duration = Duration::from_mins(30);
/// Threads for work other than tool calls: opening a tree, the metrics page.
pub(crate) const SPARE_THREADS: usize = 4;
/// How long open requests may take to complete when the server stops.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(5);

/// How long work on other threads may take to end when the server has stopped.
pub(crate) const RUNTIME_SHUTDOWN_TIMEOUT: Duration = Duration::from_millis(500);

/// Where to listen, and which clients to accept.
#[derive(Clone, Debug)]
pub struct HttpOptions {
    /// The address to listen on.
    pub address: SocketAddr,
    /// The bearer token of clients; required unless the address is local.
    pub token: Option<String>,
    /// Host names of this server besides those of the local machine.
    pub hosts: Vec<String>,
    /// Origins of web pages that may send requests.
    pub origins: Vec<String>,
    /// The certificate; without one, connections are not encrypted.
    pub tls: Option<TlsFiles>,
}

/// Serves until a signal stops it. Calls `listening` with the bound address.
pub fn http(options: Options, http: &HttpOptions, listening: &dyn Fn(SocketAddr)) -> Result<(), ServeError> {
    if !http.address.ip().is_loopback() && http.token.is_none() {
        return Err(ServeError::usage(
            format!("{} can be reached from other machines, so a token is required", http.address.ip()),
            "put one in a file and name it with --token-file, or in ORIENT_TOKEN; 127.0.0.1 needs none",
        ));
    }
    let state = Arc::new(ServerState::new(options, !http.address.ip().is_loopback())?);
    let runtime = runtime(state.free_slots() + SPARE_THREADS)?;
    let app = |stop: &CancellationToken| {
        Server::new(state.clone(), false).begin();
        router(&state, http, stop)
    };
    let served = runtime.block_on(serve_until_signal(http, Box::new(app), listening));
    state.close();
    runtime.shutdown_timeout(RUNTIME_SHUTDOWN_TIMEOUT);
    served
}

/// The runtime of a server. A thread counts as busy for a moment after its work, and each one caches memory: without a limit, a
/// server under load starts ever more threads.
pub(crate) fn runtime(max_blocking_threads: usize) -> Result<Runtime, ServeError> {
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .thread_keep_alive(KEEP_ALIVE)
        .max_blocking_threads(max_blocking_threads)
        .build()
        .map_err(|error| ServeError::system("cannot start", error))
}

/// Makes the routes of a server that is stopped by this token.
pub(crate) type MakeRoutes<'r> = Box<dyn FnOnce(&CancellationToken) -> Router + 'r>;

/// Serves routes until a signal stops the process. Calls `listening` with the bound address.
pub(crate) async fn serve_until_signal(
    http: &HttpOptions,
    app: MakeRoutes<'_>,
    listening: &dyn Fn(SocketAddr),
) -> Result<(), ServeError> {
    let address = http.address;
    let tls = http.tls.as_ref().map(TlsServer::new).transpose()?;
    let listener = TcpListener::bind(address)
        .await
        .map_err(|error| ServeError::system(format!("cannot listen on {address}"), error))?;
    let bound = listener.local_addr().map_err(|error| ServeError::system("no address", error))?;
    let stop = CancellationToken::new();
    let app = app(&stop);
    listening(bound);
    let signalled = stop.clone();
    tokio::spawn(async move {
        stop_signal().await;
        signalled.cancel();
    });
    accept(listener, tls, app, stop).await;
    Ok(())
}

/// The header that names a session.
const SESSION_HEADER: &str = "mcp-session-id";

/// What the handlers share.
#[derive(Clone)]
struct HttpState {
    access: Arc<AccessControl>,
    state: Arc<ServerState>,
    sessions: Arc<Sessions>,
    web: Arc<WebState>,
    is_encrypted: bool,
}

/// Where programs connect.
pub(crate) const MCP_PATH: &str = "/mcp";
/// Where browsers send the token.
pub(crate) const LOGIN_PATH: &str = "/login";
/// Time to answer a wrong token, so that guessing is slow.
pub(crate) const WRONG_TOKEN_DELAY: Duration = Duration::from_millis(300);

/// The MCP endpoint and its sessions.
pub(crate) fn mcp_service(
    state: &Arc<ServerState>,
    stop: &CancellationToken,
) -> (StreamableHttpService<Server, LocalSessionManager>, Arc<Sessions>) {
    let mut manager = LocalSessionManager::default();
    manager.session_config.keep_alive = Some(SESSION_IDLE_TIMEOUT);
    let manager = Arc::new(manager);
    // Host and origin are checked before everything else.
    let config = StreamableHttpServerConfig::default()
        .disable_allowed_hosts()
        .with_max_request_body_bytes(MAX_REQUEST_BYTES)
        .with_json_response(true)
        .with_cancellation_token(stop.clone());
    let shared = state.clone();
    let mcp =
        StreamableHttpService::new(move || Ok(Server::new(shared.clone(), false)), manager.clone(), config);
    (mcp, Sessions::new(manager))
}

fn router(state: &Arc<ServerState>, http: &HttpOptions, stop: &CancellationToken) -> Router {
    let (mcp, sessions) = mcp_service(state, stop);
    let access = AccessControl::new(http.address.ip(), &http.hosts, &http.origins, http.token.as_deref());
    let web = Arc::new(WebState::new(state.clone(), stop.clone()));
    let is_encrypted = http.tls.is_some();
    let state = HttpState { access: Arc::new(access), state: state.clone(), sessions, web, is_encrypted };
    Router::new()
        .route("/healthz", get(health))
        .route("/metrics", get(metrics))
        .route("/events", get(events))
        .route(LOGIN_PATH, post(login).get(login_page))
        .nest_service(MCP_PATH, mcp)
        .fallback(page)
        .with_state(state.clone())
        .layer(from_fn_with_state(state, check_access))
}

/// What a request for a path must prove.
fn required_proof(path: &str) -> RequiredProof {
    match path {
        "/healthz" | LOGIN_PATH => RequiredProof::Nothing,
        "/metrics" => RequiredProof::Token,
        path if path.starts_with("/assets/") => RequiredProof::Nothing,
        path if path.starts_with(MCP_PATH) => RequiredProof::Token,
        _ => RequiredProof::TokenOrCookie,
    }
}

/// Checks a request before anything else handles it.
async fn check_access(State(state): State<HttpState>, request: Request, next: Next) -> Response {
    let required = required_proof(request.uri().path());
    let public = request.uri().path() == "/healthz";
    // An absolute request target contains a host too, and takes precedence over the header.
    let authority = request.uri().authority().map(Authority::as_str);
    let connection = request.extensions().get::<Arc<Connection>>().cloned();
    let response = match state.access.check(request.headers(), authority, required) {
        Err(rejection) if is_browser_without_token(&request, required, rejection) => login_form(
            LoginState::Required,
            request.uri().path_and_query().map_or("/", |target| target.as_str()),
        ),
        Err(rejection) => rejected(rejection),
        Ok(()) if !public && connection.as_ref().is_some_and(|connection| connection.is_reserved) => {
            let reason = "too many requests are being answered";
            rejected(Rejection { status: StatusCode::SERVICE_UNAVAILABLE, reason })
        }
        Ok(()) => handle(&state.sessions, connection, request, next).await,
    };
    state.state.metrics.record_response(response.status().as_u16());
    response
}

/// Whether a person asks for a page without the token, and can be asked for it.
fn is_browser_without_token(request: &Request, required: RequiredProof, rejection: Rejection) -> bool {
    let accepted = request.headers().get(header::ACCEPT).and_then(|value| value.to_str().ok());
    required == RequiredProof::TokenOrCookie
        && rejection.status == StatusCode::UNAUTHORIZED
        && request.method() == Method::GET
        && accepted.is_some_and(|accepted| accepted.contains("text/html"))
}

/// Reads the body of an admitted request and answers it.
pub(crate) async fn handle(
    sessions: &Arc<Sessions>,
    connection: Option<Arc<Connection>>,
    request: Request,
    next: Next,
) -> Response {
    match read_body(request).await {
        Err(rejection) => rejected(rejection),
        Ok(request) => {
            // Until now the connection could be evicted; from here on it has a request in progress.
            let guard = connection.map(|connection| connection.begin_request());
            let response = forward(sessions, request, next).await;
            response.map(|body| GuardedBody::wrap(body, guard))
        }
    }
}

/// Forwards a request to its handler and records the use of its session.
async fn forward(sessions: &Arc<Sessions>, request: Request, next: Next) -> Response {
    let late = Rejection { status: StatusCode::GATEWAY_TIMEOUT, reason: "no answer in time" };
    let calls = request.method() == Method::POST;
    let ends_session = request.method() == Method::DELETE;
    let mut in_use = session_id(request.headers()).and_then(|id| sessions.begin_use(id));
    let slot = if begins_session(&request) {
        let Some(slot) = sessions.reserve().await else {
            let reason = "too many sessions are in use";
            return rejected(Rejection { status: StatusCode::SERVICE_UNAVAILABLE, reason });
        };
        Some(slot)
    } else {
        None
    };
    let answer = tokio::time::timeout(CALL_TIMEOUT + REQUEST_READ_TIMEOUT, next.run(request)).await;
    let mut response = answer.unwrap_or_else(|_| rejected(late));
    if ends_session && response.status() == StatusCode::ACCEPTED {
        // The SDK says that it will end the session; it has, and clients expect to be told.
        *response.status_mut() = StatusCode::NO_CONTENT;
    }
    if slot.is_some()
        && let Some(id) = session_id(response.headers())
    {
        sessions.insert(id);
    }
    if let Some(in_use) = &mut in_use {
        // A notification gets the status "accepted".
        in_use.has_called = calls && response.status() == StatusCode::OK;
    }
    response.map(|body| GuardedBody::wrap(body, in_use))
}

fn session_id(headers: &HeaderMap) -> Option<&str> {
    headers.get(SESSION_HEADER)?.to_str().ok()
}

fn begins_session(request: &Request) -> bool {
    let is_mcp = request.uri().path().starts_with(MCP_PATH);
    is_mcp && request.method() == Method::POST && !request.headers().contains_key(SESSION_HEADER)
}

/// Reads the body of a request within the limits of time and size. What is posted must be JSON, except for the form.
async fn read_body(request: Request) -> Result<Request, Rejection> {
    let too_large = Rejection { status: StatusCode::PAYLOAD_TOO_LARGE, reason: "the request is too large" };
    let (parts, body) = request.into_parts();
    let claimed = parts
        .headers
        .get(header::CONTENT_LENGTH)
        .and_then(|length| length.to_str().ok()?.parse::<usize>().ok());
    if claimed.is_some_and(|length| length > MAX_REQUEST_BYTES) {
        return Err(too_large);
    }
    let read = tokio::time::timeout(REQUEST_READ_TIMEOUT, to_bytes(body, MAX_REQUEST_BYTES)).await;
    match read {
        Ok(Ok(bytes))
            if parts.method == Method::POST
                && parts.uri.path() != LOGIN_PATH
                && serde_json::from_slice::<serde_json::Value>(&bytes).is_err() =>
        {
            Err(Rejection { status: StatusCode::BAD_REQUEST, reason: "the body is not valid JSON" })
        }
        Ok(Ok(bytes)) => Ok(Request::from_parts(parts, Body::from(bytes))),
        Ok(Err(_)) => Err(too_large),
        Err(_) => Err(Rejection {
            status: StatusCode::REQUEST_TIMEOUT,
            reason: "the request did not arrive in time",
        }),
    }
}

pub(crate) fn rejected(rejection: Rejection) -> Response {
    let mut response = (rejection.status, format!("{}\n", rejection.reason)).into_response();
    if rejection.status == StatusCode::UNAUTHORIZED {
        response.headers_mut().insert(header::WWW_AUTHENTICATE, header::HeaderValue::from_static("Bearer"));
    }
    response
}

async fn health(State(state): State<HttpState>) -> Response {
    let tree = state.state.opened();
    let indexing = tree.is_some_and(|tree| tree.indexing.is_running());
    let body = format!("{{\"status\":\"ok\",\"indexing\":{indexing}}}\n");
    ([(header::CONTENT_TYPE, "application/json")], body).into_response()
}

/// A page of `orient-web`.
async fn page(State(state): State<HttpState>, method: Method, uri: Uri, headers: HeaderMap) -> Response {
    state.web.clone().page(state.state.clone(), &method, &uri, &headers).await
}

/// The stream of events about the index.
async fn events(State(state): State<HttpState>) -> Response {
    state.web.events()
}

/// The form for the token.
async fn login_page(State(state): State<HttpState>) -> Response {
    if state.access.has_token() {
        login_form(LoginState::Required, "/")
    } else {
        Redirect::to("/").into_response()
    }
}

/// Checks the token of the form.
async fn login(State(state): State<HttpState>, body: String) -> Response {
    let field = |name: &str| orient_web::form_field(&body, name);
    let next = field("next");
    if let Some(cookie) = state.access.cookie_for(&field("token")) {
        return logged_in(&cookie, &next, state.is_encrypted);
    }
    tokio::time::sleep(WRONG_TOKEN_DELAY).await;
    login_form(LoginState::Rejected, &next)
}

async fn metrics(State(state): State<HttpState>) -> Response {
    let state = state.state.clone();
    let page = tokio::task::spawn_blocking(move || {
        let tree = state.opened();
        let generation = tree.as_ref().and_then(|tree| tree.host.engine().snapshot().ok());
        let indexing = tree.as_ref().is_some_and(|tree| tree.indexing.is_running());
        state.metrics.text(indexing, generation.map(|snapshot| snapshot.generation()))
    });
    let page = page.await.unwrap_or_default();
    ([(header::CONTENT_TYPE, "text/plain; version=0.0.4")], page).into_response()
}

/// Accepts connections until the server stops, then waits for the open ones to complete.
async fn accept(listener: TcpListener, tls: Option<TlsServer>, app: Router, stop: CancellationToken) {
    let connections = Arc::new(Connections::default());
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = stop.cancelled() => break,
        };
        let Ok((stream, _)) = accepted else {
            // The process is probably out of file descriptors.
            connections.evict();
            tokio::time::sleep(Duration::from_millis(10)).await;
            continue;
        };
        let Some(connection) = connections.admit() else { continue };
        let (connections, app, stop) = (connections.clone(), app.clone(), stop.clone());
        let acceptor = tls.as_ref().map(TlsServer::acceptor);
        tokio::spawn(async move {
            let _ = stream.set_nodelay(true);
            match acceptor {
                None => serve_connection(Box::new(stream), app, &stop, &connection).await,
                Some(acceptor) => {
                    // A client that does not complete the handshake is no client.
                    let handshake = tokio::time::timeout(REQUEST_READ_TIMEOUT, acceptor.accept(stream));
                    if let Ok(Ok(stream)) = handshake.await {
                        serve_connection(Box::new(stream), app, &stop, &connection).await;
                    }
                }
            }
            connections.remove(&connection);
        });
    }
    let _ = tokio::time::timeout(SHUTDOWN_TIMEOUT, connections.all_closed()).await;
}

/// A connection, encrypted or not. Behind a pointer, so that the HTTP protocol is compiled once.
trait Stream: AsyncRead + AsyncWrite + Unpin + Send {}

impl<S: AsyncRead + AsyncWrite + Unpin + Send> Stream for S {}

async fn serve_connection(
    stream: Box<dyn Stream>,
    app: Router,
    stop: &CancellationToken,
    connection: &Arc<Connection>,
) {
    let (app, peer) = (TowerToHyperService::new(app), connection.clone());
    let service = hyper::service::service_fn(move |mut request: hyper::Request<Incoming>| {
        request.extensions_mut().insert(peer.clone());
        app.call(request)
    });
    let served = hyper::server::conn::http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(REQUEST_READ_TIMEOUT)
        .max_headers(64)
        .serve_connection(TokioIo::new(stream), service);
    tokio::pin!(served);
    tokio::select! {
        _ = served.as_mut() => {}
        () = connection.evicted.cancelled() => {}
        () = stop.cancelled() => {
            served.as_mut().graceful_shutdown();
            let _ = served.await;
        }
    }
}

/// Waits for Ctrl-C or a termination signal.
async fn stop_signal() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut terminate) = signal(SignalKind::terminate()) {
            tokio::select! {
                _ = tokio::signal::ctrl_c() => {}
                _ = terminate.recv() => {}
            }
            return;
        }
    }
    let _ = tokio::signal::ctrl_c().await;
}
