//! A small repository with a secret outside of it, and files that try to reach the secret or mislead a reader.

use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Content that must never be read.
pub(crate) const SECRET: &str = "TOP-SECRET-OUTSIDE";

/// The repository and its surroundings.
pub(crate) struct Sandbox {
    directory: TempDir,
    /// The store, if it is not beside the repository.
    elsewhere: Option<PathBuf>,
}

impl Sandbox {
    pub(crate) fn new() -> Self {
        let tree = Self { directory: TempDir::new().expect("a temporary directory"), elsewhere: None };
        std::fs::create_dir_all(tree.root().join("shop")).expect("a directory");
        tree.outside("secret.py", &format!("def secret():\n    return \"{SECRET}\"\n"));
        tree.write(
            "shop/cart.py",
            "def total(items):\n    return sum(items)\n\n\ndef main():\n    print(total([1, 2]))\n",
        );
        let parts: Vec<String> =
            (0..300).map(|part| format!("def part_{part}(x):\n    return x + {part}\n\n\n")).collect();
        tree.write("shop/parts.py", &parts.concat());
        #[cfg(unix)]
        {
            use std::os::unix::fs::symlink;
            symlink("../secret.py", tree.root().join("link.py")).expect("a link");
            symlink("..", tree.root().join("linked")).expect("a link");
        }
        tree
    }

    /// The root of the repository.
    pub(crate) fn root(&self) -> PathBuf {
        self.directory.path().join("tree")
    }

    /// The store.
    pub(crate) fn store(&self) -> PathBuf {
        self.elsewhere.clone().unwrap_or_else(|| self.directory.path().join("store"))
    }

    /// Uses the store of another sandbox.
    pub(crate) fn stored_beside(self, other: &Self) -> Self {
        Self { elsewhere: Some(other.store()), ..self }
    }

    /// Writes a file in the repository.
    pub(crate) fn write(&self, path: &str, text: &str) {
        put(&self.root().join(path), text);
    }

    /// Writes a file beside the repository.
    pub(crate) fn outside(&self, path: &str, text: &str) -> PathBuf {
        let path = self.directory.path().join(path);
        put(&path, text);
        path
    }
}

fn put(path: &Path, text: &str) {
    std::fs::create_dir_all(path.parent().expect("it has a directory")).expect("a directory");
    std::fs::write(path, text).expect("a file");
}
