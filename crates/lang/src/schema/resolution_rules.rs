//! The `[resolve]` section of `pack.toml`: what resolution must know of the language. It comes last in the file, because it
//! does not affect the facts of a file.

use orient_model::{Fixtures, Modules, Rules, Shares, TypeWords};
use serde::Deserialize;
use serde::de::{Deserializer, Error as _};
use std::collections::BTreeMap;

/// `[resolve]`, read into [`Rules`].
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(transparent)]
pub(crate) struct ResolveSection(#[serde(with = "RulesFields")] Rules);

impl ResolveSection {
    /// The rules of a pack. Without a family of its own, a language is alone in its family.
    pub(crate) fn rules(&self, pack: &str) -> Rules {
        let mut rules = self.0.clone();
        if rules.family.is_empty() {
            pack.clone_into(&mut rules.family);
        }
        rules
    }
}

/// The keys of `[resolve]`. They are the fields of [`Rules`], which documents them.
#[derive(Deserialize)]
#[serde(remote = "Rules", deny_unknown_fields, default = "Rules::default")]
#[expect(clippy::struct_excessive_bools, reason = "each is a yes-or-no question about a language")]
struct RulesFields {
    family: String,
    #[serde(deserialize_with = "modules")]
    modules: Modules,
    #[serde(deserialize_with = "shares")]
    shares: Shares,
    bare_members: bool,
    calls_construct: bool,
    inherits_constructors: bool,
    super_calls: bool,
    structural: bool,
    reopens: bool,
    merges: bool,
    type_space: bool,
    typed_callbacks: bool,
    constructors: Vec<String>,
    overloads: bool,
    dynamic: bool,
    hoists: bool,
    nested_namespaces: bool,
    manifests: Vec<String>,
    extensions: Vec<String>,
    folder_files: Vec<String>,
    holders: Vec<String>,
    scoped_enums: Vec<String>,
    forwards: bool,
    records: Vec<String>,
    elements_of: Vec<String>,
    attribute_suffix: String,
    loose_types: Vec<String>,
    own_module: Vec<String>,
    loads: Vec<String>,
    updates: Vec<String>,
    passes: Vec<String>,
    picks: Vec<String>,
    maps: Vec<String>,
    #[serde(deserialize_with = "entries")]
    feeds: Vec<(String, u32)>,
    #[serde(deserialize_with = "entries")]
    type_objects: Vec<(String, String)>,
    split_members: bool,
    mixins_first: bool,
    base_past_mixins: bool,
    mixes_into_type: Vec<String>,
    field_mark: String,
    arity: bool,
    companions: bool,
    hidden_by: Vec<String>,
    yields_by: Vec<String>,
    scripts: Vec<String>,
    function_space: bool,
    global_functions: bool,
    file_variables: bool,
    hides_private: bool,
    given_types: bool,
    hands: Vec<String>,
    enters: Vec<String>,
    same: Vec<String>,
    results: Vec<String>,
    makers: Vec<String>,
    #[serde(deserialize_with = "entries")]
    literals: Vec<(String, String)>,
    prelude: Vec<String>,
    gives: Vec<String>,
    function_types: Vec<String>,
    #[serde(with = "TypeWordsFields")]
    types: TypeWords,
    #[serde(deserialize_with = "entries")]
    implicit: Vec<(String, String)>,
    headers: Vec<String>,
    #[serde(with = "FixturesFields")]
    fixtures: Fixtures,
}

/// The keys of `[resolve.fixtures]`: the fields of [`Fixtures`].
#[derive(Deserialize)]
#[serde(remote = "Fixtures", deny_unknown_fields, default = "Fixtures::default")]
struct FixturesFields {
    by_parameter: bool,
    folder_files: Vec<String>,
    requested_by: Vec<String>,
    replaced_by: Vec<String>,
    renamed_by: Option<String>,
}

/// The keys of `[resolve.types]`: the fields of [`TypeWords`].
#[derive(Deserialize)]
#[serde(remote = "TypeWords", deny_unknown_fields, default = "TypeWords::default")]
struct TypeWordsFields {
    anything: Vec<String>,
    plain: Vec<String>,
    filled: Vec<String>,
    marks: Vec<String>,
    procedures: Vec<String>,
    quotes: Vec<String>,
    vague_results: Vec<String>,
    of_types: Vec<String>,
    of_any_types: Vec<String>,
    #[serde(deserialize_with = "types_by_literal")]
    same: Vec<(String, Vec<String>)>,
    #[serde(deserialize_with = "types_by_literal")]
    fits: Vec<(String, Vec<String>)>,
    #[serde(deserialize_with = "types_by_literal")]
    turns: Vec<(String, Vec<String>)>,
}

fn modules<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Modules, D::Error> {
    const KNOWN: &[&str] = &["none", "dotted", "path", "folder", "tree", "namespace", "include", "global"];
    let word = String::deserialize(deserializer)?;
    word.parse().map_err(|()| D::Error::unknown_variant(&word, KNOWN))
}

fn shares<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Shares, D::Error> {
    let word = String::deserialize(deserializer)?;
    word.parse()
        .map_err(|()| D::Error::unknown_variant(&word, &["none", "folder", "namespace", "everything"]))
}

/// A table, as a list of its entries.
fn entries<'de, D: Deserializer<'de>, V: Deserialize<'de>>(
    deserializer: D,
) -> Result<Vec<(String, V)>, D::Error> {
    Ok(BTreeMap::deserialize(deserializer)?.into_iter().collect())
}

/// Lists of types by the literals they fit.
fn types_by_literal<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Vec<(String, Vec<String>)>, D::Error> {
    const LITERALS: &[&str] = &["string", "integer", "float", "bool", "char"];
    let types = BTreeMap::<String, Vec<String>>::deserialize(deserializer)?;
    match types.keys().find(|literal| !LITERALS.contains(&literal.as_str())) {
        Some(unknown) => Err(D::Error::unknown_field(unknown, LITERALS)),
        None => Ok(types.into_iter().collect()),
    }
}
