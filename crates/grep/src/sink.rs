//! Where a printer writes: a buffer that is handed on when it is large, with separators between files.

use crate::ordered::Ordered;
use std::io::{self, Write};
use termcolor::{Buffer, ColorSpec, HyperlinkSpec, WriteColor};

/// A buffer of this size is handed on before its batch is whole.
const LARGE: usize = 256 << 10;

/// The output of one batch of files.
pub(crate) struct Sink<'o> {
    ordered: &'o Ordered,
    buffer: Buffer,
    colours: bool,
    separator: Option<Vec<u8>>,
    batch: usize,
    /// Whether the file at hand has written nothing yet.
    at_start: bool,
    /// Whether the batch has written anything.
    begun: bool,
}

impl<'o> Sink<'o> {
    pub(crate) fn new(ordered: &'o Ordered, colours: bool, separator: Option<Vec<u8>>) -> Self {
        let buffer = new_buffer(colours);
        Self { ordered, buffer, colours, separator, batch: 0, at_start: true, begun: false }
    }

    pub(crate) fn start_batch(&mut self, batch: usize) {
        (self.batch, self.begun) = (batch, false);
    }

    pub(crate) fn start_file(&mut self) {
        self.at_start = true;
    }

    /// Hands on what is there.
    pub(crate) fn hand_on(&mut self) {
        if !self.buffer.is_empty() {
            let full = std::mem::replace(&mut self.buffer, new_buffer(self.colours));
            self.ordered.add(self.batch, full.into_inner());
        }
    }

    /// Writes what stands between two files; between two batches that is up to whoever joins them.
    fn separate(&mut self) -> io::Result<()> {
        if std::mem::take(&mut self.at_start)
            && std::mem::replace(&mut self.begun, true)
            && let Some(separator) = &self.separator
        {
            self.buffer.write_all(separator)?;
            self.buffer.write_all(b"\n")?;
        }
        Ok(())
    }
}

fn new_buffer(colours: bool) -> Buffer {
    if colours { Buffer::ansi() } else { Buffer::no_color() }
}

impl Write for Sink<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if bytes.is_empty() {
            return Ok(0);
        }
        self.separate()?;
        self.buffer.write_all(bytes)?;
        if self.buffer.len() >= LARGE {
            self.hand_on();
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl WriteColor for Sink<'_> {
    fn supports_color(&self) -> bool {
        self.buffer.supports_color()
    }

    fn supports_hyperlinks(&self) -> bool {
        false
    }

    fn set_color(&mut self, spec: &ColorSpec) -> io::Result<()> {
        if self.colours {
            self.separate()?;
        }
        self.buffer.set_color(spec)
    }

    fn set_hyperlink(&mut self, _link: &HyperlinkSpec<'_>) -> io::Result<()> {
        Ok(())
    }

    fn reset(&mut self) -> io::Result<()> {
        self.buffer.reset()
    }

    fn is_synchronous(&self) -> bool {
        false
    }
}
