//! The subscriber: keeps the spans that are open, and writes a line for each that ends and for each event.

use crate::filter::{Filter, own_target};
use crate::record::{Fields, Record};
use crate::rotation::RotatingFile;
use crate::{DIRECTORY, format};
use std::cell::RefCell;
use std::collections::HashMap;
use std::io::Write;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Instant, SystemTime, UNIX_EPOCH};
use tracing::level_filters::LevelFilter;
use tracing::span::{Attributes, Id, Record as Values};
use tracing::{Event, Metadata, Subscriber};

/// How many lines wait for the store to be known.
const WAITING: usize = 64;

/// Where lines go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sinks {
    /// To the standard error, for people.
    pub stderr: bool,
    /// To the file of the store, once that is known.
    pub file: bool,
}

/// The file of this process, if it has one.
static FILE_SINK: OnceLock<Arc<Mutex<FileSink>>> = OnceLock::new();

thread_local! {
    /// The spans this thread is in, the innermost last.
    static ENTERED: RefCell<Vec<u64>> = const { RefCell::new(Vec::new()) };
}

/// Has spans and events written from now on, for the life of the process. The first call counts.
pub fn install(filter: Filter, sinks: Sinks) {
    if filter.is_off() || sinks == Sinks::default() {
        return;
    }
    let file = sinks.file.then(|| FILE_SINK.get_or_init(Arc::default).clone());
    let _ = tracing::subscriber::set_global_default(Log::new(filter, sinks.stderr, file));
}

/// Says where the store is. What was logged before is written now.
pub fn open(store: &Path) {
    if let Some(sink) = FILE_SINK.get() {
        lock(sink).open(store);
    }
}

/// A log file, or the lines that wait for one.
#[derive(Default)]
struct FileSink {
    file: Option<RotatingFile>,
    waiting: Vec<String>,
}

impl FileSink {
    fn open(&mut self, store: &Path) {
        let mut file = RotatingFile::new(&store.join(DIRECTORY));
        self.waiting.drain(..).for_each(|line| file.append(&line));
        self.file = Some(file);
    }

    fn append(&mut self, line: String) {
        match &mut self.file {
            Some(file) => file.append(&line),
            None if self.waiting.len() < WAITING => self.waiting.push(line),
            None => {}
        }
    }
}

/// A span that is open.
struct Open {
    metadata: &'static Metadata<'static>,
    fields: Fields,
    begun: Instant,
    /// How many handles there are.
    handles: usize,
}

struct Log {
    filter: Filter,
    stderr: bool,
    file: Option<Arc<Mutex<FileSink>>>,
    open: Mutex<HashMap<u64, Open>>,
    next: AtomicU64,
    pid: u32,
}

impl Log {
    fn new(filter: Filter, stderr: bool, file: Option<Arc<Mutex<FileSink>>>) -> Self {
        let (open, next, pid) = (Mutex::default(), AtomicU64::new(1), std::process::id());
        Self { filter, stderr, file, open, next, pid }
    }

    fn write(&self, metadata: &Metadata<'_>, span: Option<&str>, fields: &Fields, begun: Option<Instant>) {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let record = Record {
            ts: u64::try_from(now.as_millis()).unwrap_or_default(),
            level: *metadata.level(),
            target: own_target(metadata.target()).unwrap_or_default(),
            pid: self.pid,
            span,
            fields,
            duration: begun.map(|begun| begun.elapsed().as_secs_f64() * 1000.0),
        };
        if self.stderr {
            // A failure to write to the standard error cannot be reported anywhere.
            let _ = std::io::stderr().lock().write_all(format::text(&record).as_bytes());
        }
        if let Some(file) = &self.file {
            lock(file).append(format::json(&record));
        }
    }

    /// The span a new one or an event is in, and the tool that is called there.
    fn around<T>(&self, named: Option<u64>, see: impl FnOnce(&Open) -> T) -> Option<T> {
        let id = named.or_else(|| ENTERED.with_borrow(|entered| entered.last().copied()))?;
        lock(&self.open).get(&id).map(see)
    }
}

impl Subscriber for Log {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        self.filter.enables(metadata)
    }

    fn max_level_hint(&self) -> Option<LevelFilter> {
        Some(self.filter.most())
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let mut fields = Fields::at(*span.metadata().level());
        let named = span.parent().map(Id::into_u64);
        if (named.is_some() || span.is_contextual())
            && let Some(Some(tool)) = self.around(named, |open| open.fields.get("tool").cloned())
        {
            fields.set("tool", tool);
        }
        span.record(&mut fields);
        let open = Open { metadata: span.metadata(), fields, begun: Instant::now(), handles: 1 };
        lock(&self.open).insert(id, open);
        Id::from_u64(id)
    }

    fn record(&self, span: &Id, values: &Values<'_>) {
        if let Some(open) = lock(&self.open).get_mut(&span.into_u64()) {
            values.record(&mut open.fields);
        }
    }

    fn record_follows_from(&self, _span: &Id, _follows: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut fields = Fields::at(*event.metadata().level());
        event.record(&mut fields);
        let named = event.parent().map(Id::into_u64);
        let around = self.around(named, |open| (open.metadata.name(), open.fields.get("tool").cloned()));
        let (span, tool) = around.unzip();
        if let Some(Some(tool)) = tool.filter(|_| fields.get("tool").is_none()) {
            fields.set("tool", tool);
        }
        self.write(event.metadata(), span, &fields, None);
    }

    fn enter(&self, span: &Id) {
        ENTERED.with_borrow_mut(|entered| entered.push(span.into_u64()));
    }

    fn exit(&self, span: &Id) {
        ENTERED.with_borrow_mut(|entered| {
            if let Some(at) = entered.iter().rposition(|id| *id == span.into_u64()) {
                entered.remove(at);
            }
        });
    }

    fn clone_span(&self, id: &Id) -> Id {
        if let Some(open) = lock(&self.open).get_mut(&id.into_u64()) {
            open.handles += 1;
        }
        id.clone()
    }

    fn try_close(&self, id: Id) -> bool {
        let mut all = lock(&self.open);
        let Some(open) = all.get_mut(&id.into_u64()) else { return false };
        open.handles -= 1;
        if open.handles > 0 {
            return false;
        }
        let ended = all.remove(&id.into_u64());
        drop(all);
        if let Some(Open { metadata, fields, begun, .. }) = ended {
            self.write(metadata, Some(metadata.name()), &fields, Some(begun));
        }
        true
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tracing::{debug, debug_span, field, info, info_span, warn};

    /// What is logged while something is done, by a filter.
    fn logged(filter: &str, act: impl FnOnce()) -> Vec<String> {
        let sink: Arc<Mutex<FileSink>> = Arc::default();
        let log = Log::new(Filter::parse(filter).expect("a filter"), false, Some(sink.clone()));
        tracing::subscriber::with_default(log, act);
        let lines = std::mem::take(&mut lock(&sink).waiting);
        lines.iter().map(|line| line.split_once(",\"pid\":").expect("a pid").1.to_owned()).collect()
    }

    #[test]
    fn a_span_is_written_when_it_ends_and_an_event_at_once() {
        let lines = logged("info", || {
            let span = info_span!("tool_call", tool = "find", tokens = field::Empty);
            let handle = span.clone();
            span.in_scope(|| warn!(files = 3_u64, "gave up"));
            span.record("tokens", 12_u64);
            drop(span);
            info!("still open");
            drop(handle);
        });
        let is = |line: &str, end: &str| line.split_once(',').expect("more").1.starts_with(end);
        assert!(
            is(&lines[0], "\"span\":\"tool_call\",\"message\":\"gave up\",\"files\":3,\"tool\":\"find\"}"),
            "{lines:?}"
        );
        assert!(is(&lines[1], "\"message\":\"still open\"}"), "{lines:?}");
        assert!(is(&lines[2], "\"span\":\"tool_call\",\"tool\":\"find\",\"tokens\":12,\"duration_ms\":"));
        assert_eq!(lines.len(), 3);
    }

    #[test]
    fn what_is_inside_of_a_call_names_its_tool() {
        let lines = logged("debug", || {
            let call = info_span!("tool_call", tool = "find");
            let _entered = call.enter();
            drop(debug_span!("query").entered());
            drop(info_span!(parent: None, "alone"));
        });
        assert!(lines[0].contains("\"span\":\"query\",\"tool\":\"find\""), "{lines:?}");
        assert!(lines[1].contains("\"span\":\"alone\",\"duration_ms\""), "{lines:?}");
    }

    #[test]
    fn text_is_taken_from_known_fields_alone() {
        let secret = "SECRET".to_owned();
        let lines = logged("debug", || {
            warn!(query = secret.as_str(), text = %secret, other = ?secret, path = secret.as_str(), "said");
            warn!(tool = %secret, reason = ?secret, "formatted");
            info_span!("refresh", path = secret.as_str(), note = %secret);
        });
        assert_eq!(lines.len(), 3);
        assert!(lines.iter().all(|line| !line.contains("SECRET")), "{lines:?}");
        let debugged = logged("debug", || debug!(path = secret.as_str(), "skipped"));
        assert!(debugged[0].contains("\"path\":\"SECRET\""), "paths are allowed at this level");
    }

    #[test]
    fn nobody_else_is_heard() {
        let lines = logged("debug", || {
            warn!(target: "rmcp::service", "a request");
            info_span!(target: "hyper", "connection").in_scope(|| info!("ours"));
        });
        assert_eq!(lines.len(), 1, "{lines:?}");
    }

    #[test]
    fn levels_go_by_target() {
        let say = || {
            info!(target: "orient_engine::refresh", "one");
            info!(target: "orient_serve", "two");
            warn!(target: "orient_serve", "three");
        };
        assert_eq!(logged("warn,engine=debug", say).len(), 2);
        assert_eq!(logged("serve=info", say).len(), 2);
        assert_eq!(logged("error", say).len(), 0);
    }

    #[test]
    fn lines_wait_for_the_store() {
        let store = tempfile::tempdir().expect("a directory");
        let mut sink = FileSink::default();
        (0..WAITING + 5).for_each(|number| sink.append(format!("{number}\n")));
        sink.open(store.path());
        sink.append("last\n".to_owned());
        let text = std::fs::read_to_string(crate::path(store.path())).expect("written");
        assert_eq!(text.lines().count(), WAITING + 1);
        assert!(text.starts_with("0\n1\n") && text.ends_with("63\nlast\n"));
    }
}
