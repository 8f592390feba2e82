//! A server that behaves like a provider, or badly: plain HTTP over a socket, so that what is tested is what is sent.

use orient_providers::{Plan, Provider, ProviderError, Purpose, Runtime, allow};
use orient_settings::Embed;
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// A request as it arrived.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub(crate) path: String,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Value,
}

impl Request {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The texts, under whatever name this provider gives them.
    pub(crate) fn texts(&self) -> Vec<String> {
        let texts = self.body.get("input").or_else(|| self.body.get("texts")).and_then(Value::as_array);
        texts.into_iter().flatten().filter_map(Value::as_str).map(ToOwned::to_owned).collect()
    }
}

/// What the server does with one request.
#[derive(Clone, Debug)]
pub(crate) enum Act {
    /// Answers as it should.
    Good,
    /// A status, headers, a body.
    Say(u16, Vec<(&'static str, String)>, String),
    /// Waits before it answers as it should.
    Slow(Duration),
    /// Promises a body and hangs up in the middle of it.
    Cut,
    /// Hangs up without a word.
    HangUp,
    /// Never stops talking.
    Endless,
    /// Quotes the request's own headers in a refusal.
    Echo(u16),
}

/// The response for this many texts.
pub(crate) type Shape = fn(&[String], usize) -> Value;

pub(crate) struct Server {
    pub(crate) url: String,
    seen: Arc<Mutex<Vec<Request>>>,
    script: Arc<Mutex<VecDeque<Act>>>,
    at_once: Arc<AtomicUsize>,
    most_at_once: Arc<AtomicUsize>,
    connections: Arc<AtomicUsize>,
    ended: Arc<AtomicBool>,
}

/// The vector of a text: what it says can be checked without a model.
pub(crate) fn vector(text: &str, dimension: usize) -> Vec<f32> {
    let sum: usize = text.bytes().map(usize::from).sum();
    (0..dimension).map(|place| f32::from(((sum + place * 7) % 97) as u8) / 48.0 - 1.0).collect()
}

pub(crate) fn items(texts: &[String], dimension: usize) -> Value {
    let items = texts.iter().enumerate().map(|(index, text)| {
        json!({ "object": "embedding", "index": index, "embedding": vector(text, dimension) })
    });
    json!({ "object": "list", "data": items.collect::<Vec<_>>(), "usage": { "total_tokens": 1 } })
}

pub(crate) fn items_turned(texts: &[String], dimension: usize) -> Value {
    let mut answer = items(texts, dimension);
    answer["data"].as_array_mut().expect("a list").reverse();
    answer
}

pub(crate) fn lists(texts: &[String], dimension: usize) -> Value {
    json!({ "model": "m", "embeddings": texts.iter().map(|text| vector(text, dimension)).collect::<Vec<_>>() })
}

pub(crate) fn typed(texts: &[String], dimension: usize) -> Value {
    let vectors: Vec<_> = texts.iter().map(|text| vector(text, dimension)).collect();
    json!({ "id": "x", "embeddings": { "float": vectors }, "meta": {} })
}

impl Server {
    /// A server with this form of answers; the script is followed first, then every answer is good.
    pub(crate) fn new(shape: Shape, dimension: usize, script: impl IntoIterator<Item = Act>) -> Self {
        Self::at("127.0.0.1:0", shape, dimension, script)
    }

    /// A server whose address does not look like one of this machine.
    pub(crate) fn elsewhere(shape: Shape, dimension: usize) -> Self {
        Self::at("0.0.0.0:0", shape, dimension, [])
    }

    fn at(address: &str, shape: Shape, dimension: usize, script: impl IntoIterator<Item = Act>) -> Self {
        let listener = TcpListener::bind(address).expect("a free port");
        let url = format!("http://{}", listener.local_addr().expect("bound"));
        let server = Self {
            url,
            seen: Arc::default(),
            script: Arc::new(Mutex::new(script.into_iter().collect())),
            at_once: Arc::default(),
            most_at_once: Arc::default(),
            connections: Arc::default(),
            ended: Arc::default(),
        };
        let (seen, script) = (server.seen.clone(), server.script.clone());
        let connections = server.connections.clone();
        let (at_once, most, ended) =
            (server.at_once.clone(), server.most_at_once.clone(), server.ended.clone());
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                if ended.load(Ordering::Relaxed) {
                    return;
                }
                connections.fetch_add(1, Ordering::SeqCst);
                let (seen, script, at_once, most) =
                    (seen.clone(), script.clone(), at_once.clone(), most.clone());
                std::thread::spawn(move || {
                    serve(&stream, shape, dimension, &seen, &script, &at_once, &most);
                });
            }
        });
        server
    }

    pub(crate) fn seen(&self) -> Vec<Request> {
        self.seen.lock().expect("no one panicked").clone()
    }

    /// How often somebody connected, whether or not anything was sent.
    pub(crate) fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }

    pub(crate) fn most_at_once(&self) -> usize {
        self.most_at_once.load(Ordering::SeqCst)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.ended.store(true, Ordering::Relaxed);
        let _ = TcpStream::connect(self.url.trim_start_matches("http://"));
    }
}

fn read(reader: &mut impl BufRead) -> Option<Request> {
    let mut line = String::new();
    reader.read_line(&mut line).ok()?;
    let path = line.split(' ').nth(1)?.to_owned();
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim_end().split_once(':') else { break };
        headers.push((name.to_lowercase(), value.trim().to_owned()));
    }
    let length = headers.iter().find(|(name, _)| name == "content-length")?.1.parse().ok()?;
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some(Request { path, headers, body: serde_json::from_slice(&body).ok()? })
}

fn serve(
    mut stream: &TcpStream,
    shape: Shape,
    dimension: usize,
    seen: &Mutex<Vec<Request>>,
    script: &Mutex<VecDeque<Act>>,
    at_once: &AtomicUsize,
    most: &AtomicUsize,
) {
    let mut reader = BufReader::new(stream);
    while let Some(request) = read(&mut reader) {
        most.fetch_max(at_once.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
        seen.lock().expect("no one panicked").push(request.clone());
        let act = script.lock().expect("no one panicked").pop_front().unwrap_or(Act::Good);
        let good = || shape(&request.texts(), dimension).to_string();
        let answer = match act {
            Act::Good => say(200, &[], &good()),
            Act::Slow(time) => {
                std::thread::sleep(time);
                say(200, &[], &good())
            }
            Act::Say(status, headers, body) => say(status, &headers, &body),
            Act::Echo(status) => say(status, &[], &format!("{:?}", request.headers)),
            Act::Cut => {
                let whole = say(200, &[], &good());
                let _ = stream.write_all(&whole[..whole.len() - 20]);
                at_once.fetch_sub(1, Ordering::SeqCst);
                return;
            }
            Act::HangUp => {
                at_once.fetch_sub(1, Ordering::SeqCst);
                return;
            }
            Act::Endless => {
                let head = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n4\r\n{\"a\"\r\n";
                let _ = stream.write_all(head);
                let chunk = format!("8000\r\n{}\r\n", " ".repeat(0x8000));
                while stream.write_all(chunk.as_bytes()).is_ok() {}
                at_once.fetch_sub(1, Ordering::SeqCst);
                return;
            }
        };
        at_once.fetch_sub(1, Ordering::SeqCst);
        if stream.write_all(&answer).is_err() {
            return;
        }
    }
}

fn say(status: u16, headers: &[(&str, String)], body: &str) -> Vec<u8> {
    let mut head = format!("HTTP/1.1 {status} X\r\ncontent-type: application/json\r\n");
    for (name, value) in headers {
        head = format!("{head}{name}: {value}\r\n");
    }
    format!("{head}content-length: {}\r\n\r\n{body}", body.len()).into_bytes()
}

/// A runtime in which time passes by sleeping alone, so that nobody waits.
#[derive(Default)]
pub(crate) struct Calm {
    now: Mutex<Duration>,
    pub(crate) slept: Mutex<Vec<Duration>>,
    pub(crate) stopped: AtomicBool,
}

impl Runtime for Calm {
    fn now(&self) -> Duration {
        *self.now.lock().expect("no one panicked")
    }

    fn sleep(&self, time: Duration) {
        *self.now.lock().expect("no one panicked") += time;
        self.slept.lock().expect("no one panicked").push(time);
    }

    fn random(&self) -> u64 {
        0
    }

    fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::SeqCst)
    }
}

pub(crate) const KEY: &str = "sk-5e1f-never-to-be-seen";

pub(crate) fn settings(provider: &str, url: &str) -> Embed {
    Embed {
        provider: Some(provider.to_owned()),
        model: Some("m".to_owned()),
        url: Some(url.to_owned()),
        timeout: 5,
        ..Embed::default()
    }
}

/// A connection with the user's leave, so that the key goes along.
pub(crate) fn connect(
    settings: &Embed,
    directory: &Path,
    dimension: Option<usize>,
    runtime: &Arc<Calm>,
) -> Result<Provider, ProviderError> {
    let plan = Plan::from_settings(settings)?.expect("a provider");
    allow(directory, Purpose::Embedding, &plan.terms())?;
    plan.connect(&plan.permission(directory)?, &|_| Some(KEY.to_owned()), dimension, runtime.clone())
}
