//! Framework rules: which calls and annotations of a framework register what. Packs define them; resolution reads them.

use crate::name_pattern::{name_fits, path_ends_with};
use crate::{SurfaceKind, SurfaceRole, SymbolKind};

/// A framework: what a program exposes through it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Framework {
    /// The name users write: `gin`.
    pub name: String,
    /// The name shown to people: `Gin`.
    pub title: String,
    /// The modules it is imported from. Modules below them count too.
    pub modules: Vec<String>,
    /// Its names are visible without an import.
    pub ambient: bool,
    /// Its names are visible without an import in these files; paths as in `files`.
    pub ambient_in: Vec<String>,
    /// The files that its rules are about, each a path at the end of that of a file, with `*` for a part of a name; any if empty.
    pub files: Vec<String>,
    /// The prefix of all routes of some files, unless code says it: a path as in `files`, and the prefix.
    pub file_prefixes: Vec<(String, String)>,
    /// The values that routes are registered on.
    pub routers: Vec<RouterRule>,
    /// Calls that register a route.
    pub routes: Vec<RouteRule>,
    /// Calls that return a router below another.
    pub groups: Vec<GroupRule>,
    /// Calls that put one router below another.
    pub mounts: Vec<MountRule>,
    /// Calls that register all routes of a resource.
    pub resources: Vec<ResourceRule>,
    /// How texts name handlers.
    pub text_handlers: Option<TextHandlerRule>,
    /// Members of the application that set a prefix for all annotated routes.
    pub global_prefixes: Vec<String>,
    /// Annotations that register the function or method they stand at.
    pub annotations: Option<AnnotationRules>,
    /// What else is exposed or used by a name: commands, topics, jobs, tables, variables.
    pub entries: Vec<EntryRule>,
    /// What its files define and code in other languages implements.
    pub contracts: Vec<ContractRule>,
    /// Files whose place is the path that they serve.
    pub file_routes: Vec<FileRouteRule>,
    /// Files that describe endpoints.
    pub descriptions: Vec<DescriptionRule>,
    /// Templates that members render by their place.
    pub views: Vec<ViewRule>,
    /// How chains of filters are routes.
    pub chain: Option<ChainRule>,
    /// Texts that name modules which the framework loads.
    pub loaded_modules: Vec<LoadedModuleRule>,
    /// Definitions that it uses although no source refers to them.
    pub implicit_uses: Vec<ImplicitUseRule>,
}

impl Framework {
    /// Whether an imported module belongs to the framework.
    pub fn owns(&self, module: &str) -> bool {
        self.modules.iter().any(|own| {
            let rest = module.strip_prefix(own.as_str());
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '.', ':', '\\']))
        })
    }

    /// Whether an item that is imported from a module is a module of the framework: `env` of `std`.
    pub fn owns_item(&self, module: &str, item: &str) -> bool {
        self.modules.iter().any(|own| {
            let rest = own.strip_prefix(module).filter(|rest| rest.starts_with(['/', '.', ':', '\\']));
            rest.is_some_and(|rest| rest.trim_start_matches(['/', '.', ':', '\\']) == item)
        })
    }
}

/// An argument of a call or annotation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Argument {
    /// A positional argument; a negative number counts from the last one, which is -1.
    Position(i32),
    /// A named argument, or an entry of an object given as an argument.
    Named(String),
    /// A type argument: `Order` of `register<Order>()`.
    Type(u32),
}

/// How a router comes into being.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RouterRule {
    /// Functions and types that make one when they are called, with dots: `Default`, `Router.new`; empty for the module itself.
    pub functions: Vec<String>,
    /// Types of values that are one.
    pub types: Vec<String>,
    /// The argument with the prefix of its routes.
    pub prefix: Vec<Argument>,
    /// Whether it is the application itself, which is below no other router.
    pub app: bool,
}

/// A call that registers a route.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RouteRule {
    /// The names of the members or functions; those of functions may have dots: `Route.get`.
    pub calls: Vec<String>,
    /// Whether it is a function of the framework and not a member of a router.
    pub free: bool,
    /// Where the method is said.
    pub method: MethodSource,
    /// Calls on the result whose arguments are the methods: `Methods` of `r.Handle("/x", h).Methods("GET")`.
    pub method_chained: Vec<String>,
    /// Where the path is said; none for the path of the router itself.
    pub path: Vec<Argument>,
    /// The path is a regular expression.
    pub regex: bool,
    /// Where the handler is said; none for a decorator, which registers what it stands at.
    pub handler: Vec<Argument>,
    /// The handler argument may name a module or router whose routes are mounted here: the function that does.
    pub include: Option<IncludeRule>,
    /// Where an object is given, or a call or variable that has one, whose entries `method` and `path` say these.
    pub definition: Vec<Argument>,
    /// The path and the handler may be given as an entry: `get "/x" => "pages#x"`.
    pub pair: bool,
    /// Where it is said that the path is below the collection or a member of the resource around it.
    pub on: Vec<Argument>,
}

impl RouteRule {
    /// Whether the route is an object that says path, method and handler by their names.
    pub fn is_object(&self) -> bool {
        let is_named =
            |list: &[Argument]| !list.is_empty() && list.iter().all(|one| matches!(one, Argument::Named(_)));
        let by_name = matches!(&self.method, MethodSource::Argument(wanted, _) if is_named(wanted));
        by_name && is_named(&self.path) && is_named(&self.handler)
    }
}

/// A call in place of a handler that mounts the routes of another module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IncludeRule {
    /// The function: `include`.
    pub function: String,
    /// The variable of the module that holds its routes: `urlpatterns`.
    pub variable: String,
    /// Members of a router that stand for its routes: `urls`.
    pub members: Vec<String>,
}

/// Where the HTTP method of a route is said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MethodSource {
    /// The name of the call is the method.
    Name,
    /// These methods.
    Fixed(Vec<String>),
    /// An argument lists them; without it, these.
    Argument(Vec<Argument>, Vec<String>),
    /// The calls in the handler argument: `get(list).post(create)`.
    Handler,
    /// The first word of the path; any method without one: `GET /users`.
    Pattern,
}

/// A call that returns a router below another.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a yes-or-no question about a rule")]
pub struct GroupRule {
    /// The names of the members or functions.
    pub calls: Vec<String>,
    /// Where the prefix is said.
    pub path: Vec<Argument>,
    /// A function that gets the new router as its first parameter.
    pub callback: Vec<Argument>,
    /// Whether it is a function of the framework and not a member of a router.
    pub free: bool,
    /// Whether the prefix is the whole path: the routes of the group have handlers alone.
    pub whole_path: bool,
    /// Whether the routes that are registered inside of the callback are below it, although it gets no router.
    pub lexical: bool,
    /// Where the module of the handlers inside is said.
    pub module: Vec<Argument>,
    /// Where the type of the handlers inside is said.
    pub controller: Vec<Argument>,
    /// What is inside is about the collection or a member of the resource around it.
    pub part: Option<ResourcePart>,
    /// What is inside is registered where the group is named, not here.
    pub elsewhere: bool,
}

/// A part of a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResourcePart {
    /// All of it: `/posts`.
    Collection,
    /// One member: `/posts/:id`.
    Member,
}

/// A call that registers the routes of a resource. In the paths, `$name` stands for its name, `$singular` for that of a
/// member and `$parameter` for the parameter of a member.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ResourceRule {
    /// The names of the members or functions.
    pub calls: Vec<String>,
    /// Whether it is a function of the framework and not a member of a router.
    pub free: bool,
    /// Where the name is said.
    pub name: Vec<Argument>,
    /// Every positional text is the name of a resource.
    pub several: bool,
    /// Where the path is said, if it is not the name.
    pub path: Vec<Argument>,
    /// Where the parameter of a member is said.
    pub parameter: Vec<Argument>,
    /// The parameter of a member otherwise.
    pub default_parameter: String,
    /// The member of the handler's type whose value is the parameter.
    pub parameter_member: Vec<String>,
    /// The path of a member, below that of the resource.
    pub member: String,
    /// The path of what is registered inside of the call, below that of the resource; empty for the resource itself.
    pub nested: String,
    /// Where the function is given in which routes are below the resource.
    pub callback: Vec<Argument>,
    /// Where the actions are listed that it has, and those that it has not; also calls on the result.
    pub only: Vec<Argument>,
    /// See `only`.
    pub except: Vec<Argument>,
    /// Where the type is given whose members are the actions; without it, `controller` or the name says it.
    pub handler: Vec<Argument>,
    /// Where the handlers' type is named.
    pub controller: Vec<Argument>,
    /// Where the module of the handlers is said.
    pub module: Vec<Argument>,
    /// Where it is said that members are not below the resource around it.
    pub shallow: Vec<Argument>,
    /// The type of the handlers has the name of several, although the resource is one.
    pub plural_controller: bool,
    /// The actions.
    pub actions: Vec<ActionRule>,
    /// Only actions that the type defines, or that it gets from one of these bases.
    pub provided: Vec<(String, Vec<String>)>,
    /// The member of the type that lists the methods which are served at all.
    pub methods_member: Option<String>,
    /// Annotations of further actions.
    pub annotated: Option<AnnotatedAction>,
}

/// An action of a resource.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ActionRule {
    /// Its name, which is that of the handler.
    pub name: String,
    /// The methods.
    pub methods: Vec<String>,
    /// The path below that of the resource; `$member` stands for that of a member.
    pub path: String,
}

/// An annotation of a member that is a further action of a resource.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AnnotatedAction {
    /// The annotation.
    pub name: String,
    /// Where it is said whether it is about a member: a word for true.
    pub detail: Vec<Argument>,
    /// Where the methods are said; `GET` without it.
    pub methods: Vec<Argument>,
    /// Where the path is said; the name of the member without it.
    pub path: Vec<Argument>,
    /// What follows the path.
    pub ending: String,
}

/// How texts name handlers: `posts#index`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TextHandlerRule {
    /// What is between the type and the member.
    pub separator: String,
    /// The type is a path in words with underscores, and its name ends with this: `admin/blog_posts` is `Admin::BlogPostsController`.
    pub type_suffix: Option<String>,
    /// Where the type is said, if not in the text.
    pub controller: Vec<Argument>,
    /// Where the member is said.
    pub action: Vec<Argument>,
}

/// Files that describe endpoints as keys: a key of the root is a path, and a key of the path is a method.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DescriptionRule {
    /// A file is one if it has one of these keys at the top.
    pub marks: Vec<String>,
    /// The key of the root.
    pub root: String,
    /// The key at the top whose value is a prefix.
    pub prefix: String,
    /// The keys that are methods.
    pub methods: Vec<String>,
    /// The key at the top that lists servers, and the key of each that has its URL.
    pub servers: String,
    /// See `servers`.
    pub server_url: String,
    /// The key of a path whose value says where the methods are: a file, and the keys in it after `#`.
    pub reference: String,
    /// The key of a method that names it.
    pub operation: String,
}

/// A call that puts one router below another.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MountRule {
    /// The names of the members.
    pub calls: Vec<String>,
    /// Where the router is given. Every argument that is a router counts.
    pub router: Vec<Argument>,
    /// Where the prefix is said.
    pub path: Vec<Argument>,
    /// The prefix replaces that of the router.
    pub replaces_prefix: bool,
    /// What is given is a function that gets the router as its first parameter.
    pub plugin: bool,
    /// Calls whose arguments are several routers: `routes![a, b]`.
    pub lists: Vec<String>,
    /// Where a directory is said whose files are plugins. What they export gets the router, and directories are prefixes.
    pub directory: Vec<Argument>,
    /// Where it is said that directories are no prefixes.
    pub flat: Vec<Argument>,
}

/// What exposes or uses something by a name that is text. One of `functions`, `methods`, `maps`, `attributes`, `bases` and
/// `symbols` says where; the rest says which name and which handler.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a yes-or-no question about a rule")]
pub struct EntryRule {
    /// What it is.
    pub kind: SurfaceKind,
    /// What the code does with it.
    pub role: SurfaceRole,
    /// Functions and types of the framework that are called or constructed, with dots: `Getenv`, `environ.get`.
    pub functions: Vec<String>,
    /// Members that are called on values of the framework: those that `values` make.
    pub methods: Vec<String>,
    /// Members in `methods` count on any value that is no type of the repository, in a file that imports the framework.
    pub any_receiver: bool,
    /// Values of the framework whose keys or members are the names: `process.env`.
    pub maps: Vec<String>,
    /// Annotations, attributes or decorators of symbols.
    pub attributes: Vec<String>,
    /// Bases of types; `*` stands for anything, and one with a dot is compared with the base as written.
    pub bases: Vec<String>,
    /// Kinds of symbols, for languages whose files define such things.
    pub symbols: Vec<String>,
    /// Objects anywhere in the file that have both the key of the name and that of the handler.
    pub objects: bool,
    /// The rule also applies in files that do not import the framework.
    pub anywhere: bool,
    /// The argument with the name, or with a list of names.
    pub name: Vec<Argument>,
    /// The name is the first word of the text.
    pub first_word: bool,
    /// The text is a database statement, whose tables are the names; these are the verbs.
    pub statements: Vec<String>,
    /// Members of the type whose value is the name.
    pub name_member: Vec<String>,
    /// How the name follows from that of the symbol, where it is not said.
    pub derived: NameStyle,
    /// Each member of the type is an entry, not the type.
    pub members: bool,
    /// The argument with the handler.
    pub handler: Vec<Argument>,
    /// Members of the type that is the handler which the framework calls.
    pub handler_members: Vec<String>,
    /// Calls on the result whose first argument is the handler: `action`.
    pub handler_chained: Vec<String>,
    /// Calls on the result, or in the last function that the call is given, whose first argument or type argument is the name: `bind` of
    /// `singleOf(::SqlOrders) { bind<Orders>() }`.
    pub name_chained: Vec<String>,
    /// An annotated function makes what is provided: its result is the type that is asked for.
    pub factory: bool,
    /// An object whose keys are the names, and whose values the handlers; `name` is then the service that they belong to.
    pub handlers: Vec<Argument>,
    /// The argument with the HTTP method of a request; without it, the name of the call says it.
    pub method: Vec<Argument>,
    /// Where a template is, for [`SurfaceKind::Template`]: patterns as in [`crate::MarkupRules::templates`]. `{type}` stands for the type
    /// around the call without the suffix `Controller`, `{type_snake}` for the same in words with underscores.
    pub templates: Vec<String>,
}

/// Templates that a member renders although nothing names them: the path says the type and the member.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ViewRule {
    /// The directory that has one directory for each type: `views`.
    pub root: String,
    /// What the name of the type has at its end: `Controller`.
    pub type_suffix: String,
    /// Paths are in words with underscores: `blog_posts/index` is `BlogPostsController.index`.
    pub snake: bool,
}

/// Chains of filters that are routes: `path("users").and(get()).and_then(list)`. Functions have dots: `path.param`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChainRule {
    /// Members that join two filters, both of which must pass.
    pub joins: Vec<String>,
    /// Members that join two chains, one of which must pass.
    pub alternatives: Vec<String>,
    /// Members that give what passes to a handler.
    pub ends: Vec<String>,
    /// Functions and macros whose arguments are parts of the path; what is no text is a parameter.
    pub paths: Vec<String>,
    /// Functions for one parameter of the path.
    pub parameters: Vec<String>,
    /// Functions for the end of the path.
    pub path_ends: Vec<String>,
    /// Functions whose names are methods.
    pub methods: Vec<String>,
    /// Functions that serve a chain.
    pub roots: Vec<String>,
}

/// Texts that name modules which the framework loads: `ROOT_URLCONF = "shop.urls"`, `uvicorn.run("shop.main:app")`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LoadedModuleRule {
    /// Variables of a file whose value is one.
    pub variables: Vec<String>,
    /// The names of functions or members that are given one.
    pub calls: Vec<String>,
    /// The argument.
    pub module: Vec<Argument>,
    /// What the first argument must be; anything if empty.
    pub key: String,
}

/// Definitions that the framework uses although no source refers to them: settings, callbacks, files that it finds by their place.
/// All conditions that are given must hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ImplicitUseRule {
    /// Where they are: paths as in `Framework::files`.
    pub files: Vec<String>,
    /// Their names; `*` stands for a part.
    pub names: Vec<String>,
    /// Names that they do not have.
    pub except: Vec<String>,
    /// Their kinds.
    pub kinds: Vec<SymbolKind>,
    /// The types of their results, as written.
    pub returns: Vec<String>,
    /// Their names have no lower-case letters.
    pub upper_case: bool,
    /// They are named like one of what their directory is named after: `posts/_post.html.erb`.
    pub named_by_directory: bool,
    /// The user: completes "by its name, …".
    pub why: String,
}

impl ImplicitUseRule {
    /// Whether it is about a definition.
    pub fn fits(&self, path: &str, name: &str, kind: SymbolKind, returns: Option<&str>) -> bool {
        let any = |list: &[String], fits: &dyn Fn(&str) -> bool| {
            list.is_empty() || list.iter().any(|pattern| fits(pattern))
        };
        (self.kinds.is_empty() || self.kinds.contains(&kind))
            && !(self.upper_case && name.contains(char::is_lowercase))
            && !self.except.iter().any(|pattern| name_fits(pattern, name))
            && any(&self.names, &|pattern| name_fits(pattern, name))
            && (!self.named_by_directory || is_one_of_directory(path, name))
            && any(&self.files, &|pattern| path_ends_with(pattern, path))
            && any(&self.returns, &|pattern| returns == Some(pattern))
    }
}

/// Whether a name is a singular, and that of the directory of its file a plural of it. The last letter may differ.
fn is_one_of_directory(path: &str, name: &str) -> bool {
    let name = name.trim_start_matches('_');
    let stem = name.char_indices().next_back().map_or("", |(last, _)| &name[..last]);
    let directory = path.rsplit('/').nth(1).unwrap_or_default();
    stem.len() > 1 && directory.starts_with(stem)
}

/// Files whose place is the path that they serve.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileRouteRule {
    /// The directories below which paths begin.
    pub roots: Vec<String>,
    /// The names of the files, without extensions; any file if empty, and then its name is the last part of the path.
    pub files: Vec<String>,
    /// What is in front of the path.
    pub prefix: String,
    /// The methods that exported names serve; that of the default export is `default`.
    pub exports: Vec<(String, String)>,
    /// Dots in the name of the file separate parts of the path.
    pub dotted: bool,
}

/// Definitions that code in other languages implements: the procedures of services. `{}` in a pattern stands for the name of
/// the container, or of the member; `*` for anything.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContractRule {
    /// The kind of its members.
    pub kind: SurfaceKind,
    /// The kinds of the symbols that contain the members.
    pub containers: Vec<String>,
    /// The kinds of the members.
    pub members: Vec<String>,
    /// The separator in the full name of a member: `Container/Member`.
    pub separator: String,
    /// The language families that implement it.
    pub families: Vec<String>,
    /// The names of implementing members.
    pub names: Vec<String>,
    /// The names of types whose members implement it, such as those that a generator makes.
    pub server_types: Vec<String>,
    /// The names of bases of types whose members implement it.
    pub server_bases: Vec<String>,
    /// The names of types whose members call it.
    pub client_types: Vec<String>,
}

/// How a name follows from that of a symbol.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NameStyle {
    /// There is no entry without a name.
    #[default]
    None,
    /// The name itself.
    Same,
    /// In words with hyphens: `ServeFiles` is `serve-files`.
    Kebab,
    /// In words with underscores.
    Snake,
    /// In words with underscores, in the plural.
    PluralSnake,
    /// That of the file.
    File,
}

/// Annotations that register the member they stand at.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AnnotationRules {
    /// The annotations and the methods they stand for; without methods, `method` says them.
    pub methods: Vec<(String, Vec<String>)>,
    /// Annotations of members with a path alone.
    pub paths: Vec<String>,
    /// Annotations of types with a prefix.
    pub prefixes: Vec<String>,
    /// The argument with the path.
    pub path: Vec<Argument>,
    /// The argument with the methods.
    pub method: Vec<Argument>,
    /// Annotations or bases that a type must have; empty if any type will do.
    pub within: Vec<String>,
    /// Parts of paths that stand for the name of the type or member.
    pub tokens: Vec<PathToken>,
    /// The path of public members without an annotation in types with such a base.
    pub convention: Option<Convention>,
}

/// A part of a path that stands for a name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PathToken {
    /// As it is written: `[controller]`.
    pub text: String,
    /// Whether it stands for the type around the member, or for the member.
    pub is_type: bool,
    /// What the name loses at its end.
    pub without_suffix: String,
}

/// Public members of some types are endpoints without an annotation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Convention {
    /// The bases of the types.
    pub bases: Vec<String>,
    /// The path.
    pub path: String,
    /// Annotations of members that are no endpoints.
    pub except: Vec<String>,
}
