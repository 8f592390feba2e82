//! File roles: whether a file is source, a test, generated or vendored, judging by its path, its name and its facts.

use crate::pack::Pack;
use globset::{Glob, GlobSet, GlobSetBuilder};
use orient_model::{RepoPath, Role};

/// Directories of tests, in any language.
const TEST_DIRECTORIES: &[&[u8]] = &[
    b"test",
    b"tests",
    b"testing",
    b"__tests__",
    b"spec",
    b"specs",
    b"testdata",
    b"test-data",
    b"fixtures",
    b"e2e",
    b"benches",
    b"benchmarks",
];
/// Directories of code copied from other projects.
const VENDOR_DIRECTORIES: &[&[u8]] = &[
    b"vendor",
    b"third_party",
    b"third-party",
    b"thirdparty",
    b"3rdparty",
    b"node_modules",
    b"bower_components",
    b"external",
    b"deps",
];

/// Path patterns from the user's settings, which override the built-in rules.
#[derive(Default)]
pub struct RolePatterns {
    generated: GlobSet,
    vendored: GlobSet,
}

impl RolePatterns {
    /// Compiles the path patterns; the error names the invalid one.
    pub fn new(generated: &[String], vendored: &[String]) -> Result<Self, String> {
        Ok(Self { generated: globs(generated)?, vendored: globs(vendored)? })
    }
}

fn globs(patterns: &[String]) -> Result<GlobSet, String> {
    let mut builder = GlobSetBuilder::new();
    for pattern in patterns {
        builder.add(Glob::new(pattern).map_err(|error| error.to_string())?);
    }
    builder.build().map_err(|error| error.to_string())
}

/// The role of a file. `generated` is whether its content says that it was generated.
pub fn classify(path: &RepoPath, pack: Option<&Pack>, generated: bool, roles: &RolePatterns) -> Role {
    let shown = path.display();
    let conventions = pack.map(Pack::conventions);
    let name = String::from_utf8_lossy(path.file_name());
    if roles.vendored.is_match(shown.as_ref()) || has_directory(path, VENDOR_DIRECTORIES) {
        return Role::Vendored;
    }
    let by_name = conventions.is_some_and(|known| known.generated_files.is_match(name.as_ref()));
    if generated || by_name || roles.generated.is_match(shown.as_ref()) {
        return Role::Generated;
    }
    let by_pattern = conventions.is_some_and(|known| {
        known.test_files.is_match(name.as_ref()) || known.test_files.is_match(shown.as_ref())
    });
    if by_pattern || has_directory(path, TEST_DIRECTORIES) {
        return Role::Test;
    }
    pack.map_or(Role::Config, Pack::role)
}

fn has_directory(path: &RepoPath, directories: &[&[u8]]) -> bool {
    path.directory()
        .split(|&b| b == b'/')
        .any(|part| directories.contains(&part.to_ascii_lowercase().as_slice()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_path_of_a_file_decides_its_role() {
        let none = RolePatterns::default();
        assert_eq!(classify(&"a/vendor/x.c".into(), None, false, &none), Role::Vendored);
        assert_eq!(classify(&"a/tests/x.c".into(), None, false, &none), Role::Test);
        assert_eq!(classify(&"a/x.c".into(), None, true, &none), Role::Generated);
        let own = RolePatterns::new(&["gen/**".to_owned()], &[]).unwrap();
        assert_eq!(classify(&"gen/x.c".into(), None, false, &own), Role::Generated);
        assert!(RolePatterns::new(&["[".to_owned()], &[]).is_err());
    }
}
