//! Reading and replacing whole files of a private directory, on every system.

use crate::{Access, Directory};
use std::io::{self, Read, Write};
use std::sync::atomic::{AtomicU64, Ordering};

/// The content of a probe file: too large to be stored inline in an inode.
const PROBE: [u8; 16 << 10] = [b'o'; 16 << 10];

/// Numbers temporary files, so that no two threads write to the same one.
static TEMPORARY_FILES: AtomicU64 = AtomicU64::new(0);

impl Directory {
    /// The first `most` bytes of a file. `None` if it does not exist.
    pub fn read(&self, name: &str, most: u64) -> io::Result<Option<Vec<u8>>> {
        let file = match self.file(name, Access::Read) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            file => file?,
        };
        let mut bytes = Vec::new();
        file.take(most).read_to_end(&mut bytes)?;
        Ok(Some(bytes))
    }

    /// Replaces a file atomically. A link is replaced, not followed.
    pub fn replace(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let temporary = temporary_name(name);
        let _ = self.remove(&temporary);
        let done = self.write_new(&temporary, bytes).and_then(|()| self.rename(&temporary, name));
        if done.is_err() {
            let _ = self.remove(&temporary);
        }
        done
    }

    /// Writes, flushes and removes a file, to test whether the directory is writable.
    pub fn probe(&self) -> io::Result<()> {
        let name = temporary_name("probe");
        let written = self.write_new(&name, &PROBE);
        let removed = self.remove(&name);
        written.and(removed)
    }

    fn write_new(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let mut file = self.file(name, Access::Create)?;
        file.write_all(bytes)?;
        file.sync_all()
    }
}

fn temporary_name(name: &str) -> String {
    format!(".{name}.{}-{}", std::process::id(), TEMPORARY_FILES.fetch_add(1, Ordering::Relaxed))
}
