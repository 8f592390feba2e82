//! The files in `frameworks/` of a pack: the rules of one framework each. Their keys are documented where they are used, in
//! `orient_model::Framework`.

use super::resource_rules::{DescriptionTable, ResourceTable, TextHandlerTable};
use orient_model::{
    AnnotationRules, Argument, ChainRule, ContractRule, Convention, EntryRule, FileRouteRule, Framework,
    GroupRule, ImplicitUseRule, IncludeRule, LoadedModuleRule, MethodSource, MountRule, NameStyle, PathToken,
    ResourcePart, RouteRule, RouterRule, SurfaceKind, SurfaceRole, ViewRule,
};
use serde::Deserialize;
use std::collections::BTreeMap;

/// Reads the file of a framework.
pub(crate) fn read(bytes: &[u8]) -> Result<Framework, String> {
    let file: FrameworkFile = orient_binary_toml::decode(bytes).map_err(|error| error.to_string())?;
    file.framework()
}

/// The file of a framework.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FrameworkFile {
    name: String,
    title: String,
    modules: Vec<String>,
    #[serde(default)]
    ambient: bool,
    #[serde(default)]
    ambient_in: Vec<String>,
    #[serde(default)]
    files: Vec<String>,
    #[serde(default)]
    file_prefixes: BTreeMap<String, String>,
    #[serde(default)]
    router: Vec<RouterTable>,
    #[serde(default)]
    value: Vec<ValueTable>,
    #[serde(default)]
    route: Vec<RouteTable>,
    #[serde(default)]
    group: Vec<GroupTable>,
    #[serde(default)]
    mount: Vec<MountTable>,
    #[serde(default)]
    resource: Vec<ResourceTable>,
    text_handlers: Option<TextHandlerTable>,
    #[serde(default)]
    global_prefixes: Vec<String>,
    annotations: Option<AnnotationTable>,
    #[serde(default)]
    entry: Vec<EntryTable>,
    #[serde(default)]
    contract: Vec<ContractTable>,
    #[serde(default)]
    file_route: Vec<FileRouteTable>,
    #[serde(default)]
    description: Vec<DescriptionTable>,
    #[serde(default)]
    view: Vec<ViewTable>,
    chain: Option<ChainTable>,
    #[serde(default)]
    loaded_module: Vec<LoadedModuleTable>,
    #[serde(default)]
    implicit_use: Vec<ImplicitUseTable>,
}

/// An argument: its position or its name.
#[derive(Deserialize)]
#[serde(untagged)]
pub(super) enum Selector {
    Position(i32),
    Named(String),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RouterTable {
    #[serde(default)]
    functions: Vec<String>,
    #[serde(default)]
    types: Vec<String>,
    #[serde(default)]
    prefix: Vec<Selector>,
    #[serde(default)]
    app: bool,
}

/// A value that has the `methods` of entries. It is followed like a router.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ValueTable {
    #[serde(default)]
    functions: Vec<String>,
    #[serde(default)]
    types: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(clippy::struct_excessive_bools, reason = "the keys of a rule")]
struct EntryTable {
    kind: String,
    role: String,
    #[serde(default)]
    functions: Vec<String>,
    #[serde(default)]
    methods: Vec<String>,
    #[serde(default)]
    any_receiver: bool,
    #[serde(default)]
    maps: Vec<String>,
    #[serde(default)]
    attributes: Vec<String>,
    #[serde(default)]
    bases: Vec<String>,
    #[serde(default)]
    symbols: Vec<String>,
    #[serde(default)]
    objects: bool,
    #[serde(default)]
    anywhere: bool,
    #[serde(default)]
    name: Vec<Selector>,
    #[serde(default)]
    first_word: bool,
    #[serde(default)]
    statements: Vec<String>,
    #[serde(default)]
    name_member: Vec<String>,
    #[serde(default)]
    derived: StyleWord,
    #[serde(default)]
    members: bool,
    #[serde(default)]
    handler: Vec<Selector>,
    #[serde(default)]
    handler_members: Vec<String>,
    #[serde(default)]
    handler_chained: Vec<String>,
    #[serde(default)]
    name_chained: Vec<String>,
    #[serde(default)]
    factory: bool,
    #[serde(default)]
    handlers: Vec<Selector>,
    #[serde(default)]
    method: Vec<Selector>,
    #[serde(default)]
    templates: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ViewTable {
    root: String,
    type_suffix: String,
    #[serde(default)]
    snake: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ChainTable {
    joins: Vec<String>,
    alternatives: Vec<String>,
    ends: Vec<String>,
    paths: Vec<String>,
    #[serde(default)]
    parameters: Vec<String>,
    #[serde(default)]
    path_ends: Vec<String>,
    methods: Vec<String>,
    roots: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LoadedModuleTable {
    #[serde(default)]
    variables: Vec<String>,
    #[serde(default)]
    calls: Vec<String>,
    #[serde(default)]
    module: Vec<Selector>,
    #[serde(default)]
    key: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ImplicitUseTable {
    #[serde(default)]
    files: Vec<String>,
    #[serde(default)]
    names: Vec<String>,
    #[serde(default)]
    except: Vec<String>,
    #[serde(default)]
    kinds: Vec<String>,
    #[serde(default)]
    returns: Vec<String>,
    #[serde(default)]
    upper_case: bool,
    #[serde(default)]
    named_by_directory: bool,
    why: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileRouteTable {
    roots: Vec<String>,
    #[serde(default)]
    files: Vec<String>,
    #[serde(default)]
    prefix: String,
    exports: BTreeMap<String, String>,
    #[serde(default)]
    dotted: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ContractTable {
    kind: String,
    containers: Vec<String>,
    members: Vec<String>,
    separator: String,
    families: Vec<String>,
    names: Vec<String>,
    #[serde(default)]
    server_types: Vec<String>,
    #[serde(default)]
    server_bases: Vec<String>,
    #[serde(default)]
    client_types: Vec<String>,
}

#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
enum StyleWord {
    #[default]
    None,
    Same,
    Kebab,
    Snake,
    PluralSnake,
    File,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RouteTable {
    calls: Vec<String>,
    #[serde(default)]
    free: bool,
    #[serde(default)]
    method: MethodWord,
    #[serde(default)]
    methods: Vec<String>,
    #[serde(default)]
    method_argument: Vec<Selector>,
    #[serde(default)]
    method_chained: Vec<String>,
    #[serde(default)]
    path: Vec<Selector>,
    #[serde(default)]
    handler: Vec<Selector>,
    include: Option<IncludeTable>,
    #[serde(default)]
    definition: Vec<Selector>,
    #[serde(default)]
    regex: bool,
    #[serde(default)]
    pair: bool,
    #[serde(default)]
    on: Vec<Selector>,
}

/// Where the method is said, if neither `methods` nor `method_argument` says it.
#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
enum MethodWord {
    #[default]
    Name,
    Handler,
    Pattern,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct IncludeTable {
    function: String,
    variable: String,
    #[serde(default)]
    members: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(clippy::struct_excessive_bools, reason = "the keys of a rule")]
struct GroupTable {
    calls: Vec<String>,
    #[serde(default)]
    path: Vec<Selector>,
    #[serde(default)]
    callback: Vec<Selector>,
    #[serde(default)]
    free: bool,
    #[serde(default)]
    whole_path: bool,
    #[serde(default)]
    lexical: bool,
    #[serde(default)]
    module: Vec<Selector>,
    #[serde(default)]
    controller: Vec<Selector>,
    part: Option<PartWord>,
    #[serde(default)]
    elsewhere: bool,
}

/// A part of a resource.
#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum PartWord {
    Collection,
    Member,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MountTable {
    calls: Vec<String>,
    router: Vec<Selector>,
    #[serde(default)]
    path: Vec<Selector>,
    #[serde(default)]
    replaces_prefix: bool,
    #[serde(default)]
    plugin: bool,
    #[serde(default)]
    lists: Vec<String>,
    #[serde(default)]
    directory: Vec<Selector>,
    #[serde(default)]
    flat: Vec<Selector>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AnnotationTable {
    methods: BTreeMap<String, Vec<String>>,
    #[serde(default)]
    paths: Vec<String>,
    #[serde(default)]
    prefixes: Vec<String>,
    path: Vec<Selector>,
    #[serde(default)]
    method: Vec<Selector>,
    #[serde(default)]
    within: Vec<String>,
    #[serde(default)]
    token: Vec<TokenTable>,
    convention: Option<ConventionTable>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TokenTable {
    text: String,
    is: Named,
    #[serde(default)]
    without_suffix: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Named {
    Type,
    Member,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ConventionTable {
    bases: Vec<String>,
    path: String,
    #[serde(default)]
    except: Vec<String>,
}

impl FrameworkFile {
    fn framework(self) -> Result<Framework, String> {
        let values = self.value.into_iter().map(|value| RouterRule {
            functions: value.functions,
            types: value.types,
            app: true,
            ..RouterRule::default()
        });
        let routers = self.router.into_iter().map(RouterTable::rule).chain(values).collect();
        Ok(Framework {
            name: self.name,
            title: self.title,
            modules: self.modules,
            ambient: self.ambient,
            ambient_in: self.ambient_in,
            files: self.files,
            file_prefixes: self.file_prefixes.into_iter().collect(),
            routers,
            routes: self.route.into_iter().map(RouteTable::rule).collect(),
            groups: self.group.into_iter().map(GroupTable::rule).collect(),
            mounts: self.mount.into_iter().map(MountTable::rule).collect(),
            resources: self.resource.into_iter().map(ResourceTable::rule).collect(),
            text_handlers: self.text_handlers.map(TextHandlerTable::rule),
            global_prefixes: self.global_prefixes,
            annotations: self.annotations.map(AnnotationTable::rules),
            entries: self.entry.into_iter().map(EntryTable::rule).collect::<Result<_, _>>()?,
            file_routes: self
                .file_route
                .into_iter()
                .map(|table| FileRouteRule {
                    roots: table.roots,
                    files: table.files,
                    prefix: table.prefix,
                    exports: table.exports.into_iter().collect(),
                    dotted: table.dotted,
                })
                .collect(),
            descriptions: self.description.into_iter().map(DescriptionTable::rule).collect(),
            views: self.view.into_iter().map(ViewTable::rule).collect(),
            chain: self.chain.map(ChainTable::rule),
            loaded_modules: self.loaded_module.into_iter().map(LoadedModuleTable::rule).collect(),
            implicit_uses: self
                .implicit_use
                .into_iter()
                .map(ImplicitUseTable::rule)
                .collect::<Result<_, _>>()?,
            contracts: self.contract.into_iter().map(ContractTable::rule).collect::<Result<_, _>>()?,
        })
    }
}

impl ChainTable {
    fn rule(self) -> ChainRule {
        ChainRule {
            joins: self.joins,
            alternatives: self.alternatives,
            ends: self.ends,
            paths: self.paths,
            parameters: self.parameters,
            path_ends: self.path_ends,
            methods: self.methods,
            roots: self.roots,
        }
    }
}

impl LoadedModuleTable {
    fn rule(self) -> LoadedModuleRule {
        LoadedModuleRule {
            variables: self.variables,
            calls: self.calls,
            module: arguments(self.module),
            key: self.key,
        }
    }
}

impl ImplicitUseTable {
    fn rule(self) -> Result<ImplicitUseRule, String> {
        let kind = |word: &String| word.parse().map_err(|()| format!("`{word}` is no kind of symbol"));
        Ok(ImplicitUseRule {
            kinds: self.kinds.iter().map(kind).collect::<Result<_, _>>()?,
            files: self.files,
            names: self.names,
            except: self.except,
            returns: self.returns,
            upper_case: self.upper_case,
            named_by_directory: self.named_by_directory,
            why: self.why,
        })
    }
}

impl ViewTable {
    fn rule(self) -> ViewRule {
        ViewRule { root: self.root, type_suffix: self.type_suffix, snake: self.snake }
    }
}

fn surface_kind(word: &str) -> Result<SurfaceKind, String> {
    word.parse().map_err(|()| {
        let known: Vec<&str> = SurfaceKind::ALL.iter().map(|kind| kind.as_str()).collect();
        format!("`{word}` is no kind of entry; the kinds are {}", known.join(", "))
    })
}

fn surface_role(word: &str) -> Result<SurfaceRole, String> {
    word.parse().map_err(|()| {
        let known: Vec<&str> = SurfaceRole::ALL.iter().map(|role| role.as_str()).collect();
        format!("`{word}` is no role; the roles are {}", known.join(", "))
    })
}

impl ContractTable {
    fn rule(self) -> Result<ContractRule, String> {
        Ok(ContractRule {
            kind: surface_kind(&self.kind)?,
            containers: self.containers,
            members: self.members,
            separator: self.separator,
            families: self.families,
            names: self.names,
            server_types: self.server_types,
            server_bases: self.server_bases,
            client_types: self.client_types,
        })
    }
}

impl EntryTable {
    fn rule(self) -> Result<EntryRule, String> {
        let kind = surface_kind(&self.kind)?;
        let role = surface_role(&self.role)?;
        Ok(EntryRule {
            kind,
            role,
            functions: self.functions,
            methods: self.methods,
            any_receiver: self.any_receiver,
            maps: self.maps,
            attributes: self.attributes,
            bases: self.bases,
            symbols: self.symbols,
            objects: self.objects,
            anywhere: self.anywhere,
            name: arguments(self.name),
            first_word: self.first_word,
            statements: self.statements,
            name_member: self.name_member,
            derived: match self.derived {
                StyleWord::None => NameStyle::None,
                StyleWord::Same => NameStyle::Same,
                StyleWord::Kebab => NameStyle::Kebab,
                StyleWord::Snake => NameStyle::Snake,
                StyleWord::PluralSnake => NameStyle::PluralSnake,
                StyleWord::File => NameStyle::File,
            },
            members: self.members,
            handler: arguments(self.handler),
            handler_members: self.handler_members,
            handler_chained: self.handler_chained,
            name_chained: self.name_chained,
            factory: self.factory,
            handlers: arguments(self.handlers),
            method: arguments(self.method),
            templates: self.templates,
        })
    }
}

pub(super) fn arguments(selectors: Vec<Selector>) -> Vec<Argument> {
    let argument = |selector| match selector {
        Selector::Position(at) => Argument::Position(at),
        // `<0>` is the first type argument.
        Selector::Named(name) => match name.strip_prefix('<').and_then(|rest| rest.strip_suffix('>')) {
            Some(at) => at.parse().map_or_else(|_| Argument::Named(name.clone()), Argument::Type),
            None => Argument::Named(name),
        },
    };
    selectors.into_iter().map(argument).collect()
}

impl RouterTable {
    fn rule(self) -> RouterRule {
        let prefix = arguments(self.prefix);
        RouterRule { functions: self.functions, types: self.types, prefix, app: self.app }
    }
}

impl RouteTable {
    fn rule(self) -> RouteRule {
        let method = match self.method {
            _ if !self.method_argument.is_empty() => {
                MethodSource::Argument(arguments(self.method_argument), self.methods)
            }
            _ if !self.methods.is_empty() => MethodSource::Fixed(self.methods),
            MethodWord::Name => MethodSource::Name,
            MethodWord::Handler => MethodSource::Handler,
            MethodWord::Pattern => MethodSource::Pattern,
        };
        let include = self.include.map(|IncludeTable { function, variable, members }| IncludeRule {
            function,
            variable,
            members,
        });
        RouteRule {
            calls: self.calls,
            free: self.free,
            method,
            method_chained: self.method_chained,
            path: arguments(self.path),
            regex: self.regex,
            handler: arguments(self.handler),
            include,
            definition: arguments(self.definition),
            pair: self.pair,
            on: arguments(self.on),
        }
    }
}

impl GroupTable {
    fn rule(self) -> GroupRule {
        let (path, callback) = (arguments(self.path), arguments(self.callback));
        GroupRule {
            calls: self.calls,
            path,
            callback,
            free: self.free,
            whole_path: self.whole_path,
            lexical: self.lexical,
            module: arguments(self.module),
            controller: arguments(self.controller),
            part: self.part.map(|part| match part {
                PartWord::Collection => ResourcePart::Collection,
                PartWord::Member => ResourcePart::Member,
            }),
            elsewhere: self.elsewhere,
        }
    }
}

impl MountTable {
    fn rule(self) -> MountRule {
        MountRule {
            calls: self.calls,
            router: arguments(self.router),
            path: arguments(self.path),
            replaces_prefix: self.replaces_prefix,
            plugin: self.plugin,
            lists: self.lists,
            directory: arguments(self.directory),
            flat: arguments(self.flat),
        }
    }
}

impl AnnotationTable {
    fn rules(self) -> AnnotationRules {
        let token = |table: TokenTable| PathToken {
            text: table.text,
            is_type: matches!(table.is, Named::Type),
            without_suffix: table.without_suffix,
        };
        let convention = |table: ConventionTable| Convention {
            bases: table.bases,
            path: table.path,
            except: table.except,
        };
        AnnotationRules {
            methods: self.methods.into_iter().collect(),
            paths: self.paths,
            prefixes: self.prefixes,
            path: arguments(self.path),
            method: arguments(self.method),
            within: self.within,
            tokens: self.token.into_iter().map(token).collect(),
            convention: self.convention.map(convention),
        }
    }
}
