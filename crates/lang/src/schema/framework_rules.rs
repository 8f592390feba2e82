//! The files in `frameworks/` of a pack: the rules of one framework each. Their keys are documented where they are used, in
//! `orient_model::Framework`.

use orient_model::{
    AnnotationRules, Argument, Convention, Framework, GroupRule, IncludeRule, MethodSource, MountRule,
    PathToken, RouteRule, RouterRule,
};
use serde::Deserialize;
use std::collections::BTreeMap;

/// Parses the file of a framework.
pub(crate) fn parse(text: &str) -> Result<Framework, String> {
    let file: FrameworkFile = toml::from_str(text).map_err(|error| error.to_string())?;
    Ok(file.framework())
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
    router: Vec<RouterTable>,
    #[serde(default)]
    route: Vec<RouteTable>,
    #[serde(default)]
    group: Vec<GroupTable>,
    #[serde(default)]
    mount: Vec<MountTable>,
    #[serde(default)]
    global_prefixes: Vec<String>,
    annotations: Option<AnnotationTable>,
}

/// An argument: its position or its name.
#[derive(Deserialize)]
#[serde(untagged)]
enum Selector {
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
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
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
    fn framework(self) -> Framework {
        Framework {
            name: self.name,
            title: self.title,
            modules: self.modules,
            ambient: self.ambient,
            routers: self.router.into_iter().map(RouterTable::rule).collect(),
            routes: self.route.into_iter().map(RouteTable::rule).collect(),
            groups: self.group.into_iter().map(GroupTable::rule).collect(),
            mounts: self.mount.into_iter().map(MountTable::rule).collect(),
            global_prefixes: self.global_prefixes,
            annotations: self.annotations.map(AnnotationTable::rules),
        }
    }
}

fn arguments(selectors: Vec<Selector>) -> Vec<Argument> {
    let argument = |selector| match selector {
        Selector::Position(at) => Argument::Position(at),
        Selector::Named(name) => Argument::Named(name),
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
        let include =
            self.include.map(|table| IncludeRule { function: table.function, variable: table.variable });
        RouteRule {
            calls: self.calls,
            free: self.free,
            method,
            method_chained: self.method_chained,
            path: arguments(self.path),
            handler: arguments(self.handler),
            include,
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
