//! Places in files as people and tools write them: `app.py:640`, `app.py:640:5`, `app.py:10-40`, `app.py#L640`, `app.py#L10-L40`.

use std::str::FromStr;

/// A range of lines, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LineRange {
    pub(crate) first: u32,
    pub(crate) last: u32,
}

impl FromStr for LineRange {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let invalid = || format!("{text:?} is not a line range; for example 10-40, 10 or 10-");
        let number = |part: &str| {
            let digits = part.trim().trim_start_matches(['L', 'l']);
            digits.parse::<u32>().ok().filter(|&line| line > 0).ok_or_else(invalid)
        };
        let (first, last) = match text.split_once(['-', ':', ',']) {
            None => (number(text)?, number(text)?),
            Some((first, "")) => (number(first)?, u32::MAX),
            Some((first, last)) => (number(first)?, number(last)?),
        };
        if first > last {
            return Err(format!("{text:?} ends before it starts; use {last}-{first}"));
        }
        Ok(Self { first, last })
    }
}

/// The path and the lines of a place; `None` if the text is not a place. A column is dropped.
pub(crate) fn parse_location(text: &str) -> Option<(&str, LineRange)> {
    let text = text.trim().trim_end_matches(':');
    if let Some((path, lines)) = text.rsplit_once("#L") {
        return Some((path, lines.parse().ok()?)).filter(|(path, _)| !path.is_empty());
    }
    let (path, lines) = text.rsplit_once(':')?;
    let range: LineRange = lines.parse().ok()?;
    if let Some((path, line)) = path.rsplit_once(':')
        && let Ok(line) = line.parse::<LineRange>()
    {
        return Some((path, line));
    }
    (!path.is_empty()).then_some((path, range))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_ranges_have_several_forms() {
        let range = |first, last| Ok(LineRange { first, last });
        assert_eq!("10-40".parse(), range(10, 40));
        assert_eq!("10:40".parse(), range(10, 40));
        assert_eq!("L10-L40".parse(), range(10, 40));
        assert_eq!("7".parse(), range(7, 7));
        assert_eq!("7-".parse(), range(7, u32::MAX));
        assert_eq!(
            "40-10".parse::<LineRange>(),
            Err("\"40-10\" ends before it starts; use 10-40".to_owned())
        );
        for wrong in ["", "0", "a-b", "-5"] {
            assert!(wrong.parse::<LineRange>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn places_are_written_as_compilers_editors_and_links_write_them() {
        let at = |text| parse_location(text).map(|(path, lines)| (path, lines.first, lines.last));
        assert_eq!(at("src/app.py:640"), Some(("src/app.py", 640, 640)));
        assert_eq!(at("src/app.py:640:5"), Some(("src/app.py", 640, 640)));
        assert_eq!(at("src/app.py:640:5:"), Some(("src/app.py", 640, 640)));
        assert_eq!(at("src/app.py:10-40"), Some(("src/app.py", 10, 40)));
        assert_eq!(at("src/app.py#L640"), Some(("src/app.py", 640, 640)));
        assert_eq!(at("src/app.py#L10-L40"), Some(("src/app.py", 10, 40)));
        for other in ["src/app.py", "Server::run", "src/app.py#Server.run", ":12", "a:b"] {
            assert_eq!(at(other), None, "{other}");
        }
    }
}
