//! `table.toml` as written: what each node kind of a grammar is. Checked here only for its shape.

use crate::grammar_repair::MendSpec;
use crate::preprocess::BlankSpec;
use serde::Deserialize;
use std::collections::BTreeMap;

/// The whole file.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[expect(clippy::struct_excessive_bools, reason = "each is one word in a table")]
pub(crate) struct TableSpec {
    /// Words of headers that mean something else here: `word = "modifier"`.
    pub(crate) words: BTreeMap<String, String>,
    /// Words of headers that mean something else outside of types: `static = "private"`.
    pub(crate) outer_words: BTreeMap<String, String>,
    /// Node kinds, or `parent>kind` for a kind that differs under one parent.
    pub(crate) node: BTreeMap<String, NodeSpec>,
    /// Gaps of the grammar that can be bridged.
    pub(crate) mend: Vec<MendSpec>,
    /// Words that are never names: where the grammar takes one for a name, it has lost its way.
    pub(crate) never_names: Vec<String>,
    /// Calls of bare names that declare something: `require`, `include`, `describe`.
    pub(crate) call: BTreeMap<String, CallSpec>,
    /// Names that mean the receiver, or the receiver seen as its base, where the grammar has no kind for them.
    pub(crate) self_names: Vec<String>,
    pub(crate) super_names: Vec<String>,
    /// Methods that make an instance of the type they are called on: `new`.
    pub(crate) makers: Vec<String>,
    /// Whether the first parameter of a method is the receiver.
    pub(crate) first_param_is_self: bool,
    /// Whether assigning to a member of the receiver declares a field.
    pub(crate) self_assign_declares: Option<bool>,
    /// Whether the last expression of a body is its value.
    pub(crate) implicit_return: bool,
    /// What stands before a name that is looked for at the top alone: `::`.
    pub(crate) root: String,
    /// Whether documentation is the first string of the body.
    pub(crate) docstrings: bool,
    /// Whether documentation may also stand behind the definition on the same line.
    pub(crate) trailing_docs: bool,
    /// Names of methods that are constructors.
    pub(crate) constructors: Vec<String>,
    /// A method with the name of its type is a constructor.
    pub(crate) constructor_named_as_type: bool,
    /// What an attribute says of the symbol it stands on, by the last part of its name: `override = "override"`.
    pub(crate) attributes: BTreeMap<String, String>,
    /// A mark of variables: part of the name as it is used, not of what it is called.
    pub(crate) variable_mark: Option<String>,
    /// A mark in front of names that is not part of them.
    pub(crate) sigil: Option<String>,
    /// Which part of a module path an import binds: `first` or `last`.
    pub(crate) import_binds: Option<String>,
    /// Types whose values are user-interface components.
    pub(crate) component_types: Vec<String>,
    /// Visibility of a symbol that does not say: at file level, and in types.
    pub(crate) visibility: Option<String>,
    pub(crate) member_visibility: Option<String>,
    /// Types whose members are visible to all without saying so, by their kind.
    pub(crate) open_kinds: Vec<String>,
    /// Unnamed tokens that carry meaning although they are not words: `*`, `...`.
    pub(crate) keep: Vec<String>,
    /// Whether documentation is written in tags: `<summary>`.
    pub(crate) xml_docs: bool,
    /// What is taken out of the text before it is parsed.
    pub(crate) blank: Option<BlankSpec>,
    /// Objects whose members are what the file gives to others: `exports`.
    pub(crate) export_targets: Vec<String>,
    /// Whether exports alone say what other files see: in a file that imports or exports, the rest is private.
    pub(crate) exports_decide: bool,
    /// What comments begin with that document what is around them: `//!`.
    pub(crate) inner_docs: Vec<String>,
    /// Attributes whose arguments are what the symbol implements: `derive`.
    pub(crate) derives: Vec<String>,
}

/// What one node kind is. A node may be several things at once: a symbol, a scope, an expression.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "a node may be several things at once; each is one word in a table"
)]
pub(crate) struct NodeSpec {
    // What it defines.
    pub(crate) symbol: Option<String>,
    pub(crate) declare: Option<String>,
    pub(crate) member: Option<String>,
    pub(crate) local: Option<String>,
    pub(crate) callable: Option<String>,
    /// Whether what looks like a function declared inside another is a value if its parameters could be values.
    pub(crate) vexing: bool,
    pub(crate) kinds: BTreeMap<String, String>,
    pub(crate) constant: Vec<String>,
    pub(crate) adds: Vec<String>,
    pub(crate) visibility: Option<String>,
    pub(crate) name_text: Option<String>,
    pub(crate) rebind: bool,
    pub(crate) hoist: bool,
    pub(crate) inner_name: bool,
    pub(crate) if_member: bool,
    pub(crate) if_capital: bool,
    pub(crate) if_words: Vec<String>,
    pub(crate) if_function: bool,
    pub(crate) needs_body: bool,
    pub(crate) promote: Option<PromoteSpec>,
    // Where its parts are.
    pub(crate) name: Option<String>,
    pub(crate) qualifier: Option<String>,
    pub(crate) params: Option<String>,
    pub(crate) owner: Option<String>,
    pub(crate) returns: Option<String>,
    pub(crate) body: Option<String>,
    #[serde(rename = "type")]
    pub(crate) ty: Option<String>,
    pub(crate) value: Option<String>,
    pub(crate) callee: Option<String>,
    pub(crate) base: Option<String>,
    pub(crate) args: Option<String>,
    pub(crate) type_args: Option<String>,
    pub(crate) alias: Option<String>,
    pub(crate) module: Option<String>,
    pub(crate) wildcard: Option<String>,
    pub(crate) effect: Option<String>,
    pub(crate) unwrap: Option<String>,
    pub(crate) extends: Option<String>,
    pub(crate) implements: Option<String>,
    pub(crate) mixes: Option<String>,
    pub(crate) variadic: bool,
    pub(crate) variadic_words: Vec<String>,
    pub(crate) default_name: Option<String>,
    pub(crate) label: Option<String>,
    pub(crate) implicit_param: Option<String>,
    pub(crate) returns_last: bool,
    pub(crate) qualified: Vec<String>,
    // What else it is.
    pub(crate) param: bool,
    pub(crate) optional: bool,
    pub(crate) type_param: bool,
    pub(crate) bounds: bool,
    pub(crate) receiver: bool,
    pub(crate) bind: Option<String>,
    pub(crate) assign: bool,
    pub(crate) overwrites: bool,
    #[serde(rename = "return")]
    pub(crate) returned: bool,
    #[serde(rename = "yield")]
    pub(crate) yielded: bool,
    pub(crate) outer: bool,
    pub(crate) import: Option<String>,
    pub(crate) reexport: bool,
    pub(crate) export: Option<String>,
    pub(crate) package: bool,
    pub(crate) comment: bool,
    pub(crate) attribute: bool,
    /// Where it has this part, it is an attribute of what follows it, whose arguments were taken for a value.
    pub(crate) stray: Option<String>,
    /// Belongs to the statement before it, which began it: the text of a string.
    pub(crate) continues: bool,
    pub(crate) words: bool,
    pub(crate) wrapper: bool,
    pub(crate) group: Option<String>,
    pub(crate) scope: Option<String>,
    pub(crate) expr: Option<String>,
    pub(crate) roles: BTreeMap<String, String>,
    #[serde(rename = "ref")]
    pub(crate) reference: Option<String>,
    pub(crate) types: bool,
    pub(crate) values: bool,
    pub(crate) markup: bool,
    pub(crate) silent: bool,
    pub(crate) access: bool,
    pub(crate) pattern: bool,
    pub(crate) tokens: bool,
    pub(crate) skip: bool,
    pub(crate) qualifies: bool,
    pub(crate) name_starts: Option<String>,
    pub(crate) name_ends: Option<String>,
    pub(crate) promotes: Option<String>,
    pub(crate) bare_call: bool,
    pub(crate) trailing: Option<String>,
    pub(crate) marks: BTreeMap<String, String>,
    pub(crate) absent: Vec<String>,
    pub(crate) target: Option<String>,
    pub(crate) members_add: Vec<String>,
    pub(crate) aside: bool,
}

/// When a parameter also declares a member.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct PromoteSpec {
    /// The kind of the member.
    pub(crate) kind: String,
    /// Only parameters of the type itself, not those of its functions.
    pub(crate) direct: bool,
    /// Words one of which must stand in the parameter; none: always.
    pub(crate) words: Vec<String>,
}

/// What a call of a bare name declares.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "a call may declare several things at once; each is one word in a table"
)]
pub(crate) struct CallSpec {
    /// Brings in the module named by its first argument: `effect`, or `value` when the call's value is the module.
    pub(crate) import: Option<String>,
    /// Declares one symbol of this kind for each name among its arguments.
    pub(crate) define: Option<String>,
    /// Declares only by its first argument.
    pub(crate) first: bool,
    /// Adds its arguments to the bases of the type around it.
    pub(crate) mixes: bool,
    /// Sets the visibility of the named members, or of all that follow.
    pub(crate) access: Option<String>,
    /// Is part of the language, not a function: `static_cast<T>(x)`.
    pub(crate) keyword: bool,
    /// Is a test named by its first argument.
    pub(crate) test: bool,
    /// Holds the tests inside it, and is none itself.
    pub(crate) suite: bool,
    /// Hands on the function it is given, which so gets the name of what the call is assigned to.
    pub(crate) passes: bool,
    /// Its value is a user-interface component.
    pub(crate) component: bool,
    /// What it says of what it declares or names.
    pub(crate) adds: Vec<String>,
    /// Means this only directly in a type.
    pub(crate) member: bool,
    /// The module it brings in is named from the place of the file.
    pub(crate) relative: bool,
    /// Its value is a type of this kind, with its block as the body.
    pub(crate) makes: Option<String>,
    /// What it makes inherits from its arguments.
    pub(crate) inherits: bool,
}
