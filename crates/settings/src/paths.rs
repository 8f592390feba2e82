//! The platform paths of settings files and indexes.

use std::env;
use std::path::{Path, PathBuf};

/// The settings file at the root of a repository.
pub const REPOSITORY_FILE: &str = ".orient.toml";

/// The user's settings file, which need not exist: `$XDG_CONFIG_HOME/orient/config.toml`, or the platform's
/// equivalent. `None` without a home directory.
pub fn user_file() -> Option<PathBuf> {
    let dir = match absolute_variable("XDG_CONFIG_HOME") {
        Some(dir) => dir,
        None if cfg!(windows) => absolute_variable("APPDATA")?,
        None if cfg!(target_os = "macos") => env::home_dir()?.join("Library/Application Support"),
        None => env::home_dir()?.join(".config"),
    };
    Some(dir.join("orient").join("config.toml"))
}

/// The default directory of all indexes: `$XDG_CACHE_HOME/orient`, or the platform's equivalent. `None` without a home
/// directory.
pub fn store_root() -> Option<PathBuf> {
    let dir = match absolute_variable("XDG_CACHE_HOME") {
        Some(dir) => dir,
        None if cfg!(windows) => absolute_variable("LOCALAPPDATA")?,
        None if cfg!(target_os = "macos") => env::home_dir()?.join("Library/Caches"),
        None => env::home_dir()?.join(".cache"),
    };
    Some(dir.join("orient"))
}

/// An environment variable that names a directory. The XDG specification says to ignore relative ones.
fn absolute_variable(name: &str) -> Option<PathBuf> {
    env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute())
}

/// Makes a path absolute: `~/` is the home directory, other relative paths are resolved against `base`.
pub(crate) fn absolute(text: &str, base: &Path) -> Result<PathBuf, String> {
    if text == "~" || text.starts_with("~/") {
        let home =
            env::home_dir().ok_or_else(|| format!("{text:?} needs a home directory, but there is none"))?;
        return Ok(home.join(text.trim_start_matches(['~', '/'])));
    }
    Ok(base.join(text))
}
