//! `bench grep`: `orient grep`, compared with ripgrep on the same tree. Both must print the same bytes.
#![expect(clippy::print_stdout, reason = "a subcommand prints to the terminal")]

use super::floor::index_command;
use super::process::{self, Scratch};
use crate::corpus::default_threads;
use crate::report::table;
use anyhow::{Context, Result, bail};
use orient_walk::{Entry, KnownDirectory, KnownFile, RootDirectory, WalkOptions, list, unchanged};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// A pattern that matches in fewer files than this is selective.
const FEW_FILES: usize = 200;

/// Realistic patterns for a C codebase: rare and common words, case-insensitive, classes, alternatives, multi-line,
/// and some that trigrams cannot help with.
const PATTERNS: [&[&str]; 40] = [
    &["tcp_v4_do_rcv"],
    &["-w", "kmem_cache_create_usercopy"],
    &["-n", "EXPORT_SYMBOL_GPL\\(tcp_"],
    &["-F", "rcu_read_lock_bh()"],
    &["-i", "PM_RESUME_early"],
    &["PM_RESUME"],
    &["(?i)einval_or_not"],
    &["nowhere_to_be_found_at_all"],
    &["ext4_(read|write)_inode_bitmap"],
    &["struct\\s+task_struct\\s+\\*next_task"],
    &["-e", "bpf_prog_select_runtime", "-e", "bpf_prog_free_deferred"],
    &["-c", "__alloc_pages_slowpath"],
    &["-l", "drm_atomic_helper_swap_state"],
    &["-C2", "do_exit_wait_queue|do_group_exit"],
    &["-o", "0xdead[0-9a-f]{4}"],
    &["-w", "-i", "spectre_v2"],
    &["fn\\w*_qdisc_enqueue_root"],
    &["-t", "c", "jbd2_journal_start_commit"],
    &["-g", "*.h", "nf_conntrack_tuple_hash"],
    &["-U", "static int\\n__tcp_retransmit", "net"],
    &["\\bmd5_transform\\b"],
    &["[A-Z]+_SUSPEND_NOIRQ"],
    &["vmalloc_to_pfn\\s*\\("],
    &["-m", "1", "sched_setaffinity"],
    &["-v", "-c", "e", "kernel"],
    &["--files-without-match", "int", "kernel"],
    &["Linus Torvalds"],
    &["-i", "fixme"],
    &["-n", "TODO:?"],
    &["\\w{5}\\s+\\w{5}\\s+\\w{5}\\s+\\w{5}\\s+\\w{5}\\s+\\w{5}\\s+\\w{5}"],
    &["-c", "return -EINVAL;"],
    &["-l", "int"],
    &["-c", "if"],
    &["-o", "-n", "\\bu8 [a-z]{12}\\b"],
    &["größe|straße"],
    &["-F", "goto out;"],
    &["^\\s*#\\s*define\\s+\\w+_MAX\\s+255$"],
    &["(foo|bar|baz)_init"],
    &["-c", "[0-9]{7}"],
    &["mutex_(un)?lock\\(&[a-z]+->io_mutex\\)"],
];

/// The measurements of one pattern.
struct Row {
    shown: String,
    files: usize,
    ours: Duration,
    theirs: Duration,
    sorted: Duration,
    same: bool,
}

/// Measures and prints two tables: commands that check all files each time, and commands that use the daemon that the
/// first one starts. `at_least` is the minimum ratio at the median of selective patterns in the second table.
pub(super) fn run(
    directory: &Path,
    store: Option<&Path>,
    rounds: usize,
    refresh: bool,
    at_least: Option<f64>,
) -> Result<()> {
    let product = process::product()?;
    let scratch = Scratch::new("grep")?;
    let store = store.unwrap_or(scratch.path());
    process::cost(&mut index_command(&product, directory, store, default_threads()), false)?;
    look_alone(directory)?;
    let alone = Sides { product: &product, directory, store, refresh, watched: false };
    let rows = alone.measure(rounds)?;
    println!("{}: {} patterns, each by itself", directory.display(), rows.len());
    report(&rows, at_least.filter(|_| !refresh))?;
    if !refresh {
        return Ok(());
    }
    let rows = Sides { watched: true, ..alone }.measure(rounds)?;
    println!("{}: {} patterns, one after the other", directory.display(), rows.len());
    report(&rows, at_least)
}

/// What is measured.
struct Sides<'s> {
    product: &'s Path,
    directory: &'s Path,
    store: &'s Path,
    refresh: bool,
    /// Whether a command may start a daemon for the next.
    watched: bool,
}

impl Sides<'_> {
    fn ours(&self, args: &[&str]) -> Command {
        let mut command = Command::new(self.product);
        command
            .current_dir(self.directory)
            .arg("grep")
            .args(args)
            .arg("--store")
            .arg(self.store)
            .arg("--quiet");
        if !self.refresh {
            command.arg("--no-refresh");
        }
        if !self.watched {
            command.args(["--set", "watch.min_files=0"]);
        }
        command
    }

    fn theirs(&self, args: &[&str], sorted: bool) -> Command {
        let mut command = Command::new("rg");
        command.current_dir(self.directory).env_remove("RIPGREP_CONFIG_PATH").args(args);
        if sorted {
            command.args(["--sort", "path"]);
        }
        command
    }

    fn measure(&self, rounds: usize) -> Result<Vec<Row>> {
        // A first run warms the page cache for both.
        timed(&mut self.ours(PATTERNS[0]))?;
        timed(&mut self.theirs(PATTERNS[0], false))?;
        PATTERNS.iter().map(|args| self.row(args, rounds)).collect()
    }

    fn row(&self, args: &[&str], rounds: usize) -> Result<Row> {
        let mut times = [Vec::new(), Vec::new(), Vec::new()];
        let (mut printed, mut expected) = (Vec::new(), Vec::new());
        for _ in 0..rounds.max(1) {
            let (time, bytes) = timed(&mut self.ours(args))?;
            times[0].push(time);
            printed = bytes;
            times[1].push(timed(&mut self.theirs(args, false))?.0);
            let (time, bytes) = timed(&mut self.theirs(args, true))?;
            times[2].push(time);
            expected = bytes;
        }
        let files = timed(&mut self.theirs(&[args, &["-l"]].concat(), false))?.1;
        let [ours, theirs, sorted] = times.map(median);
        Ok(Row {
            shown: args.join(" "),
            files: memchr::memchr_iter(b'\n', &files).count(),
            ours,
            theirs,
            sorted,
            same: printed == expected,
        })
    }
}

/// The time to check the stamps of all files: the minimum for a command without a daemon.
fn look_alone(directory: &Path) -> Result<()> {
    let root = directory.canonicalize().with_context(|| format!("finding {}", directory.display()))?;
    let listing = list(&root, &WalkOptions::default())?;
    let mut directories: Vec<KnownDirectory<'_>> = Vec::new();
    let mut files = Vec::with_capacity(listing.files.len());
    // Both are sorted, but a directory sorts among the files of its parent.
    let mut by_directory: BTreeMap<&[u8], Vec<&Entry>> = BTreeMap::new();
    for entry in &listing.files {
        by_directory.entry(entry.path.directory()).or_default().push(entry);
    }
    for (path, stamp) in &listing.fingerprint.directories {
        let from = files.len();
        let here = by_directory.remove(path.as_bytes()).unwrap_or_default();
        files.extend(here.iter().map(|entry| KnownFile { name: entry.path.file_name(), stamp: entry.stamp }));
        directories.push(KnownDirectory { path: path.as_bytes(), stamp: *stamp, files: from..files.len() });
    }
    let tree = RootDirectory::open(&root)?;
    for threads in [1, default_threads()] {
        let mut times = Vec::new();
        for _ in 0..9 {
            let start = Instant::now();
            if !unchanged(&tree, &directories, &files, threads) {
                bail!("files change while they are measured");
            }
            times.push(start.elapsed());
        }
        let time = median(times).as_secs_f64() * 1000.0;
        println!(
            "the stamps of {} files and {} directories, on {threads} threads: {time:.1} ms",
            files.len(),
            directories.len()
        );
    }
    Ok(())
}

fn report(rows: &[Row], at_least: Option<f64>) -> Result<()> {
    let ratio = |one: Duration, two: Duration| one.as_secs_f64() / two.as_secs_f64().max(1e-9);
    let shown: Vec<Vec<String>> = rows
        .iter()
        .map(|row| {
            vec![
                row.shown.chars().take(48).collect(),
                row.files.to_string(),
                format!("{:.1} ms", row.ours.as_secs_f64() * 1000.0),
                format!("{:.1} ms", row.theirs.as_secs_f64() * 1000.0),
                format!("{:.1}", ratio(row.theirs, row.ours)),
                format!("{:.1}", ratio(row.sorted, row.ours)),
                if row.same { "same" } else { "DIFFERENT" }.to_owned(),
            ]
        })
        .collect();
    table(&["pattern", "files", "orient", "rg", "times faster", "than rg --sort path", "output"], &shown);
    let mut selective: Vec<f64> =
        rows.iter().filter(|row| row.files < FEW_FILES).map(|row| ratio(row.theirs, row.ours)).collect();
    selective.sort_unstable_by(f64::total_cmp);
    let middle = selective.get(selective.len() / 2).copied().unwrap_or_default();
    let slowest = rows.iter().map(|row| ratio(row.ours, row.theirs)).fold(0.0, f64::max);
    println!("selective patterns: {middle:.1} times faster at the median of {}", selective.len());
    println!("slowest against rg: {slowest:.2} times its time");
    if let Some(row) = rows.iter().find(|row| !row.same) {
        bail!("`grep {}` does not print what rg prints", row.shown);
    }
    match at_least {
        Some(wanted) if middle < wanted => bail!("the bar is {wanted} times"),
        _ => Ok(()),
    }
}

/// The duration and output of a command. No match is not an error.
fn timed(command: &mut Command) -> Result<(Duration, Vec<u8>)> {
    let start = Instant::now();
    let output =
        command.stdin(Stdio::null()).output().with_context(|| format!("cannot start {command:?}"))?;
    let time = start.elapsed();
    match output.status.code() {
        Some(0 | 1) => Ok((time, output.stdout)),
        _ => bail!("{command:?}: {}\n{}", output.status, String::from_utf8_lossy(&output.stderr)),
    }
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}
