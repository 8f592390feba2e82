//! The `[resolve]` section of a pack: what resolution must know of the language. It stands last in `pack.toml`, since
//! it says nothing about the facts of a file.

use crate::schema::error::PackError;
use orient_model::{Fixtures, Rules, TypeWords};
use serde::Deserialize;
use std::collections::BTreeMap;

/// The section as written; the words are those of [`Rules`].
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a yes or no question about a language")]
pub(crate) struct RulesSpec {
    family: Option<String>,
    modules: String,
    shares: Option<String>,
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
    forwards: bool,
    scoped_enums: Vec<String>,
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
    feeds: BTreeMap<String, u32>,
    type_objects: BTreeMap<String, String>,
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
    literals: BTreeMap<String, String>,
    prelude: Vec<String>,
    gives: Vec<String>,
    function_types: Vec<String>,
    implicit: BTreeMap<String, String>,
    types: TypesSpec,
    headers: Vec<String>,
    fixtures: FixturesSpec,
}

/// How fixtures are given; the words are those of [`Fixtures`].
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct FixturesSpec {
    by_parameter: bool,
    folder_files: Vec<String>,
    requested_by: Vec<String>,
    replaced_by: Vec<String>,
    renamed_by: Option<String>,
}

impl FixturesSpec {
    fn fixtures(&self) -> Fixtures {
        Fixtures {
            by_parameter: self.by_parameter,
            folder_files: self.folder_files.clone(),
            requested_by: self.requested_by.clone(),
            replaced_by: self.replaced_by.clone(),
            renamed_by: self.renamed_by.clone(),
        }
    }
}

/// The words for types; those of [`TypeWords`].
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct TypesSpec {
    anything: Vec<String>,
    plain: Vec<String>,
    filled: Vec<String>,
    marks: Vec<String>,
    procedures: Vec<String>,
    quotes: Vec<String>,
    vague_results: Vec<String>,
    of_types: Vec<String>,
    of_any_types: Vec<String>,
    same: LiteralTypes,
    fits: LiteralTypes,
    turns: LiteralTypes,
}

/// Types by the literals that fit them.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct LiteralTypes {
    string: Vec<String>,
    integer: Vec<String>,
    float: Vec<String>,
    bool: Vec<String>,
    char: Vec<String>,
}

impl TypesSpec {
    fn words(&self) -> TypeWords {
        TypeWords {
            anything: self.anything.clone(),
            plain: self.plain.clone(),
            filled: self.filled.clone(),
            marks: self.marks.clone(),
            procedures: self.procedures.clone(),
            quotes: self.quotes.clone(),
            vague_results: self.vague_results.clone(),
            of_types: self.of_types.clone(),
            of_any_types: self.of_any_types.clone(),
            same: self.same.listed(),
            fits: self.fits.listed(),
            turns: self.turns.listed(),
        }
    }
}

impl LiteralTypes {
    fn listed(&self) -> Vec<(String, Vec<String>)> {
        let all = [
            ("string", &self.string),
            ("integer", &self.integer),
            ("float", &self.float),
            ("bool", &self.bool),
            ("char", &self.char),
        ];
        all.into_iter().map(|(literal, types)| (literal.to_owned(), types.clone())).collect()
    }
}

impl RulesSpec {
    /// The rules it states for this pack.
    pub(crate) fn rules(&self, pack: &str) -> Result<Rules, PackError> {
        let word = |place: &str, word: &str, what: &'static str, known: &str| PackError::Word {
            pack: pack.to_owned(),
            place: place.to_owned(),
            word: word.to_owned(),
            what,
            known: known.to_owned(),
        };
        let modules = self.modules.parse().map_err(|()| {
            let known = "none, dotted, path, folder, tree, namespace, include, global";
            word("resolve.modules", &self.modules, "way of modules", known)
        })?;
        let shares = self.shares.as_deref().unwrap_or("none");
        let shares = shares.parse().map_err(|()| {
            word("resolve.shares", shares, "way of sharing", "none, folder, namespace, everything")
        })?;
        Ok(Rules {
            family: self.family.clone().unwrap_or_else(|| pack.to_owned()),
            modules,
            shares,
            bare_members: self.bare_members,
            calls_construct: self.calls_construct,
            inherits_constructors: self.inherits_constructors,
            super_calls: self.super_calls,
            structural: self.structural,
            reopens: self.reopens,
            merges: self.merges,
            type_space: self.type_space,
            typed_callbacks: self.typed_callbacks,
            constructors: self.constructors.clone(),
            overloads: self.overloads,
            dynamic: self.dynamic,
            hoists: self.hoists,
            nested_namespaces: self.nested_namespaces,
            manifests: self.manifests.clone(),
            extensions: self.extensions.clone(),
            folder_files: self.folder_files.clone(),
            holders: self.holders.clone(),
            forwards: self.forwards,
            scoped_enums: self.scoped_enums.clone(),
            records: self.records.clone(),
            elements_of: self.elements_of.clone(),
            attribute_suffix: self.attribute_suffix.clone(),
            loose_types: self.loose_types.clone(),
            own_module: self.own_module.clone(),
            loads: self.loads.clone(),
            updates: self.updates.clone(),
            passes: self.passes.clone(),
            picks: self.picks.clone(),
            maps: self.maps.clone(),
            feeds: self.feeds.clone().into_iter().collect(),
            type_objects: self.type_objects.clone().into_iter().collect(),
            split_members: self.split_members,
            mixins_first: self.mixins_first,
            base_past_mixins: self.base_past_mixins,
            mixes_into_type: self.mixes_into_type.clone(),
            field_mark: self.field_mark.clone(),
            arity: self.arity,
            companions: self.companions,
            hidden_by: self.hidden_by.clone(),
            yields_by: self.yields_by.clone(),
            scripts: self.scripts.clone(),
            function_space: self.function_space,
            global_functions: self.global_functions,
            file_variables: self.file_variables,
            hides_private: self.hides_private,
            given_types: self.given_types,
            hands: self.hands.clone(),
            enters: self.enters.clone(),
            same: self.same.clone(),
            results: self.results.clone(),
            makers: self.makers.clone(),
            literals: self.literals.clone().into_iter().collect(),
            prelude: self.prelude.clone(),
            gives: self.gives.clone(),
            function_types: self.function_types.clone(),
            implicit: self.implicit.clone().into_iter().collect(),
            types: self.types.words(),
            headers: self.headers.clone(),
            fixtures: self.fixtures.fixtures(),
        })
    }
}
