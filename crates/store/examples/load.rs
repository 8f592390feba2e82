//! How fast and how lean the store is: `cargo run --release -p orient-store --example load -- [FILES] [FOLDER]`.
//!
//! Loads made-up files of fifty symbols each, then prints rows per second, bytes per symbol, and the time of the questions
//! that every command asks.
#![expect(clippy::print_stdout, reason = "the figures are what it is for")]
#![expect(clippy::cast_precision_loss, reason = "a figure to read needs four digits")]

use orient_model::{
    Atom, Chunk, ChunkKind, ContentHash, Flow, Modifiers, Outline, Param, RepoPath, Role, Span, Stamp,
    Symbol, SymbolKind, Visibility,
};
use orient_store::{
    BulkWriter, Cache, CacheKey, CachedFacts, Change, FilePut, INDEXED, NameMatch, Prepared, Snapshot,
    SymbolQuery, WriteLock, Writer, decode_outline, encode_flow, encode_outline,
};
use std::path::{Path, PathBuf};
use std::time::Duration;

const SYMBOLS: u64 = 50;
const BATCH: u64 = 500;
const WORDS: &[&str] = &[
    "get", "set", "user", "name", "read", "write", "page", "block", "inode", "lock", "device", "irq",
    "queue", "list", "node", "tree", "map", "init", "exit", "probe", "remove", "config", "buffer", "state",
    "flags", "handler", "request", "reply", "table", "entry", "index", "count", "size", "offset", "value",
    "parse", "format", "token", "scan", "match",
];

/// A small generator of numbers: the same files in every run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }

    fn word(&mut self) -> &'static str {
        WORDS[self.roll(WORDS.len() as u64) as usize]
    }

    fn name(&mut self) -> String {
        match self.roll(3) {
            0 => self.word().to_owned(),
            1 => format!("{}_{}", self.word(), self.word()),
            _ => format!("{}_{}_{}_{}", self.word(), self.word(), self.word(), self.roll(30)),
        }
    }
}

fn outline(dice: &mut Dice) -> Outline {
    let mut outline = Outline { lines: SYMBOLS as u32 * 12, ..Outline::default() };
    let mut at = 0;
    let mut line = 1;
    for place in 0..SYMBOLS as u32 {
        let lines = 1 + dice.roll(20) as u32;
        let (start, end) = (at + 2, at + lines * 32);
        let span = |start, end, first, last| Span { start, end, first_line: first, last_line: last };
        let name_text = dice.name();
        let name = outline.strings.push(&name_text);
        let ty = dice.word();
        let signature = format!("static int {name_text}(struct {ty} *{ty}, u32 flags)");
        let header = start + signature.len() as u32;
        let signature = outline.strings.push(&signature);
        let ty = outline.strings.push(&format!("struct {ty} *"));
        let doc = (dice.roll(3) == 0).then(|| {
            let words: Vec<&str> = (0..12).map(|_| dice.word()).collect();
            outline.strings.push(&words.join(" "))
        });
        let parent = (place % 10 != 0).then_some(place - place % 10);
        outline.symbols.push(Symbol {
            kind: if place % 10 == 0 { SymbolKind::Struct } else { SymbolKind::Method },
            name,
            parent,
            qualifier: None,
            ordinal: 0,
            visibility: if dice.roll(2) == 0 { Visibility::Public } else { Visibility::Private },
            modifiers: Modifiers(u32::from(dice.roll(3) == 0)),
            span: span(start, end, line, line + lines - 1),
            name_span: span(start + 11, start + 11 + name_text.len() as u32, line, line),
            header: span(start, header, line, line),
            body: Some(span(header + 1, end, line, line + lines - 1)),
            signature,
            params: vec![Param { name: ty, ty: Some(ty), default: false, variadic: false }],
            returns: Some(Atom(0)),
            doc,
            attributes: if dice.roll(12) == 0 { vec![name] } else { Vec::new() },
            bases: Vec::new(),
            body_hash: dice.roll(u64::MAX >> 33) << 20,
        });
        if place % 2 == 0 {
            let kind = ChunkKind::Symbol;
            outline.chunks.push(Chunk {
                kind,
                symbol: Some(place),
                span: span(start, end, line, line + lines - 1),
            });
        }
        at = end + 2;
        line += lines + 1;
    }
    outline
}

fn file(number: u64, facts: Prepared) -> FilePut {
    let mut hash = [0; 16];
    hash[..8].copy_from_slice(&number.wrapping_mul(0x9e37_79b9_7f4a_7c15).to_le_bytes());
    FilePut {
        path: RepoPath::from(
            format!("drivers/group{}/unit{}/file{number}.c", number / 400, number / 20).as_str(),
        ),
        language: Some("made-up".into()),
        role: Role::Source,
        status: INDEXED,
        detail: None,
        stamp: Stamp {
            size: 20_000 + number,
            mtime_ns: 1_700_000_000_123_456_789,
            ctime_ns: 1_700_000_000_123_456_789,
            inode: number,
        },
        hash: Some(ContentHash(hash)),
        bytes: 20_000,
        facts: Some(facts),
        grams: None,
        terms: None,
        vectors: Vec::new(),
    }
}

/// Processor time of this thread, which a busy machine does not stretch; wall time where the system does not tell.
fn clock() -> Duration {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanos = told.and_then(|text| text.split(' ').next()?.parse().ok());
    nanos.map_or_else(|| std::time::UNIX_EPOCH.elapsed().unwrap_or_default(), Duration::from_nanos)
}

fn spent(since: Duration) -> Duration {
    clock().saturating_sub(since)
}

fn timed<T>(what: &str, act: impl FnOnce() -> T) -> T {
    let since = clock();
    let value = act();
    println!("{what:<44} {:>9.2} ms", spent(since).as_secs_f64() * 1e3);
    value
}

fn load(files: u64, path: &Path, lock: &WriteLock) {
    let mut dice = Dice(7);
    let mut writer = BulkWriter::create(path, lock, 1, u64::MAX).expect("the folder can be written");
    let (mut writing, mut preparing, mut blobs) = (Duration::ZERO, Duration::ZERO, 0);
    for batch in 0..files.div_ceil(BATCH) {
        let outlines: Vec<_> =
            (batch * BATCH..files.min((batch + 1) * BATCH)).map(|n| (n, outline(&mut dice))).collect();
        let since = clock();
        let puts: Vec<_> = outlines.iter().map(|(n, outline)| file(*n, Prepared::new(outline))).collect();
        preparing += spent(since);
        blobs += puts
            .iter()
            .flat_map(|put| &put.facts)
            .map(|facts| facts.outline().as_bytes().len())
            .sum::<usize>();
        let since = clock();
        for put in &puts {
            writer.put(put).expect("a new path");
        }
        writing += spent(since);
    }
    let since = clock();
    writer.publish().expect("the folder can be written");
    let publishing = spent(since);
    let (symbols, all) = ((files * SYMBOLS) as f64, (writing + publishing).as_secs_f64());
    let bytes = std::fs::metadata(path).expect("just written").len() as f64;
    println!("{files} files, {symbols} symbols");
    println!(
        "rows {:.2} s, indexes and swap {:.2} s: {:.0} symbols/s",
        writing.as_secs_f64(),
        publishing.as_secs_f64(),
        symbols / all
    );
    println!(
        "preparing (on the extracting threads) {:.2} us a file",
        preparing.as_secs_f64() * 1e6 / files as f64
    );
    println!(
        "{:.1} MB: {:.1} bytes a symbol, of them {:.1} outline",
        bytes / 1e6,
        bytes / symbols,
        blobs as f64 / symbols
    );
}

fn ask(path: &Path) {
    let snapshot = timed("open", || Snapshot::open(path).expect("just written"));
    timed("stamps of all files", || snapshot.known().expect("whole").len());
    for (what, name) in [
        ("exact name", NameMatch::Exact("read_page".into())),
        ("prefix", NameMatch::Prefix("read_pa".into())),
        ("word", NameMatch::Word("irq".into())),
        ("fuzzy", NameMatch::Fuzzy { text: "raed_pgae".into(), distance: 2 }),
        ("all, by kind", NameMatch::Any),
    ] {
        let kinds: &[SymbolKind] = if name == NameMatch::Any { &[SymbolKind::Struct] } else { &[] };
        let query = SymbolQuery { name, kinds, ..SymbolQuery::default() };
        let page = timed(what, || snapshot.symbols(&query, 0, 50).expect("whole"));
        println!("{:<44} {:>9} symbols", "", page.total);
    }
    timed("counts by language", || snapshot.languages().expect("whole"));
}

fn edit(path: &Path, lock: &WriteLock) {
    let mut dice = Dice(99);
    timed("open, change one file, close", || {
        let mut writer = Writer::open(path, lock).expect("just written");
        writer.apply([Change::Put(Box::new(file(0, Prepared::new(&outline(&mut dice)))))]).expect("whole");
    });
    let mut writer = Writer::open(path, lock).expect("just written");
    let changes: Vec<_> =
        (0..500).map(|n| Change::Put(Box::new(file(n, Prepared::new(&outline(&mut dice)))))).collect();
    timed("change 500 files wholly", || writer.apply(changes).expect("whole"));
}

fn cache(folder: &Path, files: u64) {
    let mut dice = Dice(7);
    let made: Vec<_> = (0..files.min(20_000))
        .map(|number| {
            let facts = CachedFacts {
                outline: encode_outline(&outline(&mut dice)),
                flow: encode_flow(&Flow::default()),
            };
            let mut hash = [0; 16];
            hash[..8].copy_from_slice(&number.wrapping_mul(0x9e37_79b9_7f4a_7c15).to_le_bytes());
            (CacheKey::new(ContentHash(hash), 1), facts)
        })
        .collect();
    let mut cache = Cache::open(&folder.join("cache.db"));
    timed("cache: put all, 500 at a time", || {
        for batch in made.chunks(500) {
            cache.put_many(batch.iter().map(|(key, facts)| (*key, facts)), 1);
        }
    });
    timed("cache: get all", || made.iter().filter(|(key, _)| cache.get(key).is_some()).count());
    timed("decode all outlines", || {
        made.iter().filter(|(_, facts)| decode_outline(facts.outline.as_bytes()).is_ok()).count()
    });
    let bytes: usize = made.iter().map(|(_, facts)| facts.outline.as_bytes().len()).sum();
    println!("cache {:.1} MB for {:.1} MB of facts", cache.bytes() as f64 / 1e6, bytes as f64 / 1e6);
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let files = arguments.next().and_then(|text| text.parse().ok()).unwrap_or(4_000);
    let folder =
        arguments.next().map_or_else(|| std::env::temp_dir().join("orient-store-load"), PathBuf::from);
    let _ = std::fs::remove_dir_all(&folder);
    let lock =
        WriteLock::try_acquire(&folder).expect("the folder can be written").expect("nobody else is here");
    let path = folder.join("index.db");
    load(files, &path, &lock);
    ask(&path);
    edit(&path, &lock);
    cache(&folder, files);
}
