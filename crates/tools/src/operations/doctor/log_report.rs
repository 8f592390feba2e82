//! The last warnings and errors of the log, for `doctor --log`.

use crate::text::writer::{Style, TextWriter};
use orient_logging::problems;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::io;
use std::path::Path;

/// Maximum number of warnings and errors shown.
const MAX_LINES: usize = 20;

/// The log of servers and background processes.
#[derive(Serialize)]
pub(crate) struct LogReport {
    /// The current file; older ones have a number appended to the name.
    pub(crate) file: String,
    /// The total size of its files, in bytes.
    pub(crate) bytes: u64,
    /// The last warnings and errors, oldest first.
    pub(crate) last: Vec<LogLine>,
}

/// A line of the log.
#[derive(Deserialize, Serialize)]
pub(crate) struct LogLine {
    /// The time, in UTC.
    ts: String,
    /// `warn` or `error`.
    level: String,
    /// The crate it comes from.
    target: String,
    /// The process id.
    pid: u32,
    /// The message.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    message: String,
    /// Other fields: span, tool, counts.
    #[serde(flatten)]
    fields: BTreeMap<String, Value>,
}

impl LogReport {
    /// Reads the log of a store.
    pub(crate) fn of(store: &Path) -> io::Result<Self> {
        let found = problems(store, MAX_LINES)?;
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
