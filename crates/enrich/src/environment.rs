//! The environment of a server: a few variables that say where things are, and none that holds a secret.

use std::ffi::OsString;
use std::path::Path;

/// Variables that a server inherits: the user, the places of tool chains and caches, the language of messages.
const INHERITED: &[&str] = &[
    "HOME",
    "USER",
    "LOGNAME",
    "LANG",
    "LC_ALL",
    "LC_CTYPE",
    "TZ",
    "TMPDIR",
    "XDG_CACHE_HOME",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "CARGO_HOME",
    "RUSTUP_HOME",
    "RUSTUP_TOOLCHAIN",
    "GOPATH",
    "GOROOT",
    "GOCACHE",
    "GOMODCACHE",
    "JAVA_HOME",
    "DOTNET_ROOT",
    "PYENV_ROOT",
    "PYENV_VERSION",
    "VIRTUAL_ENV",
    "NVM_DIR",
    "GEM_HOME",
    "GEM_PATH",
    // Windows.
    "SYSTEMROOT",
    "USERPROFILE",
    "APPDATA",
    "LOCALAPPDATA",
    "PATHEXT",
    "TEMP",
    "TMP",
];

/// The directories of PATH in which programs may be: absolute ones outside the repository.
pub(crate) fn search_path(path: Option<OsString>, root: &Path) -> Vec<std::path::PathBuf> {
    let Some(path) = path else { return Vec::new() };
    std::env::split_paths(&path).filter(|part| part.is_absolute() && !is_inside(part, root)).collect()
}

/// Whether a path is in the repository, also through links.
pub(crate) fn is_inside(path: &Path, root: &Path) -> bool {
    path.starts_with(root) || path.canonicalize().is_ok_and(|real| real.starts_with(root))
}

/// The variables of a server; `variable` reads those of this process.
pub(crate) fn inherited(
    root: &Path,
    variable: &dyn Fn(&str) -> Option<OsString>,
) -> Vec<(&'static str, OsString)> {
    let path = std::env::join_paths(search_path(variable("PATH"), root)).unwrap_or_default();
    let others = INHERITED.iter().filter_map(|&name| Some((name, variable(name)?)));
    std::iter::once(("PATH", path)).chain(others).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_and_directories_of_the_repository_are_left_out() {
        let variable = |name: &str| match name {
            "PATH" => Some("/usr/bin:/repo/node_modules/.bin:bin::/repo:/opt/bin".into()),
            "HOME" => Some("/home/u".into()),
            "GITHUB_TOKEN" | "AWS_SECRET_ACCESS_KEY" | "LD_PRELOAD" | "NODE_OPTIONS" => Some("x".into()),
            _ => None,
        };
        let found = inherited(Path::new("/repo"), &variable);
        let shown: Vec<(&str, &str)> =
            found.iter().map(|(name, value)| (*name, value.to_str().expect("text"))).collect();
        assert_eq!(shown, [("PATH", "/usr/bin:/opt/bin"), ("HOME", "/home/u")]);
    }
}
