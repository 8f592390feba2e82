//! The filter: which level is written, for each crate.
//!
//! `info` is a level for all; `warn,engine=debug` is `warn` for all but one. A target is a crate, with or without the
//! `orient_` in front.

use std::fmt;
use tracing::Metadata;
use tracing::level_filters::LevelFilter;

/// Which spans and events are written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Filter {
    all: LevelFilter,
    /// Levels of single crates; a later entry replaces an earlier one.
    targets: Vec<(String, LevelFilter)>,
}

/// A part of a filter that means nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadFilter(String);

impl fmt::Display for BadFilter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let part = &self.0;
        write!(
            f,
            "`{}` is not a level: use off, error, warn, info or debug, or engine=debug,warn for single targets",
            part.escape_default()
        )
    }
}

impl Filter {
    /// What servers write: everything that is rare enough to be kept.
    pub const INFO: Self = Self { all: LevelFilter::INFO, targets: Vec::new() };
    /// What `--verbose` shows: every phase of the work.
    pub const DEBUG: Self = Self { all: LevelFilter::DEBUG, targets: Vec::new() };

    /// Reads `LEVEL` or `TARGET=LEVEL,…`. Without a level for all, all other targets are off.
    pub fn parse(text: &str) -> Result<Self, BadFilter> {
        let mut filter = Self { all: LevelFilter::OFF, targets: Vec::new() };
        for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
            match part.split_once('=') {
                None => filter.all = level(part)?,
                Some((target, named)) => {
                    filter.targets.push((short(target.trim()).to_owned(), level(named.trim())?));
                }
            }
        }
        Ok(filter)
    }

    /// The most verbose level of any target.
    pub(crate) fn most(&self) -> LevelFilter {
        self.targets.iter().map(|(_, level)| *level).fold(self.all, LevelFilter::max)
    }

    /// Whether nothing is ever written.
    pub fn is_off(&self) -> bool {
        self.most() == LevelFilter::OFF
    }

    /// Whether this span or event is written. Those of other projects never are, because they may quote source text.
    pub(crate) fn enables(&self, metadata: &Metadata<'_>) -> bool {
        let Some(target) = own_target(metadata.target()) else { return false };
        let named = self.targets.iter().rev().find(|(name, _)| name == target);
        *metadata.level() <= named.map_or(self.all, |(_, level)| *level)
    }
}

/// The crate of a module path, in the words of the log; none where it is not one of ours.
pub(crate) fn own_target(module: &str) -> Option<&str> {
    let krate = module.split("::").next().unwrap_or_default();
    match krate {
        "orient" => Some("cli"),
        _ => krate.strip_prefix("orient_"),
    }
}

fn short(target: &str) -> &str {
    target.strip_prefix("orient_").unwrap_or(target)
}

fn level(word: &str) -> Result<LevelFilter, BadFilter> {
    match word.to_ascii_lowercase().as_str() {
        "off" => Ok(LevelFilter::OFF),
        "error" => Ok(LevelFilter::ERROR),
        "warn" => Ok(LevelFilter::WARN),
        "info" => Ok(LevelFilter::INFO),
        // There is nothing below it: finer events are compiled out.
        "debug" | "trace" => Ok(LevelFilter::DEBUG),
        _ => Err(BadFilter(word.chars().take(40).collect())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_filter_is_a_level_or_levels_by_target() {
        let parsed = |text| Filter::parse(text).expect("a filter");
        assert_eq!(parsed("info"), Filter::INFO);
        assert_eq!(parsed(" Debug "), Filter::DEBUG);
        assert_eq!(parsed("trace"), Filter::DEBUG);
        let mixed = parsed("warn, orient_engine=debug,serve=off");
        assert_eq!(mixed.all, LevelFilter::WARN);
        let targets = [("engine".to_owned(), LevelFilter::DEBUG), ("serve".to_owned(), LevelFilter::OFF)];
        assert_eq!(mixed.targets, targets);
        assert_eq!(mixed.most(), LevelFilter::DEBUG);
        assert!(parsed("off").is_off() && parsed("").is_off() && !mixed.is_off());
    }

    #[test]
    fn what_means_nothing_is_named() {
        for (text, named) in [("loud", "loud"), ("engine=", ""), ("info,engine=all", "all")] {
            assert_eq!(Filter::parse(text), Err(BadFilter(named.to_owned())), "{text}");
        }
        let long = Filter::parse(&"x".repeat(1000)).expect_err("no level");
        assert!(long.to_string().len() < 200);
    }

    #[test]
    fn only_our_own_crates_have_targets() {
        for (module, target) in [
            ("orient_engine::refresh", Some("engine")),
            ("orient", Some("cli")),
            ("orient::serve", Some("cli")),
            ("rmcp::service", None),
            ("orientation", None),
        ] {
            assert_eq!(own_target(module), target, "{module}");
        }
    }
}
