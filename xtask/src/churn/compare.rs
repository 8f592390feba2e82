//! The comparison of an index that caught up with one built from scratch.

use crate::bench::open;
use anyhow::Result;
use orient_engine::{Engine, NoProgress, RefreshOptions};
use std::collections::BTreeSet;
use std::path::Path;

/// Maximum number of differing lines that are shown.
const MAX_SHOWN: usize = 12;

/// Brings an index up to date. Returns the number of files that were resolved.
pub(super) fn refresh(engine: &Engine) -> Result<usize> {
    Ok(engine.refresh(&RefreshOptions::default(), &NoProgress)?.resolved)
}

/// Whether the index of a tree equals one that is built from scratch. Prints the changes and the lines that differ.
pub(super) fn equals_full_build(
    engine: &Engine,
    root: &Path,
    scratch: &Path,
    changes: &[String],
) -> Result<bool> {
    let store = scratch.join("rebuilt");
    let rebuilt = open(root, &store)?;
    refresh(&rebuilt)?;
    let (ours, theirs) = (dump(engine)?, dump(&rebuilt)?);
    drop(rebuilt);
    std::fs::remove_dir_all(store)?;
    if ours == theirs {
        return Ok(true);
    }
    for change in changes {
        println!("{change}");
    }
    let (ours, theirs): (BTreeSet<&str>, BTreeSet<&str>) = (ours.lines().collect(), theirs.lines().collect());
    for (name, lines) in [
        ("only in the index that caught up", ours.difference(&theirs)),
        ("missing in it", theirs.difference(&ours)),
    ] {
        println!("{name}:");
        for line in lines.take(MAX_SHOWN) {
            println!("  {line}");
        }
    }
    Ok(false)
}

fn dump(engine: &Engine) -> Result<String> {
    let mut bytes = Vec::new();
    engine.snapshot()?.dump(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
