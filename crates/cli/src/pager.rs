//! A pager for output that is longer than the screen; it starts only once the output turns out to be longer.

use std::io::{self, Write};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Writes to standard output if everything fits on the screen, otherwise to a pager.
pub(crate) struct Pager {
    command: Option<String>,
    /// Height of the screen in lines.
    rows: usize,
    lines: usize,
    held: Vec<u8>,
    child: Option<Child>,
    paging: Arc<AtomicBool>,
}

/// The default pager.
const USUAL: &str = "less";

impl Pager {
    /// A pager for a screen. Environment variables choose the command; an empty one or `cat` disables it.
    pub(crate) fn new(
        rows: usize,
        paging: Arc<AtomicBool>,
        variable: impl Fn(&str) -> Option<String>,
    ) -> Self {
        let named = variable("ORIENT_PAGER").or_else(|| variable("PAGER"));
        let command = named.unwrap_or_else(|| USUAL.to_owned());
        let command =
            Some(command.trim().to_owned()).filter(|command| !matches!(command.as_str(), "" | "cat"));
        Self { command, rows, lines: 0, held: Vec::new(), child: None, paging }
    }

    /// Prints the buffered output, and waits until the user quits the pager.
    pub(crate) fn finish(mut self) -> io::Result<()> {
        if let Some(mut child) = self.child.take() {
            drop(child.stdin.take());
            child.wait()?;
            return Ok(());
        }
        let mut out = io::stdout().lock();
        out.write_all(&self.held)?;
        out.flush()
    }

    fn start(&mut self) -> io::Result<()> {
        let Some(command) = self.command.take() else { return Ok(()) };
        let mut words = command.split_whitespace();
        let mut pager = Command::new(words.next().unwrap_or(USUAL));
        pager.args(words).stdin(Stdio::piped());
        if std::env::var_os("LESS").is_none() {
            // Pass colours, exit if the output fits on the screen, do not wrap lines.
            pager.env("LESS", "FRX");
        }
        // If the pager cannot start, everything goes to standard output.
        if let Ok(mut child) = pager.spawn() {
            self.paging.store(true, Ordering::Relaxed);
            if let Some(stdin) = &mut child.stdin {
                stdin.write_all(&self.held)?;
            }
            self.child = Some(child);
        } else {
            io::stdout().lock().write_all(&self.held)?;
        }
        self.held = Vec::new();
        Ok(())
    }

    /// Whether output is no longer buffered.
    fn is_decided(&self) -> bool {
        self.command.is_none()
    }
}

impl Write for &mut Pager {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if !self.is_decided() {
            self.lines += bytes.split(|byte| *byte == b'\n').count() - 1;
            self.held.extend_from_slice(bytes);
            if self.lines >= self.rows {
                self.start()?;
            }
            return Ok(bytes.len());
        }
        match self.child.as_mut().and_then(|child| child.stdin.as_mut()) {
            Some(stdin) => stdin.write_all(bytes)?,
            None => io::stdout().lock().write_all(bytes)?,
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_user_names_the_pager_or_wants_none() {
        let of = |named: Option<&str>| {
            Pager::new(3, Arc::default(), |name| named.filter(|_| name == "PAGER").map(str::to_owned)).command
        };
        assert_eq!(of(None).as_deref(), Some("less"));
        assert_eq!(of(Some("more -s")).as_deref(), Some("more -s"));
        assert_eq!((of(Some("")), of(Some("cat"))), (None, None));
    }

    #[cfg(unix)]
    #[test]
    fn only_what_is_longer_than_the_screen_is_paged() {
        let file = tempfile::NamedTempFile::new().expect("a file");
        let command = format!("tee {}", file.path().display());
        let mut short = Pager::new(3, Arc::default(), |_| Some(command.clone()));
        (&mut short).write_all(b"1\n2\n").expect("held");
        assert!(short.child.is_none() && short.held == b"1\n2\n");
        let mut long = Pager::new(3, Arc::default(), |_| Some(command.clone()));
        for line in ["1\n", "2\n", "3\n", "4\n"] {
            (&mut long).write_all(line.as_bytes()).expect("written");
        }
        assert!(long.child.is_some());
        long.finish().expect("it ends");
        assert_eq!(std::fs::read_to_string(file.path()).expect("readable"), "1\n2\n3\n4\n");
    }
}
