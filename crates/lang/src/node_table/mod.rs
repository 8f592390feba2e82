//! Node tables: from the node kinds of a grammar to their meaning, compiled from `table.toml` into arrays indexed by kind.
//!
//! Example: a pack writes
//!
//! ```toml
//! [node.function_definition]
//! symbol = "function"
//! name = "declarator"
//!
//! [node."field_declaration>identifier"]
//! expr = "name"
//! ```
//!
//! Say the grammar numbers `function_definition` 196, `field_declaration` 210 and `identifier` 1. The compiled table has
//! `rules = [empty, function rule, name rule]`, `by_kind[196] = 1`, and `by_parent[(210, 1)] = 2` with
//! `has_parent_rule[1] = true`. A node of kind 196 gets rule 1 with one array access; a node of kind 1 looks into the map,
//! and gets rule 2 below a node of kind 210 and the empty rule elsewhere.

mod compile;
mod compiler;
mod node_path;
mod path_syntax;

pub(crate) use compile::compile;
pub(crate) use node_path::NodePath;

use crate::grammar_repair::GrammarGaps;
use crate::item_macros::ItemMacros;
use crate::parse::flat_tree::{NodeId, Token, Tree};
use crate::preprocess::Preprocessor;
use crate::schema::vocabulary::{ExprRole, HeaderWord};
use orient_grammars::Language;
use orient_model::{Modifier, Modifiers, RefKind, ScopeKind, SymbolKind, Via, Visibility};
use rustc_hash::FxHashMap;

/// The compiled node table of a deep language.
#[expect(clippy::struct_excessive_bools, reason = "each is one word in a table")]
pub(crate) struct NodeTable {
    pub(crate) language: Language,
    /// For each kind the index of its rule in `rules`; 0 is the empty rule.
    by_kind: Vec<u16>,
    /// For a kind under one parent: `(parent, kind)` to the index of its rule.
    by_parent: FxHashMap<(u16, u16), u16>,
    /// Kinds that have an entry in `by_parent`.
    has_parent_rule: Vec<bool>,
    rules: Vec<Rule>,
    /// For each kind whether its nodes are kept in the flat tree.
    pub(crate) tokens: Vec<Token>,
    /// The meaning of modifier words in headers of definitions, and of those that differ outside of types.
    pub(crate) modifier_words: FxHashMap<Vec<u8>, HeaderWord>,
    pub(crate) top_level_modifier_words: FxHashMap<Vec<u8>, HeaderWord>,
    pub(crate) calls: FxHashMap<String, CallRule>,
    pub(crate) self_names: Vec<String>,
    pub(crate) super_names: Vec<String>,
    /// Methods that create an instance of the type they are called on.
    pub(crate) factory_methods: Vec<String>,
    /// Whether a name without a binding may be a call.
    pub(crate) has_bare_calls: bool,
    /// Whether some entries of `calls` are qualified names.
    pub(crate) has_dotted_calls: bool,
    pub(crate) first_param_is_self: bool,
    pub(crate) binds_after_value: bool,
    pub(crate) documented_types: bool,
    pub(crate) narrowing: Option<NarrowingWords>,
    pub(crate) calls_return_decorators: bool,
    pub(crate) project_wide_imports: bool,
    pub(crate) variadic_is_list: bool,
    pub(crate) self_assignment_declares_field: bool,
    pub(crate) implicit_return: bool,
    /// The prefix of a name that is looked up at the top level only; it stays part of the name.
    pub(crate) global_prefix: String,
    pub(crate) variadic_token: String,
    pub(crate) docstrings: bool,
    pub(crate) trailing_docs: bool,
    pub(crate) constructors: Vec<String>,
    pub(crate) constructor_named_as_type: bool,
    /// The modifiers that attributes imply, by the last part of the attribute's name.
    pub(crate) attribute_modifiers: FxHashMap<String, HeaderWord>,
    pub(crate) sigil: Option<String>,
    pub(crate) variable_prefix: Option<String>,
    pub(crate) import_binds_first: bool,
    pub(crate) component_types: Vec<String>,
    pub(crate) default_visibility: Visibility,
    pub(crate) default_member_visibility: Visibility,
    pub(crate) public_member_kinds: Vec<SymbolKind>,
    pub(crate) export_objects: Vec<String>,
    /// Whether documentation is written in XML tags.
    pub(crate) xml_docs: bool,
    /// Rewrites the source before it is parsed.
    pub(crate) preprocessor: Option<Preprocessor>,
    pub(crate) unexported_is_private: bool,
    pub(crate) grammar_gaps: GrammarGaps,
    /// Macro calls around items.
    pub(crate) item_macros: Option<ItemMacros>,
    /// The word before the name of a function among unparsed tokens.
    pub(crate) token_functions: Option<String>,
    /// Prefixes of comments that document the enclosing definition.
    pub(crate) inner_doc_prefixes: Vec<String>,
    /// Whether any kind continues the statement before it.
    pub(crate) has_continuations: bool,
    /// Whether any kind has unparsed tokens.
    pub(crate) has_tokens: bool,
    /// Whether any kind rebinds an existing name.
    pub(crate) rebinds: bool,
    /// Attributes whose arguments are interfaces that the symbol implements.
    pub(crate) derive_attributes: Vec<String>,
    /// For each kind how it adds to the complexity of a function; empty if the table does not say.
    pub(crate) flow_breaks: Vec<Option<FlowBreak>>,
    /// How a case begins that is taken if no other is.
    pub(crate) default_cases: Vec<Vec<u8>>,
}

/// How a node kind adds to the complexity of a function. `schema::node_table::ComplexitySpec` documents the cases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FlowBreak {
    Branch,
    FurtherBranch,
    Switch,
    Case,
    Otherwise,
    Operator,
}

impl NodeTable {
    /// The rule for a node.
    pub(crate) fn rule(&self, tree: &Tree<'_>, id: NodeId) -> &Rule {
        let node = tree.node(id);
        let kind = node.kind as usize;
        if self.has_parent_rule.get(kind).copied().unwrap_or(false)
            && let Some(parent) = tree.get(node.parent)
            && let Some(&rule) = self.by_parent.get(&(parent.kind, node.kind))
        {
            return &self.rules[rule as usize];
        }
        &self.rules[self.by_kind.get(kind).copied().unwrap_or(0) as usize]
    }
}

/// The meaning of a node kind, compiled. `schema::node_table::NodeSpec` documents the fields.
#[derive(Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "a node may be several things at once; each is one word in a table"
)]
pub(crate) struct Rule {
    pub(crate) symbol: Option<SymbolKind>,
    pub(crate) declare: Option<SymbolKind>,
    pub(crate) member_kind: Option<SymbolKind>,
    pub(crate) local_kind: Option<SymbolKind>,
    pub(crate) callable_kind: Option<SymbolKind>,
    pub(crate) most_vexing_parse: bool,
    pub(crate) positional_fields: bool,
    pub(crate) suffix_types: Vec<(Vec<u8>, String)>,
    pub(crate) fraction_types: Vec<(Vec<u8>, String)>,
    pub(crate) spreads_list: bool,
    /// Kinds chosen by a word that the node contains, and by a part of it: `kinds` of the table.
    pub(crate) kinds: Vec<(Vec<u8>, SymbolKind)>,
    pub(crate) kinds_by_part: Vec<(NodePath, SymbolKind)>,
    pub(crate) constant_words: Vec<Vec<u8>>,
    pub(crate) modifiers: Modifiers,
    pub(crate) visibility: Option<Visibility>,
    pub(crate) fixed_name: Option<String>,
    pub(crate) passes_functions_to: Option<String>,
    pub(crate) rebind: bool,
    pub(crate) hoist: bool,
    pub(crate) inner_name: bool,
    pub(crate) only_in_type: bool,
    pub(crate) only_if_capitalised: bool,
    pub(crate) only_with_words: Vec<Vec<u8>>,
    pub(crate) only_if_function: bool,
    pub(crate) needs_body: bool,
    pub(crate) parameter_property: Option<(SymbolKind, Vec<Vec<u8>>)>,
    pub(crate) parameter_property_direct: bool,
    pub(crate) name: NodePath,
    pub(crate) qualifier: NodePath,
    pub(crate) params: NodePath,
    pub(crate) receiver_params: NodePath,
    pub(crate) returns: NodePath,
    pub(crate) body: NodePath,
    pub(crate) ty: NodePath,
    pub(crate) value: NodePath,
    pub(crate) callee: NodePath,
    pub(crate) base: NodePath,
    pub(crate) args: NodePath,
    pub(crate) type_args: NodePath,
    pub(crate) alias: NodePath,
    pub(crate) module: NodePath,
    pub(crate) wildcard: NodePath,
    pub(crate) side_effect: NodePath,
    pub(crate) inner_declarator: NodePath,
    pub(crate) extends: NodePath,
    pub(crate) implements: NodePath,
    pub(crate) mixins: NodePath,
    pub(crate) variadic: bool,
    pub(crate) variadic_words: Vec<Vec<u8>>,
    pub(crate) default_name: Option<String>,
    pub(crate) named_after: NodePath,
    pub(crate) label: NodePath,
    pub(crate) implicit_param: Option<String>,
    pub(crate) returns_last_expression: bool,
    pub(crate) modifiers_if_qualified: Modifiers,
    pub(crate) param: bool,
    pub(crate) optional: bool,
    pub(crate) type_param: bool,
    pub(crate) type_bounds: bool,
    pub(crate) receiver: bool,
    pub(crate) bind: Option<Via>,
    pub(crate) assign: bool,
    pub(crate) assigns_existing: bool,
    pub(crate) returned: bool,
    pub(crate) yielded: bool,
    pub(crate) outer_names: bool,
    pub(crate) import: Option<ImportRole>,
    pub(crate) reexport: bool,
    pub(crate) export: Option<ExportRole>,
    pub(crate) package: bool,
    pub(crate) comment: bool,
    pub(crate) attribute: bool,
    pub(crate) attribute_if_has: NodePath,
    pub(crate) continues_previous: bool,
    pub(crate) holds_modifiers: bool,
    pub(crate) wrapper: bool,
    pub(crate) group: NodePath,
    pub(crate) scope: Option<ScopeKind>,
    pub(crate) expr: Option<ExprRole>,
    pub(crate) roles: Vec<(u16, ExprRole)>,
    pub(crate) reference: Option<RefKind>,
    pub(crate) type_context: bool,
    pub(crate) value_context: bool,
    pub(crate) markup: bool,
    pub(crate) element_attribute: bool,
    /// Names of attributes, each with the mark before the selectors that it lists.
    pub(crate) selector_attributes: Vec<(String, char)>,
    pub(crate) not_a_reference: bool,
    pub(crate) access_specifier: bool,
    pub(crate) pattern: bool,
    pub(crate) unparsed_tokens: bool,
    pub(crate) skip: bool,
    pub(crate) qualifies_type: bool,
    pub(crate) name_starts: NodePath,
    pub(crate) name_ends: NodePath,
    pub(crate) parameters_declare: Option<SymbolKind>,
    pub(crate) first_param_modifiers: Vec<(Vec<u8>, Modifier)>,
    pub(crate) empty_texts: Vec<Vec<u8>>,
    pub(crate) true_conditions: Vec<Vec<u8>>,
    pub(crate) condition: NodePath,
    pub(crate) otherwise: NodePath,
    pub(crate) narrowed: NodePath,
    pub(crate) subject: NodePath,
    pub(crate) cases: NodePath,
    pub(crate) is_path: bool,
    pub(crate) narrows: bool,
    pub(crate) assignment_target: Option<Target>,
    pub(crate) bare_call: bool,
    pub(crate) trailing_argument: NodePath,
    pub(crate) member_modifiers: Modifiers,
    pub(crate) not_an_item: bool,
}

/// How a condition tests the types of variables.
#[derive(Default)]
pub(crate) struct NarrowingWords {
    pub(crate) tests: Vec<Vec<u8>>,
    pub(crate) test_functions: Vec<Vec<u8>>,
    pub(crate) membership: Vec<Vec<u8>>,
    pub(crate) equal: Vec<Vec<u8>>,
    pub(crate) unequal: Vec<Vec<u8>>,
    pub(crate) type_of: Vec<Vec<u8>>,
    pub(crate) type_names: Vec<Vec<u8>>,
    pub(crate) guards: bool,
    pub(crate) not: Vec<Vec<u8>>,
    pub(crate) and: Vec<Vec<u8>>,
    pub(crate) or: Vec<Vec<u8>>,
    pub(crate) assertions: Vec<Vec<u8>>,
    pub(crate) denials: Vec<Vec<u8>>,
    pub(crate) type_assertions: Vec<Vec<u8>>,
    /// The kinds of nodes that what follows is not reached from.
    pub(crate) exits: Vec<u16>,
}

/// What an assignment to a name declares, if the spelling of the name decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// A variable of the function.
    Local,
    /// A field of the receiver.
    Member,
    /// A symbol of this kind in the current container.
    Here(SymbolKind),
    /// A symbol of this kind at the top level.
    Global(SymbolKind),
}

impl Rule {
    /// The role of a node in expressions; one of its tokens may decide.
    pub(crate) fn role(&self, tree: &Tree<'_>, id: NodeId) -> Option<ExprRole> {
        if self.roles.is_empty() {
            return self.expr;
        }
        let decided = tree.children(id).find_map(|child| {
            let kind = tree.node(child).kind;
            self.roles.iter().find(|(token, _)| *token == kind).map(|(_, role)| *role)
        });
        decided.or(self.expr)
    }
}

/// The role of a node in an import statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ImportRole {
    /// The statement; by itself it imports its `module`.
    Statement,
    /// The statement; by itself it binds no name.
    Effect,
    /// Items below a common prefix.
    Group,
    /// One item.
    Item,
    /// A module as a whole.
    Module,
    /// All items.
    Wildcard,
    /// The default item.
    Default,
}

/// The role of a node in an export statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ExportRole {
    /// The statement.
    Statement,
    /// One `name as public`.
    Item,
}

/// What a call of a bare name declares.
#[derive(Clone, Copy, Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "a call may declare several things at once; each is one word in a table"
)]
pub(crate) struct CallRule {
    pub(crate) import: Option<CallImport>,
    pub(crate) define: Option<SymbolKind>,
    pub(crate) first_argument_only: bool,
    pub(crate) mixes_in: bool,
    pub(crate) sets_visibility: Option<Visibility>,
    pub(crate) keyword: bool,
    pub(crate) test: bool,
    pub(crate) suite: bool,
    pub(crate) returns_its_function: bool,
    pub(crate) component: bool,
    pub(crate) modifiers: Modifiers,
    pub(crate) only_in_type: bool,
    pub(crate) relative_to_file: bool,
    pub(crate) creates_type: Option<SymbolKind>,
    pub(crate) inherits_arguments: bool,
}

/// How a call imports a module.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum CallImport {
    Effect,
    Value,
    /// The first argument is the name, the second the module.
    Named,
}
