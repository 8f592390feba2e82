//! Dates: days of the Gregorian calendar from seconds, and the dates and ages that a user types.

use crate::error::{Code, ToolError};

const DAY: i64 = 86_400;

/// The date of a moment, `2026-03-31`, in a time zone `offset` seconds from UTC.
pub(crate) fn date(seconds: i64, offset: i32) -> String {
    let (year, month, day) = civil(seconds.saturating_add(i64::from(offset)).div_euclid(DAY));
    format!("{year:04}-{month:02}-{day:02}")
}

/// Year, month and day of a day counted from 1970-01-01. Years are counted from March, so that the leap day is the last.
///
/// Example: day 0 is day 306 of the year that began on 1969-03-01, ten months later: January.
fn civil(days: i64) -> (i64, i64, i64) {
    // 400 years have 146,097 days; the era begins on 0000-03-01.
    let days = days.clamp(-400_000_000, 400_000_000) + 719_468;
    let era = days.div_euclid(146_097);
    let of_era = days.rem_euclid(146_097);
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    (year_of_era + era * 400 + i64::from(month <= 2), month, day)
}

/// The day of a date, counted from 1970-01-01.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let (era, of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let of_year = (153 * (if month > 2 { month - 3 } else { month + 9 }) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

/// The first moment (`until` false) or the last (`until` true) of what a user typed: `2026`, `2026-03`, `2026-03-31`, or an age
/// such as `30d`, `6w`, `3m`, `1y` before `now`.
pub(crate) fn moment(typed: &str, now: i64, until: bool) -> Result<i64, ToolError> {
    let bad = || {
        ToolError::new(Code::BadArgument, format!("`{typed}` is not a date"))
            .hint("a date as `2026-03-31`, `2026-03` or `2026`, or an age as `30d`, `6w`, `3m` or `1y`")
    };
    let age = typed.split_at_checked(typed.len().saturating_sub(1));
    if let Some((number, unit)) = age
        && let Ok(number) = number.parse::<i64>()
    {
        let unit = match unit {
            "d" => Some(1),
            "w" => Some(7),
            "m" => Some(30),
            "y" => Some(365),
            _ => None,
        };
        if let Some(unit) = unit {
            return Ok(now.saturating_sub(number.saturating_mul(unit).saturating_mul(DAY)));
        }
    }
    let parts: Option<Vec<i64>> = typed.split('-').map(|part| part.parse().ok()).collect();
    let valid = |month: i64, day: i64| (1..=12).contains(&month) && (1..=31).contains(&day);
    let (first, after) = match parts.as_deref() {
        Some(&[year]) if typed.len() == 4 => (days(year, 1, 1), days(year + 1, 1, 1)),
        Some(&[year, month]) if valid(month, 1) => {
            let next = if month == 12 { days(year + 1, 1, 1) } else { days(year, month + 1, 1) };
            (days(year, month, 1), next)
        }
        Some(&[year, month, day]) if valid(month, day) => {
            (days(year, month, day), days(year, month, day) + 1)
        }
        _ => return Err(bad()),
    };
    Ok(if until { after * DAY - 1 } else { first * DAY })
}

/// How long ago, in the largest unit: `3 years`, `5 days`, `today`.
pub(crate) fn age(seconds: i64, now: i64) -> String {
    let days = (now - seconds).max(0) / DAY;
    let (number, unit) = match days {
        0 => return "today".to_owned(),
        1..=59 => (days, "day"),
        60..=729 => (days / 30, "month"),
        _ => (days / 365, "year"),
    };
    format!("{number} {unit}{} ago", if number == 1 { "" } else { "s" })
}

/// The seconds since 1970.
pub(crate) fn now() -> i64 {
    let elapsed = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    elapsed.map_or(0, |elapsed| i64::try_from(elapsed.as_secs()).unwrap_or(i64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_of_all_ages_are_those_of_the_calendar() {
        for (seconds, expected) in [
            (0, "1970-01-01"),
            (-1, "1969-12-31"),
            (951_782_400, "2000-02-29"),
            (1_794_960_000, "2026-11-18"),
            (4_107_542_400, "2100-03-01"),
            (-2_203_891_200, "1900-03-01"),
        ] {
            assert_eq!(date(seconds, 0), expected);
            assert_eq!(moment(expected, 0, false).expect("a date"), seconds.div_euclid(DAY) * DAY);
        }
        assert_eq!(date(86_399, 3600), "1970-01-02");
        assert_eq!(date(i64::MAX, 0).len(), date(i64::MAX, 7200).len());
    }

    #[test]
    fn typed_dates_cover_their_whole_period() {
        let at = |typed: &str, until| date(moment(typed, 10 * DAY, until).expect("a date"), 0);
        assert_eq!((at("2025", false), at("2025", true)), ("2025-01-01".into(), "2025-12-31".into()));
        assert_eq!((at("2024-02", false), at("2024-02", true)), ("2024-02-01".into(), "2024-02-29".into()));
        assert_eq!(at("3d", false), "1970-01-08");
        for bad in ["", "yesterday", "2025-13", "2025-1-1-1", "d", "12"] {
            assert!(moment(bad, 0, false).is_err(), "{bad}");
        }
    }
}
