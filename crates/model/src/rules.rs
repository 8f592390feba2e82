//! Resolution rules: how languages differ when names are resolved. Packs define them; the resolver reads them.

use crate::LibraryType;

/// The resolution rules of a language.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a yes-or-no question about a language")]
pub struct Rules {
    /// The frameworks of the language family: what a program exposes through them.
    pub frameworks: Vec<crate::Framework>,
    /// Only the surface follows from its files: their references are not resolved.
    pub outline_only: bool,
    /// Languages of the same family see each other's definitions.
    pub family: String,
    /// What an import refers to on disk.
    pub modules: Modules,
    /// Which files see each other's top-level names without an import.
    pub shared_scope: SharedScope,
    /// Members of the enclosing type are visible by their bare name.
    pub implicit_receiver: bool,
    /// Calling a type constructs an instance of it.
    pub calls_construct: bool,
    /// A type without a constructor is constructed by that of its base.
    pub inherits_constructors: bool,
    /// `super(…)` calls the constructor of the base, or its method of the same name.
    pub super_calls: bool,
    /// A type implements an interface by having its methods, without naming it.
    pub structural_interfaces: bool,
    /// A type may be reopened anywhere; all its bodies are one type.
    pub open_classes: bool,
    /// Declarations of one name in one file are one type.
    pub declaration_merging: bool,
    /// Types have a namespace beside that of values, and syntax of their own: one name can be both a type and a value,
    /// `T["k"]` is the type of a member, and the receiver as a type is that of the subtype that inherits the member.
    pub type_namespace: bool,
    /// A call of a parameter is a call of the member that its type declares; dispatch reaches the functions passed for it.
    pub typed_callbacks: bool,
    /// The word after the parameters of a method that qualifies its receiver: `const`. Overloads may differ in it alone.
    pub receiver_qualifier: String,
    /// The word that opens a namespace, which may be inside of a macro.
    pub namespace_word: String,
    /// The names of constructors.
    pub constructors: Vec<String>,
    /// Several functions of one name and scope are overloads, distinguished by their parameters.
    pub overloads: bool,
    /// Variables have no declared types: their types follow from the values assigned to them, also under constant keys, and
    /// those of parameters from the calls in the same file.
    pub value_flow_typing: bool,
    /// A name bound anywhere in a function hides outer ones in all of it.
    pub hoists: bool,
    /// A namespace sees the names of the namespaces around it.
    pub sees_enclosing_namespaces: bool,
    /// Names of the project files that state where modules of this language are; `*` matches anything.
    pub manifests: Vec<String>,
    /// File extensions that an import may omit, in the order they are tried.
    pub extensions: Vec<String>,
    /// Files that represent their directory, without extension.
    pub directory_files: Vec<String>,
    /// External types whose members give the wrapped value, and through which calls pass.
    pub wrapper_types: Vec<String>,
    /// How the header of an enumeration begins whose members are visible through its name only: `enum class`.
    pub scoped_enums: Vec<String>,
    /// A type can have the members of the value it holds as its own: by `operator->` or `Deref`.
    pub deref_forwarding: bool,
    /// Namespaces of the standard library: a name in them that the repository does not define there is external.
    pub library_namespaces: Vec<String>,
    /// Types and functions outside of the repository whose results are known, sorted by name.
    pub library: Vec<LibraryType>,
    /// Functions of the standard library that a repository may define for other platforms: a definition that is not
    /// included is not meant, and one that is may not be the one that is linked.
    pub library_functions: Vec<String>,
    /// External types whose members all have the type of the last type argument: `Record`.
    pub record_types: Vec<String>,
    /// External functions that return all elements of their first argument: `Object.values`.
    pub element_functions: Vec<String>,
    /// Importing a module runs its top-level code.
    pub imports_run: bool,
    /// Applying a decorator calls it. Elsewhere an annotation or attribute only refers to a type or macro.
    pub decorators_are_called: bool,
    /// Attributes of functions that are attributes themselves: `proc_macro_attribute`.
    pub attribute_macros: Vec<String>,
    /// The suffix of a type that the name of an attribute may omit: `Attribute`.
    pub attribute_suffix: String,
    /// Types that say nothing about their values.
    pub untyped_types: Vec<String>,
    /// Names by which a file can refer to its own exports.
    pub own_module_names: Vec<String>,
    /// Directories that the first part of a module path means by the convention of a framework, without a project file that says so:
    /// `@/cart` is `src/cart`. No package can have such a name.
    pub conventional_aliases: Vec<(String, Vec<String>)>,
    /// Functions that return the module with the path they are given.
    pub module_loaders: Vec<String>,
    /// Methods that add the entries of their argument to their receiver: `update`.
    pub merging_methods: Vec<String>,
    /// Methods that return the value inside their receiver: `unwrap`, `iter`.
    pub unwrapping_methods: Vec<String>,
    /// Methods of collections that return one element: `find`, `pop`.
    pub element_methods: Vec<String>,
    /// Methods of collections that return the results of a function for each element: `map`.
    pub mapping_methods: Vec<String>,
    /// Methods of collections and promises that call the function they are given, and the parameter that gets the
    /// element: `map` 0, `reduce` 1.
    pub callback_parameters: Vec<(String, u32)>,
    /// Attributes of methods whose receiver is the type, not an instance: `classmethod`.
    pub class_method_attributes: Vec<String>,
    /// Methods whose receiver is the type without an attribute that says so: `__new__`.
    pub class_method_names: Vec<String>,
    /// External types that mean the type of the receiver: `Self`.
    pub self_types: Vec<String>,
    /// Annotations that make a variable an alias of the type it is initialised with: `TypeAlias`.
    pub alias_annotations: Vec<String>,
    /// Members of any value that are its type: `__class__`.
    pub runtime_type_members: Vec<String>,
    /// Built-in functions that return the type of their argument: `type`.
    pub runtime_type_functions: Vec<String>,
    /// Members that give a type as a value, and the type of that value: `class`, `Class`.
    pub type_object_members: Vec<(String, String)>,
    /// Cases of external types that hold a value, with the number of the type argument that is its type: `Err` 1.
    pub case_payloads: Vec<(String, u32)>,
    /// Of members that are embedded, the one at the least depth is meant.
    pub shallowest_member: bool,
    /// Of functions that take the arguments of a call, those of a derived type hide those of its bases; an override counts as
    /// what it overrides.
    pub nearest_overloads: bool,
    /// The type that every type inherits from: `Object`.
    pub root_type: String,
    /// Static members and instance members do not see each other.
    pub separate_static_members: bool,
    /// Members of mixins hide inherited ones; the last mixin comes first.
    pub mixins_before_base: bool,
    /// `super` is the class that a type extends, not a mixin.
    pub super_skips_mixins: bool,
    /// Calls that mix a module into the type itself, not into its instances: `extend`.
    pub type_mixin_calls: Vec<String>,
    /// The prefix of the field that a property reads; reading a property is a call: `@`.
    pub property_field_prefix: String,
    /// Types of one name are distinguished by their number of type parameters.
    pub generic_arity_overloads: bool,
    /// An object inside a type may be its companion: its members are visible as the type's.
    pub companion_objects: bool,
    /// Annotations of definitions that no source can refer to: they exist for binary compatibility.
    pub hiding_annotations: Vec<String>,
    /// Annotations of functions that other functions of the same name take precedence over.
    pub low_priority_annotations: Vec<String>,
    /// Extensions of files whose definitions no other file sees.
    pub script_extensions: Vec<String>,
    /// Functions have a namespace beside that of values: a call never refers to a variable that cannot be called.
    pub function_namespace: bool,
    /// Functions outside of all namespaces are visible inside them.
    pub global_function_fallback: bool,
    /// Variables outside of all functions are visible in their own file only.
    pub file_scoped_variables: bool,
    /// Private members are visible in their own type only, not in subtypes; outside of types, in their own file only.
    pub strict_private: bool,
    /// The names of functions and methods are compared without case.
    pub caseless_functions: bool,
    /// What a suite calls so that its code runs for its tests: `before`. If empty, all code of a suite does.
    pub suite_hooks: Vec<String>,
    /// A function that cannot take the arguments of a call is not meant by it: the declared parameters are all there are.
    pub exact_arity: bool,
    /// Words of a function whose parameters have the default values that another declaration gives them, like those of an override.
    pub default_inheriting_words: Vec<String>,
    /// Members that every enumeration has, with what they are: a `list` of its cases, a `list function` that returns them, a `function` that
    /// returns one.
    pub enum_members: Vec<(String, String)>,
    /// Members that every data class has, with what they return: `self`, an instance of the class; `item`, the parameter whose number follows
    /// the name.
    pub data_members: Vec<(String, String)>,
    /// Words of a declaration that others in the same namespace define, each for one platform; those have a `default_inheriting_words`.
    pub platform_declaration_words: Vec<String>,
    /// The directory whose subdirectories are the source sets of a project, each for one platform: `src`.
    pub source_set_directory: String,
    /// The type of a type that is used as a value: `Type` of `typeof(X)`.
    pub type_object: String,
    /// A function without declared types gets those of its context.
    pub contextual_typing: bool,
    /// Methods of any value that call the function they are given with their receiver: `let`, `tap`.
    pub receiver_passing_methods: Vec<String>,
    /// Methods of any value that run the function they are given with their receiver as `this`: `apply`.
    pub receiver_scope_methods: Vec<String>,
    /// Methods of any value that return their receiver: `apply`, `tap`.
    pub identity_methods: Vec<String>,
    /// Functions of the library whose result calls their first argument: `partial`.
    pub partial_functions: Vec<String>,
    /// Methods of any value that return the result of the function they are given: `let`, `use`.
    pub callback_result_methods: Vec<String>,
    /// Members of a type that construct an instance although no source defines them: `new`.
    pub implicit_constructors: Vec<String>,
    /// The types of literals: `string`, `integer`, `float`, `bool`, `char`.
    pub literal_types: Vec<(String, String)>,
    /// Project files and passed-on imports (`global using`) apply to all files of a project.
    pub project_wide_imports: bool,
    /// Members of external types that give the value they hold: `Value`.
    pub value_members: Vec<String>,
    /// External types that are types of functions; the last type argument is the result.
    pub function_types: Vec<String>,
    /// Words for types, for overload resolution.
    pub types: TypeWords,
    /// Members that the language calls by itself, by the construct that calls them: `enter`, `iterate`, `next`, `index`,
    /// `call`, `await`.
    pub implicit_calls: Vec<(String, String)>,
    /// Extensions of header files: a file that includes one sees its top-level names.
    pub header_extensions: Vec<String>,
    /// How test runners pass fixtures to tests.
    pub fixtures: Fixtures,
    /// Methods of any value that run a block with their receiver as `self`, hiding the `self` around it:
    /// `instance_eval`; or calls that run it with the type they make: `Class.new`.
    pub self_rebinding_methods: Vec<String>,
    /// The name of the module inside of a mixin whose members become static members: `ClassMethods`.
    pub class_methods_module: String,
    /// The keyword for the current namespace in a qualified name: `namespace`.
    pub current_namespace: String,
    /// The directory below a project file where module names may start: `src`.
    pub source_directory: String,
    /// The directory below a project file with copies of external packages: `vendor`.
    pub vendor_directory: String,
    /// The directory whose files are loaded by their path below it: `lib`.
    pub load_directory: String,
    /// The suffix of packages of tests, which cannot be imported: `_test`.
    pub test_package_suffix: String,
    /// The layout of a module tree, for [`Modules::Tree`].
    pub tree: TreeRules,
    /// The layout of packages, for [`Modules::Path`].
    pub packages: PackageRules,
    /// What markup in its files refers to.
    pub markup: MarkupRules,
}

/// What markup refers to: components, templates, style selectors and the members of a type beside it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MarkupRules {
    /// The language whose rules apply to the code in its files; this table is added to them.
    pub like: String,
    /// An element may name a component of the language family by its file name, without an import.
    pub components_by_name: bool,
    /// The names of types that an element stands for, if an annotation of the type has the element's name: `{}Component`.
    pub component_types: Vec<String>,
    /// What the name of an element has in front of that of its template: `x-`.
    pub component_prefix: String,
    /// Where the template of an element is: patterns as in `templates`.
    pub component_templates: Vec<String>,
    /// Where a template is. `{}` stands for its name, `{/}` for the name with slashes in place of dots, `{_}` for the name with an
    /// underscore in front of its last part. A pattern is the end of a path, or with `./` in front the path from the directory of
    /// the file that names the template.
    pub templates: Vec<String>,
    /// Files beside it whose types have the members that it names: `{}` stands for its own file name without the last extension,
    /// `{.}` for all of it.
    pub companions: Vec<String>,
    /// The names of types whose members it may call without a receiver: `*Helper`.
    pub helper_types: Vec<String>,
    /// The language families whose style sheets may select its classes and ids.
    pub selectors: Vec<String>,
    /// Elements are expressions of code, and their attributes set properties that components declare.
    pub element_properties: bool,
}

impl MarkupRules {
    /// Whether its files are markup with code in it: the code between the elements may use more than is resolved.
    pub fn is_markup(&self) -> bool {
        !self.like.is_empty() || !self.component_prefix.is_empty()
    }

    /// Whether names of elements and bare names mean components and their members without an import.
    pub fn finds_by_name(&self) -> bool {
        !self.like.is_empty()
            || self.components_by_name
            || !self.component_types.is_empty()
            || !self.component_templates.is_empty()
            || !self.templates.is_empty()
            || !self.companions.is_empty()
            || !self.helper_types.is_empty()
    }
}

/// A module tree that the files declare themselves.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TreeRules {
    /// The keyword for the root module: `crate`.
    pub root: String,
    /// The keyword for the root module inside of macros: `$crate`.
    pub macro_root: String,
    /// The keyword for the current module: `self`.
    pub current: String,
    /// The keyword for the parent module: `super`.
    pub parent: String,
    /// The names of root files, without extension: `lib`, `main`.
    pub root_files: Vec<String>,
    /// The root file of a library, below its project file: `src/lib.rs`.
    pub library_file: String,
    /// The directory of further root files, below the project file: `src/bin`.
    pub binary_directory: String,
    /// The attribute of a module declaration that names its file: `path`.
    pub path_attribute: String,
    /// The prefix of identifiers that are keywords: `r#`.
    pub raw_prefix: String,
}

/// Packages that are named in imports and described by project files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PackageRules {
    /// Directories with build output: `dist`.
    pub build_directories: Vec<String>,
    /// Directories where the source of a built file may be, in the order they are tried.
    pub source_directories: Vec<String>,
    /// Entry files of a package that names none, without extension, in the order they are tried.
    pub entry_files: Vec<String>,
    /// Extensions of built files that an import may name in place of the source: `js`.
    pub built_extensions: Vec<String>,
    /// The suffix before the extension of a declaration file: `.d`.
    pub declaration_suffix: String,
    /// The extension that the name of an extended configuration may omit: `json`.
    pub config_extension: String,
    /// The name of the configuration file in a directory: `tsconfig.json`.
    pub config_file: String,
}

/// How a test runner passes fixtures to tests: a test requests one by a parameter of its name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fixtures {
    /// Parameters of tests and fixtures receive the fixtures of their names.
    pub injected_by_parameter: bool,
    /// Files whose fixtures are visible to all tests in their directory and below, without extension: `conftest`.
    pub directory_files: Vec<String>,
    /// Attributes that request the fixtures that their strings name: `usefixtures`.
    pub requested_by: Vec<String>,
    /// Attributes that give values to the parameters they name, in place of fixtures: `parametrize`.
    pub replaced_by: Vec<String>,
    /// The argument of a fixture's attribute that renames it: `name`.
    pub renamed_by: Option<String>,
}

/// The words of a language for types that accept more than themselves.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TypeWords {
    /// Types that accept any value.
    pub top_types: Vec<String>,
    /// Types of primitive values, which have no other type.
    pub primitives: Vec<String>,
    /// A value of a primitive type has no types but those listed here: it matches no other type of the library.
    pub closed_primitives: bool,
    /// Types of the library that values of primitive types are converted to.
    pub implicit_conversions: Vec<String>,
    /// Types that are never null unless declared so.
    pub non_null: Vec<String>,
    /// Words before a type that are not part of it.
    pub modifiers: Vec<String>,
    /// Words that form one type together: `unsigned long`.
    pub compound_words: Vec<String>,
    /// Types of numbers, which are converted to each other.
    pub arithmetic: Vec<String>,
    /// Types of functions without a result.
    pub void_functions: Vec<String>,
    /// Types that accept the function type they are given as an argument.
    pub function_type_wrappers: Vec<String>,
    /// An anonymous function has a function type or a delegate, never an interface with one method.
    pub no_function_interfaces: bool,
    /// Result types that say nothing about the result.
    pub uninformative_results: Vec<String>,
    /// Types of values that are types.
    pub type_values: Vec<String>,
    /// The same for any type at all, and so a worse match.
    pub any_type_values: Vec<String>,
    /// The types of a literal, by `string`, `integer`, `float`, `bool`, `char`; `char*` requires a pointer.
    pub exact: Vec<(String, Vec<String>)>,
    /// The supertypes that a literal can be assigned to.
    pub assignable: Vec<(String, Vec<String>)>,
    /// The types that a literal can be converted to.
    pub convertible: Vec<(String, Vec<String>)>,
    /// The primitive types that a value of a primitive type can be widened to: `int` to `long`.
    pub widening: Vec<(String, Vec<String>)>,
    /// The types that a value is boxed or unboxed to: `int` to `Integer`.
    pub boxing: Vec<(String, Vec<String>)>,
}

/// What an import refers to on disk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Modules {
    /// Nothing: names are found by other means.
    #[default]
    None,
    /// Dotted names are directories and files; leading dots make them relative.
    Dotted,
    /// A path relative to the file, or the name of a package.
    Path,
    /// A directory is a package, named from the root of its module.
    Directory,
    /// Files form a tree that they declare themselves.
    Tree,
    /// A namespace that files declare, wherever they are.
    Namespace,
    /// The text of another file, included in place.
    Include,
    /// All loaded files share one namespace.
    Global,
}

impl std::str::FromStr for Modules {
    type Err = ();
    fn from_str(word: &str) -> Result<Self, ()> {
        Ok(match word {
            "none" => Self::None,
            "dotted" => Self::Dotted,
            "path" => Self::Path,
            "directory" => Self::Directory,
            "tree" => Self::Tree,
            "namespace" => Self::Namespace,
            "include" => Self::Include,
            "global" => Self::Global,
            _ => return Err(()),
        })
    }
}

/// Which files see each other's top-level names without an import.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SharedScope {
    /// None.
    #[default]
    None,
    /// Files of the same directory and package.
    Directory,
    /// Files that declare the same package or namespace, or an enclosing one.
    Namespace,
    /// All files.
    Everything,
}

impl std::str::FromStr for SharedScope {
    type Err = ();
    fn from_str(word: &str) -> Result<Self, ()> {
        Ok(match word {
            "none" => Self::None,
            "directory" => Self::Directory,
            "namespace" => Self::Namespace,
            "everything" => Self::Everything,
            _ => return Err(()),
        })
    }
}
