//! Ignores the signal about a file that grows beyond `ulimit -f`: the write fails instead, as on a full disk.

/// From now on, such a write is an error. Without this, the system ends the process.
pub(crate) fn ignore() {
    #[expect(unsafe_code, reason = "no safe wrapper sets the disposition of a signal")]
    // SAFETY: no handler is installed; ignoring a signal has no preconditions.
    unsafe {
        libc::signal(libc::SIGXFSZ, libc::SIG_IGN);
    }
}
