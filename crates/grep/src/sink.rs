//! Where a printer writes: a buffer that is handed on when it is large, with separators between files.

use crate::layout::Layout;
use crate::ordered::Ordered;
use std::ffi::OsString;
use std::io::{self, Write};
use std::path::Path;
use termcolor::{Buffer, ColorSpec, HyperlinkSpec, WriteColor};

/// A buffer of this size is handed on before its batch is whole.
const LARGE: usize = 256 << 10;

/// What stands before a path while a printer has it.
///
/// A printer asks the file system for the true name of every path it prints, to make a link of it, before it asks whether
/// links are wanted; for a path that cannot be there it does not. Since the printer writes what it was given from where it
/// lies, its path is told from all other text by its place.
#[cfg(unix)]
const VEIL: &[u8] = b"\0";
#[cfg(not(unix))]
const VEIL: &[u8] = b"";

/// A path in the form a printer gets it.
#[derive(Default)]
pub(crate) struct VeiledPath(OsString);

impl VeiledPath {
    /// Takes on another path.
    pub(crate) fn set(&mut self, path: &Path) {
        self.0.clear();
        #[cfg(unix)]
        self.0.push(<std::ffi::OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(VEIL));
        self.0.push(path);
    }

    pub(crate) fn as_path(&self) -> &Path {
        Path::new(&self.0)
    }

    fn place(&self) -> (usize, usize) {
        place(self.0.as_encoded_bytes())
    }
}

fn place(bytes: &[u8]) -> (usize, usize) {
    (bytes.as_ptr().addr(), bytes.len())
}

/// The output of one batch of files.
pub(crate) struct Sink<'o> {
    ordered: &'o Ordered,
    buffer: Buffer,
    layout: &'o Layout,
    separator: Option<Vec<u8>>,
    batch: usize,
    /// Whether the file at hand has written nothing yet.
    at_start: bool,
    /// Where the veiled path of the file at hand lies in memory.
    veiled: (usize, usize),
    /// Whether the batch has written anything.
    begun: bool,
}

impl<'o> Sink<'o> {
    pub(crate) fn new(ordered: &'o Ordered, layout: &'o Layout, separator: Option<Vec<u8>>) -> Self {
        Self {
            ordered,
            buffer: new_buffer(layout.colours),
            layout,
            separator,
            batch: 0,
            at_start: true,
            veiled: (0, 0),
            begun: false,
        }
    }

    pub(crate) fn start_batch(&mut self, batch: usize) {
        (self.batch, self.begun) = (batch, false);
    }

    /// A file begins, whose path the printer gets in this form.
    pub(crate) fn start_file(&mut self, path: &VeiledPath) {
        self.at_start = true;
        self.veiled = path.place();
    }

    /// Hands on what is there: the batch is whole.
    pub(crate) fn finish_batch(&mut self) {
        self.hand_on(true);
    }

    fn hand_on(&mut self, finished: bool) {
        let full = std::mem::replace(&mut self.buffer, new_buffer(self.layout.colours));
        self.ordered.add(self.batch, full.into_inner(), finished);
    }

    fn write_path(&mut self, path: &[u8]) -> io::Result<()> {
        if !self.layout.paths_on_one_line {
            return self.buffer.write_all(path);
        }
        for &byte in path {
            match byte {
                b'\n' => self.buffer.write_all(b"\\n")?,
                b'\r' => self.buffer.write_all(b"\\r")?,
                byte => self.buffer.write_all(&[byte])?,
            }
        }
        Ok(())
    }

    /// Writes what stands between two files; between two batches that is up to whoever joins them.
    fn separate(&mut self) -> io::Result<()> {
        if std::mem::take(&mut self.at_start)
            && std::mem::replace(&mut self.begun, true)
            && let Some(separator) = &self.separator
        {
            self.buffer.write_all(separator)?;
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
        if place(bytes) == self.veiled {
            self.write_path(&bytes[VEIL.len()..])?;
        } else {
            self.buffer.write_all(bytes)?;
        }
        if self.buffer.len() >= LARGE {
            self.hand_on(false);
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
        if self.layout.colours {
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
