//! A fake embedding server: its model places one function near every query, and everything else far away.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// The word of the text that is nearest to every query.
pub(crate) const WINNER: &str = "windfall";
/// The default dimension of its vectors.
pub(crate) const DIMENSION: usize = 64;
/// Longer than any timeout.
const SILENCE: Duration = Duration::from_mins(2);

/// Its behaviour.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Mood {
    Good,
    /// Vectors of another dimension.
    Dimension(usize),
    /// A status and a body.
    Says(u16, &'static str),
    /// Echoes the request headers.
    Echoes,
    HangsUp,
    /// Accepts this many requests, and then does not respond.
    SilentAfter(usize),
    /// Accepts this many requests, and then refuses.
    RefusesAfter(usize),
}

pub(crate) struct Server {
    port: u16,
    shared: Arc<Shared>,
}

struct Shared {
    mood: Mutex<Mood>,
    texts: Mutex<Vec<String>>,
    keys: Mutex<Vec<Option<String>>>,
    connections: AtomicUsize,
}

impl Server {
    pub(crate) fn new() -> Self {
        let listener = TcpListener::bind("0.0.0.0:0").expect("a free port");
        let port = listener.local_addr().expect("bound").port();
        let shared = Arc::new(Shared {
            mood: Mutex::new(Mood::Good),
            texts: Mutex::default(),
            keys: Mutex::default(),
            connections: AtomicUsize::new(0),
        });
        let serving = shared.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let shared = serving.clone();
                shared.connections.fetch_add(1, Ordering::SeqCst);
                std::thread::spawn(move || while shared.answer(&stream).is_some() {});
            }
        });
        Self { port, shared }
    }

    pub(crate) fn here(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// A URL that does not look local.
    pub(crate) fn elsewhere(&self) -> String {
        format!("http://0.0.0.0:{}", self.port)
    }

    pub(crate) fn mood(&self, mood: Mood) {
        *self.shared.mood.lock().expect("nobody panicked") = mood;
    }

    /// All received texts, in order.
    pub(crate) fn texts(&self) -> Vec<String> {
        self.shared.texts.lock().expect("nobody panicked").clone()
    }

    /// The API key of each request.
    pub(crate) fn keys(&self) -> Vec<Option<String>> {
        self.shared.keys.lock().expect("nobody panicked").clone()
    }

    /// Number of connections, whether or not anything was sent.
    pub(crate) fn connections(&self) -> usize {
        self.shared.connections.load(Ordering::SeqCst)
    }
}

impl Shared {
    /// Answers one request; `None` at the end of the stream.
    fn answer(&self, mut stream: &TcpStream) -> Option<()> {
        let (head, body) = read_request(&mut BufReader::new(stream))?;
        let body: Value = serde_json::from_slice(&body).expect("JSON");
        let texts: Vec<String> = serde_json::from_value(body["input"].clone()).expect("a list of texts");
        let key = head.lines().find_map(|line| line.strip_prefix("authorization: ").map(ToOwned::to_owned));
        self.keys.lock().expect("nobody panicked").push(key);
        self.texts.lock().expect("nobody panicked").extend(texts.iter().cloned());
        let mood = {
            let mut mood = self.mood.lock().expect("nobody panicked");
            let now = *mood;
            match &mut *mood {
                Mood::SilentAfter(left @ 1..) | Mood::RefusesAfter(left @ 1..) => {
                    *left -= 1;
                    Mood::Good
                }
                _ => now,
            }
        };
        let dimension = if let Mood::Dimension(dimension) = mood { dimension } else { DIMENSION };
        let vectors: Vec<Vec<f32>> = texts.iter().map(|text| vector(text, dimension)).collect();
        let good = if head.starts_with("POST /api/embed ") {
            json!({ "embeddings": vectors })
        } else {
            let items =
                vectors.iter().enumerate().map(|(at, vector)| json!({ "index": at, "embedding": vector }));
            json!({ "data": items.collect::<Vec<_>>() })
        };
        let (status, body) = match mood {
            Mood::Good | Mood::Dimension(_) => (200, good.to_string()),
            Mood::Says(status, body) => (status, body.to_owned()),
            Mood::Echoes => (400, json!({ "error": head }).to_string()),
            Mood::RefusesAfter(_) => (400, json!({ "error": "enough" }).to_string()),
            Mood::HangsUp => return None,
            Mood::SilentAfter(_) => {
                std::thread::sleep(SILENCE);
                return None;
            }
        };
        let answer = format!("HTTP/1.1 {status} X\r\ncontent-length: {}\r\n\r\n{body}", body.len());
        stream.write_all(answer.as_bytes()).ok()
    }
}

/// The head and the body of a request; `None` if the client has hung up.
pub(crate) fn read_request(reader: &mut impl BufRead) -> Option<(String, Vec<u8>)> {
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if reader.read_line(&mut head).ok()? == 0 {
            return None;
        }
    }
    let length = head
        .lines()
        .find_map(|line| line.to_lowercase().strip_prefix("content-length:")?.trim().parse().ok())?;
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some((head, body))
}

/// Queries and the winner have the same direction, every other text a different one.
fn vector(text: &str, dimension: usize) -> Vec<f32> {
    let is_question = !text.contains('\n');
    let seed = if is_question || text.contains(WINNER) { "the one way" } else { text };
    let mut state = seed.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |state, byte| {
        (state ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    let mut value = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        f32::from((state >> 48) as u16) / 32_768.0 - 1.0
    };
    (0..dimension).map(|_| value()).collect()
}
