//! API keys: read from the environment, sent in one header, never printed.

use crate::provider_table::KeySource;
use std::fmt;

/// A secret. Its debug output contains only the name of the variable.
#[derive(Clone)]
pub(crate) struct ApiKey {
    variable: &'static str,
    secret: String,
}

impl ApiKey {
    /// Reads the key from its variable. Fails without quoting it if it cannot be sent in a header.
    pub(crate) fn read(
        source: KeySource,
        variables: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Option<Self>, String> {
        let Some(value) = variables(source.variable) else { return Ok(None) };
        let secret = value.trim();
        if secret.is_empty() {
            return Ok(None);
        }
        if !secret.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(format!("the variable {} does not contain a valid key", source.variable));
        }
        Ok(Some(Self { variable: source.variable, secret: secret.to_owned() }))
    }

    /// The variable it came from.
    pub(crate) fn variable(&self) -> &'static str {
        self.variable
    }

    /// The value of the `Authorization` header.
    pub(crate) fn bearer(&self) -> String {
        format!("Bearer {}", self.secret)
    }

    /// Replaces the key in a text.
    pub(crate) fn redact(&self, text: &str) -> String {
        text.replace(&self.secret, "…")
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ApiKey({})", self.variable)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: KeySource = KeySource { variable: "SOME_KEY", needed: true };

    fn read(value: &str) -> Result<Option<ApiKey>, String> {
        ApiKey::read(SOURCE, &|name| (name == "SOME_KEY").then(|| value.to_owned()))
    }

    #[test]
    fn debug_output_contains_only_the_variable() {
        let key = read(" sk-12345\n").expect("sound").expect("set");
        assert_eq!(format!("{key:?} {key:#?}"), "ApiKey(SOME_KEY) ApiKey(SOME_KEY)");
        assert_eq!(key.redact("bad key sk-12345!"), "bad key …!");
    }

    #[test]
    fn invalid_key_is_not_quoted() {
        assert!(read("").expect("sound").is_none());
        let error = read("sk-1\r\nX-Evil: 1").expect_err("two lines");
        assert_eq!(error, "the variable SOME_KEY does not contain a valid key");
    }
}
