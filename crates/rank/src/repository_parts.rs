//! The parts of a repository: packages, or directories where there are few packages.

use std::collections::BTreeSet;

/// With fewer packages among the candidates, directories are the parts.
const MIN_PACKAGES: usize = 3;
/// Directories are divided until there are this many, or no deeper ones.
const MIN_DIRECTORIES: usize = 8;
const MAX_DEPTH: usize = 6;

/// The part that each path belongs to. `packages` are the directories with a project file.
pub(crate) fn parts<'p>(paths: &[&'p str], packages: &[String]) -> Vec<&'p str> {
    let by_package: Vec<&str> = paths.iter().map(|path| package(path, packages)).collect();
    if count(&by_package) >= MIN_PACKAGES {
        return by_package;
    }
    let at_depth = |depth: usize| paths.iter().map(|path| directory(path, depth)).collect::<Vec<_>>();
    let enough = (1..MAX_DEPTH).find(|&depth| count(&at_depth(depth)) >= MIN_DIRECTORIES);
    at_depth(enough.unwrap_or(MAX_DEPTH))
}

fn count(parts: &[&str]) -> usize {
    parts.iter().collect::<BTreeSet<_>>().len()
}

/// The innermost package around a file; empty for the root.
fn package<'p>(path: &'p str, packages: &[String]) -> &'p str {
    let ends = path.match_indices('/').map(|(at, _)| at).rev();
    let mut directories = ends.map(|end| &path[..end]);
    directories.find(|directory| packages.iter().any(|package| package == directory)).unwrap_or("")
}

/// The directory of a file, at most `depth` levels deep.
fn directory(path: &str, depth: usize) -> &str {
    let ends: Vec<usize> = path.match_indices('/').map(|(at, _)| at).collect();
    ends.get(depth.min(ends.len()).wrapping_sub(1)).map_or("", |&end| &path[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_belong_to_the_innermost_package() {
        let packages = ["a", "a/b", "c"].map(str::to_owned);
        let paths = ["a/x.c", "a/b/y/z.c", "c/w.c", "v.c"];
        assert_eq!(parts(&paths, &packages), ["a", "a/b", "c", ""]);
    }

    #[test]
    fn without_packages_directories_are_divided_until_there_are_enough() {
        let paths = ["src/a/x.c", "src/b/y.c", "src/c/z/w.c", "main.c"];
        assert_eq!(parts(&paths, &[]), ["src/a", "src/b", "src/c/z", ""]);
        let many: Vec<String> = (0..9).map(|number| format!("d{number}/e/f.c")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        assert_eq!(parts(&many, &[])[3], "d3");
    }
}
