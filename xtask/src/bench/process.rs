//! Runs a measured process: duration, peak memory, output.

use crate::workspace;
use anyhow::{Context, Result, bail};
use std::ffi::OsStr;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// The cost of a process.
pub(crate) struct Cost {
    pub(crate) time: Duration,
    /// Processor time, which hardly depends on other processes; zero if the system does not report it.
    pub(crate) cpu: Duration,
    /// Peak memory in bytes; zero if the system does not report it.
    pub(crate) memory: u64,
    pub(crate) printed: String,
}

/// Runs `command` to completion. With `watch`, polls its memory every few milliseconds; without, nothing disturbs the
/// measurement.
pub(crate) fn cost(command: &mut Command, watch: bool) -> Result<Cost> {
    let shown = format!("{command:?}");
    let start = Instant::now();
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .with_context(|| format!("cannot start {shown}"))?;
    let mut stdout = child.stdout.take().context("standard output is piped")?;
    let mut stderr = child.stderr.take().context("standard error is piped")?;
    let out = std::thread::spawn(move || {
        let mut text = String::new();
        stdout.read_to_string(&mut text).map(|_| text)
    });
    let faults = std::thread::spawn(move || {
        let mut text = String::new();
        stderr.read_to_string(&mut text).map(|_| text)
    });
    let mut memory = 0;
    let mut cpu = Duration::ZERO;
    let status = if watch {
        loop {
            memory = memory.max(high_water(child.id()));
            cpu = cpu.max(cpu_time(child.id()));
            if let Some(status) = child.try_wait()? {
                break status;
            }
            std::thread::sleep(Duration::from_millis(4));
        }
    } else {
        child.wait()?
    };
    let time = start.elapsed();
    let read =
        |thread: std::thread::JoinHandle<std::io::Result<String>>| thread.join().ok().and_then(Result::ok);
    let printed = read(out).with_context(|| format!("{shown} printed no text"))?;
    if !status.success() {
        bail!("{shown}: {status}\n{}", read(faults).unwrap_or_default());
    }
    Ok(Cost { time, cpu, memory, printed })
}

/// The peak memory of a running process so far.
fn high_water(process: u32) -> u64 {
    held(process, "VmHWM:")
}

/// A memory figure from the status file of a running process, in bytes; zero if the system does not report it.
pub(super) fn held(process: u32, what: &str) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(what));
    line.and_then(|line| line.trim().strip_suffix(" kB")?.parse::<u64>().ok()).unwrap_or(0) * 1024
}

/// The processor time of a process so far, also of one that has ended but was not waited for.
pub(crate) fn cpu_time(process: u32) -> Duration {
    ticks(&process.to_string(), 11)
}

/// The processor time of the processes that this one has started and waited for, and of those below them.
pub(super) fn children_cpu_time() -> Duration {
    ticks("self", 13)
}

/// The sum of two columns of the statistics of a process, counted from its state: user and system time.
fn ticks(process: &str, column: usize) -> Duration {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    // The name of the program, in brackets, may contain anything; the numbers follow it.
    let numbers = stat.rsplit_once(')').map(|(_, numbers)| numbers).unwrap_or_default();
    let ticks: u64 =
        numbers.split_whitespace().skip(column).take(2).filter_map(|it| it.parse::<u64>().ok()).sum();
    Duration::from_millis(ticks * 10)
}

/// The product, built in the profile of this program.
pub(crate) fn product() -> Result<PathBuf> {
    let ours = std::env::current_exe().context("we know our own path")?;
    // The directory has the name of the profile.
    let profile = ours.parent().and_then(Path::file_name).context("a program has a directory")?;
    let mut build = workspace::cargo();
    build.args(["build", "--quiet", "--package", "orient", "--bin", "orient", "--profile"]).arg(profile);
    if !build.status().context("cannot start cargo")?.success() {
        bail!("the product does not build");
    }
    let path = ours.with_file_name(format!("orient{}", std::env::consts::EXE_SUFFIX));
    if !path.is_file() {
        bail!("{} is not there although it was built", path.display());
    }
    Ok(path)
}

/// This program, to run as a step.
pub(super) fn step(name: &str) -> Result<Command> {
    let mut command = Command::new(std::env::current_exe().context("we know our own path")?);
    command.args(["bench", name]);
    Ok(command)
}

/// A temporary directory for one measurement, removed when dropped.
pub(crate) struct Scratch(PathBuf);

impl Scratch {
    pub(crate) fn new(name: &str) -> Result<Self> {
        let path = std::env::temp_dir().join(format!("orient-bench-{}-{name}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).with_context(|| format!("making {}", path.display()))?;
        Ok(Self(path))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The total size of the files below a directory whose names count.
pub(super) fn size_of(directory: &Path, counts: &dyn Fn(&OsStr) -> bool) -> u64 {
    let Ok(entries) = std::fs::read_dir(directory) else { return 0 };
    entries
        .flatten()
        .map(|entry| match entry.file_type() {
            Ok(kind) if kind.is_dir() => size_of(&entry.path(), counts),
            Ok(kind) if kind.is_file() && counts(&entry.file_name()) => {
                entry.metadata().map_or(0, |metadata| metadata.len())
            }
            _ => 0,
        })
        .sum()
}

/// Bytes as mebibytes, formatted.
#[expect(clippy::cast_precision_loss, reason = "for people")]
pub(crate) fn mebibytes(bytes: u64) -> String {
    format!("{:.1} MiB", bytes as f64 / f64::from(1 << 20))
}
