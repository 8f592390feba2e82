//! Exports the index, or its facts alone, as one file, and starts an index from such a file.

use crate::clock::today;
use crate::extraction;
use crate::progress::{Cancel, Phase, Progress};
use crate::{Engine, EngineError};
use orient_store::{
    ExportedRows, ImportTarget, ImportedRows, PortableError, PortableFile, Snapshot, WriteLock, export_facts,
    export_index, import_facts, import_index,
};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

/// What an export wrote.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExportReport {
    /// What the file contains.
    pub rows: ExportedRows,
    /// Its size.
    pub bytes: u64,
}

/// What an import found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportReport {
    /// What was added.
    pub rows: ImportedRows,
    /// The version of the program that wrote the file.
    pub program: String,
    /// Whether there was an index already, which was kept.
    pub kept_index: bool,
}

impl Engine {
    /// Writes the index as it is to a file, which replaces an existing one when it is complete.
    pub fn export(
        &self,
        to: &Path,
        cancel: &Cancel,
        progress: &dyn Progress,
    ) -> Result<ExportReport, EngineError> {
        let is_current = extraction::is_current();
        let written = write_file(to, |file| {
            let mut report = row_progress(Phase::Exporting, cancel, progress);
            export_index(
                &self.paths.index(),
                &self.paths.cache(),
                env!("CARGO_PKG_VERSION"),
                &is_current,
                file,
                &mut report,
            )
        });
        progress.done();
        let (rows, bytes) = written?;
        Ok(ExportReport { rows, bytes })
    }

    /// Writes the facts of the index to a file, which saves another machine the parsing. Returns the size of the file.
    pub fn export_facts(&self, to: &Path, cancel: &Cancel) -> Result<u64, EngineError> {
        let is_current = extraction::is_current();
        let (_, bytes) = write_file(to, |file| {
            export_facts(
                &self.paths.index(),
                &self.paths.cache(),
                env!("CARGO_PKG_VERSION"),
                &is_current,
                file,
                &mut |_, _| !cancel.is_cancelled(),
            )
        })?;
        Ok(bytes)
    }

    /// Adds the facts of such a file to the cache; returns the number of contents that were new.
    pub fn import_facts(&self, from: &Path, cancel: &Cancel) -> Result<u64, EngineError> {
        let mut file = self.open_portable(from)?;
        self.own_directory()?;
        let mut goes_on = |_, _| !cancel.is_cancelled();
        let added = import_facts(&mut file, &self.paths.cache(), today(), &mut goes_on);
        added.map_err(|source| portable_error(from, source))
    }

    /// Adds what a portable file contains. It becomes the index if there is none; the next refresh compares it with the files.
    pub fn import(
        &self,
        from: &Path,
        cancel: &Cancel,
        progress: &dyn Progress,
    ) -> Result<ImportReport, EngineError> {
        let mut file = self.open_portable(from)?;
        self.own_directory()?;
        let lock = WriteLock::acquire(&self.paths.tree, |waited| {
            progress.waiting(WriteLock::holder(&self.paths.tree), waited);
            !cancel.is_cancelled()
        })?;
        let lock = lock.ok_or(EngineError::Cancelled)?;
        let done = self.import_locked(&mut file, from, &lock, cancel, progress);
        progress.done();
        done
    }

    /// The same for a file that is open, under the write lock.
    pub(crate) fn import_locked(
        &self,
        file: &mut PortableFile,
        from: &Path,
        lock: &WriteLock,
        cancel: &Cancel,
        progress: &dyn Progress,
    ) -> Result<ImportReport, EngineError> {
        let (index, cache) = (self.paths.index(), self.paths.cache());
        let current = |snapshot: Snapshot| snapshot.extractor() == self.classifier.extraction_version();
        let kept_index = self.damage().is_none() && Snapshot::open(&index).is_ok_and(current);
        let target = ImportTarget { index: &index, cache: &cache, keep_index: kept_index, day: today() };
        let mut report = row_progress(Phase::Importing, cancel, progress);
        let rows =
            import_index(file, &target, lock, &mut report).map_err(|source| portable_error(from, source))?;
        if !kept_index {
            // They describe the index that was replaced.
            self.caches.clear();
        }
        Ok(ImportReport { rows, program: file.header().program.clone(), kept_index })
    }

    /// Opens a portable file and compares its hash and its versions.
    pub(crate) fn open_portable(&self, from: &Path) -> Result<PortableFile, EngineError> {
        let open = || {
            if !fs::metadata(from)?.is_file() {
                return Err(PortableError::Foreign);
            }
            PortableFile::open(File::open(from)?, self.classifier.extraction_version())
        };
        open().map_err(|source| portable_error(from, source))
    }
}

/// Writes a file that replaces an existing one when it is complete; returns its size too.
fn write_file<T>(
    to: &Path,
    write: impl FnOnce(&mut File) -> Result<T, PortableError>,
) -> Result<(T, u64), EngineError> {
    let failed = |source: PortableError| portable_error(to, source);
    let draft = draft_beside(to).map_err(|error| failed(error.into()))?;
    let create = || File::options().write(true).create_new(true).open(&draft);
    let written = create().map_err(PortableError::from).and_then(|mut file| {
        let done = write(&mut file)?;
        file.sync_all()?;
        let bytes = file.metadata()?.len();
        fs::rename(&draft, to)?;
        Ok((done, bytes))
    });
    if written.is_err() {
        // If the draft was not even created, there is nothing to remove.
        let _ = fs::remove_file(&draft);
    }
    written.map_err(failed)
}

fn portable_error(path: &Path, source: PortableError) -> EngineError {
    match source {
        PortableError::Cancelled => EngineError::Cancelled,
        PortableError::Store(error) => error.into(),
        source => EngineError::Portable { path: path.to_owned(), source },
    }
}

/// Passes the number of rows on, and says when to stop.
fn row_progress<'p>(
    phase: Phase,
    cancel: &'p Cancel,
    progress: &'p dyn Progress,
) -> impl FnMut(u64, u64) -> bool + 'p {
    let mut before = None;
    move |done, total| {
        if before.is_none() {
            progress.phase(phase, total, 0);
        }
        progress.tick(done.saturating_sub(before.unwrap_or_default()), 0);
        before = Some(done);
        !cancel.is_cancelled()
    }
}

/// The name of an unfinished file beside the one that it will replace.
fn draft_beside(to: &Path) -> io::Result<PathBuf> {
    let name = to.file_name().ok_or(io::ErrorKind::InvalidFilename)?.to_string_lossy();
    if to.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    Ok(to.with_file_name(format!(".{name}.orient-{}", std::process::id())))
}
