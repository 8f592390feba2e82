//! The container of a portable index: a header that people can read, a compressed body, and a hash of both.
//!
//! ```text
//! orient-index 1\n        the version of the container
//! program 0.1.0\n         the header: one name and one value per line, in this order
//! store 13\n
//! extractor 7206…\n
//! files 1234\n
//! rows 98765\n
//! \n
//! one zstd frame          the body: rows (row_stream.rs)
//! 32 bytes                the BLAKE3 hash of everything before
//! ```

use super::error::PortableError;
use super::row_stream::{RowReader, RowWriter};
use crate::format_version::FORMAT;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};

/// The first line. The number is the version of the container and of the encoding of rows.
const MAGIC: &str = "orient-index 1";
/// The part of it that all versions share.
const MAGIC_NAME: &str = "orient-index ";
/// Maximum length of the header.
const MAX_HEADER: u64 = 1024;
/// Length of the hash at the end.
const HASH_LENGTH: u64 = 32;
/// The largest window that is accepted, as a power of two. Ours is smaller; a larger one would only cost memory.
const MAX_WINDOW: u32 = 24;
/// A body may be this many times as large as the file, which no real index is, plus a constant for small ones.
const MAX_RATIO: u64 = 200;
const MAX_SMALL_BODY: u64 = 16 << 20;

/// What the file says about itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PortableHeader {
    /// The version of the program that wrote it.
    pub program: String,
    /// The format of the index.
    pub store: u32,
    /// The version of extraction.
    pub extractor: u64,
    /// Number of files.
    pub files: u64,
    /// Approximate number of rows, for progress only.
    pub rows: u64,
}

impl PortableHeader {
    /// The header of a file that this store writes.
    pub(super) fn new(program: &str, extractor: u64, files: u64, rows: u64) -> Self {
        Self { program: program.to_owned(), store: FORMAT, extractor, files, rows }
    }

    fn encode(&self) -> String {
        let Self { program, store, extractor, files, rows } = self;
        format!(
            "{MAGIC}\nprogram {program}\nstore {store}\nextractor {extractor}\nfiles {files}\nrows {rows}\n\n"
        )
    }

    /// Parses the header; returns it with its length.
    fn decode(bytes: &[u8]) -> Result<(Self, u64), PortableError> {
        if !bytes.starts_with(MAGIC_NAME.as_bytes()) {
            return Err(PortableError::Foreign);
        }
        let line = bytes.split(|&byte| byte == b'\n').next().unwrap_or_default();
        if line != MAGIC.as_bytes() {
            let found = String::from_utf8_lossy(&line[MAGIC_NAME.len()..]).chars().take(20).collect();
            let known = MAGIC[MAGIC_NAME.len()..].to_owned();
            return Err(PortableError::Version { what: "format", found, known });
        }
        let end = bytes.windows(2).position(|two| two == b"\n\n").ok_or(PortableError::Foreign)?;
        let text = std::str::from_utf8(&bytes[..end]).map_err(|_| PortableError::Foreign)?;
        let mut lines = text.lines().skip(1);
        let mut value = |name: &str| {
            let line = lines.next().and_then(|line| line.strip_prefix(name)?.strip_prefix(' '));
            line.ok_or(PortableError::Damaged("its header is incomplete"))
        };
        let number =
            |text: &str| text.parse().map_err(|_| PortableError::Damaged("its header is incomplete"));
        let program = value("program")?.chars().take(40).collect();
        let store = u32::try_from(number(value("store")?)?).unwrap_or(u32::MAX);
        let extractor = number(value("extractor")?)?;
        let (files, rows) = (number(value("files")?)?, number(value("rows")?)?);
        Ok((Self { program, store, extractor, files, rows }, end as u64 + 2))
    }

    /// An error if this program cannot use the content.
    fn check(&self, extractor: u64) -> Result<(), PortableError> {
        let version = |what, found: u64, known: u64| {
            let (found, known) = (found.to_string(), known.to_string());
            Err(PortableError::Version { what, found, known })
        };
        if self.store != FORMAT {
            return version("index format", self.store.into(), FORMAT.into());
        }
        if self.extractor != extractor {
            return version("extraction version", self.extractor, extractor);
        }
        Ok(())
    }
}

/// A writer that hashes what it passes on.
struct HashingWriter<W> {
    to: W,
    hash: blake3::Hasher,
}

impl<W: Write> Write for HashingWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.to.write(bytes)?;
        self.hash.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

/// Writes a container whose body is compressed at a level; `rows` writes the body.
pub(super) fn write<T>(
    to: &mut File,
    header: &PortableHeader,
    level: i32,
    rows: impl FnOnce(&mut RowWriter<'_>) -> Result<T, PortableError>,
) -> Result<T, PortableError> {
    let mut out = HashingWriter { to: BufWriter::with_capacity(1 << 20, to), hash: blake3::Hasher::new() };
    out.write_all(header.encode().as_bytes())?;
    let mut body = zstd::stream::write::Encoder::new(out, level)?;
    let mut writer = RowWriter::new(&mut body);
    let done = rows(&mut writer)?;
    writer.end()?;
    let mut out = body.finish()?;
    let hash = *out.hash.finalize().as_bytes();
    out.write_all(&hash)?;
    out.flush()?;
    Ok(done)
}

/// A portable index whose hash and versions were checked.
pub struct PortableFile {
    file: File,
    header: PortableHeader,
    /// Where the body starts, and its length.
    body: (u64, u64),
}

impl PortableFile {
    /// Reads the header and compares hash and versions.
    pub fn open(mut file: File, extractor: u64) -> Result<Self, PortableError> {
        let length = file.metadata()?.len();
        let mut start = Vec::new();
        Read::by_ref(&mut file).take(MAX_HEADER).read_to_end(&mut start)?;
        let (header, body) = PortableHeader::decode(&start)?;
        let end = length.checked_sub(HASH_LENGTH).filter(|end| *end >= body);
        let end = end.ok_or(PortableError::Damaged("it is cut off"))?;
        file.seek(SeekFrom::Start(0))?;
        let mut hash = blake3::Hasher::new();
        let hashed = io::copy(&mut Read::by_ref(&mut file).take(end), &mut hash)?;
        let mut stored = [0; HASH_LENGTH as usize];
        file.read_exact(&mut stored)?;
        if hashed != end || *hash.finalize().as_bytes() != stored {
            return Err(PortableError::Damaged("its hash differs, so it was cut off or changed"));
        }
        header.check(extractor)?;
        Ok(Self { file, header, body: (body, end - body) })
    }

    /// What the file says about itself.
    pub fn header(&self) -> &PortableHeader {
        &self.header
    }

    /// The rows.
    pub(super) fn rows(&mut self) -> Result<RowReader<'_>, PortableError> {
        let (start, length) = self.body;
        self.file.seek(SeekFrom::Start(start))?;
        let compressed = BufReader::with_capacity(1 << 20, Read::by_ref(&mut self.file).take(length));
        let mut body = zstd::stream::read::Decoder::with_buffer(compressed)?.single_frame();
        body.window_log_max(MAX_WINDOW)?;
        let most = length.saturating_mul(MAX_RATIO).saturating_add(MAX_SMALL_BODY);
        Ok(RowReader::new(Box::new(BufReader::with_capacity(1 << 18, body)), most))
    }
}
