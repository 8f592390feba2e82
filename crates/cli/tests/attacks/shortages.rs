//! Shortages: little address space, few open files, small files, and faults of the system at any call. Every command ends with an answer or a
//! message; afterwards all is as it was.

use crate::attack;
use crate::sandbox::{CommandOutput, Sandbox, Store};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A tree that is large enough for an index to be written in several steps.
fn tree() -> Sandbox {
    let sandbox = Sandbox::new(Store::Apart);
    for number in 0..60 {
        sandbox.write(
            &format!("module_{number}.py"),
            &format!("import cart\n\ndef part_{number}(items):\n    return cart.total(items)\n"),
        );
    }
    orient_testkit::git(&sandbox.root(), &["init", "-q", "-b", "main"]);
    orient_testkit::git(&sandbox.root(), &["add", "-A"]);
    orient_testkit::git(&sandbox.root(), &["commit", "-q", "-m", "first"]);
    sandbox
}

const QUESTIONS: &[&[&str]] =
    &[&["callers", "total"], &["grep", "total"], &["log", "cart.py"], &["index", "--history"], &["index"]];

/// Asks everything under a limit, with and without an index, then without it.
fn under(limit: &str) {
    for is_indexed in [false, true] {
        let sandbox = tree();
        if is_indexed {
            assert!(sandbox.run(&["index"]).ok);
        }
        let shell = format!("{limit}; exec timeout -s KILL 60 \"$@\"");
        for question in QUESTIONS {
            let output = sandbox.run_in(&shell, question);
            assert!(!output.is_killed, "{limit}: {question:?}: {output:?}");
            assert!(output.ok || !output.err.is_empty(), "{limit}: {question:?} ends without a word");
        }
        sandbox.write("module_7.py", "import cart\n\ndef changed(items):\n    return cart.total(items)\n");
        let output = sandbox.run_in(&shell, &["callers", "total"]);
        assert!(!output.is_killed, "{limit}: after a change: {output:?}");
        assert_intact(&sandbox, limit);
    }
}

/// Asks without limits: the answer is that of a new index, and nothing was ever damaged.
#[track_caller]
fn assert_intact(sandbox: &Sandbox, what: &str) {
    let answer = sandbox.run(&["callers", "total", "--limit", "100"]);
    assert!(answer.ok && answer.out.contains("60 verified callers"), "{what}: {answer:?}");
    let doctor = sandbox.run(&["doctor"]);
    for output in [&answer, &doctor] {
        let text = format!("{} {}", output.out, output.err);
        assert!(!text.contains("damaged"), "{what}: {output:?}");
    }
    assert!(doctor.ok && doctor.out.contains("intact"), "{what}: {doctor:?}");
}

attack!(
    small_files,
    "files may grow to 0, 4, 32, 150 and 400 KiB, and the signal about it is not ignored by the caller",
    {
        for blocks in [0, 8, 64, 300, 800] {
            under(&format!("ulimit -f {blocks}"));
        }
    }
);
attack!(
    few_open_files,
    "six to twenty open files: answers or messages, and the same repository afterwards",
    {
        for files in [6, 7, 8, 9, 11, 14, 20] {
            under(&format!("ulimit -n {files}"));
        }
    }
);
attack!(
    little_address_space,
    "three hundred megabytes of address space: a message; six hundred: an answer",
    {
        let sandbox = tree();
        let output = sandbox.run_in("ulimit -v 300000; exec \"$@\"", &["callers", "total"]);
        assert!(!output.ok && output.err.contains("of address space"), "{output:?}");
        under("ulimit -v 600000");
    }
);

/// A library that is loaded before the C library and lets the n-th call of a kind fail.
const FAULTS: &str = r#"
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>

static long left = -1;
static int fails(const char *call) {
    const char *wanted = getenv("FAULT_CALL");
    if (!wanted || strcmp(wanted, call)) return 0;
    if (left < 0) { const char *at = getenv("FAULT_AT"); left = at ? atol(at) : 0; }
    if (left == 0 || __sync_fetch_and_sub(&left, 1) != 1) return 0;
    const char *error = getenv("FAULT_ERROR");
    errno = error ? atoi(error) : EIO;
    return 1;
}
#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

int open64(const char *path, int flags, ...) {
    va_list list; va_start(list, flags); int mode = va_arg(list, int); va_end(list);
    int (*real)(const char *, int, ...) = dlsym(RTLD_NEXT, "open64");
    return fails("open") ? -1 : real(path, flags, mode);
}
int open(const char *path, int flags, ...) {
    va_list list; va_start(list, flags); int mode = va_arg(list, int); va_end(list);
    int (*real)(const char *, int, ...) = dlsym(RTLD_NEXT, "open");
    return fails("open") ? -1 : real(path, flags, mode);
}
int fcntl64(int fd, int command, ...) {
    va_list list; va_start(list, command); void *argument = va_arg(list, void *); va_end(list);
    int (*real)(int, int, ...) = dlsym(RTLD_NEXT, "fcntl64");
    const char *wanted = getenv("FAULT_CALL");
    if (wanted && !strcmp(wanted, "any lock") && (command == F_SETLK || command == F_SETLKW)) {
        errno = ENOLCK;
        return -1;
    }
    return real(fd, command, argument);
}
#define CALL(kind, type, name, parameters, arguments) \
    type name parameters { \
        type (*real) parameters = dlsym(RTLD_NEXT, #name); \
        return fails(kind) ? (type)-1 : real arguments; \
    }
CALL("read", ssize_t, read, (int fd, void *to, size_t count), (fd, to, count))
CALL("read", ssize_t, pread64, (int fd, void *to, size_t count, off_t at), (fd, to, count, at))
CALL("read", ssize_t, pread, (int fd, void *to, size_t count, off_t at), (fd, to, count, at))
CALL("write", ssize_t, write, (int fd, const void *from, size_t count), (fd, from, count))
CALL("write", ssize_t, pwrite64, (int fd, const void *from, size_t count, off_t at), (fd, from, count, at))
CALL("write", ssize_t, pwrite, (int fd, const void *from, size_t count, off_t at), (fd, from, count, at))
CALL("fsync", int, fsync, (int fd), (fd))
CALL("fsync", int, fdatasync, (int fd), (fd))
CALL("truncate", int, ftruncate64, (int fd, off_t length), (fd, length))
CALL("truncate", int, ftruncate, (int fd, off_t length), (fd, length))
int flock(int fd, int what) {
    int (*real)(int, int) = dlsym(RTLD_NEXT, "flock");
    const char *wanted = getenv("FAULT_CALL");
    if (wanted && !strcmp(wanted, "any lock")) { errno = ENOLCK; return -1; }
    return fails("lock") ? -1 : real(fd, what);
}
CALL("name", int, rename, (const char *from, const char *to), (from, to))
CALL("name", int, renameat, (int in, const char *from, int into, const char *to), (in, from, into, to))
CALL("name", int, unlink, (const char *path), (path))
CALL("name", int, unlinkat, (int in, const char *path, int flags), (in, path, flags))
CALL("name", int, mkdir, (const char *path, mode_t mode), (path, mode))
CALL("name", int, mkdirat, (int in, const char *path, mode_t mode), (in, path, mode))
"#;

/// Builds the library; none if there is no C compiler.
fn faults(sandbox: &Sandbox) -> Option<PathBuf> {
    let directory = sandbox.root().with_file_name("faults");
    fs::create_dir_all(&directory).expect("made");
    let (source, library) = (directory.join("faults.c"), directory.join("faults.so"));
    fs::write(&source, FAULTS).expect("written");
    let mut compiler = Command::new("cc");
    compiler.args(["-shared", "-fPIC", "-w", "-o"]).arg(&library).arg(&source).arg("-ldl");
    if !compiler.status().is_ok_and(|status| status.success()) {
        eprintln!("skipped: there is no C compiler that links a shared library");
        return None;
    }
    Some(library)
}

/// Runs a command whose n-th call of a kind fails.
fn with_fault(sandbox: &Sandbox, library: &Path, call: &str, at: usize, question: &[&str]) -> CommandOutput {
    let (library, error) = (library.display(), if call == "write" { 28 } else { 5 });
    let shell = format!(
        "export LD_PRELOAD='{library}' FAULT_CALL='{call}' FAULT_AT={at} FAULT_ERROR={error}; exec \"$@\""
    );
    sandbox.run_in(
        &format!("exec timeout -s KILL 60 sh -c '{}' sh \"$@\"", shell.replace('\'', "'\\''")),
        question,
    )
}

/// Lets each of the first calls of a kind fail, of a first index, of an update and of the history. `step` skips some.
fn at_every_call(call: &str, most: usize, step: usize) {
    let sandbox = tree();
    let Some(library) = faults(&sandbox) else { return };
    let mut at = 1;
    while at <= most {
        let what = format!("{call} {at}");
        for (number, question) in [&["callers", "total"][..], &["index", "--history"]].iter().enumerate() {
            if number == 0 && at % 2 == 1 {
                // Odd faults meet a first index, even ones an update.
                let _ = fs::remove_dir_all(sandbox.store());
            }
            sandbox.write("cart.py", &format!("def total(items):\n    return sum(items) + {at}\n"));
            let output = with_fault(&sandbox, &library, call, at, question);
            assert!(!output.is_killed, "{what}: {question:?}: {output:?}");
            assert!(!output.err.contains("panicked"), "{what}: {question:?}: {output:?}");
        }
        assert_intact(&sandbox, &what);
        at += step;
    }
}

attack!(
    every_open_fails,
    "each call that opens a file fails once: an answer or a message, and nothing is damaged",
    {
        at_every_call("open", 40, 3);
    }
);
attack!(
    every_read_fails,
    "each call that reads fails once: an answer or a message, and nothing is damaged",
    {
        at_every_call("read", 120, 9);
    }
);
attack!(
    every_write_fails,
    "each call that writes finds a full disk once: an answer or a message, and nothing is damaged",
    {
        at_every_call("write", 120, 9);
    }
);
attack!(
    every_fsync_fails,
    "each call that flushes fails once: an answer or a message, and nothing is damaged",
    {
        at_every_call("fsync", 12, 1);
    }
);
attack!(
    every_truncation_fails,
    "each call that changes the size of a file fails once: an answer or a message, and nothing is damaged",
    {
        at_every_call("truncate", 8, 1);
    }
);
attack!(
    every_change_of_names_fails,
    "each call that makes, renames or removes a file or a directory fails once: an answer or a message, and nothing is damaged",
    {
        at_every_call("name", 16, 1);
    }
);
attack!(
    every_lock_fails,
    "each call that locks a file fails once: an answer or a message, and nothing is damaged",
    {
        at_every_call("lock", 6, 1);
    }
);
attack!(
    no_locks_at_all,
    "a file system that has no locks: every question is answered from memory, at once",
    {
        let sandbox = tree();
        let Some(library) = faults(&sandbox) else { return };
        for question in [&["callers", "total"][..], &["symbols", "total"]] {
            let output = with_fault(&sandbox, &library, "any lock", 1, question);
            assert!(output.ok && output.out.contains("total"), "{question:?}: {output:?}");
            assert!(output.err.contains("the store cannot be written"), "{question:?}: {output:?}");
        }
        assert_intact(&sandbox, "no locks");
    }
);
