//! `rules.toml` as written: what resolution and answers must know of a language. No fact of a file depends on it.

use super::library_types::library_type;
use orient_model::{
    Fixtures, Framework, LibraryType, MarkupRules, Modules, PackageRules, Rules, SharedScope, TreeRules,
    TypeWords,
};
use serde::Deserialize;
use serde::de::{Deserializer, Error as _};
use std::collections::BTreeMap;

/// `rules.toml`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct RulesFile {
    /// What resolution must know; names are not resolved without it.
    pub(crate) resolve: Option<ResolveSection>,
    /// Names that a runtime or framework uses by itself.
    pub(crate) runtime: Vec<RuntimeSpec>,
}

/// The keys of `rules.toml` that say whose rules a language has.
#[derive(Deserialize)]
pub(crate) struct Takeover {
    pub(crate) resolve: Option<TakeoverKeys>,
}

/// Those of `[resolve]`.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(crate) struct TakeoverKeys {
    pub(crate) family: String,
    #[serde(with = "MarkupFields")]
    pub(crate) markup: MarkupRules,
}

/// `[[runtime]]`: names that a runtime or framework uses by itself.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct RuntimeSpec {
    /// A pattern of the names.
    pub(crate) names: String,
    /// Kinds of the symbols; any kind by default.
    pub(crate) kinds: Vec<String>,
    /// The ends of the paths of their files, with `*` for a part of a name; any file by default.
    pub(crate) files: Vec<String>,
    /// The user: completes "by its name, …".
    pub(crate) why: String,
}

/// `[resolve]`, read into [`Rules`].
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(transparent)]
pub(crate) struct ResolveSection(#[serde(with = "RulesFields")] Rules);

impl ResolveSection {
    /// The rules of a pack. Without a family of its own, a language is alone in its family.
    pub(crate) fn into_rules(self, pack: &str) -> Rules {
        let mut rules = self.0;
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
    /// It follows from the absence of `[resolve]`.
    #[serde(skip)]
    outline_only: bool,
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
    receiver_qualifier: String,
    namespace_word: String,
    constructors: Vec<String>,
    overloads: bool,
    value_flow_typing: bool,
    hoists: bool,
    sees_enclosing_namespaces: bool,
    manifests: Vec<String>,
    extensions: Vec<String>,
    directory_files: Vec<String>,
    wrapper_types: Vec<String>,
    scoped_enums: Vec<String>,
    deref_forwarding: bool,
    library_namespaces: Vec<String>,
    #[serde(deserialize_with = "library")]
    library: Vec<LibraryType>,
    library_functions: Vec<String>,
    record_types: Vec<String>,
    element_functions: Vec<String>,
    imports_run: bool,
    decorators_are_called: bool,
    attribute_macros: Vec<String>,
    attribute_suffix: String,
    untyped_types: Vec<String>,
    own_module_names: Vec<String>,
    #[serde(deserialize_with = "entries")]
    conventional_aliases: Vec<(String, Vec<String>)>,
    module_loaders: Vec<String>,
    merging_methods: Vec<String>,
    unwrapping_methods: Vec<String>,
    element_methods: Vec<String>,
    mapping_methods: Vec<String>,
    #[serde(deserialize_with = "entries")]
    callback_parameters: Vec<(String, u32)>,
    class_method_attributes: Vec<String>,
    class_method_names: Vec<String>,
    self_types: Vec<String>,
    alias_annotations: Vec<String>,
    runtime_type_members: Vec<String>,
    runtime_type_functions: Vec<String>,
    #[serde(deserialize_with = "entries")]
    type_object_members: Vec<(String, String)>,
    #[serde(deserialize_with = "entries")]
    case_payloads: Vec<(String, u32)>,
    shallowest_member: bool,
    nearest_overloads: bool,
    root_type: String,
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
    caseless_functions: bool,
    suite_hooks: Vec<String>,
    exact_arity: bool,
    default_inheriting_words: Vec<String>,
    #[serde(deserialize_with = "entries")]
    enum_members: Vec<(String, String)>,
    #[serde(deserialize_with = "entries")]
    data_members: Vec<(String, String)>,
    platform_declaration_words: Vec<String>,
    source_set_directory: String,
    type_object: String,
    contextual_typing: bool,
    receiver_passing_methods: Vec<String>,
    receiver_scope_methods: Vec<String>,
    identity_methods: Vec<String>,
    partial_functions: Vec<String>,
    callback_result_methods: Vec<String>,
    implicit_constructors: Vec<String>,
    #[serde(deserialize_with = "entries")]
    literal_types: Vec<(String, String)>,
    project_wide_imports: bool,
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
    source_directory: String,
    vendor_directory: String,
    load_directory: String,
    test_package_suffix: String,
    #[serde(with = "TreeFields")]
    tree: TreeRules,
    #[serde(with = "PackageFields")]
    packages: PackageRules,
    #[serde(with = "MarkupFields")]
    markup: MarkupRules,
}

/// The keys of `[resolve.markup]`: the fields of [`MarkupRules`].
#[derive(Deserialize)]
#[serde(remote = "MarkupRules", deny_unknown_fields, default = "MarkupRules::default")]
struct MarkupFields {
    like: String,
    components_by_name: bool,
    component_types: Vec<String>,
    component_prefix: String,
    component_templates: Vec<String>,
    templates: Vec<String>,
    companions: Vec<String>,
    helper_types: Vec<String>,
    selectors: Vec<String>,
    element_properties: bool,
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
    binary_directory: String,
    path_attribute: String,
    raw_prefix: String,
}

/// The keys of `[resolve.packages]`: the fields of [`PackageRules`].
#[derive(Deserialize)]
#[serde(remote = "PackageRules", deny_unknown_fields, default = "PackageRules::default")]
struct PackageFields {
    build_directories: Vec<String>,
    source_directories: Vec<String>,
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
    directory_files: Vec<String>,
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
    closed_primitives: bool,
    implicit_conversions: Vec<String>,
    non_null: Vec<String>,
    modifiers: Vec<String>,
    compound_words: Vec<String>,
    arithmetic: Vec<String>,
    void_functions: Vec<String>,
    function_type_wrappers: Vec<String>,
    no_function_interfaces: bool,
    uninformative_results: Vec<String>,
    type_values: Vec<String>,
    any_type_values: Vec<String>,
    #[serde(deserialize_with = "types_by_literal")]
    exact: Vec<(String, Vec<String>)>,
    #[serde(deserialize_with = "types_by_literal")]
    assignable: Vec<(String, Vec<String>)>,
    #[serde(deserialize_with = "types_by_literal")]
    convertible: Vec<(String, Vec<String>)>,
    #[serde(deserialize_with = "entries")]
    widening: Vec<(String, Vec<String>)>,
    #[serde(deserialize_with = "entries")]
    boxing: Vec<(String, Vec<String>)>,
}

fn modules<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Modules, D::Error> {
    const KNOWN: &[&str] = &["none", "dotted", "path", "directory", "tree", "namespace", "include", "global"];
    let word = String::deserialize(deserializer)?;
    word.parse().map_err(|()| D::Error::unknown_variant(&word, KNOWN))
}

fn shared_scope<'de, D: Deserializer<'de>>(deserializer: D) -> Result<SharedScope, D::Error> {
    let word = String::deserialize(deserializer)?;
    word.parse()
        .map_err(|()| D::Error::unknown_variant(&word, &["none", "directory", "namespace", "everything"]))
}

/// Types outside of the repository, sorted by name.
fn library<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<LibraryType>, D::Error> {
    let entries = BTreeMap::<String, String>::deserialize(deserializer)?;
    let read = |(header, members): (&String, &String)| {
        library_type(header, members).map_err(|why| D::Error::custom(format!("`{header}`: {why}")))
    };
    let mut types: Vec<LibraryType> = entries.iter().map(read).collect::<Result<_, _>>()?;
    types.sort_by(|a, b| a.name.cmp(&b.name));
    match types.windows(2).find(|pair| pair[0].name == pair[1].name) {
        Some(pair) => Err(D::Error::custom(format!("`{}` is there twice", pair[0].name))),
        None => Ok(types),
    }
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
