//! The parts of framework files that are about resources and descriptions. Their keys are documented where they are used, in
//! `orient_model::ResourceRule` and its neighbours.

use super::framework_rules::{Selector, arguments};
use orient_model::{ActionRule, AnnotatedAction, DescriptionRule, ResourceRule, TextHandlerRule};
use serde::Deserialize;
use std::collections::BTreeMap;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ResourceTable {
    calls: Vec<String>,
    #[serde(default)]
    free: bool,
    name: Vec<Selector>,
    #[serde(default)]
    several: bool,
    #[serde(default)]
    path: Vec<Selector>,
    #[serde(default)]
    parameter: Vec<Selector>,
    #[serde(default)]
    default_parameter: String,
    #[serde(default)]
    parameter_member: Vec<String>,
    #[serde(default)]
    member: String,
    #[serde(default)]
    nested: String,
    #[serde(default)]
    callback: Vec<Selector>,
    #[serde(default)]
    only: Vec<Selector>,
    #[serde(default)]
    except: Vec<Selector>,
    #[serde(default)]
    handler: Vec<Selector>,
    #[serde(default)]
    controller: Vec<Selector>,
    #[serde(default)]
    module: Vec<Selector>,
    #[serde(default)]
    shallow: Vec<Selector>,
    #[serde(default)]
    plural_controller: bool,
    action: Vec<ActionTable>,
    #[serde(default)]
    provided: BTreeMap<String, Vec<String>>,
    methods_member: Option<String>,
    annotated: Option<AnnotatedTable>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ActionTable {
    name: String,
    methods: Vec<String>,
    path: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AnnotatedTable {
    name: String,
    detail: Vec<Selector>,
    methods: Vec<Selector>,
    path: Vec<Selector>,
    #[serde(default)]
    ending: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TextHandlerTable {
    separator: String,
    type_suffix: Option<String>,
    #[serde(default)]
    controller: Vec<Selector>,
    #[serde(default)]
    action: Vec<Selector>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct DescriptionTable {
    marks: Vec<String>,
    root: String,
    #[serde(default)]
    prefix: String,
    methods: Vec<String>,
    #[serde(default)]
    servers: String,
    #[serde(default)]
    server_url: String,
    #[serde(default)]
    reference: String,
    #[serde(default)]
    operation: String,
}

impl ResourceTable {
    pub(super) fn rule(self) -> ResourceRule {
        let action =
            |table: ActionTable| ActionRule { name: table.name, methods: table.methods, path: table.path };
        let annotated = |table: AnnotatedTable| AnnotatedAction {
            name: table.name,
            detail: arguments(table.detail),
            methods: arguments(table.methods),
            path: arguments(table.path),
            ending: table.ending,
        };
        ResourceRule {
            calls: self.calls,
            free: self.free,
            name: arguments(self.name),
            several: self.several,
            path: arguments(self.path),
            parameter: arguments(self.parameter),
            default_parameter: self.default_parameter,
            parameter_member: self.parameter_member,
            member: self.member,
            nested: self.nested,
            callback: arguments(self.callback),
            only: arguments(self.only),
            except: arguments(self.except),
            handler: arguments(self.handler),
            controller: arguments(self.controller),
            module: arguments(self.module),
            shallow: arguments(self.shallow),
            plural_controller: self.plural_controller,
            actions: self.action.into_iter().map(action).collect(),
            provided: self.provided.into_iter().collect(),
            methods_member: self.methods_member,
            annotated: self.annotated.map(annotated),
        }
    }
}

impl TextHandlerTable {
    pub(super) fn rule(self) -> TextHandlerRule {
        TextHandlerRule {
            separator: self.separator,
            type_suffix: self.type_suffix,
            controller: arguments(self.controller),
            action: arguments(self.action),
        }
    }
}

impl DescriptionTable {
    pub(super) fn rule(self) -> DescriptionRule {
        DescriptionRule {
            marks: self.marks,
            root: self.root,
            prefix: self.prefix,
            methods: self.methods,
            servers: self.servers,
            server_url: self.server_url,
            reference: self.reference,
            operation: self.operation,
        }
    }
}
