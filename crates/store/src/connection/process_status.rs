//! What the system says of another process, where it says anything.

/// A process at a moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Process {
    pub(crate) state: u8,
    /// Processor time so far, in ticks.
    pub(crate) used: u64,
    /// When it began, in ticks since the machine did.
    pub(crate) started: u64,
}

impl Process {
    /// The process with a number, as it is now; none where there is none that we can see.
    #[cfg(target_os = "linux")]
    pub fn read(pid: u32) -> Option<Self> {
        Self::parse(&std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
    }

    /// The process with a number: this system does not tell.
    #[cfg(not(target_os = "linux"))]
    pub fn read(_pid: u32) -> Option<Self> {
        None
    }

    /// The fields behind the name, which may hold anything, parentheses too.
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

    /// Whether it was stopped by a signal or a debugger.
    pub fn is_stopped(self) -> bool {
        matches!(self.state, b'T' | b't')
    }

    /// Whether it runs, or would if it had a processor.
    pub fn is_running(self) -> bool {
        self.state == b'R'
    }

    /// Whether it waits for a disk.
    pub fn waits_for_disk(self) -> bool {
        self.state == b'D'
    }

    /// Whether it has done something since an earlier moment, or is about to.
    pub fn works_since(self, before: Self) -> bool {
        self.started == before.started && (self.used > before.used || self.is_running())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_process_may_hold_anything() {
        let stat = "42 (a ) R 1) T 1 1 1 0 -1 0 0 0 0 0 5 6 0 0 20 0 1 0 777 0";
        let process = Process::parse(stat).expect("all fields are there");
        assert_eq!(process, Process { state: b'T', used: 11, started: 777 });
        assert!(process.is_stopped());
        assert_eq!(Process::parse("42 (cut"), None);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn this_process_runs_and_uses_time() {
        let before = Process::read(std::process::id()).expect("we are there");
        assert!(!before.is_stopped());
        assert!(Process { used: before.used + 1, ..before }.works_since(before));
        let later = Process { used: before.used + 1, started: before.started + 1, ..before };
        assert!(!later.works_since(before), "another process with the same number");
    }
}
