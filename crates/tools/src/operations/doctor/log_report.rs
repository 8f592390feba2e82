//! What `doctor` shows of the log: where it is, and the last warnings and errors in it.

use crate::text::writer::{Style, TextWriter};
use orient_logging::problems;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::io;
use std::path::Path;

/// So many warnings and errors are shown.
const MOST: usize = 20;

/// The log of servers and background processes.
#[derive(Serialize, JsonSchema)]
pub(crate) struct LogReport {
    /// The file that is written now; older ones have a number behind the name.
    pub(crate) file: String,
    /// The size of all its files together, in bytes.
    pub(crate) bytes: u64,
    /// The last warnings and errors, the oldest first.
    pub(crate) last: Vec<LogLine>,
}

/// A line of the log.
#[derive(Deserialize, Serialize, JsonSchema)]
pub(crate) struct LogLine {
    /// When, in UTC.
    ts: String,
    /// `warn` or `error`.
    level: String,
    /// The part of the program.
    target: String,
    /// The process.
    pid: u32,
    /// What happened.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    message: String,
    /// What else was noted: the span, the tool, counts.
    #[serde(flatten)]
    fields: BTreeMap<String, Value>,
}

impl LogReport {
    /// Reads the log of a store.
    pub(crate) fn of(store: &Path) -> io::Result<Self> {
        let found = problems(store, MOST)?;
        let last = found.lines.iter().filter_map(|line| serde_json::from_str(line).ok()).collect();
        Ok(Self { file: found.file.display().to_string(), bytes: found.bytes, last })
    }

    /// Writes the lines.
    pub(crate) fn text(&self, writer: &mut TextWriter<'_>) -> io::Result<()> {
        for line in &self.last {
            writer.put(Style::Dim, &line.ts)?;
            writer.put(Style::Warn, &format!("  {:5}", line.level))?;
            writer.put(Style::Head, &format!("  {}", line.target))?;
            writer.plain(&format!("  {}", line.message))?;
            for (name, value) in &line.fields {
                let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                writer.put(Style::Dim, &format!("  {name}={value}"))?;
            }
            writer.end_line()?;
        }
        Ok(())
    }
}
