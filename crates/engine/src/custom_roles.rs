//! Roles that the settings define: conditions on the place, name, header and code of symbols.

use crate::file_classifier::glob;
use crate::{Definition, EngineError};
use globset::{GlobBuilder, GlobMatcher};
use orient_model::{Role, SymbolKind, SymbolRole};
use orient_settings::Settings;

/// The roles that the settings define, by name.
#[derive(Debug, Default)]
pub struct CustomRoles {
    roles: Vec<CustomRole>,
}

/// A role: a symbol has it if one of the alternatives fits.
#[derive(Debug)]
pub struct CustomRole {
    /// Its name.
    pub name: String,
    /// The alternatives.
    pub alternatives: Vec<RoleConditions>,
}

/// Conditions on a symbol. All that are set must hold.
#[derive(Debug, Default)]
pub struct RoleConditions {
    path: Option<GlobMatcher>,
    name: Option<GlobMatcher>,
    attribute: Option<String>,
    base: Option<String>,
    kind: Option<SymbolKind>,
    /// A structural pattern that its code must contain.
    pub code: Option<String>,
}

impl CustomRoles {
    pub(crate) fn new(settings: &Settings) -> Result<Self, EngineError> {
        let bad = |problem: String| EngineError::Setting { key: "symbols.roles", problem };
        let mut roles = Vec::new();
        for (name, alternatives) in &settings.symbols.roles {
            let built_in = name.parse::<Role>().is_ok() || name.parse::<SymbolRole>().is_ok();
            if built_in {
                return Err(bad(format!("`{name}` is a role that Orient derives itself")));
            }
            let alternatives = alternatives.iter().map(|text| RoleConditions::parse(text));
            let alternatives = alternatives.collect::<Result<_, _>>().map_err(bad)?;
            roles.push(CustomRole { name: name.clone(), alternatives });
        }
        Ok(Self { roles })
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.roles.is_empty()
    }

    /// All of them.
    pub fn all(&self) -> &[CustomRole] {
        &self.roles
    }
}

impl CustomRole {
    /// Whether a symbol fits an alternative without a pattern of code.
    pub fn fits(&self, definition: &Definition) -> bool {
        self.alternatives.iter().any(|one| one.code.is_none() && one.allows(definition))
    }
}

impl RoleConditions {
    /// Parses `path:GLOB name:GLOB attr:NAME base:NAME kind:KIND code:PATTERN`; the pattern is the rest of the text.
    fn parse(text: &str) -> Result<Self, String> {
        let mut conditions = Self::default();
        let mut rest = text.trim();
        while !rest.is_empty() {
            let (key, after) = rest.split_once(':').ok_or_else(|| unknown(rest))?;
            let is_code = key == "code";
            let (value, next) = match after.split_once(char::is_whitespace) {
                Some((value, next)) if !is_code => (value, next.trim_start()),
                _ => (after, ""),
            };
            if value.is_empty() {
                return Err(format!("`{key}:` has no value"));
            }
            let value_glob = || {
                let built = GlobBuilder::new(value).build();
                built.map(|glob| glob.compile_matcher()).map_err(|error| error.to_string())
            };
            match key {
                "path" => {
                    let glob = glob(value).map_err(|error| error.to_string())?;
                    conditions.path = Some(glob.compile_matcher());
                }
                "name" => conditions.name = Some(value_glob()?),
                "attr" => conditions.attribute = Some(value.to_owned()),
                "base" => conditions.base = Some(value.to_owned()),
                "kind" => {
                    let kind = value.parse().map_err(|()| format!("`{value}` is no kind of symbol"))?;
                    conditions.kind = Some(kind);
                }
                "code" => conditions.code = Some(value.trim().to_owned()),
                _ => return Err(unknown(rest)),
            }
            rest = next;
        }
        Ok(conditions)
    }

    /// Whether a symbol fits all conditions but that on its code.
    pub fn allows(&self, definition: &Definition) -> bool {
        let path = definition.path.display();
        let is = |text: &str, wanted: &str| last_name(text) == wanted || without_arguments(text) == wanted;
        let has = |name: &String| definition.attributes.iter().any(|text| is(text, name));
        let inherits = |name: &String| definition.bases.iter().any(|(_, text)| is(text, name));
        self.path.as_ref().is_none_or(|glob| glob.is_match(path.as_ref()))
            && self.name.as_ref().is_none_or(|glob| glob.is_match(&definition.name))
            && self.kind.is_none_or(|kind| kind == definition.kind)
            && self.attribute.as_ref().is_none_or(has)
            && self.base.as_ref().is_none_or(inherits)
    }
}

fn unknown(text: &str) -> String {
    let word = text.split_whitespace().next().unwrap_or(text);
    format!("`{word}` is no condition; the conditions are path:, name:, attr:, base:, kind: and code:")
}

/// `app.route` of `app.route("/x")`, `List` of `List<T>`.
fn without_arguments(text: &str) -> &str {
    text.split(['(', '<', '[']).next().unwrap_or(text).trim()
}

/// The last part of a name with dots.
fn last_name(text: &str) -> &str {
    without_arguments(text).rsplit(['.', ':', '\\']).next().unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(text: &str) -> String {
        RoleConditions::parse(text).expect_err("not valid")
    }

    #[test]
    fn conditions_are_words_and_code_is_the_rest() {
        let conditions =
            RoleConditions::parse("name:*Worker kind:class code:queue.take($$$ARGS)").expect("valid");
        assert!(conditions.name.expect("a name").is_match("MailWorker"));
        assert_eq!(conditions.kind, Some(SymbolKind::Class));
        assert_eq!(conditions.code.as_deref(), Some("queue.take($$$ARGS)"));
        let conditions = RoleConditions::parse("code: a + $B").expect("valid");
        assert_eq!(conditions.code.as_deref(), Some("a + $B"));
    }

    #[test]
    fn an_invalid_condition_is_named() {
        assert!(problem("colour:red name:*").starts_with("`colour:red` is no condition"));
        assert!(problem("worker").starts_with("`worker` is no condition"));
        assert_eq!(problem("name:"), "`name:` has no value");
        assert_eq!(problem("kind:thing"), "`thing` is no kind of symbol");
    }

    #[test]
    fn a_derived_role_cannot_be_redefined() {
        let mut settings = Settings::default();
        settings.symbols.roles.insert("handler".to_owned(), vec!["name:*".to_owned()]);
        let error = CustomRoles::new(&settings).expect_err("not valid").to_string();
        assert_eq!(error, "setting symbols.roles: `handler` is a role that Orient derives itself");
    }
}
