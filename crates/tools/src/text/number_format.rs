//! Formatting of counts, sizes and durations.

use std::time::Duration;

/// `12345` as `12,345`.
pub fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut shown = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            shown.push(',');
        }
        shown.push(digit);
    }
    shown
}

/// `1 file`, `2 files`.
pub fn plural(number: u64, one: &str, many: &str) -> String {
    format!("{} {}", count(number), if number == 1 { one } else { many })
}

/// A number of things of a kind, in the plural that the name of the kind has by its form: `1 command`, `2 entities`.
pub(crate) fn count_of(number: u64, kind: &str) -> String {
    let many = match kind.strip_suffix('y') {
        Some(stem) => format!("{stem}ies"),
        None => format!("{kind}s"),
    };
    plural(number, kind, &many)
}

/// A number of bytes: `512 B`, `1.5 MiB`.
pub fn bytes(number: u64) -> String {
    const UNITS: [&str; 4] = ["KiB", "MiB", "GiB", "TiB"];
    if number < 1024 {
        return format!("{number} B");
    }
    let (mut tenths, mut unit) = (u128::from(number) * 10 / 1024, 0);
    while tenths >= 10_240 && unit + 1 < UNITS.len() {
        tenths /= 1024;
        unit += 1;
    }
    format!("{}.{} {}", tenths / 10, tenths % 10, UNITS[unit])
}

/// A duration: `8 ms`, `1.4 s`, `3 min 20 s`.
pub fn duration(time: Duration) -> String {
    let millis = time.as_millis();
    match millis {
        0..1000 => format!("{millis} ms"),
        1000..60_000 => format!("{}.{} s", millis / 1000, millis % 1000 / 100),
        _ => format!("{} min {} s", millis / 60_000, millis % 60_000 / 1000),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_sizes_and_durations_are_readable() {
        assert_eq!((count(0), count(999), count(1_234_567)), ("0".into(), "999".into(), "1,234,567".into()));
        assert_eq!(
            (plural(1, "file", "files"), plural(2000, "file", "files")),
            ("1 file".into(), "2,000 files".into())
        );
        assert_eq!((count_of(1, "job"), count_of(2, "query")), ("1 job".into(), "2 queries".into()));
        assert_eq!(
            (bytes(1023), bytes(1536), bytes(3 << 30)),
            ("1023 B".into(), "1.5 KiB".into(), "3.0 GiB".into())
        );
        assert_eq!(duration(Duration::from_millis(8)), "8 ms");
        assert_eq!(duration(Duration::from_millis(1449)), "1.4 s");
        assert_eq!(duration(Duration::from_secs(200)), "3 min 20 s");
    }
}
