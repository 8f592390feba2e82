//! A temporary tree with its own store, and the helper that runs the command in it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

/// A directory to run the command in.
pub(crate) struct Sandbox {
    directory: TempDir,
}

impl Sandbox {
    /// A tree of these files.
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        let directory = TempDir::new().expect("a temporary directory");
        fs::create_dir(directory.path().join("tree")).expect("a new directory");
        let tree = Self { directory };
        for (path, text) in files {
            tree.write(path, text);
        }
        tree
    }

    /// The root of the tree, as the command prints it.
    pub(crate) fn root(&self) -> PathBuf {
        self.directory.path().canonicalize().expect("it is there").join("tree")
    }

    /// The directory of the indexes.
    pub(crate) fn store(&self) -> PathBuf {
        self.directory.path().join("store")
    }

    pub(crate) fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        let path = self.root().join(path);
        fs::create_dir_all(path.parent().expect("below the root")).expect("a new directory");
        fs::write(path, text).expect("a new file");
    }

    /// The command with these arguments, in the tree, without the user's settings.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        self.prepared(Command::new(env!("CARGO_BIN_EXE_orient")), args)
    }

    /// The same without permission to read files whose mode forbids it.
    #[cfg(unix)]
    pub(crate) fn unprivileged(&self, args: &[&str]) -> Command {
        self.prepared(orient_testkit::unprivileged(env!("CARGO_BIN_EXE_orient")), args)
    }

    fn prepared(&self, mut command: Command, args: &[&str]) -> Command {
        command.args(args).current_dir(self.root()).stdin(Stdio::null());
        command.env_clear();
        command.env("HOME", self.directory.path().join("home"));
        command.env("ORIENT_STORE", self.store());
        for kept in ["PATH", "SystemRoot", "TMPDIR", "LLVM_PROFILE_FILE"] {
            if let Some(value) = std::env::var_os(kept) {
                command.env(kept, value);
            }
        }
        command
    }

    pub(crate) fn run(&self, args: &[&str]) -> Output {
        self.command(args).output().expect("the command starts")
    }

    /// Runs the command and compares its output, line by line, with the indented block. `TREE` is the root.
    #[track_caller]
    pub(crate) fn assert_output(&self, args: &[&str], expected: &str) {
        self.assert_outcome(args, 0, expected);
    }

    /// The same for a command that fails: errors and notes count as output.
    #[track_caller]
    pub(crate) fn assert_outcome(&self, args: &[&str], code: i32, expected: &str) {
        let output = self.run(args);
        let mut printed = text(&output.stdout);
        printed.push_str(&text(&output.stderr));
        let printed = self.neutral(&printed);
        let expected = dedented(expected);
        assert_eq!(printed, expected, "orient {}", args.join(" "));
        assert_eq!(output.status.code(), Some(code), "orient {}\n{printed}", args.join(" "));
    }

    /// The answer as JSON.
    #[track_caller]
    pub(crate) fn json(&self, args: &[&str]) -> serde_json::Value {
        let output = self.run(args);
        serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|error| panic!("{error}\n{}\n{}", text(&output.stdout), text(&output.stderr)))
    }

    /// Fails if a file at or below a directory holds these bytes.
    #[track_caller]
    pub(crate) fn assert_nowhere(directory: PathBuf, part: &[u8]) {
        let mut directories = vec![directory];
        while let Some(directory) = directories.pop() {
            for entry in fs::read_dir(directory).expect("a directory") {
                let path = entry.expect("an entry").path();
                if path.is_dir() {
                    directories.push(path);
                } else {
                    assert!(!holds(&fs::read(&path).expect("a file"), part), "{}", path.display());
                }
            }
        }
    }

    fn neutral(&self, printed: &str) -> String {
        let root = self.root();
        let shown = |path: &Path| path.display().to_string();
        let home = root.with_file_name("home");
        let printed = printed.replace(&shown(&root), "TREE").replace(&shown(&self.store()), "STORE");
        printed.replace(&shown(&home), "HOME")
    }
}

/// Whether bytes contain others.
pub(crate) fn holds(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|window| window == part)
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("all output is text")
}

/// The block without the indentation of the test.
fn dedented(block: &str) -> String {
    let lines: Vec<&str> = block.strip_prefix('\n').unwrap_or(block).lines().collect();
    let indent =
        lines.iter().filter(|line| !line.trim().is_empty()).map(|line| line.len() - line.trim_start().len());
    let indent = indent.min().unwrap_or(0);
    let mut text = String::new();
    for line in &lines {
        text.push_str(line.get(indent..).unwrap_or_default());
        text.push('\n');
    }
    while text.ends_with("\n\n") || text == "\n" {
        text.pop();
    }
    text
}
