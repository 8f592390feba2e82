//! A key: read from the environment, sent in one header, shown nowhere.

use crate::table::KeyRule;
use std::fmt;

/// A secret. It has no form that could be printed; all that shows is the variable it came from.
pub(crate) struct Key {
    variable: &'static str,
    secret: String,
}

impl Key {
    /// The key in a variable, if there is one. What cannot be sent in a header is no key; the error does not quote it.
    pub(crate) fn read(
        rule: KeyRule,
        variables: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Option<Self>, String> {
        let Some(value) = variables(rule.variable) else { return Ok(None) };
        let secret = value.trim();
        if secret.is_empty() {
            return Ok(None);
        }
        if !secret.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(format!("what the variable {} holds is no key", rule.variable));
        }
        Ok(Some(Self { variable: rule.variable, secret: secret.to_owned() }))
    }

    /// The variable it came from.
    pub(crate) fn variable(&self) -> &'static str {
        self.variable
    }

    /// What the header holds.
    pub(crate) fn bearer(&self) -> String {
        format!("Bearer {}", self.secret)
    }

    /// A text of others in which the key may stand, without it.
    pub(crate) fn hidden_in(&self, text: &str) -> String {
        text.replace(&self.secret, "…")
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Key({})", self.variable)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULE: KeyRule = KeyRule { variable: "SOME_KEY", needed: true };

    fn read(value: &str) -> Result<Option<Key>, String> {
        Key::read(RULE, &|name| (name == "SOME_KEY").then(|| value.to_owned()))
    }

    #[test]
    fn a_key_shows_its_variable_and_nothing_else() {
        let key = read(" sk-12345\n").expect("sound").expect("set");
        assert_eq!(format!("{key:?} {key:#?}"), "Key(SOME_KEY) Key(SOME_KEY)");
        assert_eq!(key.hidden_in("bad key sk-12345!"), "bad key …!");
    }

    #[test]
    fn what_is_no_key_is_not_quoted() {
        assert!(read("").expect("sound").is_none());
        let error = read("sk-1\r\nX-Evil: 1").expect_err("two lines");
        assert_eq!(error, "what the variable SOME_KEY holds is no key");
    }
}
