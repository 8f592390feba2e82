//! Cargo manifests: the workspace's lints are enabled, and every dependency states its reason.

use super::Repository;
use crate::report::Findings;

/// Checks every manifest of the workspace.
pub(super) fn check(repository: &Repository, findings: &mut Findings) {
    for (path, text) in repository.texts.iter().filter(|(path, _)| path.ends_with("Cargo.toml")) {
        let is_member = path.starts_with("crates/") || path.starts_with("xtask/");
        let is_alone = text.contains("\n[workspace]\n");
        if is_member && !is_alone && !text.contains("[lints]\nworkspace = true") {
            findings.fail(path, 0, "the workspace's lints are not enabled: add `[lints] workspace = true`");
        }
        if path == "Cargo.toml" {
            reasons(path, text, findings);
        }
    }
}

/// Every external workspace dependency has its reason on its line.
fn reasons(path: &str, text: &str, findings: &mut Findings) {
    let mut is_inside = false;
    for (at, line) in text.lines().enumerate() {
        if line.starts_with('[') {
            is_inside = line == "[workspace.dependencies]";
        }
        let names_one =
            is_inside && line.contains(" = ") && !line.starts_with(['#', '[']) && !line.contains("path = ");
        if names_one && !line.contains(" # ") {
            findings.fail(path, at + 1, "state on its line why this dependency is needed");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dependency_needs_a_reason() {
        let text = "[workspace.dependencies]\n# Ours\na = { path = \"a\" }\nb = \"1\" # fast\nc = \"1\"\n[profile.dev]\nd = 1\n";
        let mut findings = Findings::default();
        reasons("Cargo.toml", text, &mut findings);
        assert_eq!(findings.texts().len(), 1);
    }
}
