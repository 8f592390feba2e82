//! A child process in a process group of its own, which is ended as a whole: when it is dropped, on a panic, and before the program exits on a
//! signal.

use std::io;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// The groups that run, so that a signal handler can end them.
static LIVE: Mutex<Vec<Weak<GroupState>>> = Mutex::new(Vec::new());

/// Maximum size of a file that a server writes.
#[cfg(target_os = "linux")]
const MAX_FILE: u64 = 4 << 30;
/// Maximum processor time of a process, in seconds.
#[cfg(target_os = "linux")]
const MAX_SECONDS: u64 = 3600;
/// How much a server gives way to other programs.
#[cfg(unix)]
const NICENESS: i32 = 10;

/// A running child process with everything it starts.
#[derive(Clone)]
pub(crate) struct ChildGroup(Arc<GroupState>);

struct GroupState {
    id: u32,
    /// `None` once it was waited for: its id may then belong to another process.
    child: Mutex<Option<Child>>,
}

/// The pipes of a child process.
pub(crate) struct Pipes {
    pub(crate) stdin: ChildStdin,
    pub(crate) stdout: ChildStdout,
    pub(crate) stderr: ChildStderr,
}

impl ChildGroup {
    /// Starts a command in a group of its own with limited resources.
    pub(crate) fn start(command: &mut Command) -> io::Result<(Self, Pipes)> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(command, 0);
        let mut child = command.spawn()?;
        let id = child.id();
        limit(id);
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let group = Self(Arc::new(GroupState { id, child: Mutex::new(Some(child)) }));
        let mut live = LIVE.lock().unwrap_or_else(PoisonError::into_inner);
        live.retain(|known| known.strong_count() > 0);
        live.push(Arc::downgrade(&group.0));
        drop(live);
        match pipes {
            (Some(stdin), Some(stdout), Some(stderr)) => Ok((group, Pipes { stdin, stdout, stderr })),
            _ => Err(io::Error::other("its pipes are missing")),
        }
    }

    /// The process id.
    pub(crate) fn id(&self) -> u32 {
        self.0.id
    }

    /// Kills the group, without waiting.
    pub(crate) fn kill(&self) {
        self.0.kill();
    }
}

impl GroupState {
    fn kill(&self) {
        let mut child = self.child.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(child) = child.as_mut() {
            kill_group(child);
        }
    }
}

impl Drop for GroupState {
    fn drop(&mut self) {
        let child = self.child.get_mut().unwrap_or_else(PoisonError::into_inner);
        if let Some(mut child) = child.take() {
            // The group is killed before its leader is waited for: until then its id is not used again.
            kill_group(&mut child);
            let _ = child.wait();
        }
    }
}

/// Kills every server that runs. For a signal handler: nothing is waited for.
pub fn end_all() {
    let live = LIVE.lock().unwrap_or_else(PoisonError::into_inner);
    live.iter().filter_map(Weak::upgrade).for_each(|group| group.kill());
}

#[cfg(unix)]
fn kill_group(child: &mut Child) {
    if let Some(group) = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw) {
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
    let _ = child.kill();
}

#[cfg(not(unix))]
fn kill_group(child: &mut Child) {
    let _ = child.kill();
}

/// Limits the resources of a process; what it starts later inherits the limits. Memory is watched instead: servers reserve far more
/// addresses than they use.
#[cfg(unix)]
fn limit(id: u32) {
    let Some(process) = i32::try_from(id).ok().and_then(rustix::process::Pid::from_raw) else { return };
    let _ = rustix::process::setpriority_process(Some(process), NICENESS);
    #[cfg(target_os = "linux")]
    for (resource, most) in [
        (rustix::process::Resource::Core, 0),
        (rustix::process::Resource::Fsize, MAX_FILE),
        (rustix::process::Resource::Cpu, MAX_SECONDS),
    ] {
        let limit = rustix::process::Rlimit { current: Some(most), maximum: Some(most) };
        let _ = rustix::process::prlimit(Some(process), resource, limit);
    }
}

#[cfg(not(unix))]
fn limit(_: u32) {}
