//! Where settings and indexes live on this kind of machine.

use std::env;
use std::path::{Path, PathBuf};

/// The file a repository may bring along, at its root.
pub const REPOSITORY_FILE: &str = ".orient.toml";

/// The user's own settings file, whether it exists or not: `$XDG_CONFIG_HOME/orient/config.toml`, or what the
/// platform has instead. Nothing on a machine without a home folder.
pub fn user_file() -> Option<PathBuf> {
    let folder = match absolute_variable("XDG_CONFIG_HOME") {
        Some(folder) => folder,
        None if cfg!(windows) => absolute_variable("APPDATA")?,
        None if cfg!(target_os = "macos") => env::home_dir()?.join("Library/Application Support"),
        None => env::home_dir()?.join(".config"),
    };
    Some(folder.join("orient").join("config.toml"))
}

/// The folder of all indexes where no setting names another: `$XDG_CACHE_HOME/orient`, or what the platform has
/// instead. Nothing on a machine without a home folder.
pub fn store_root() -> Option<PathBuf> {
    let folder = match absolute_variable("XDG_CACHE_HOME") {
        Some(folder) => folder,
        None if cfg!(windows) => absolute_variable("LOCALAPPDATA")?,
        None if cfg!(target_os = "macos") => env::home_dir()?.join("Library/Caches"),
        None => env::home_dir()?.join(".cache"),
    };
    Some(folder.join("orient"))
}

/// A variable that names a folder. The XDG rules say that a relative one is to be ignored.
fn absolute_variable(name: &str) -> Option<PathBuf> {
    env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute())
}

/// The path a user wrote, made absolute: `~/` is the home folder, anything else relative hangs from `base`.
pub(crate) fn absolute(text: &str, base: &Path) -> Result<PathBuf, String> {
    if text == "~" || text.starts_with("~/") {
        let home =
            env::home_dir().ok_or_else(|| format!("{text:?} needs a home folder, and there is none"))?;
        return Ok(home.join(text.trim_start_matches(['~', '/'])));
    }
    Ok(base.join(text))
}
