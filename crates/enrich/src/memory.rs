//! The memory of a process with everything it started.

/// The resident memory of a process, its group and its descendants, in bytes; `None` where the system does not say.
#[cfg(target_os = "linux")]
pub(crate) fn resident(leader: u32) -> Option<u64> {
    use std::collections::BTreeSet;
    let mut processes = Vec::new();
    for entry in std::fs::read_dir("/proc").ok()?.flatten() {
        let Some(id) = entry.file_name().to_str().and_then(|name| name.parse::<u32>().ok()) else { continue };
        let Ok(stat) = std::fs::read_to_string(entry.path().join("stat")) else { continue };
        if let Some((parent, group)) = parent_and_group(&stat) {
            processes.push((id, parent, group));
        }
    }
    let mut ours: BTreeSet<u32> = processes
        .iter()
        .filter(|&&(id, _, group)| id == leader || group == leader)
        .map(|&(id, ..)| id)
        .collect();
    loop {
        let before = ours.len();
        let children = processes.iter().filter(|(_, parent, _)| ours.contains(parent)).map(|&(id, ..)| id);
        ours.extend(children.collect::<Vec<_>>());
        if ours.len() == before {
            break;
        }
    }
    let kilobytes = ours.iter().filter_map(|id| {
        let status = std::fs::read_to_string(format!("/proc/{id}/status")).ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
        line.trim().trim_end_matches("kB").trim().parse::<u64>().ok()
    });
    Some(kilobytes.sum::<u64>() * 1024)
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn resident(_: u32) -> Option<u64> {
    None
}

/// The parent and the group in `/proc/N/stat`; the name before them may contain anything.
#[cfg(target_os = "linux")]
fn parent_and_group(stat: &str) -> Option<(u32, u32)> {
    let mut rest = stat[stat.rfind(')')? + 1..].split_whitespace().skip(1);
    Some((rest.next()?.parse().ok()?, rest.next()?.parse().ok()?))
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_process_has_a_parent_a_group_and_memory() {
        assert_eq!(parent_and_group("7 (a ) b) S 3 7 7 0"), Some((3, 7)));
        assert_eq!(parent_and_group("garbage"), None);
        assert!(resident(std::process::id()).expect("procfs") > 1 << 20);
    }
}
