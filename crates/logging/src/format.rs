//! The two forms of a line: a JSON object for the file, words for a person.

use crate::record::{Record, Value};
use std::fmt::Write;
use tracing::Level;

/// One JSON object on a line of its own. `ts`, `level` and `target` come first, so that a line can be judged by its start.
pub(crate) fn json(record: &Record<'_>) -> String {
    let mut line = format!("{{\"ts\":\"{}\",\"level\":\"{}\"", timestamp(record.ts), word(record.level));
    member(&mut line, "target", |line| quoted(line, record.target));
    member(&mut line, "pid", |line| number(line, record.pid));
    if let Some(span) = record.span {
        member(&mut line, "span", |line| quoted(line, span));
    }
    for (name, value) in record.fields.iter() {
        member(&mut line, name, |line| match value {
            Value::Text(text) => quoted(line, text),
            Value::Unsigned(value) => number(line, value),
            Value::Signed(value) => number(line, value),
            Value::Flag(value) => number(line, value),
            Value::Float(value) if value.is_finite() => number(line, value),
            Value::Float(_) => number(line, "null"),
        });
    }
    if let Some(duration) = record.duration {
        member(&mut line, "duration_ms", |line| number(line, format_args!("{duration:.3}")));
    }
    line.push_str("}\n");
    line
}

/// `09:30:00.125 INFO  serve tool_call tool=find outcome=ok (3.2 ms)`
pub(crate) fn text(record: &Record<'_>) -> String {
    let ts = timestamp(record.ts);
    let level = word(record.level).to_uppercase();
    let mut line = format!("{} {level:5} {}", &ts[11..23], record.target);
    if let Some(span) = record.span {
        let _ = write!(line, " {span}");
    }
    if let Some(Value::Text(message)) = record.fields.get("message") {
        let _ = write!(line, ": {}", message.escape_debug());
    }
    for (name, value) in record.fields.iter().filter(|(name, _)| *name != "message") {
        let _ = match value {
            Value::Text(text) => write!(line, " {name}={}", text.escape_debug()),
            Value::Unsigned(value) => write!(line, " {name}={value}"),
            Value::Signed(value) => write!(line, " {name}={value}"),
            Value::Float(value) => write!(line, " {name}={value}"),
            Value::Flag(value) => write!(line, " {name}={value}"),
        };
    }
    if let Some(duration) = record.duration {
        let _ = write!(line, " ({duration:.1} ms)");
    }
    line.push('\n');
    line
}

fn word(level: Level) -> &'static str {
    match level {
        Level::ERROR => "error",
        Level::WARN => "warn",
        Level::INFO => "info",
        _ => "debug",
    }
}

fn member(line: &mut String, name: &str, value: impl FnOnce(&mut String)) {
    line.push(',');
    quoted(line, name);
    line.push(':');
    value(line);
}

fn number(line: &mut String, value: impl std::fmt::Display) {
    let _ = write!(line, "{value}");
}

/// A JSON string. Control characters are escaped, so that a line stays a line.
fn quoted(line: &mut String, text: &str) {
    line.push('"');
    for c in text.chars() {
        match c {
            '"' => line.push_str("\\\""),
            '\\' => line.push_str("\\\\"),
            c if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}') => {
                let _ = write!(line, "\\u{:04x}", u32::from(c));
            }
            c => line.push(c),
        }
    }
    line.push('"');
}

/// Milliseconds since 1970 as RFC 3339, in UTC.
///
/// Years are counted from March, so that the leap day is the last of a year; an era is 400 years, after which the calendar
/// repeats. Example: day 19,782 is 2024-02-29. From 0000-03-01 that is day 739,250: era 5, day 8,765 of it. 23 whole years of
/// the era (8,400 days) have passed, so it is day 365, counted from zero, of the year that began in March 2023: the leap day,
/// in its twelfth month, February 2024.
fn timestamp(millis: u64) -> String {
    const DAYS_TO_1970: u64 = 719_468;
    const DAYS_PER_ERA: u64 = 146_097;
    let (days, rest) = (millis / 86_400_000 + DAYS_TO_1970, millis % 86_400_000);
    let (era, day) = (days / DAYS_PER_ERA, days % DAYS_PER_ERA);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = era * 400 + year + u64::from(month <= 2);
    let (hours, minutes) = (rest / 3_600_000, rest / 60_000 % 60);
    let (seconds, millis) = (rest / 1_000 % 60, rest % 1_000);
    format!("{year:04}-{month:02}-{day:02}T{hours:02}:{minutes:02}:{seconds:02}.{millis:03}Z")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Fields;

    fn line(write: impl Fn(&Record<'_>) -> String) -> String {
        let mut fields = Fields::at(Level::INFO);
        fields.set("message", Value::Text("a \"b\"\n\u{1b}[2J".to_owned()));
        fields.set("tokens", Value::Unsigned(812));
        fields.set("ratio", Value::Float(f64::NAN));
        fields.set("in_memory", Value::Flag(true));
        write(&Record {
            ts: 1_709_199_000_125,
            level: Level::WARN,
            target: "serve",
            pid: 7,
            span: Some("tool_call"),
            fields: &fields,
            duration: Some(3.204_49),
        })
    }

    #[test]
    fn a_line_is_one_json_object() {
        let expected = r#"{"ts":"2024-02-29T09:30:00.125Z","level":"warn","target":"serve","pid":7,"span":"tool_call","message":"a \"b\"\u000a\u001b[2J","tokens":812,"ratio":null,"in_memory":true,"duration_ms":3.204}"#;
        assert_eq!(line(json), format!("{expected}\n"));
    }

    #[test]
    fn a_line_for_people_cannot_steer_a_terminal() {
        let expected = "09:30:00.125 WARN  serve tool_call: a \\\"b\\\"\\n\\u{1b}[2J tokens=812 ratio=NaN in_memory=true (3.2 ms)\n";
        assert_eq!(line(text), expected);
    }

    #[test]
    fn days_have_their_dates() {
        for (seconds, date) in [
            (0, "1970-01-01"),
            (951_782_400, "2000-02-29"),
            (951_868_800, "2000-03-01"),
            (1_709_164_800, "2024-02-29"),
            (1_735_603_200, "2024-12-31"),
            (4_107_542_400, "2100-03-01"),
        ] {
            assert_eq!(&timestamp(seconds * 1000)[..10], date, "{seconds}");
        }
    }
}
