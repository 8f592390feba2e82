//! What one line holds: the values that a span or an event may bring along, and no others.

use std::fmt;
use tracing::Level;
use tracing::field::{Field, Visit};

/// The fields whose text is kept. Their values are words of our own tables, never text of a repository or of a question.
const TEXT_FIELDS: &[&str] = &["message", "tool", "outcome", "reason", "transport", "version"];
/// The fields whose text is kept at the level `debug` alone: they hold names from the repository.
const DEBUG_FIELDS: &[&str] = &["path"];
/// A word of our own is shorter; a longer text is cut.
const LONGEST: usize = 200;

/// The value of a field.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    Text(String),
    Unsigned(u64),
    Signed(i64),
    Float(f64),
    Flag(bool),
}

/// The fields of a span or an event, in the order in which they came.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Fields {
    values: Vec<(&'static str, Value)>,
    is_debug: bool,
}

impl Fields {
    /// The fields of something at a level.
    pub(crate) fn at(level: Level) -> Self {
        Self { values: Vec::new(), is_debug: level >= Level::DEBUG }
    }

    pub(crate) fn get(&self, name: &str) -> Option<&Value> {
        self.values.iter().find(|(known, _)| *known == name).map(|(_, value)| value)
    }

    /// Sets a field. A field that is recorded again has the later value.
    pub(crate) fn set(&mut self, name: &'static str, value: Value) {
        match self.values.iter_mut().find(|(known, _)| *known == name) {
            Some((_, old)) => *old = value,
            None => self.values.push((name, value)),
        }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&'static str, &Value)> {
        self.values.iter().map(|(name, value)| (*name, value))
    }

    fn takes_text(&self, name: &str) -> bool {
        TEXT_FIELDS.contains(&name) || self.is_debug && DEBUG_FIELDS.contains(&name)
    }
}

impl Visit for Fields {
    fn record_u64(&mut self, field: &Field, value: u64) {
        self.set(field.name(), Value::Unsigned(value));
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.set(field.name(), Value::Signed(value));
    }

    fn record_f64(&mut self, field: &Field, value: f64) {
        self.set(field.name(), Value::Float(value));
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.set(field.name(), Value::Flag(value));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        if self.takes_text(field.name()) {
            self.set(field.name(), Value::Text(value.chars().take(LONGEST).collect()));
        }
    }

    /// Whatever has no type of its own: the message, and values that are formatted. Those could hold anything.
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        if field.name() == "message" {
            self.record_str(field, &format!("{value:?}"));
        }
    }
}

/// One line.
pub(crate) struct Record<'r> {
    /// Milliseconds since 1970.
    pub(crate) ts: u64,
    pub(crate) level: Level,
    pub(crate) target: &'r str,
    pub(crate) pid: u32,
    /// The span that ended, or the one around an event.
    pub(crate) span: Option<&'r str>,
    pub(crate) fields: &'r Fields,
    /// How long a span took, in milliseconds.
    pub(crate) duration: Option<f64>,
}
