//! Patterns of names and paths in the rules of packs.

/// Whether a name fits a pattern in which one `*` stands for at least one character.
pub fn name_fits(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == name,
        Some((before, after)) => {
            name.len() > before.len() + after.len() && name.starts_with(before) && name.ends_with(after)
        }
    }
}

/// Whether a pattern is at the end of the path of a file: `routes/*.rb` of `config/routes/api.rb`.
pub fn path_ends_with(pattern: &str, path: &str) -> bool {
    let (mut pattern, mut path) = (pattern.rsplit('/'), path.rsplit('/'));
    pattern.all(|wanted| path.next().is_some_and(|part| name_fits(wanted, part)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_a_part_of_a_name() {
        assert!(name_fits("*Policy", "OrderPolicy") && name_fits("get*By", "getOneBy"));
        assert!(!name_fits("*Policy", "Policy") && !name_fits("Policy", "OrderPolicy"));
    }

    #[test]
    fn a_path_pattern_is_the_end_of_a_path() {
        assert!(path_ends_with("settings/*.py", "shop/settings/base.py"));
        assert!(path_ends_with("settings.py", "settings.py"));
        assert!(!path_ends_with("settings/*.py", "settings.py") && !path_ends_with("s.py", "settings.py"));
    }
}
