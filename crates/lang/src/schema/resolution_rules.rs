//! The `[resolve]` section of `pack.toml`: what resolution must know of the language. It comes last in the file, because it
//! does not affect the facts of a file.

use orient_model::{Fixtures, Framework, Modules, PackageRules, Rules, SharedScope, TreeRules, TypeWords};
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
    /// They have files of their own.
    #[serde(skip)]
    frameworks: Vec<Framework>,
    family: String,
    #[serde(deserialize_with = "modules")]
    modules: Modules,
    #[serde(deserialize_with = "shared_scope")]
    shared_scope: SharedScope,
    implicit_receiver: bool,
    calls_construct: bool,
    inherits_constructors: bool,
    super_calls: bool,
    structural_interfaces: bool,
    open_classes: bool,
    declaration_merging: bool,
    type_namespace: bool,
    typed_callbacks: bool,
    constructors: Vec<String>,
    overloads: bool,
    value_flow_typing: bool,
    hoists: bool,
    sees_enclosing_namespaces: bool,
    manifests: Vec<String>,
    extensions: Vec<String>,
    folder_files: Vec<String>,
    wrapper_types: Vec<String>,
    scoped_enums: Vec<String>,
    deref_forwarding: bool,
    record_types: Vec<String>,
    element_functions: Vec<String>,
    attribute_suffix: String,
    untyped_types: Vec<String>,
    own_module_names: Vec<String>,
    module_loaders: Vec<String>,
    merging_methods: Vec<String>,
    unwrapping_methods: Vec<String>,
    element_methods: Vec<String>,
    mapping_methods: Vec<String>,
    #[serde(deserialize_with = "entries")]
    callback_parameters: Vec<(String, u32)>,
    #[serde(deserialize_with = "entries")]
    type_object_members: Vec<(String, String)>,
    separate_static_members: bool,
    mixins_before_base: bool,
    super_skips_mixins: bool,
    type_mixin_calls: Vec<String>,
    property_field_prefix: String,
    generic_arity_overloads: bool,
    companion_objects: bool,
    hiding_annotations: Vec<String>,
    low_priority_annotations: Vec<String>,
    script_extensions: Vec<String>,
    function_namespace: bool,
    global_function_fallback: bool,
    file_scoped_variables: bool,
    strict_private: bool,
    contextual_typing: bool,
    receiver_passing_methods: Vec<String>,
    receiver_scope_methods: Vec<String>,
    identity_methods: Vec<String>,
    callback_result_methods: Vec<String>,
    implicit_constructors: Vec<String>,
    #[serde(deserialize_with = "entries")]
    literal_types: Vec<(String, String)>,
    prelude_files: Vec<String>,
    value_members: Vec<String>,
    function_types: Vec<String>,
    #[serde(with = "TypeWordsFields")]
    types: TypeWords,
    #[serde(deserialize_with = "entries")]
    implicit_calls: Vec<(String, String)>,
    header_extensions: Vec<String>,
    #[serde(with = "FixturesFields")]
    fixtures: Fixtures,
    self_rebinding_methods: Vec<String>,
    class_methods_module: String,
    current_namespace: String,
    source_folder: String,
    vendor_folder: String,
    load_folder: String,
    test_package_suffix: String,
    #[serde(with = "TreeFields")]
    tree: TreeRules,
    #[serde(with = "PackageFields")]
    packages: PackageRules,
}

/// The keys of `[resolve.tree]`: the fields of [`TreeRules`].
#[derive(Deserialize)]
#[serde(remote = "TreeRules", deny_unknown_fields, default = "TreeRules::default")]
struct TreeFields {
    root: String,
    macro_root: String,
    current: String,
    parent: String,
    root_files: Vec<String>,
    library_file: String,
    binary_folder: String,
    path_attribute: String,
    raw_prefix: String,
}

/// The keys of `[resolve.packages]`: the fields of [`PackageRules`].
#[derive(Deserialize)]
#[serde(remote = "PackageRules", deny_unknown_fields, default = "PackageRules::default")]
struct PackageFields {
    build_folders: Vec<String>,
    source_folders: Vec<String>,
    entry_files: Vec<String>,
    built_extensions: Vec<String>,
    declaration_suffix: String,
    config_extension: String,
    config_file: String,
}

/// The keys of `[resolve.fixtures]`: the fields of [`Fixtures`].
#[derive(Deserialize)]
#[serde(remote = "Fixtures", deny_unknown_fields, default = "Fixtures::default")]
struct FixturesFields {
    injected_by_parameter: bool,
    folder_files: Vec<String>,
    requested_by: Vec<String>,
    replaced_by: Vec<String>,
    renamed_by: Option<String>,
}

/// The keys of `[resolve.types]`: the fields of [`TypeWords`].
#[derive(Deserialize)]
#[serde(remote = "TypeWords", deny_unknown_fields, default = "TypeWords::default")]
struct TypeWordsFields {
    top_types: Vec<String>,
    primitives: Vec<String>,
    non_null: Vec<String>,
    modifiers: Vec<String>,
    void_functions: Vec<String>,
    function_type_wrappers: Vec<String>,
    uninformative_results: Vec<String>,
    type_values: Vec<String>,
    any_type_values: Vec<String>,
    #[serde(deserialize_with = "types_by_literal")]
    exact: Vec<(String, Vec<String>)>,
    #[serde(deserialize_with = "types_by_literal")]
    assignable: Vec<(String, Vec<String>)>,
    #[serde(deserialize_with = "types_by_literal")]
    convertible: Vec<(String, Vec<String>)>,
}

fn modules<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Modules, D::Error> {
    const KNOWN: &[&str] = &["none", "dotted", "path", "folder", "tree", "namespace", "include", "global"];
    let word = String::deserialize(deserializer)?;
    word.parse().map_err(|()| D::Error::unknown_variant(&word, KNOWN))
}

fn shared_scope<'de, D: Deserializer<'de>>(deserializer: D) -> Result<SharedScope, D::Error> {
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
