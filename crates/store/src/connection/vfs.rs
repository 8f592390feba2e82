//! SQLite VFS shim: verifies every page and frame that SQLite reads, and adds a checksum to every page it writes.
//!
//! It wraps SQLite's default VFS and replaces it as the default, so that every connection of this process uses it. Databases
//! and write-ahead logs are wrapped; other files (temporary files, journals) are not. A damaged page is reported as
//! `SQLITE_IOERR_DATA`, with the details in `damaged_files.rs`. Memory mapping works as before: a mapped page is verified
//! when SQLite first uses it, and again after the file has changed.
//!
//! On Linux it also leaves paths through a descriptor (`/proc/self/fd/7/index.db`) unresolved; `database.rs` explains why.

#![expect(
    unsafe_code,
    reason = "SQLite calls a file system through C functions; every pointer they get is one SQLite owns for the call"
)]

use crate::integrity::page_checksum::RESERVED;
use crate::integrity::page_verifier::{PageVerifier, RawFile, WalVerifier};
use crate::integrity::wal_index::REGION;
use rusqlite::Connection;
use rusqlite::ffi::{self, sqlite3_file, sqlite3_int64, sqlite3_io_methods, sqlite3_vfs};
use std::cell::Cell;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::hash::{BuildHasher, RandomState};
use std::path::{Path, PathBuf};
use std::ptr::{self, null_mut};
use std::slice;
use std::sync::Once;
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};

/// SQLite's default VFS.
static SYSTEM: AtomicPtr<sqlite3_vfs> = AtomicPtr::new(null_mut());
static INSTALL: Once = Once::new();
static INSTALLED: AtomicBool = AtomicBool::new(false);
const NAME: &CStr = c"orient";

/// Registers the shim for all connections opened from now on.
pub(crate) fn install() {
    INSTALL.call_once(|| {
        // SAFETY: SQLite initialises itself here; the file system it names lives as long as the process.
        let system = unsafe { ffi::sqlite3_vfs_find(ptr::null()) };
        if system.is_null() {
            return;
        }
        SYSTEM.store(system, Ordering::Release);
        // SAFETY: it is not null. All functions but `xOpen` and `xFullPathname` are those of the copy.
        let mut ours = unsafe { *system };
        ours.szOsFile += c_int::try_from(HANDLE).unwrap_or_default();
        ours.zName = NAME.as_ptr();
        ours.pNext = null_mut();
        ours.xOpen = Some(open);
        if cfg!(target_os = "linux") {
            ours.xFullPathname = Some(full_pathname);
        }
        // SAFETY: registered for the rest of the process, and never freed.
        let code = unsafe { ffi::sqlite3_vfs_register(Box::into_raw(Box::new(ours)), 1) };
        INSTALLED.store(code == ffi::SQLITE_OK, Ordering::Release);
    });
}

/// The name of this VFS, if it supports paths through descriptors.
pub(crate) fn through_descriptors() -> Option<&'static CStr> {
    install();
    (cfg!(target_os = "linux") && INSTALLED.load(Ordering::Acquire)).then_some(NAME)
}

/// The prefix of paths through descriptors.
const DESCRIPTORS: &[u8] = b"/proc/self/fd/";

/// Returns a path through a descriptor as it is, and any other path as SQLite resolves it.
unsafe extern "C" fn full_pathname(
    _: *mut sqlite3_vfs,
    name: *const c_char,
    room: c_int,
    out: *mut c_char,
) -> c_int {
    let system = SYSTEM.load(Ordering::Acquire);
    // SAFETY: SQLite hands over a string that ends with zero and a buffer with so much room; the file system of SQLite, set
    // before this function was registered, is called as SQLite calls it.
    unsafe {
        let bytes = CStr::from_ptr(name).to_bytes_with_nul();
        if bytes.starts_with(DESCRIPTORS) {
            if usize::try_from(room).is_ok_and(|room| bytes.len() <= room) {
                ptr::copy_nonoverlapping(name, out, bytes.len());
                return ffi::SQLITE_OK;
            }
            return ffi::SQLITE_CANTOPEN;
        }
        (*system).xFullPathname.map_or(ffi::SQLITE_CANTOPEN, |full| full(system, name, room, out))
    }
}

thread_local! {
    static CREATING: Cell<bool> = const { Cell::new(false) };
}

/// Runs a function that creates a database with room for page trailers (see [`reserve`]).
pub(crate) fn creating<T>(act: impl FnOnce() -> T) -> T {
    install();
    let before = CREATING.replace(true);
    let done = act();
    CREATING.set(before);
    done
}

/// Reserves room for a trailer in every page of a new database whose page size is already set.
pub(crate) fn reserve(db: &Connection) {
    let mut bytes = c_int::try_from(RESERVED).unwrap_or_default();
    // SAFETY: the connection is open for as long as it is borrowed; the operation reads and writes one number.
    unsafe {
        let argument = ptr::from_mut(&mut bytes).cast();
        ffi::sqlite3_file_control(db.handle(), c"main".as_ptr(), ffi::SQLITE_FCNTL_RESERVE_BYTES, argument);
    }
}

/// A file as SQLite sees it. The file of the wrapped VFS follows in the same allocation.
#[repr(C)]
struct Handle {
    file: sqlite3_file,
    guard: *mut Guard,
}

/// The first read lock in the shared memory, held by readers of the database alone. The next ones are for readers of the
/// log.
const FIRST_READ_LOCK: c_int = 3;

/// The offset of the wrapped file in a [`Handle`].
const HANDLE: usize = size_of::<Handle>();

enum Guard {
    Pages(PageVerifier, Regions),
    Log(WalVerifier),
}

/// The regions of shared memory that SQLite has mapped so far, without gaps.
#[derive(Default)]
struct Regions(Vec<*const u8>);

impl Regions {
    fn copied(&self) -> Vec<Vec<u8>> {
        // SAFETY: they stay mapped until `xShmUnmap`. Another process may write at the same time; what is then seen half is
        // compared with a sum or looked up, and found wrong or right as a whole.
        self.0.iter().map(|region| unsafe { slice::from_raw_parts(*region, REGION) }.to_vec()).collect()
    }
}

/// The file of the wrapped VFS.
#[derive(Clone, Copy)]
struct Inner(*mut sqlite3_file);

impl Inner {
    /// # Safety
    /// The file was opened by [`open`] and is not closed.
    unsafe fn of(file: *mut sqlite3_file) -> Self {
        // SAFETY: SQLite allocated `szOsFile` bytes for both.
        Self(unsafe { file.byte_add(HANDLE) })
    }

    fn methods(&self) -> &sqlite3_io_methods {
        // SAFETY: it is open, so its methods are set, and they are constants of SQLite.
        unsafe { &*(*self.0).pMethods }
    }
}

impl RawFile for Inner {
    fn read(&self, buffer: &mut [u8], offset: u64) -> bool {
        let (Some(read), Ok(length)) = (self.methods().xRead, c_int::try_from(buffer.len())) else {
            return false;
        };
        // SAFETY: the file is open and the buffer is as long as it is said to be.
        let code = unsafe { read(self.0, buffer.as_mut_ptr().cast(), length, offset.cast_signed()) };
        code == ffi::SQLITE_OK
    }

    fn size(&self) -> u64 {
        let mut size: sqlite3_int64 = 0;
        // SAFETY: the file is open.
        let code = self.methods().xFileSize.map(|ask| unsafe { ask(self.0, &raw mut size) });
        if code == Some(ffi::SQLITE_OK) { size.cast_unsigned() } else { 0 }
    }
}

/// # Safety
/// The file was opened by [`open`], and SQLite uses it for this call alone.
unsafe fn guard<'f>(file: *mut sqlite3_file) -> &'f mut Guard {
    // SAFETY: `open` put it there, and only `close` takes it away.
    unsafe { &mut *(*file.cast::<Handle>()).guard }
}

unsafe extern "C" fn open(
    _: *mut sqlite3_vfs,
    name: *const c_char,
    file: *mut sqlite3_file,
    flags: c_int,
    out: *mut c_int,
) -> c_int {
    let system = SYSTEM.load(Ordering::Acquire);
    // SAFETY: set before this function was registered.
    let Some(open) = (unsafe { (*system).xOpen }) else { return ffi::SQLITE_CANTOPEN };
    if name.is_null() || flags & (ffi::SQLITE_OPEN_MAIN_DB | ffi::SQLITE_OPEN_WAL) == 0 {
        // SAFETY: the arguments are passed on as they came; there is more room than the system needs.
        return unsafe { open(system, name, file, flags, out) };
    }
    // SAFETY: SQLite allocated room for a handle and the file of the system behind it; the name ends with a zero.
    unsafe {
        let handle = file.cast::<Handle>();
        (*handle).file.pMethods = ptr::null();
        let inner = file.byte_add(HANDLE);
        (*inner).pMethods = ptr::null();
        let code = open(system, name, inner, flags, out);
        if code != ffi::SQLITE_OK {
            if let Some(close) = (*inner).pMethods.as_ref().and_then(|methods| methods.xClose) {
                close(inner);
            }
            return code;
        }
        let path = path_of(CStr::from_ptr(name));
        let guard = if flags & ffi::SQLITE_OPEN_MAIN_DB != 0 {
            let identity = CREATING.get().then(|| RandomState::new().hash_one(&path) | 1);
            Guard::Pages(PageVerifier::new(&path, &Inner(inner), identity), Regions::default())
        } else {
            Guard::Log(WalVerifier::new(&without_suffix(&path)))
        };
        (*handle).guard = Box::into_raw(Box::new(guard));
        (*handle).file.pMethods = &raw const METHODS;
    }
    ffi::SQLITE_OK
}

#[cfg(unix)]
fn path_of(name: &CStr) -> PathBuf {
    use std::os::unix::ffi::OsStrExt;
    Path::new(std::ffi::OsStr::from_bytes(name.to_bytes())).to_path_buf()
}

#[cfg(not(unix))]
fn path_of(name: &CStr) -> PathBuf {
    PathBuf::from(name.to_string_lossy().into_owned())
}

/// The database of a write-ahead log.
fn without_suffix(log: &Path) -> PathBuf {
    let name = log.file_name().unwrap_or_default().to_string_lossy();
    log.with_file_name(name.strip_suffix("-wal").unwrap_or(&name))
}

static METHODS: sqlite3_io_methods = sqlite3_io_methods {
    iVersion: 3,
    xClose: Some(close),
    xRead: Some(read),
    xWrite: Some(write),
    xTruncate: Some(truncate),
    xSync: Some(sync),
    xFileSize: Some(file_size),
    xLock: Some(lock),
    xUnlock: Some(unlock),
    xCheckReservedLock: Some(check_reserved_lock),
    xFileControl: Some(file_control),
    xSectorSize: Some(sector_size),
    xDeviceCharacteristics: Some(device_characteristics),
    xShmMap: Some(shm_map),
    xShmLock: Some(shm_lock),
    xShmBarrier: Some(shm_barrier),
    xShmUnmap: Some(shm_unmap),
    xFetch: Some(fetch),
    xUnfetch: Some(unfetch),
};

unsafe extern "C" fn close(file: *mut sqlite3_file) -> c_int {
    // SAFETY: SQLite closes a file once, and uses it no more.
    unsafe {
        let inner = Inner::of(file);
        let code = inner.methods().xClose.map_or(ffi::SQLITE_OK, |close| close(inner.0));
        let handle = file.cast::<Handle>();
        drop(Box::from_raw((*handle).guard));
        (*handle).guard = null_mut();
        code
    }
}

unsafe extern "C" fn read(
    file: *mut sqlite3_file,
    buffer: *mut c_void,
    length: c_int,
    offset: sqlite3_int64,
) -> c_int {
    // SAFETY: as SQLite promises, the buffer has `length` bytes; the system fills what the file does not have with zeros.
    let (inner, guard) = unsafe { (Inner::of(file), guard(file)) };
    let Some(read) = inner.methods().xRead else { return ffi::SQLITE_IOERR_READ };
    if let (Guard::Pages(pages, _), Ok(bytes), Ok(at)) =
        (&*guard, usize::try_from(length), u64::try_from(offset))
        && pages.is_cut(at, bytes, &inner)
    {
        // SAFETY: as above.
        let zeros = unsafe { slice::from_raw_parts_mut(buffer.cast::<u8>(), bytes) };
        zeros.fill(0);
        return if pages.check(zeros, at, false) {
            ffi::SQLITE_IOERR_SHORT_READ
        } else {
            ffi::SQLITE_IOERR_DATA
        };
    }
    // SAFETY: as above.
    let code = unsafe { read(inner.0, buffer, length, offset) };
    let whole = match code {
        ffi::SQLITE_OK => true,
        ffi::SQLITE_IOERR_SHORT_READ => false,
        code => return code,
    };
    let (Ok(length), Ok(offset)) = (usize::try_from(length), u64::try_from(offset)) else { return code };
    // SAFETY: as above.
    let bytes = unsafe { slice::from_raw_parts(buffer.cast::<u8>(), length) };
    let right = match guard {
        Guard::Pages(pages, _) => pages.check(bytes, offset, whole),
        Guard::Log(log) => log.check(bytes, offset, whole, &inner),
    };
    if right { code } else { ffi::SQLITE_IOERR_DATA }
}

unsafe extern "C" fn write(
    file: *mut sqlite3_file,
    buffer: *const c_void,
    length: c_int,
    offset: sqlite3_int64,
) -> c_int {
    // SAFETY: as SQLite promises, the buffer has `length` bytes.
    let (inner, guard) = unsafe { (Inner::of(file), guard(file)) };
    let Some(write) = inner.methods().xWrite else { return ffi::SQLITE_IOERR_WRITE };
    let mut source = buffer;
    if let (Ok(length), Ok(offset)) = (usize::try_from(length), u64::try_from(offset)) {
        // SAFETY: as above.
        let bytes = unsafe { slice::from_raw_parts(buffer.cast::<u8>(), length) };
        match guard {
            Guard::Pages(pages, _) => {
                if !pages.is_moved_rightly(length, offset) {
                    return ffi::SQLITE_IOERR_DATA;
                }
                if let Some(stamped) = pages.stamped(bytes, offset, &inner) {
                    source = stamped.as_ptr().cast();
                }
            }
            Guard::Log(log) => log.writing(bytes, offset, &inner),
        }
    }
    // SAFETY: a stamped page is as long as the one it replaces.
    let status = unsafe { write(inner.0, source, length, offset) };
    if status != ffi::SQLITE_OK {
        // SAFETY: the file is open, and `source` is used no more.
        match unsafe { self::guard(file) } {
            Guard::Pages(pages, _) => pages.write_failed(),
            Guard::Log(log) => log.write_failed(),
        }
    }
    status
}

unsafe extern "C" fn truncate(file: *mut sqlite3_file, size: sqlite3_int64) -> c_int {
    // SAFETY: the file is open.
    let (inner, guard) = unsafe { (Inner::of(file), guard(file)) };
    if let (Guard::Pages(pages, _), Ok(size)) = (guard, u64::try_from(size)) {
        pages.truncating(size, &inner);
    }
    // SAFETY: passed on as it came.
    inner
        .methods()
        .xTruncate
        .map_or(ffi::SQLITE_IOERR_TRUNCATE, |truncate| unsafe { truncate(inner.0, size) })
}

unsafe extern "C" fn fetch(
    file: *mut sqlite3_file,
    offset: sqlite3_int64,
    length: c_int,
    page: *mut *mut c_void,
) -> c_int {
    // SAFETY: the file is open, and `page` is where the answer goes.
    let (inner, guard) = unsafe { (Inner::of(file), guard(file)) };
    // SAFETY: as above. Without an answer SQLite reads the page.
    unsafe { *page = null_mut() };
    let (Some(fetch), Some(unfetch)) = (inner.methods().xFetch, inner.methods().xUnfetch) else {
        return ffi::SQLITE_OK;
    };
    let (Guard::Pages(pages, _), Ok(bytes), Ok(at)) = (guard, usize::try_from(length), u64::try_from(offset))
    else {
        return ffi::SQLITE_OK;
    };
    if !pages.reaches(at, bytes) {
        return ffi::SQLITE_OK;
    }
    // SAFETY: passed on as it came; the mapping is within the file, as was just checked.
    unsafe {
        let code = fetch(inner.0, offset, length, page);
        if code != ffi::SQLITE_OK || (*page).is_null() {
            return code;
        }
        pages.mapped = true;
        if pages.check_mapped(slice::from_raw_parts((*page).cast::<u8>(), bytes), at) {
            return ffi::SQLITE_OK;
        }
        unfetch(inner.0, offset, *page);
        *page = null_mut();
    }
    ffi::SQLITE_IOERR_DATA
}

unsafe extern "C" fn shm_lock(file: *mut sqlite3_file, offset: c_int, count: c_int, flags: c_int) -> c_int {
    // SAFETY: the file is open.
    let (inner, guard) = unsafe { (Inner::of(file), guard(file)) };
    let Some(lock) = inner.methods().xShmLock else { return ffi::SQLITE_IOERR_SHMLOCK };
    // SAFETY: passed on as it came.
    let code = unsafe { lock(inner.0, offset, count, flags) };
    if is_without_locks(code) {
        return ffi::SQLITE_IOERR_SHMLOCK;
    }
    if code != ffi::SQLITE_OK || flags != ffi::SQLITE_SHM_LOCK | ffi::SQLITE_SHM_SHARED {
        return code;
    }
    // A read transaction begins.
    if let Guard::Pages(pages, regions) = guard {
        pages.begin(&inner);
        // The holder of the first lock reads the database alone, and the log may restart.
        if offset > FIRST_READ_LOCK && !pages.check_index(&regions.copied()) {
            // SAFETY: gives back what was just given.
            unsafe { lock(inner.0, offset, count, ffi::SQLITE_SHM_UNLOCK | ffi::SQLITE_SHM_SHARED) };
            return ffi::SQLITE_IOERR_DATA;
        }
    }
    code
}

unsafe extern "C" fn shm_map(
    file: *mut sqlite3_file,
    region: c_int,
    size: c_int,
    extend: c_int,
    at: *mut *mut c_void,
) -> c_int {
    // SAFETY: the file is open, and `at` is where the answer goes.
    let (inner, guard) = unsafe { (Inner::of(file), guard(file)) };
    let Some(map) = inner.methods().xShmMap else { return ffi::SQLITE_IOERR_SHMMAP };
    // SAFETY: passed on as it came.
    let (code, mapped) = unsafe { (map(inner.0, region, size, extend, at), *at) };
    if let Guard::Pages(pages, regions) = guard
        && code == ffi::SQLITE_OK
        && !mapped.is_null()
        && usize::try_from(size) == Ok(REGION)
        && usize::try_from(region) == Ok(regions.0.len())
    {
        regions.0.push(mapped.cast());
        // SQLite maps the first region before a transaction begins, others when a transaction needs them.
        if region > 0 && extend == 0 && !pages.check_index(&regions.copied()) {
            return ffi::SQLITE_IOERR_DATA;
        }
    }
    code
}

unsafe extern "C" fn shm_unmap(file: *mut sqlite3_file, delete: c_int) -> c_int {
    // SAFETY: the file is open.
    let (inner, guard) = unsafe { (Inner::of(file), guard(file)) };
    if let Guard::Pages(_, regions) = guard {
        regions.0.clear();
    }
    // SAFETY: passed on as it came.
    inner.methods().xShmUnmap.map_or(ffi::SQLITE_OK, |unmap| unsafe { unmap(inner.0, delete) })
}

unsafe extern "C" fn file_control(file: *mut sqlite3_file, operation: c_int, argument: *mut c_void) -> c_int {
    // SAFETY: the file is open.
    let (inner, guard) = unsafe { (Inner::of(file), guard(file)) };
    if let Guard::Pages(pages, _) = guard {
        match operation {
            ffi::SQLITE_FCNTL_CKPT_START => pages.moving = true,
            ffi::SQLITE_FCNTL_CKPT_DONE => pages.moving = false,
            _ => {}
        }
    }
    // SAFETY: passed on as it came.
    inner
        .methods()
        .xFileControl
        .map_or(ffi::SQLITE_NOTFOUND, |control| unsafe { control(inner.0, operation, argument) })
}

unsafe extern "C" fn device_characteristics(file: *mut sqlite3_file) -> c_int {
    // SAFETY: the file is open.
    let inner = unsafe { Inner::of(file) };
    // SAFETY: as above.
    let said = inner.methods().xDeviceCharacteristics.map_or(0, |ask| unsafe { ask(inner.0) });
    // Part of a page cannot be verified.
    said & !ffi::SQLITE_IOCAP_SUBPAGE_READ
}

/// The error of the system on a file system without locks.
const NO_LOCKS: i32 = if cfg!(any(target_os = "linux", target_os = "android")) { 37 } else { 77 };

unsafe extern "C" fn lock(file: *mut sqlite3_file, level: c_int) -> c_int {
    // SAFETY: the file is open.
    let inner = unsafe { Inner::of(file) };
    // SAFETY: passed on as it came.
    let code = inner.methods().xLock.map_or(ffi::SQLITE_IOERR_LOCK, |lock| unsafe { lock(inner.0, level) });
    if is_without_locks(code) { ffi::SQLITE_IOERR_LOCK } else { code }
}

/// Whether the file system refused a lock because it has none. SQLite takes that for another process that holds it, and waits.
fn is_without_locks(code: c_int) -> bool {
    code == ffi::SQLITE_BUSY && cfg!(unix) && std::io::Error::last_os_error().raw_os_error() == Some(NO_LOCKS)
}

/// Functions that forward to the wrapped VFS.
macro_rules! passed_on {
    ($($name:ident = $method:ident($($argument:ident: $kind:ty),*) or $without:expr;)*) => {$(
        unsafe extern "C" fn $name(file: *mut sqlite3_file, $($argument: $kind),*) -> c_int {
            // SAFETY: the file is open, and the arguments are passed on as they came.
            unsafe {
                let inner = Inner::of(file);
                inner.methods().$method.map_or($without, |method| method(inner.0, $($argument),*))
            }
        }
    )*};
}

passed_on! {
    sync = xSync(flags: c_int) or ffi::SQLITE_IOERR_FSYNC;
    file_size = xFileSize(size: *mut sqlite3_int64) or ffi::SQLITE_IOERR_FSTAT;
    unlock = xUnlock(level: c_int) or ffi::SQLITE_IOERR_UNLOCK;
    check_reserved_lock = xCheckReservedLock(held: *mut c_int) or ffi::SQLITE_IOERR_CHECKRESERVEDLOCK;
    sector_size = xSectorSize() or 4096;
    unfetch = xUnfetch(offset: sqlite3_int64, page: *mut c_void) or ffi::SQLITE_OK;
}

unsafe extern "C" fn shm_barrier(file: *mut sqlite3_file) {
    // SAFETY: the file is open.
    unsafe {
        let inner = Inner::of(file);
        if let Some(barrier) = inner.methods().xShmBarrier {
            barrier(inner.0);
        }
    }
}
