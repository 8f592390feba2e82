//! Serves shared trees over HTTP: MCP at `/mcp`, single questions as JSON at `/v1/call`, pages everywhere else. Every request needs a token, which decides what it
//! reaches, but health checks and the metadata that says where clients get one.

use crate::access_control::{AccessControl, Rejection, RequiredProof};
use crate::connections::Connection;
use crate::error::ServeError;
use crate::facts_download;
use crate::http::{
    HttpOptions, LOGIN_PATH, MCP_PATH, RUNTIME_SHUTDOWN_TIMEOUT, SPARE_THREADS, WRONG_TOKEN_DELAY, handle,
    mcp_service, rejected, runtime, serve_until_signal,
};
use crate::identity_provider::{IdentityProvider, IdentityProviderOptions};
use crate::server::{CALL_TIMEOUT, CancelOnDrop, ServerState};
use crate::session_eviction::Sessions;
use crate::shared_call::SharedCall;
use crate::shared_pages::{is_page, is_public_page, page, page_token};
use crate::shared_trees::{AnsweredQuestion, Authentication, Caller, Credential, SharedTrees};
use crate::web_pages::{accepts_gzip, http_response, logged_in, login_form};
use crate::webhook::is_proven;
use axum::body::Bytes;
use axum::extract::{Path, Request, State};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Extension, Router};
use orient_engine::{Cancel, NoProgress, RefreshDepth};
use orient_tools::{
    Code, OPERATIONS, Operation, QueueClass, Redactor, Reply, Session, TextWriter, ToolError, redact_json,
};
use orient_web::{LoginState, PageRequest, PageResponse, form_field};
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Instant;
use tokio_util::sync::CancellationToken;

/// How a server of shared trees answers.
#[derive(Clone, Debug)]
pub struct SharedOptions {
    /// The MCP tools to offer: the groups if absent, `all`, or a comma-separated list of names.
    pub tools: Option<String>,
    /// Releases the free memory of the process. Called when no client has asked anything for a moment.
    pub release_memory: fn(),
}

/// What the handlers share.
#[derive(Clone)]
struct SharedState {
    access: Arc<AccessControl>,
    state: Arc<ServerState>,
    sessions: Arc<Sessions>,
    trees: Arc<dyn SharedTrees>,
    provider: Option<Arc<IdentityProvider>>,
    is_encrypted: bool,
}

/// Paths that need no token, besides the form for it.
const PUBLIC: &[&str] = &["/healthz", "/readyz"];
/// Where hosts of repositories send notifications, which are signed instead.
const HOOKS_PATH: &str = "/v1/hooks/";
const HOOKS_ROUTE: &str = "/v1/hooks/{*repository}";

/// Serves shared trees until a signal stops it. Clients may have tokens of `provider` too. Calls `listening` with the bound address.
pub fn shared_http(
    options: &SharedOptions,
    http: &HttpOptions,
    trees: Arc<dyn SharedTrees>,
    provider: Option<IdentityProviderOptions>,
    listening: &dyn Fn(SocketAddr),
) -> Result<(), ServeError> {
    let state = ServerState::shared(trees.clone(), options.tools.as_deref(), options.release_memory)?;
    let state = Arc::new(state);
    let runtime = runtime(state.free_slots() + 4 * SPARE_THREADS)?;
    let app = |stop: &CancellationToken| router(&state, trees, provider, http, stop);
    let served = runtime.block_on(serve_until_signal(http, Box::new(app), listening));
    runtime.shutdown_timeout(RUNTIME_SHUTDOWN_TIMEOUT);
    served
}

fn router(
    state: &Arc<ServerState>,
    trees: Arc<dyn SharedTrees>,
    provider: Option<IdentityProviderOptions>,
    http: &HttpOptions,
    stop: &CancellationToken,
) -> Router {
    let (mcp, sessions) = mcp_service(state, stop);
    let access = Arc::new(AccessControl::new(http.address.ip(), &http.hosts, &http.origins, None));
    let provider = provider.map(|options| Arc::new(IdentityProvider::new(options)));
    let is_encrypted = http.tls.is_some();
    let shared = SharedState { access, state: state.clone(), sessions, trees, provider, is_encrypted };
    Router::new()
        .route("/healthz", get(|| async { "ok\n" }))
        .route("/readyz", get(ready))
        .route("/metrics", get(metrics))
        .route("/v1/repositories", get(repositories))
        .route("/v1/call", post(call))
        .route("/v1/facts", post(facts))
        .route(HOOKS_ROUTE, post(hook))
        .nest_service(MCP_PATH, mcp)
        .route(LOGIN_PATH, post(login).get(login_page))
        .fallback(metadata_or_page)
        .with_state(shared.clone())
        .layer(from_fn_with_state(shared, check_token))
}

/// Checks a request before anything else handles it.
async fn check_token(State(state): State<SharedState>, mut request: Request, next: Next) -> Response {
    let authority = request.uri().authority().map(Authority::as_str);
    let is_metadata =
        |path: &str| state.provider.as_ref().is_some_and(|provider| provider.is_metadata_path(path));
    let path = request.uri().path();
    let is_page = is_page(path);
    let is_public = PUBLIC.contains(&path) || is_public_page(path) || is_metadata(path);
    let connection = request.extensions().get::<Arc<Connection>>().cloned();
    let bearer = if is_page {
        page_token(request.headers())
    } else {
        AccessControl::bearer_token(request.headers()).map(str::to_owned)
    };
    let checked = state.access.check(request.headers(), authority, RequiredProof::Nothing);
    let response = match checked {
        Err(rejection) => rejected(rejection),
        Ok(()) if is_public && !is_page => next.run(request).await,
        Ok(()) if is_public => handle(&state.sessions, connection, request, next).await,
        Ok(()) if connection.as_ref().is_some_and(|connection| connection.is_reserved) => unavailable(),
        Ok(()) if request.uri().path().starts_with(HOOKS_PATH) => {
            handle(&state.sessions, connection, request, next).await
        }
        Ok(()) => match authenticate(&state, bearer).await {
            Err(response)
                if is_page && response.status() == StatusCode::UNAUTHORIZED && accepts_html(&request) =>
            {
                let target = request.uri().path_and_query().map_or("/", |target| target.as_str());
                login_form(LoginState::Required, target)
            }
            Err(response) => response,
            Ok(caller) => {
                request.extensions_mut().insert(caller);
                handle(&state.sessions, connection, request, next).await
            }
        },
    };
    state.state.metrics.record_response(response.status().as_u16());
    response
}

fn unavailable() -> Response {
    let reason = "no question can be answered now; try again in a moment";
    rejected(Rejection { status: StatusCode::SERVICE_UNAVAILABLE, reason })
}

async fn authenticate(state: &SharedState, token: Option<String>) -> Result<Caller, Response> {
    let token = token.ok_or_else(|| unauthorized(state.provider.as_deref(), false))?;
    let (trees, provider) = (state.trees.clone(), state.provider.clone());
    let checked = tokio::task::spawn_blocking(move || {
        let Some(provider) = provider.filter(|_| is_signed(&token)) else {
            return trees.authenticate(&Credential::Token(&token));
        };
        match provider.identify(&token) {
            Some(identity) => trees.authenticate(&Credential::Identity(&identity)),
            None => Ok(Authentication::Rejected),
        }
    });
    match checked.await {
        Ok(Ok(Authentication::Accepted(caller))) => Ok(caller),
        Ok(Ok(Authentication::Rejected)) => Err(unauthorized(state.provider.as_deref(), true)),
        Ok(Ok(Authentication::Limited { retry_after })) => {
            let reason = "too many requests with this token";
            let mut response = rejected(Rejection { status: StatusCode::TOO_MANY_REQUESTS, reason });
            let seconds = HeaderValue::from(retry_after.as_secs() + 1);
            response.headers_mut().insert(header::RETRY_AFTER, seconds);
            Err(response)
        }
        Ok(Err(_)) | Err(_) => Err(unavailable()),
    }
}

/// Whether a token has the form of those that an identity provider signs; ours have no dots.
fn is_signed(token: &str) -> bool {
    token.matches('.').count() == 2
}

/// The response to a request without a token, or with one that does not count; it says where to get one.
fn unauthorized(provider: Option<&IdentityProvider>, has_token: bool) -> Response {
    let reason = "a valid bearer token is required";
    let mut response = rejected(Rejection { status: StatusCode::UNAUTHORIZED, reason });
    if let Some(provider) = provider {
        let error = if has_token { "error=\"invalid_token\", " } else { "" };
        let challenge = format!("Bearer {error}resource_metadata=\"{}\"", provider.metadata_address());
        if let Ok(challenge) = HeaderValue::try_from(challenge) {
            response.headers_mut().insert(header::WWW_AUTHENTICATE, challenge);
        }
    }
    response
}

/// The metadata of this server as a protected resource (RFC 9728), or a page.
async fn metadata_or_page(State(state): State<SharedState>, request: Request) -> Response {
    let path = request.uri().path();
    let provider = state.provider.as_ref().filter(|provider| provider.is_metadata_path(path));
    if let Some(provider) = provider.filter(|_| request.method() == Method::GET) {
        return json_response(StatusCode::OK, &provider.metadata());
    }
    if let Some(asset) = PageResponse::asset(&PageRequest::parse(path)) {
        return http_response(asset, accepts_gzip(request.headers()));
    }
    match request.extensions().get::<Caller>().cloned() {
        Some(caller) if is_page(path) => {
            let (method, uri, headers) = (request.method(), request.uri(), request.headers());
            page(state.trees, state.state, caller, method, uri, headers).await
        }
        _ => rejected(Rejection { status: StatusCode::NOT_FOUND, reason: "there is nothing here" }),
    }
}

/// Whether a person asks, who can be asked for a token.
fn accepts_html(request: &Request) -> bool {
    let accepted = request.headers().get(header::ACCEPT).and_then(|value| value.to_str().ok());
    request.method() == Method::GET && accepted.is_some_and(|accepted| accepted.contains("text/html"))
}

/// The form for the token.
async fn login_page() -> Response {
    login_form(LoginState::Required, "/")
}

/// Checks the token of the form. The browser keeps the token itself in a cookie: nodes have no sessions, and a token that is revoked is refused
/// with the next page.
async fn login(State(state): State<SharedState>, body: String) -> Response {
    let field = |name: &str| form_field(&body, name);
    let (token, next) = (field("token").trim().to_owned(), field("next"));
    let is_plain =
        !token.is_empty() && token.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte));
    if is_plain && authenticate(&state, Some(token.clone())).await.is_ok() {
        return logged_in(&token, &next, state.is_encrypted);
    }
    tokio::time::sleep(WRONG_TOKEN_DELAY).await;
    login_form(LoginState::Rejected, &next)
}

/// Takes a notification. A wrong signature is answered in the same way whether or not there is such a repository.
async fn hook(
    State(state): State<SharedState>,
    Path(repository): Path<String>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let notified = tokio::task::spawn_blocking(move || {
        state.trees.notify(&repository, &|secret| is_proven(&headers, &body, secret))
    });
    match notified.await {
        Ok(Ok(true)) => (StatusCode::ACCEPTED, "accepted\n").into_response(),
        Ok(Ok(false)) => {
            rejected(Rejection { status: StatusCode::FORBIDDEN, reason: "the signature is not valid" })
        }
        Ok(Err(_)) | Err(_) => unavailable(),
    }
}

async fn ready(State(state): State<SharedState>) -> Response {
    let trees = state.trees.clone();
    let is_ready = tokio::task::spawn_blocking(move || trees.is_ready()).await.unwrap_or(false);
    if is_ready { "ready\n".into_response() } else { unavailable() }
}

async fn metrics(State(state): State<SharedState>, Extension(caller): Extension<Caller>) -> Response {
    if !caller.is_admin {
        let reason = "the token may not read the metrics";
        return rejected(Rejection { status: StatusCode::FORBIDDEN, reason });
    }
    let page = tokio::task::spawn_blocking(move || {
        format!("{}{}", state.state.metrics.text(false, None), state.trees.metrics())
    });
    ([(header::CONTENT_TYPE, "text/plain; version=0.0.4")], page.await.unwrap_or_default()).into_response()
}

async fn repositories(State(state): State<SharedState>, Extension(caller): Extension<Caller>) -> Response {
    let listed = tokio::task::spawn_blocking(move || state.trees.repositories(&caller)).await;
    match listed {
        Ok(Ok(lines)) => {
            let line = |line: &crate::shared_trees::RepositoryLine| json!({ "name": line.name, "branch": line.branch, "commit": line.commit, "paths": line.files });
            let lines: Vec<Value> = lines.iter().map(line).collect();
            json_response(StatusCode::OK, &json!({ "repositories": lines }))
        }
        Ok(Err(error)) => error_response(&error),
        Err(_) => unavailable(),
    }
}

/// Sends the facts of a repository to a machine that indexes a clone of it.
async fn facts(
    State(state): State<SharedState>,
    Extension(caller): Extension<Caller>,
    body: Bytes,
) -> Response {
    let begun = Instant::now();
    let slot = state.state.slots(QueueClass { heavy: true, deep: true }).acquire_owned().await;
    state.state.release_memory_when_idle();
    let found = tokio::task::spawn_blocking(move || {
        let _slot = slot;
        let found = facts_download::find(&*state.trees, &caller, &body);
        let outcome = found.as_ref().map_or_else(|error| error.code().word(), |_| "ok");
        let repositories: Vec<String> = found.iter().map(|found| found.label.clone()).collect();
        let (repositories, took) = (repositories.as_slice(), begun.elapsed());
        let recorded = AnsweredQuestion { operation: "facts", subject: "", repositories, outcome, took };
        state.trees.record(&caller, &recorded);
        found
    });
    match found.await {
        Ok(Ok(found)) => facts_download::response(found),
        Ok(Err(error)) => error_response(&error),
        Err(_) => unavailable(),
    }
}

fn json_response(status: StatusCode, value: &Value) -> Response {
    (status, [(header::CONTENT_TYPE, "application/json")], format!("{value}\n")).into_response()
}

fn error_response(error: &ToolError) -> Response {
    let status = StatusCode::from_u16(error.code().http()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    json_response(status, &json!({ "error": error }))
}

/// Answers `{"operation": …, "repository": …, "arguments": {…}}` with the JSON form of the operation, or with `"text": true` its text; and
/// `words` of a command line instead of arguments with the text, or with `"structured": true` the JSON form. `own` lists what identifies
/// the repositories that the client answers for itself.
async fn call(
    State(state): State<SharedState>,
    Extension(caller): Extension<Caller>,
    body: Bytes,
) -> Response {
    let begun = Instant::now();
    let question = match JsonQuestion::parse(&body) {
        Ok(question) => question,
        Err(error) => return error_response(&error),
    };
    let (repository, own) = (question.repository.clone(), question.own.clone());
    let shared = SharedCall { trees: state.trees.clone(), caller, repository, own };
    let operation = question.operation;
    let queue = QueueClass { heavy: operation.heavy, deep: operation.depth == RefreshDepth::Graph };
    let guard = CancelOnDrop(Cancel::default());
    let cancel = guard.0.clone();
    let slot = state.state.slots(queue).acquire_owned().await;
    state.state.release_memory_when_idle();
    let work = tokio::task::spawn_blocking(move || {
        let mut asked = Vec::new();
        let answered = question.answer(&shared, &state.state, &cancel, &mut asked);
        // Recording waits for the database's disk, which others need not wait for.
        drop(slot);
        let outcome = answered.as_ref().map_or_else(|error| error.code().word(), |_| "ok");
        shared.record(operation.name, &question.subject(), &asked, outcome, begun);
        state.state.metrics.record_call(operation.name, outcome, begun.elapsed());
        answered
    });
    match tokio::time::timeout(CALL_TIMEOUT, work).await {
        Ok(Ok(Ok(answer))) => json_response(StatusCode::OK, &answer),
        Ok(Ok(Err(error))) => error_response(&error),
        Ok(Err(ended)) if ended.is_panic() => {
            error_response(&ToolError::new(Code::Internal, "the call failed"))
        }
        Ok(Err(_)) | Err(_) => unavailable(),
    }
}

/// A question as programs send it.
struct JsonQuestion {
    operation: &'static Operation,
    repository: Option<String>,
    arguments: Value,
    /// The words of a command line.
    words: Option<Vec<String>>,
    /// Whether the answer is text instead of the JSON form.
    wants_text: bool,
    own: Vec<String>,
}

impl JsonQuestion {
    fn parse(body: &[u8]) -> Result<Self, ToolError> {
        let wrong = |message: String| ToolError::new(Code::BadArgument, message);
        let sent: Value = serde_json::from_slice(body).map_err(|error| wrong(error.to_string()))?;
        let name = sent["operation"].as_str().ok_or_else(|| wrong("`operation` is required".to_owned()))?;
        let known =
            |operation: &&Operation| operation.name == name && operation.exposed && !operation.per_client;
        let operation =
            OPERATIONS.iter().find(known).ok_or_else(|| wrong(format!("there is no operation `{name}`")))?;
        let repository = match &sent["repository"] {
            Value::Null => None,
            Value::String(name) => Some(name.clone()),
            _ => return Err(wrong("`repository` must be the name of a repository".to_owned())),
        };
        let arguments = match &sent["arguments"] {
            Value::Null => json!({}),
            arguments => arguments.clone(),
        };
        let word = |word: &Value| word.as_str().map(str::to_owned);
        let list = |name: &str| sent[name].as_array().map(|list| list.iter().filter_map(word).collect());
        let words: Option<Vec<String>> = list("words");
        let wants_text = if words.is_some() { sent["structured"] != true } else { sent["text"] == true };
        let own = list("own").unwrap_or_default();
        Ok(Self { operation, repository, arguments, words, wants_text, own })
    }

    /// What the question is about, for the audit log.
    fn subject(&self) -> String {
        const MAX_CHARS: usize = 200;
        let text = self.words.as_ref().map_or_else(|| self.arguments.to_string(), |words| words.join(" "));
        let text = Redactor::default().text(&text);
        text.chars().take(MAX_CHARS).collect()
    }

    fn answer(
        &self,
        shared: &SharedCall,
        state: &ServerState,
        cancel: &Cancel,
        asked: &mut Vec<String>,
    ) -> Result<Value, ToolError> {
        let filter = match &self.words {
            Some(words) => self.operation.root_filter_of_words(words),
            None => self.operation.root_filter(&self.arguments),
        };
        let opened = shared.open(self.operation, filter)?;
        asked.clone_from(&opened.repositories);
        let tree = &opened.tree;
        let session = tree.join(&|tree| Session::for_tree(&tree.host, &NoProgress, cancel))?;
        let reply = match &self.words {
            Some(words) => self.operation.run_words(&session, words)?,
            None => self.operation.call(&session, self.arguments.clone())?,
        };
        if self.wants_text {
            return text_of(reply.as_ref(), &opened.repositories, state.redacts(tree));
        }
        let mut answer = json_of(reply.as_ref())?;
        if state.redacts(tree) {
            redact_json(&mut answer, &mut Redactor::default());
        }
        Ok(json!({ "repositories": opened.repositories, "notes": tree.left_out, "answer": answer }))
    }
}

/// The text of an answer, with its notes.
fn text_of(reply: &dyn Reply, repositories: &[String], redacts: bool) -> Result<Value, ToolError> {
    let failed =
        |error: std::io::Error| ToolError::new(Code::Io, format!("the answer could not be written: {error}"));
    let mut text = String::new();
    reply.text(&mut TextWriter::new(&mut text)).map_err(failed)?;
    if redacts {
        text = Redactor::default().text(&text);
    }
    let (notes, unresolved) = (notes_of(reply), reply.metadata().unresolved_name);
    Ok(json!({ "repositories": repositories, "notes": notes, "unresolved": unresolved, "text": text }))
}

/// Why an answer is partial, and its notes.
fn notes_of(reply: &dyn Reply) -> Vec<String> {
    let metadata = reply.metadata();
    metadata.reasons.iter().chain(&metadata.notes).map(|note| note.text.clone()).collect()
}

/// The JSON form of an answer; JSON lines become a list.
fn json_of(reply: &dyn Reply) -> Result<Value, ToolError> {
    let failed =
        |error: String| ToolError::new(Code::Io, format!("the answer could not be written: {error}"));
    let mut bytes = Vec::new();
    reply.json(&mut bytes).map_err(|error| failed(error.to_string()))?;
    let mut values = Vec::new();
    for value in serde_json::Deserializer::from_slice(&bytes).into_iter::<Value>() {
        values.push(value.map_err(|error| failed(error.to_string()))?);
    }
    Ok(if values.len() == 1 { values.remove(0) } else { Value::Array(values) })
}
