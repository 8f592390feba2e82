//! Errors of the store, classified by what the caller can do about them.

use crate::codec::CodecError;
use crate::integrity::damaged_files;
use orient_safefs::Directory;
use rusqlite::ErrorCode;
use rusqlite::ffi;
use rusqlite::types::Type;
use std::io;
use std::path::{Path, PathBuf};

/// An error of the store.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// There is no index yet. Build one.
    #[error("there is no index at {}", path.display())]
    Missing {
        /// Where it was expected.
        path: PathBuf,
    },
    /// The file is damaged. Move it aside and build a new index.
    #[error("the index at {} is damaged ({detail})", path.display())]
    Damaged {
        /// The damaged file.
        path: PathBuf,
        /// What is wrong with it.
        detail: String,
    },
    /// A newer version wrote it. Leave it as it is.
    #[error(
        "the index at {} has format {found}, and this program reads up to format {known}: \
         use the newer program that wrote it, or give another store directory with --store",
        path.display()
    )]
    Newer {
        /// The file.
        path: PathBuf,
        /// The format it has.
        found: u32,
        /// The newest format that this version knows.
        known: u32,
    },
    /// An older version wrote it. Open it for writing to migrate it; if that fails with the same error, build a new index.
    #[error("the index at {} has the older format {found} (now {known})", path.display())]
    Outdated {
        /// The file.
        path: PathBuf,
        /// The format it has.
        found: u32,
        /// The current format.
        known: u32,
    },
    /// The file system does not let us write or read: no space, no permission, a link in the path, an unreachable drive.
    /// Work in memory instead.
    #[error("the store at {} cannot be used ({reason})", path.display())]
    Unusable {
        /// The path that could not be written or read.
        path: PathBuf,
        /// The reason.
        reason: String,
    },
    /// Any other failure of the database: a bug, or a fault of the machine.
    #[error("the index at {} failed: {source}", path.display())]
    Sql {
        /// The file.
        path: PathBuf,
        /// The error of the database.
        source: rusqlite::Error,
    },
}

impl StoreError {
    #[expect(clippy::needless_pass_by_value, reason = "errors come by value, and end here")]
    pub(crate) fn io(path: &Path, source: io::Error) -> Self {
        Self::Unusable { path: path.to_path_buf(), reason: unusable_reason(&source) }
    }

    pub(crate) fn damaged(path: &Path, detail: impl Into<String>) -> Self {
        let detail = detail.into();
        damaged_files::report_at(path, &detail);
        Self::Damaged { path: path.to_path_buf(), detail }
    }

    /// Classifies a database error.
    pub(crate) fn sql(path: &Path, source: rusqlite::Error) -> Self {
        if is_damage(&source) {
            let detail = damaged_files::take_latest().unwrap_or_else(|| source.to_string());
            return Self::damaged(path, detail);
        }
        let path = path.to_path_buf();
        match source.sqlite_error_code() {
            Some(ErrorCode::DiskFull) => Self::io(&path, io::ErrorKind::StorageFull.into()),
            Some(
                ErrorCode::ReadOnly
                | ErrorCode::PermissionDenied
                | ErrorCode::CannotOpen
                | ErrorCode::SystemIoFailure,
            ) => Self::Unusable { reason: what_the_system_says(&path, &source), path },
            _ => Self::Sql { path, source },
        }
    }
}

/// Why nothing can be stored, with advice where the remedy is not obvious.
pub fn unusable_reason(error: &io::Error) -> String {
    use io::ErrorKind as Kind;
    match error.kind() {
        Kind::StorageFull => "no space is left on its disk".to_owned(),
        Kind::QuotaExceeded => "the disk quota of this user is used up".to_owned(),
        Kind::ReadOnlyFilesystem => "its file system is read-only".to_owned(),
        Kind::FileTooLarge => "this process may not write files that large (see `ulimit -f`)".to_owned(),
        Kind::PermissionDenied if error.get_ref().is_none() => "permission denied".to_owned(),
        _ => error.to_string(),
    }
}

/// SQLite only says that reading or writing failed; an attempt of our own finds the reason.
fn what_the_system_says(path: &Path, source: &rusqlite::Error) -> String {
    let attempt =
        path.parent().map(|directory| Directory::open(directory).and_then(|directory| directory.probe()));
    match attempt {
        Some(Err(error)) => unusable_reason(&error),
        _ => source.to_string(),
    }
}

/// Whether an error means that the file is damaged. Values of the wrong type count: an intact file with `STRICT` tables has
/// none.
pub(crate) fn is_damage(error: &rusqlite::Error) -> bool {
    use rusqlite::Error as E;
    match error {
        E::FromSqlConversionFailure(..)
        | E::IntegralValueOutOfRange(..)
        | E::InvalidColumnType(..)
        | E::Utf8Error(..) => true,
        E::SqliteFailure(failure, _)
            if matches!(
                failure.extended_code,
                ffi::SQLITE_IOERR_DATA | ffi::SQLITE_IOERR_SHORT_READ | ffi::SQLITE_IOERR_CORRUPTFS
            ) =>
        {
            true
        }
        _ => matches!(
            error.sqlite_error_code(),
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase | ErrorCode::TypeMismatch)
        ),
    }
}

/// The error that a database returns for a malformed value.
pub(crate) fn unreadable(error: CodecError) -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(0, Type::Blob, Box::new(error))
}

/// The error that a database returns for a value with a wrong checksum.
pub(crate) fn mismatched(column: usize) -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(column, Type::Blob, "it fails its checksum".into())
}

/// Adds the path of the file to database errors.
pub(crate) trait AtPath<T> {
    fn at(self, path: &Path) -> Result<T, StoreError>;
}

impl<T> AtPath<T> for rusqlite::Result<T> {
    fn at(self, path: &Path) -> Result<T, StoreError> {
        self.map_err(|source| StoreError::sql(path, source))
    }
}

impl<T> AtPath<T> for io::Result<T> {
    fn at(self, path: &Path) -> Result<T, StoreError> {
        self.map_err(|source| StoreError::io(path, source))
    }
}
