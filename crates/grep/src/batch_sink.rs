//! The writer of a printer: buffers the output of a batch, adds separators between files, and flushes large buffers.

use crate::ordered_output::OrderedOutput;
use crate::output_options::Layout;
use std::ffi::OsString;
use std::io::{self, Write};
use std::path::Path;
use termcolor::{Buffer, ColorSpec, HyperlinkSpec, WriteColor};

/// A buffer of this size is flushed before its batch is complete.
const FLUSH_SIZE: usize = 256 << 10;

/// A prefix of the path given to a printer.
///
/// A printer canonicalises every path for hyperlinks before it checks whether they are enabled, except for invalid paths;
/// a NUL byte avoids those system calls. The sink recognises the path by its address in memory and drops the prefix.
#[cfg(unix)]
const MARK: &[u8] = b"\0";
#[cfg(not(unix))]
const MARK: &[u8] = b"";

/// A path with the prefix.
#[derive(Default)]
pub(crate) struct MarkedPath(OsString);

impl MarkedPath {
    /// Sets the path.
    pub(crate) fn set(&mut self, path: &Path) {
        self.0.clear();
        #[cfg(unix)]
        self.0.push(<std::ffi::OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(MARK));
        self.0.push(path);
    }

    pub(crate) fn as_path(&self) -> &Path {
        Path::new(&self.0)
    }

    fn address(&self) -> (usize, usize) {
        address(self.0.as_encoded_bytes())
    }
}

fn address(bytes: &[u8]) -> (usize, usize) {
    (bytes.as_ptr().addr(), bytes.len())
}

/// The output of a batch of files.
pub(crate) struct BatchSink<'o> {
    ordered: &'o OrderedOutput,
    buffer: Buffer,
    layout: &'o Layout,
    separator: Option<Vec<u8>>,
    batch: usize,
    /// Whether the current file has written nothing yet.
    at_start: bool,
    /// The address and length of the current marked path.
    marked: (usize, usize),
    /// Whether the batch has written anything.
    begun: bool,
}

impl<'o> BatchSink<'o> {
    pub(crate) fn new(ordered: &'o OrderedOutput, layout: &'o Layout, separator: Option<Vec<u8>>) -> Self {
        Self {
            ordered,
            buffer: new_buffer(layout.colours),
            layout,
            separator,
            batch: 0,
            at_start: true,
            marked: (0, 0),
            begun: false,
        }
    }

    pub(crate) fn start_batch(&mut self, batch: usize) {
        (self.batch, self.begun) = (batch, false);
    }

    /// Starts a file; the printer is given this path.
    pub(crate) fn start_file(&mut self, path: &MarkedPath) {
        self.at_start = true;
        self.marked = path.address();
    }

    /// Flushes the last part of the batch.
    pub(crate) fn finish_batch(&mut self) {
        self.flush_buffer(true);
    }

    fn flush_buffer(&mut self, finished: bool) {
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

    /// Writes the separator between two files of the batch; the consumer writes those between batches.
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

impl Write for BatchSink<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if bytes.is_empty() {
            return Ok(0);
        }
        self.separate()?;
        if address(bytes) == self.marked {
            self.write_path(&bytes[MARK.len()..])?;
        } else {
            self.buffer.write_all(bytes)?;
        }
        if self.buffer.len() >= FLUSH_SIZE {
            self.flush_buffer(false);
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl WriteColor for BatchSink<'_> {
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
