//! Dependencies: which crate may depend on which, which crate may name which external package, and how many packages
//! are locked.

use super::Repository;
use crate::report::Findings;
use crate::workspace::{self, Metadata};
use anyhow::Result;
use std::collections::{BTreeMap, BTreeSet};

/// Packages outside the product, which may use what they need.
const FREE: &[&str] = &["xtask"];

/// The package that users install; the only one that is not named after its role.
const PRODUCT: &str = "orient";
const PRODUCT_ROLE: &str = "cli";

/// Numbers of locked packages.
pub(super) struct Locked {
    /// In the default build of the product.
    pub(super) product: usize,
    /// In total, with tests and xtask.
    pub(super) all: usize,
}

/// Checks the manifests, as `cargo metadata` reads them.
pub(super) fn check(repository: &Repository, findings: &mut Findings) -> Result<Locked> {
    let metadata = workspace::metadata()?;
    let policy = &repository.policy;
    for package in metadata.packages.iter().filter(|package| metadata.workspace_members.contains(&package.id))
    {
        let role =
            if package.name == PRODUCT { Some(PRODUCT_ROLE) } else { package.name.strip_prefix("orient-") };
        let Some(role) = role else {
            if !FREE.contains(&package.name.as_str()) {
                findings.fail(
                    "Cargo.toml",
                    0,
                    format!("package `{}` is not called `orient-<role>`", package.name),
                );
            }
            continue;
        };
        let manifest = format!("crates/{role}/Cargo.toml");
        let Some(allowed) = policy.dependencies.get(role) else {
            findings.fail(&manifest, 0, "missing from [dependencies] in xtask/tidy.toml");
            continue;
        };
        for dependency in &package.dependencies {
            let is_dev = dependency.kind.as_deref() == Some("dev");
            if let Some(target) = dependency.name.strip_prefix("orient-") {
                let in_tests = policy
                    .test_dependencies
                    .get(role)
                    .is_some_and(|roles| roles.iter().any(|name| name == target));
                let is_allowed = allowed.iter().any(|name| name == target)
                    || (is_dev && (target == "testkit" || in_tests));
                if !is_allowed {
                    findings.fail(&manifest, 0, format!("{role} must not depend on {target}"));
                }
            } else if let Some(roles) = policy.only.get(&dependency.name)
                && !is_dev
                && !roles.iter().any(|name| name == role)
            {
                let text = format!("only {} may depend on {}", roles.join(" and "), dependency.name);
                findings.fail(&manifest, 0, text);
            }
        }
    }
    let locked = Locked { product: reachable(&metadata, PRODUCT), all: metadata.packages.len() };
    if locked.product > policy.budgets.locked_packages {
        let text = format!(
            "the default build locks {} packages, over {}",
            locked.product, policy.budgets.locked_packages
        );
        findings.fail("Cargo.lock", 0, text);
    }
    Ok(locked)
}

/// The number of packages that a build of `name` needs, including itself: breadth-first search over `cargo metadata`.
fn reachable(metadata: &Metadata, name: &str) -> usize {
    let nodes: BTreeMap<&str, _> =
        metadata.resolve.nodes.iter().map(|node| (node.id.as_str(), node)).collect();
    let start =
        metadata.packages.iter().filter(|package| package.name == name).map(|package| package.id.as_str());
    let mut waiting: Vec<&str> = start.collect();
    let mut seen: BTreeSet<&str> = waiting.iter().copied().collect();
    while let Some(id) = waiting.pop() {
        let Some(node) = nodes.get(id) else { continue };
        for edge in &node.deps {
            let is_built = edge.dep_kinds.iter().any(|kind| kind.kind.as_deref() != Some("dev"));
            if is_built && seen.insert(&edge.pkg) {
                waiting.push(&edge.pkg);
            }
        }
    }
    seen.len()
}
