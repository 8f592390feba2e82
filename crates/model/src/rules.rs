//! What resolution must know of a language, as plain data: packs write it, one engine reads it.

/// What differs between languages when names are resolved.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a yes or no question about a language")]
pub struct Rules {
    /// Languages with the same family see each other's definitions.
    pub family: String,
    /// What an import means on disk.
    pub modules: Modules,
    /// Which files see each other's top-level names without an import.
    pub shares: Shares,
    /// Members of the type around are visible by their bare name.
    pub bare_members: bool,
    /// Calling a type makes an instance of it.
    pub calls_construct: bool,
    /// A type without a constructor is made by that of its base.
    pub inherits_constructors: bool,
    /// `super(…)` calls the base's constructor, or its method of the same name.
    pub super_calls: bool,
    /// A type satisfies an interface by having its methods; nobody has to say so.
    pub structural: bool,
    /// A type may be opened again anywhere, and all its bodies are one.
    pub reopens: bool,
    /// Declarations of one name in one file are one type.
    pub merges: bool,
    /// Types have a space of names beside that of values, and forms of their own: one name can be both a type and a value,
    /// `T["k"]` is the type of a member, the receiver as a type is that of whoever inherits the member.
    pub type_space: bool,
    /// A call of a parameter is a call of what its type declares; functions given for it are reached by dispatch.
    pub typed_callbacks: bool,
    /// The names constructors have.
    pub constructors: Vec<String>,
    /// Several functions of one name and scope are overloads, told apart by their parameters.
    pub overloads: bool,
    /// Nothing declares what names hold: whatever is put into them counts, under constant keys too, and so does what calls
    /// in the same file give for parameters.
    pub dynamic: bool,
    /// A name bound later in a function hides outer ones in all of it.
    pub hoists: bool,
    /// A namespace sees what the namespaces around it hold.
    pub nested_namespaces: bool,
    /// Project files that say where modules of this language are, by name; `*` stands for anything.
    pub manifests: Vec<String>,
    /// File extensions that an import may leave out, and files that stand for their folder; in the order they are tried.
    pub extensions: Vec<String>,
    /// Files that stand for their folder, without extension.
    pub folder_files: Vec<String>,
    /// Names of types from outside whose members give what they hold, and through which calls pass.
    pub holders: Vec<String>,
    /// How the header of an enumeration begins whose members are seen through its name alone: `enum class`.
    pub scoped_enums: Vec<String>,
    /// A type can have the members of what it holds as if they were its own: by `operator->` or `Deref`.
    pub forwards: bool,
    /// Types from outside all of whose members are of the type they are given last: `Record`.
    pub records: Vec<String>,
    /// Functions from outside that give all elements of their first argument: `Object.values`.
    pub elements_of: Vec<String>,
    /// What the name of an attribute may leave out of the name of its type: `Attribute`.
    pub attribute_suffix: String,
    /// Types that say nothing of their values.
    pub loose_types: Vec<String>,
    /// Names by which a file can reach what it gives to others.
    pub own_module: Vec<String>,
    /// Functions that give the module whose path they are given.
    pub loads: Vec<String>,
    /// Members that put the entries of what they are given into their receiver: `update`.
    pub updates: Vec<String>,
    /// Members that give what their holder holds: `unwrap`, `iter`.
    pub passes: Vec<String>,
    /// Members of collections that give one of their elements: `find`, `pop`.
    pub picks: Vec<String>,
    /// Members of collections that give what a function makes of each element: `map`.
    pub maps: Vec<String>,
    /// Members of collections and promises that call the function they are given, and at which place of it they put
    /// what they hold: `map` at 0, `reduce` at 1.
    pub feeds: Vec<(String, u32)>,
    /// Members by which a type becomes a value, and the type of that value: `class`, `Class`.
    pub type_objects: Vec<(String, String)>,
    /// Members of a type and those of its instances do not see each other.
    pub split_members: bool,
    /// What is mixed in hides what is inherited; the last that is mixed in comes first.
    pub mixins_first: bool,
    /// The base is what a type extends; what is mixed in stands beside it.
    pub base_past_mixins: bool,
    /// Calls that mix a module into the type itself, not into its instances: `extend`.
    pub mixes_into_type: Vec<String>,
    /// Before its name, what a property reads; reading a property is a call: `@`.
    pub field_mark: String,
    /// Types of one name are told apart by how many types they take.
    pub arity: bool,
    /// An object inside a type may stand for the type: its members are seen as the type's.
    pub companions: bool,
    /// What stands in an annotation of a definition that nothing written can mean: it is there for old binaries.
    pub hidden_by: Vec<String>,
    /// What stands in an annotation of a function that gives way to others of its name.
    pub yields_by: Vec<String>,
    /// Extensions of files whose definitions no other file sees.
    pub scripts: Vec<String>,
    /// Functions have a space of names beside that of values: a call means no variable that cannot be called.
    pub function_space: bool,
    /// Functions outside of all namespaces are seen from within them.
    pub global_functions: bool,
    /// Variables outside of all functions are seen in their own file alone.
    pub file_variables: bool,
    /// What is private is seen in its own type alone, not in heirs; outside of all types, in its own file alone.
    pub hides_private: bool,
    /// A function without types of its own gets those of the place where it stands.
    pub given_types: bool,
    /// Members of anything that call the function they are given with their receiver: `let`, `tap`.
    pub hands: Vec<String>,
    /// Members of anything that run the function they are given as if it were their receiver's: `apply`.
    pub enters: Vec<String>,
    /// Members of anything that give their receiver: `apply`, `tap`.
    pub same: Vec<String>,
    /// Members of anything that give what the function they are given gives: `let`, `use`.
    pub results: Vec<String>,
    /// Members of a type that make an instance of it, though nobody wrote them: `new`.
    pub makers: Vec<String>,
    /// The types literals have: `string`, `integer`, `float`, `bool`, `char`.
    pub literals: Vec<(String, String)>,
    /// Files of a project whose imports for others hold in all of it.
    pub prelude: Vec<String>,
    /// Members of types from outside that are what these hold: `Value`.
    pub gives: Vec<String>,
    /// Types from outside that are types of functions; the last argument is the result.
    pub function_types: Vec<String>,
    /// What types are called, to tell functions of one name apart by what they take.
    pub types: TypeWords,
    /// Members the language calls by itself, by what calls them: `enter`, `iterate`, `next`, `index`, `call`, `await`.
    pub implicit: Vec<(String, String)>,
    /// Extensions of files that are there to be included: whoever includes one sees what stands at its top level.
    pub headers: Vec<String>,
    /// How test runners give fixtures to tests.
    pub fixtures: Fixtures,
}

/// How a test runner gives fixtures to tests: a test asks for one by a parameter of its name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fixtures {
    /// Whether parameters of tests and fixtures are filled with the fixtures of their names.
    pub by_parameter: bool,
    /// Files whose fixtures all tests in their folder and below may ask for, without extension: `conftest`.
    pub folder_files: Vec<String>,
    /// Attributes that ask for the fixtures their texts name: `usefixtures`.
    pub requested_by: Vec<String>,
    /// Attributes that give values to the parameters they name, so that no fixture does: `parametrize`.
    pub replaced_by: Vec<String>,
    /// The argument of a fixture's attribute that gives it another name: `name`.
    pub renamed_by: Option<String>,
}

/// The words of a language for types that fit more than themselves.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TypeWords {
    /// Types that take anything.
    pub anything: Vec<String>,
    /// Types of plain values, which are of no other type.
    pub plain: Vec<String>,
    /// Types that are never absent, if nothing else says so.
    pub filled: Vec<String>,
    /// Words in front of a type that are no part of it.
    pub marks: Vec<String>,
    /// Types of functions that give nothing.
    pub procedures: Vec<String>,
    /// Types that stand for the type of a function they are given.
    pub quotes: Vec<String>,
    /// What functions give that says nothing of it.
    pub vague_results: Vec<String>,
    /// Types of types that are given as values.
    pub of_types: Vec<String>,
    /// The same for any type at all, and so less good a fit.
    pub of_any_types: Vec<String>,
    /// The types that a literal has, by `string`, `integer`, `float`, `bool`, `char`; `char*` asks for a pointer.
    pub same: Vec<(String, Vec<String>)>,
    /// The types that a literal is one of.
    pub fits: Vec<(String, Vec<String>)>,
    /// The types that a literal can be turned into.
    pub turns: Vec<(String, Vec<String>)>,
}

/// What an import means on disk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Modules {
    /// Nothing: names are found some other way.
    #[default]
    None,
    /// Dotted names are folders and files; leading dots are relative.
    Dotted,
    /// A path beside the file, or the name of a package.
    Path,
    /// A folder is a package, named from the root of its module.
    Folder,
    /// Files hang in a tree that the files themselves declare.
    Tree,
    /// A namespace that files declare; where the file lies does not matter.
    Namespace,
    /// The text of another file, put in its place.
    Include,
    /// Everything that is loaded shares one space of names.
    Global,
}

impl std::str::FromStr for Modules {
    type Err = ();
    fn from_str(word: &str) -> Result<Self, ()> {
        Ok(match word {
            "none" => Self::None,
            "dotted" => Self::Dotted,
            "path" => Self::Path,
            "folder" => Self::Folder,
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
pub enum Shares {
    /// None.
    #[default]
    None,
    /// Those of the same folder and package.
    Folder,
    /// Those that declare the same package or namespace, or one around it.
    Namespace,
    /// All of them.
    Everything,
}

impl std::str::FromStr for Shares {
    type Err = ();
    fn from_str(word: &str) -> Result<Self, ()> {
        Ok(match word {
            "none" => Self::None,
            "folder" => Self::Folder,
            "namespace" => Self::Namespace,
            "everything" => Self::Everything,
            _ => return Err(()),
        })
    }
}
