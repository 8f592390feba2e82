//! Many clients, over HTTP, one engine. Everything a stranger could use up has a limit: connections, sessions, bytes,
//! time.

use crate::access_control::{AccessControl, Refused};
use crate::connections::{Connection, Connections, Holding};
use crate::error::ServeError;
use crate::served_tree::Options;
use crate::server::{LONGEST, Server, Serving};
use crate::session_eviction::Sessions;
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, Method, StatusCode, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use hyper::body::Incoming;
use hyper::service::Service;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::CancellationToken;

/// The most bytes of a request: a question, at most a diff.
const LARGEST: usize = 4 << 20;
/// How long a request may take to arrive.
const ARRIVAL: Duration = Duration::from_secs(15);
/// How long a session may be silent.
const SILENCE: Duration = Duration::from_mins(30);
/// Threads for what is no question: opening a tree, pages for people.
const SPARE_THREADS: usize = 4;
/// How long open requests may take to end when the server does.
const FAREWELL: Duration = Duration::from_secs(5);

/// Where to listen, and to whom.
#[derive(Clone, Debug)]
pub struct HttpOptions {
    /// The address.
    pub address: SocketAddr,
    /// What whoever asks must know; needed beyond this machine.
    pub token: Option<String>,
    /// Names of this server besides those of this machine.
    pub hosts: Vec<String>,
    /// Web pages that may ask.
    pub origins: Vec<String>,
}

/// Serves until it is told to end. `listening` is told the address.
pub fn http(
    options: Options,
    http: &HttpOptions,
    listening: impl FnOnce(SocketAddr),
) -> Result<(), ServeError> {
    if !http.address.ip().is_loopback() && http.token.is_none() {
        return Err(ServeError::asked(
            format!("{} can be reached from other machines, so a token is needed", http.address.ip()),
            "put one in a file and name it with --token-file, or in ORIENT_TOKEN; 127.0.0.1 needs none",
        ));
    }
    let serving = Arc::new(Serving::new(options)?);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        // A thread whose work is done counts as busy until it waits for more, and each keeps memory of its own: without a
        // limit a server under load has ever more of them.
        .max_blocking_threads(serving.free_desks() + SPARE_THREADS)
        .build()
        .map_err(|error| ServeError::system("cannot start", error))?;
    let served = runtime.block_on(async {
        let listener = TcpListener::bind(http.address)
            .await
            .map_err(|error| ServeError::system(format!("cannot listen on {}", http.address), error))?;
        let address = listener.local_addr().map_err(|error| ServeError::system("no address", error))?;
        Server::new(serving.clone(), false).begin();
        let stop = CancellationToken::new();
        let app = router(&serving, http, &stop);
        listening(address);
        let signalled = stop.clone();
        tokio::spawn(async move {
            signal().await;
            signalled.cancel();
        });
        accept(listener, app, stop).await;
        Ok(())
    });
    serving.close();
    runtime.shutdown_timeout(Duration::from_millis(500));
    served
}

/// The header that names a session.
const SESSION: &str = "mcp-session-id";

#[derive(Clone)]
struct Door {
    gate: Arc<AccessControl>,
    serving: Arc<Serving>,
    sessions: Arc<Sessions>,
}

fn router(serving: &Arc<Serving>, http: &HttpOptions, stop: &CancellationToken) -> Router {
    let mut manager = LocalSessionManager::default();
    manager.session_config.keep_alive = Some(SILENCE);
    let manager = Arc::new(manager);
    // Host and origin are looked at by our own gate, in front of everything.
    let config = StreamableHttpServerConfig::default()
        .disable_allowed_hosts()
        .with_max_request_body_bytes(LARGEST)
        .with_json_response(true)
        .with_cancellation_token(stop.clone());
    let shared = serving.clone();
    let mcp =
        StreamableHttpService::new(move || Ok(Server::new(shared.clone(), false)), manager.clone(), config);
    let gate = AccessControl::new(http.address.ip(), &http.hosts, &http.origins, http.token.as_deref());
    let sessions = Sessions::new(manager);
    let door = Door { gate: Arc::new(gate), serving: serving.clone(), sessions };
    Router::new()
        .route("/healthz", get(health))
        .route("/metrics", get(metrics))
        .nest_service("/mcp", mcp)
        .with_state(door.clone())
        .layer(from_fn_with_state(door, enter))
}

/// Looks at a request before anything else does.
async fn enter(State(door): State<Door>, request: Request, next: Next) -> Response {
    let open = request.uri().path() == "/healthz";
    // A request may name the host in its address as well, which would count more.
    let named = request.uri().authority().map(Authority::as_str);
    let connection = request.extensions().get::<Arc<Connection>>().cloned();
    let response = match door.gate.check(request.headers(), named, open) {
        Err(refused) => turn_away(refused),
        Ok(()) if !open && connection.as_ref().is_some_and(|connection| connection.is_reserved) => {
            let why = "too many requests are being answered";
            turn_away(Refused { status: StatusCode::SERVICE_UNAVAILABLE, why })
        }
        Ok(()) => match whole(request).await {
            Err(refused) => turn_away(refused),
            Ok(request) => {
                // Until here the connection may have to make room for another, from here on it is answered.
                let answering = connection.map(|connection| connection.answer());
                let response = pass(&door, request, next).await;
                response.map(|body| Holding::body(body, answering))
            }
        },
    };
    door.serving.metrics.answered(response.status().as_u16());
    response
}

/// Has a request answered, and notes what that means for its session.
async fn pass(door: &Door, request: Request, next: Next) -> Response {
    let late = Refused { status: StatusCode::GATEWAY_TIMEOUT, why: "no answer in time" };
    let calls = request.method() == Method::POST;
    let mut in_use = session(request.headers()).and_then(|id| door.sessions.enter(id));
    let beginning = if begins(&request) {
        let Some(beginning) = door.sessions.make_room().await else {
            let why = "too many sessions are in use";
            return turn_away(Refused { status: StatusCode::SERVICE_UNAVAILABLE, why });
        };
        Some(beginning)
    } else {
        None
    };
    let answer = tokio::time::timeout(LONGEST + ARRIVAL, next.run(request)).await;
    let response = answer.unwrap_or_else(|_| turn_away(late));
    if beginning.is_some()
        && let Some(id) = session(response.headers())
    {
        door.sessions.begun(id);
    }
    if let Some(in_use) = &mut in_use {
        // What asks for nothing is answered by "accepted".
        in_use.has_called = calls && response.status() == StatusCode::OK;
    }
    response.map(|body| Holding::body(body, in_use))
}

fn session(headers: &HeaderMap) -> Option<&str> {
    headers.get(SESSION)?.to_str().ok()
}

fn begins(request: &Request) -> bool {
    request.method() == Method::POST && !request.headers().contains_key(SESSION)
}

/// The request with its body read: in time, and not larger than allowed.
async fn whole(request: Request) -> Result<Request, Refused> {
    let too_large = Refused { status: StatusCode::PAYLOAD_TOO_LARGE, why: "the request is too large" };
    let (parts, body) = request.into_parts();
    let claimed = parts
        .headers
        .get(header::CONTENT_LENGTH)
        .and_then(|length| length.to_str().ok()?.parse::<usize>().ok());
    if claimed.is_some_and(|length| length > LARGEST) {
        return Err(too_large);
    }
    let read = tokio::time::timeout(ARRIVAL, to_bytes(body, LARGEST)).await;
    match read {
        Ok(Ok(bytes)) => Ok(Request::from_parts(parts, Body::from(bytes))),
        Ok(Err(_)) => Err(too_large),
        Err(_) => {
            Err(Refused { status: StatusCode::REQUEST_TIMEOUT, why: "the request did not arrive in time" })
        }
    }
}

fn turn_away(refused: Refused) -> Response {
    let mut response = (refused.status, format!("{}\n", refused.why)).into_response();
    if refused.status == StatusCode::UNAUTHORIZED {
        response.headers_mut().insert(header::WWW_AUTHENTICATE, header::HeaderValue::from_static("Bearer"));
    }
    response
}

async fn health(State(door): State<Door>) -> Response {
    let tree = door.serving.opened();
    let indexing = tree.is_some_and(|tree| tree.indexing.is_running());
    let body = format!("{{\"status\":\"ok\",\"indexing\":{indexing}}}\n");
    ([(header::CONTENT_TYPE, "application/json")], body).into_response()
}

async fn metrics(State(door): State<Door>) -> Response {
    let serving = door.serving.clone();
    let page = tokio::task::spawn_blocking(move || {
        let tree = serving.opened();
        let generation = tree.as_ref().and_then(|tree| tree.host.engine().snapshot().ok());
        let indexing = tree.as_ref().is_some_and(|tree| tree.indexing.is_running());
        serving.metrics.text(indexing, generation.map(|snapshot| snapshot.generation()))
    });
    let page = page.await.unwrap_or_default();
    ([(header::CONTENT_TYPE, "text/plain; version=0.0.4")], page).into_response()
}

/// Takes in connections until it is told to end, then lets those that are open end.
async fn accept(listener: TcpListener, app: Router, stop: CancellationToken) {
    let connections = Arc::new(Connections::default());
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = stop.cancelled() => break,
        };
        let Ok((stream, _)) = accepted else {
            // Out of files, most likely.
            connections.evict();
            tokio::time::sleep(Duration::from_millis(10)).await;
            continue;
        };
        let Some(connection) = connections.admit() else { continue };
        let (connections, app, stop) = (connections.clone(), app.clone(), stop.clone());
        tokio::spawn(async move {
            serve_connection(stream, app, &stop, &connection).await;
            connections.leave(&connection);
        });
    }
    let _ = tokio::time::timeout(FAREWELL, connections.emptied()).await;
}

async fn serve_connection(
    stream: TcpStream,
    app: Router,
    stop: &CancellationToken,
    connection: &Arc<Connection>,
) {
    let _ = stream.set_nodelay(true);
    let (app, asking) = (TowerToHyperService::new(app), connection.clone());
    let service = hyper::service::service_fn(move |mut request: hyper::Request<Incoming>| {
        request.extensions_mut().insert(asking.clone());
        app.call(request)
    });
    let served = hyper::server::conn::http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(ARRIVAL)
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

/// Ctrl-C, or what a supervisor sends.
async fn signal() {
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
