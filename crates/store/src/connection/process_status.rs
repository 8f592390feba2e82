//! The status of another process, from `/proc`. Only Linux provides it.

/// A process at one moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProcessStatus {
    pub(crate) state: u8,
    /// Processor time used, in clock ticks.
    pub(crate) used: u64,
    /// The start time, in clock ticks since the system started.
    pub(crate) started: u64,
}

impl ProcessStatus {
    /// The current status of a process; `None` if there is no such process or it is not visible.
    #[cfg(target_os = "linux")]
    pub fn read(pid: u32) -> Option<Self> {
        Self::parse(&std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
    }

    /// Not available on this system.
    #[cfg(not(target_os = "linux"))]
    pub fn read(_pid: u32) -> Option<Self> {
        None
    }

    /// Parses the fields after the process name, which may contain any character, including parentheses.
    #[cfg(any(target_os = "linux", test))]
    fn parse(stat: &str) -> Option<Self> {
        let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_ascii_whitespace().collect();
        let number = |at: usize| fields.get(at)?.parse::<u64>().ok();
        Some(Self {
            state: *fields.first()?.as_bytes().first()?,
            used: number(11)? + number(12)?,
            started: number(19)?,
        })
    }

    /// Whether a signal or a debugger has stopped it.
    pub fn is_stopped(self) -> bool {
        matches!(self.state, b'T' | b't')
    }

    /// Whether it is running or ready to run.
    pub fn is_running(self) -> bool {
        self.state == b'R'
    }

    /// Whether it waits for a disk (uninterruptible sleep).
    pub fn waits_for_disk(self) -> bool {
        self.state == b'D'
    }

    /// Whether it has used processor time since an earlier moment, or is ready to run.
    pub fn works_since(self, before: Self) -> bool {
        self.started == before.started && (self.used > before.used || self.is_running())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_name_may_contain_parentheses() {
        let stat = "42 (a ) R 1) T 1 1 1 0 -1 0 0 0 0 0 5 6 0 0 20 0 1 0 777 0";
        let process = ProcessStatus::parse(stat).expect("all fields are there");
        assert_eq!(process, ProcessStatus { state: b'T', used: 11, started: 777 });
        assert!(process.is_stopped());
        assert_eq!(ProcessStatus::parse("42 (cut"), None);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn this_process_is_running() {
        let before = ProcessStatus::read(std::process::id()).expect("we are there");
        assert!(!before.is_stopped());
        assert!(ProcessStatus { used: before.used + 1, ..before }.works_since(before));
        let later = ProcessStatus { used: before.used + 1, started: before.started + 1, ..before };
        assert!(!later.works_since(before), "another process with the same pid");
    }
}
