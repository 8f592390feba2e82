//! Places hunks as git does: a hunk that can slide is merged with others, aligned with a change on the other side, or else
//! moved to where indentation and blank lines suggest a boundary.
//!
//! Example: after `f {` `}` a second function is added. Both `} f {` and `f { }` are valid hunks; the blank line before it and
//! the indentation of its first line select the second.

/// How far a hunk slides in search of a good place.
const MAX_SLIDE: usize = 100;
const MAX_INDENT: i32 = 200;
const MAX_BLANKS: i32 = 20;
/// How many points an indentation counts.
const INDENT_WEIGHT: i32 = 60;

/// A run of changed lines, possibly empty, between two unchanged lines.
#[derive(Clone, Copy)]
struct Group {
    start: usize,
    end: usize,
}

/// The lines of one text with their changes.
struct Side<'s> {
    lines: &'s [u32],
    changed: &'s mut Vec<bool>,
}

impl Side<'_> {
    fn is_changed(&self, at: usize) -> bool {
        self.changed.get(at).copied().unwrap_or(false)
    }

    fn first_group(&self) -> Group {
        let mut group = Group { start: 0, end: 0 };
        while self.is_changed(group.end) {
            group.end += 1;
        }
        group
    }

    /// Moves to the next group. Returns false at the end.
    fn next(&self, group: &mut Group) -> bool {
        if group.end == self.changed.len() {
            return false;
        }
        group.start = group.end + 1;
        group.end = group.start;
        while self.is_changed(group.end) {
            group.end += 1;
        }
        true
    }

    /// Moves to the previous group.
    fn previous(&self, group: &mut Group) {
        let Some(end) = group.start.checked_sub(1) else { return };
        group.end = end;
        group.start = end;
        while group.start > 0 && self.is_changed(group.start - 1) {
            group.start -= 1;
        }
    }

    /// Slides a group one line up and merges it with one that it meets. Returns false if it cannot move.
    fn slide_up(&mut self, group: &mut Group) -> bool {
        if group.start == 0 || self.lines[group.start - 1] != self.lines[group.end - 1] {
            return false;
        }
        group.start -= 1;
        group.end -= 1;
        self.changed[group.start] = true;
        self.changed[group.end] = false;
        while group.start > 0 && self.is_changed(group.start - 1) {
            group.start -= 1;
        }
        true
    }

    /// Slides a group one line down and merges it with one that it meets. Returns false if it cannot move.
    fn slide_down(&mut self, group: &mut Group) -> bool {
        if group.end >= self.lines.len() || self.lines[group.start] != self.lines[group.end] {
            return false;
        }
        self.changed[group.start] = false;
        self.changed[group.end] = true;
        group.start += 1;
        group.end += 1;
        while self.is_changed(group.end) {
            group.end += 1;
        }
        true
    }
}

/// Places the changed lines of one text. `other` are those of the other text, which are not moved.
pub(crate) fn place(lines: &[u32], text: &[&[u8]], changed: &mut Vec<bool>, other: &mut Vec<bool>) {
    let mut side = Side { lines, changed };
    let opposite = Side { lines: &[], changed: other };
    let (mut group, mut across) = (side.first_group(), opposite.first_group());
    loop {
        if group.start < group.end {
            place_group(&mut side, &opposite, &mut group, &mut across, text);
        }
        if !side.next(&mut group) {
            return;
        }
        opposite.next(&mut across);
    }
}

fn place_group(
    side: &mut Side<'_>,
    opposite: &Side<'_>,
    group: &mut Group,
    across: &mut Group,
    text: &[&[u8]],
) {
    let (mut size, mut earliest, mut aligned);
    loop {
        size = group.end - group.start;
        aligned = false;
        while side.slide_up(group) {
            opposite.previous(across);
        }
        earliest = group.end;
        aligned |= across.start < across.end;
        while side.slide_down(group) {
            opposite.next(across);
            aligned |= across.start < across.end;
        }
        if size == group.end - group.start {
            break;
        }
    }
    if group.end == earliest {
        return;
    }
    if aligned {
        while across.start == across.end && side.slide_up(group) {
            opposite.previous(across);
        }
        return;
    }
    let lowest = earliest.max(group.end.saturating_sub(size + 1)).max(group.end.saturating_sub(MAX_SLIDE));
    let mut best: Option<(Score, usize)> = None;
    for end in lowest..=group.end {
        let mut score = Score::default();
        score.add(&Boundary::at(text, end));
        score.add(&Boundary::at(text, end - size));
        if best.is_none_or(|(least, _)| score.compare(least) <= 0) {
            best = Some((score, end));
        }
    }
    let best = best.map_or(group.end, |(_, end)| end);
    while group.end > best && side.slide_up(group) {
        opposite.previous(across);
    }
}

/// The surroundings of a boundary before a line. An indentation is `None` for a blank line.
struct Boundary {
    is_end: bool,
    indent: Option<i32>,
    blanks_above: i32,
    indent_above: Option<i32>,
    blanks_below: i32,
    indent_below: Option<i32>,
}

impl Boundary {
    fn at(text: &[&[u8]], at: usize) -> Self {
        let scan = |lines: &mut dyn Iterator<Item = &&[u8]>| {
            let mut blanks = 0;
            for line in lines {
                if let Some(indent) = indent(line) {
                    return (blanks, Some(indent));
                }
                blanks += 1;
                if blanks == MAX_BLANKS {
                    return (blanks, Some(0));
                }
            }
            (blanks, None)
        };
        let (blanks_above, indent_above) = scan(&mut text[..at.min(text.len())].iter().rev());
        let (blanks_below, indent_below) = scan(&mut text.get(at + 1..).unwrap_or_default().iter());
        let indent = text.get(at).and_then(|line| indent(line));
        Self { is_end: at >= text.len(), indent, blanks_above, indent_above, blanks_below, indent_below }
    }
}

/// The column of the first character that is not white space; `None` for a blank line.
fn indent(line: &[u8]) -> Option<i32> {
    let mut column = 0;
    for byte in line {
        match byte {
            b' ' => column += 1,
            b'\t' => column += 8 - column % 8,
            b'\n' | b'\r' | 0x0b | 0x0c => {}
            _ => return Some(column),
        }
        if column >= MAX_INDENT {
            return Some(MAX_INDENT);
        }
    }
    None
}

/// How unsuitable a place is: smaller is better. The weights are those that git's authors measured.
#[derive(Clone, Copy, Default)]
struct Score {
    indent: i32,
    penalty: i32,
}

impl Score {
    fn add(&mut self, boundary: &Boundary) {
        if boundary.indent_above.is_none() && boundary.blanks_above == 0 {
            self.penalty += 1;
        }
        if boundary.is_end {
            self.penalty += 21;
        }
        let below = if boundary.indent.is_none() { 1 + boundary.blanks_below } else { 0 };
        let blanks = boundary.blanks_above + below;
        self.penalty += 6 * below - 30 * blanks;
        let indent = boundary.indent.or(boundary.indent_below);
        self.indent += indent.unwrap_or(-1);
        let (Some(indent), Some(above)) = (indent, boundary.indent_above) else { return };
        let has_blanks = blanks != 0;
        self.penalty += match indent.cmp(&above) {
            std::cmp::Ordering::Equal => 0,
            std::cmp::Ordering::Greater => {
                if has_blanks {
                    10
                } else {
                    -4
                }
            }
            std::cmp::Ordering::Less if boundary.indent_below.is_some_and(|below| below > indent) => {
                if has_blanks {
                    17
                } else {
                    24
                }
            }
            std::cmp::Ordering::Less => {
                if has_blanks {
                    17
                } else {
                    23
                }
            }
        };
    }

    fn compare(self, other: Self) -> i32 {
        INDENT_WEIGHT * (self.indent - other.indent).signum() + self.penalty - other.penalty
    }
}
