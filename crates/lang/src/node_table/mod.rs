//! A pack's table, compiled against its grammar: one rule for each node kind, looked up by number.

mod compile;
mod node_path;
mod path_syntax;

pub(crate) use compile::compile;
pub(crate) use node_path::Spec;

use crate::grammar_repair::Mends;
use crate::parse::flat_tree::{NodeId, Token, Tree};
use crate::preprocess::Blank;
use crate::schema::vocabulary::{ExprRole, HeaderWord};
use orient_grammars::Language;
use orient_model::{Modifier, Modifiers, RefKind, ScopeKind, SymbolKind, Via, Visibility};
use rustc_hash::FxHashMap;

/// The table of a deep language.
#[expect(clippy::struct_excessive_bools, reason = "each is one word in a table")]
pub(crate) struct Table {
    pub(crate) language: Language,
    /// For each kind: the position of its rule in `rules`, 0 for the empty rule.
    by_kind: Vec<u16>,
    /// For a kind under one parent: `(parent, kind)` to the position of its rule.
    by_parent: FxHashMap<(u16, u16), u16>,
    /// Kinds that have an entry in `by_parent`.
    has_parent_rule: Vec<bool>,
    rules: Vec<Rule>,
    /// What nodes of each kind are worth.
    pub(crate) tokens: Vec<Token>,
    /// For each kind whose text is fixed: what it says in a header.
    pub(crate) words: FxHashMap<Vec<u8>, HeaderWord>,
    /// What some of them say outside of types instead.
    pub(crate) outer_words: FxHashMap<Vec<u8>, HeaderWord>,
    pub(crate) calls: FxHashMap<String, CallRule>,
    pub(crate) self_names: Vec<String>,
    pub(crate) super_names: Vec<String>,
    /// Methods that make an instance of the type they are called on.
    pub(crate) makers: Vec<String>,
    /// Whether a name that nothing binds may be a call.
    pub(crate) has_bare_calls: bool,
    /// Whether some calls are told by more than their last name.
    pub(crate) has_dotted_calls: bool,
    pub(crate) first_param_is_self: bool,
    pub(crate) self_assign_declares: bool,
    pub(crate) implicit_return: bool,
    /// What stands before a name that is looked for at the top alone; it stays with the name.
    pub(crate) root: String,
    pub(crate) docstrings: bool,
    pub(crate) trailing_docs: bool,
    pub(crate) constructors: Vec<String>,
    pub(crate) constructor_named_as_type: bool,
    /// What an attribute says, by the last part of its name.
    pub(crate) attributes: FxHashMap<String, HeaderWord>,
    pub(crate) sigil: Option<String>,
    pub(crate) variable_mark: Option<String>,
    pub(crate) import_binds_first: bool,
    pub(crate) component_types: Vec<String>,
    pub(crate) visibility: Visibility,
    pub(crate) member_visibility: Visibility,
    pub(crate) open_kinds: Vec<SymbolKind>,
    pub(crate) export_targets: Vec<String>,
    /// Whether documentation is written in tags.
    pub(crate) xml_docs: bool,
    /// What is taken out of the text before it is parsed.
    pub(crate) blank: Option<Blank>,
    pub(crate) exports_decide: bool,
    pub(crate) mends: Mends,
    /// What comments begin with that document what is around them.
    pub(crate) inner_docs: Vec<String>,
    /// Whether any kind belongs to the statement before it.
    pub(crate) has_rests: bool,
    /// Whether any kind has tokens that no parser has looked into.
    pub(crate) has_tokens: bool,
    /// Whether any kind binds an existing name again.
    pub(crate) rebinds: bool,
    /// Attributes whose arguments are what the symbol implements.
    pub(crate) derives: Vec<String>,
}

impl Table {
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

/// What a node kind is, compiled.
#[derive(Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "a node may be several things at once; each is one word in a table"
)]
pub(crate) struct Rule {
    pub(crate) symbol: Option<SymbolKind>,
    pub(crate) declare: Option<SymbolKind>,
    pub(crate) member: Option<SymbolKind>,
    pub(crate) local: Option<SymbolKind>,
    pub(crate) callable: Option<SymbolKind>,
    pub(crate) vexing: bool,
    /// Kinds chosen by a token or modifier word of the node.
    pub(crate) kinds: Vec<(Vec<u8>, SymbolKind)>,
    /// Kinds chosen by a part of the node.
    pub(crate) kinds_by_part: Vec<(Spec, SymbolKind)>,
    /// Words that make a declared name a constant.
    pub(crate) constant: Vec<Vec<u8>>,
    pub(crate) adds: Modifiers,
    pub(crate) visibility: Option<Visibility>,
    pub(crate) name_text: Option<String>,
    /// Binds an existing name again when there is one.
    pub(crate) rebind: bool,
    /// Binds its names in the function around it, not in the block.
    pub(crate) hoist: bool,
    /// Its own name is known only inside it: what it is assigned to names it.
    pub(crate) inner_name: bool,
    /// Defines something only directly in a type.
    pub(crate) if_member: bool,
    /// Is a use only when the bare name starts with a capital letter.
    pub(crate) if_capital: bool,
    /// Binds, assigns, or is an expression of its role, only when one of these words stands in it.
    pub(crate) if_words: Vec<Vec<u8>>,
    /// Defines something only when its value is a function or a type without a name of its own.
    pub(crate) if_function: bool,
    /// Defines something only when there is a body; otherwise it is a mention.
    pub(crate) needs_body: bool,
    pub(crate) promote: Option<(SymbolKind, Vec<Vec<u8>>)>,
    /// Only parameters of a type itself are promoted.
    pub(crate) promote_direct: bool,
    pub(crate) name: Spec,
    pub(crate) qualifier: Spec,
    pub(crate) params: Spec,
    /// Parameters that are the receiver, where they stand apart from the others.
    pub(crate) owner: Spec,
    pub(crate) returns: Spec,
    pub(crate) body: Spec,
    pub(crate) ty: Spec,
    pub(crate) value: Spec,
    pub(crate) callee: Spec,
    pub(crate) base: Spec,
    pub(crate) args: Spec,
    /// Type arguments of what is called or made, where they stand beside it.
    pub(crate) type_args: Spec,
    pub(crate) alias: Spec,
    pub(crate) module: Spec,
    pub(crate) wildcard: Spec,
    pub(crate) effect: Spec,
    pub(crate) unwrap: Spec,
    pub(crate) extends: Spec,
    pub(crate) implements: Spec,
    pub(crate) mixes: Spec,
    pub(crate) variadic: bool,
    /// Words in or before a parameter that make it variadic.
    pub(crate) variadic_words: Vec<Vec<u8>>,
    /// What it is called when it has no name of its own.
    pub(crate) default_name: Option<String>,
    /// A part that is a label: no value and no use of a name.
    pub(crate) label: Spec,
    /// The parameter a function has when it lists none.
    pub(crate) implicit_param: Option<String>,
    /// Whether the last expression of its body is its value.
    pub(crate) returns_last: bool,
    /// Modifiers of what names a container at its definition.
    pub(crate) qualified: Modifiers,
    pub(crate) param: bool,
    /// A parameter that callers may leave out.
    pub(crate) optional: bool,
    pub(crate) type_param: bool,
    /// Says what types a type parameter of the header stands for: `where T : Base`.
    pub(crate) bounds: bool,
    pub(crate) receiver: bool,
    pub(crate) bind: Option<Via>,
    pub(crate) assign: bool,
    /// Assigns to what has been declared elsewhere: a function put there does not get its name.
    pub(crate) overwrites: bool,
    pub(crate) returned: bool,
    pub(crate) yielded: bool,
    pub(crate) outer: bool,
    pub(crate) import: Option<ImportRole>,
    pub(crate) reexport: bool,
    pub(crate) export: Option<ExportRole>,
    pub(crate) package: bool,
    pub(crate) comment: bool,
    pub(crate) attribute: bool,
    /// A part that makes it an attribute of what follows it.
    pub(crate) stray: Spec,
    /// Belongs to the statement before it, which began it.
    pub(crate) continues: bool,
    /// Its children are header words of the node it stands in.
    pub(crate) words: bool,
    pub(crate) wrapper: bool,
    /// A part that makes the wrapper a group: its members stand for themselves even when there is only one.
    pub(crate) group: Spec,
    pub(crate) scope: Option<ScopeKind>,
    pub(crate) expr: Option<ExprRole>,
    /// Roles that a token of the node gives it instead: `&x` and `*x` in one kind.
    pub(crate) roles: Vec<(u16, ExprRole)>,
    pub(crate) reference: Option<RefKind>,
    /// Names inside are types.
    pub(crate) types: bool,
    /// Names inside are values, even in a type.
    pub(crate) values: bool,
    pub(crate) markup: bool,
    /// An expression that is no reference: a type the language itself has.
    pub(crate) silent: bool,
    pub(crate) access: bool,
    pub(crate) pattern: bool,
    /// Its children are tokens that no parser has looked into.
    pub(crate) tokens: bool,
    pub(crate) skip: bool,
    /// Stands before a type and belongs to it.
    pub(crate) qualifies: bool,
    /// The token that opens a name of several tokens, which ends with `name`.
    pub(crate) name_starts: Spec,
    /// The part before which its text ends where it is a name.
    pub(crate) name_ends: Spec,
    /// The kind of member that each of its parameters also is.
    pub(crate) promotes: Option<SymbolKind>,
    /// What words of a first parameter say of its function.
    pub(crate) marks: Vec<(Vec<u8>, Modifier)>,
    /// Texts that say that there is nothing here: `void` for parameters.
    pub(crate) absent: Vec<Vec<u8>>,
    /// What a name of this kind is when something is assigned to it.
    pub(crate) target: Option<Target>,
    /// A name that is a call where no variable has it.
    pub(crate) bare_call: bool,
    /// An argument behind the call it belongs to: the call in front is the same call.
    pub(crate) trailing: Spec,
    /// What it says of the members defined inside.
    pub(crate) members_add: Modifiers,
    /// Stands among others without being one of them: the text of a string that began before.
    pub(crate) aside: bool,
}

/// What assigning to a name declares, where the way it is written tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// A variable of the function.
    Local,
    /// A field of the receiver.
    Member,
    /// A symbol of this kind where it stands.
    Here(SymbolKind),
    /// A symbol of this kind that is known everywhere.
    Global(SymbolKind),
}

impl Rule {
    /// The role of a node in expressions, where a token of it may decide.
    pub(crate) fn role(&self, tree: &Tree<'_>, id: NodeId) -> Option<ExprRole> {
        if self.roles.is_empty() {
            return self.expr;
        }
        let said = tree.children(id).find_map(|child| {
            let kind = tree.node(child).kind;
            self.roles.iter().find(|(token, _)| *token == kind).map(|(_, role)| *role)
        });
        said.or(self.expr)
    }
}

/// What a node of an import statement is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ImportRole {
    /// The statement; alone, it brings in its `module`.
    Statement,
    /// The statement; alone, it brings in nothing by name.
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

/// What a node of an export statement is.
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
    pub(crate) first: bool,
    pub(crate) mixes: bool,
    pub(crate) access: Option<Visibility>,
    pub(crate) keyword: bool,
    pub(crate) test: bool,
    pub(crate) suite: bool,
    pub(crate) passes: bool,
    pub(crate) component: bool,
    pub(crate) adds: Modifiers,
    pub(crate) member: bool,
    pub(crate) relative: bool,
    pub(crate) makes: Option<SymbolKind>,
    pub(crate) inherits: bool,
}

/// How a call brings in a module.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum CallImport {
    Effect,
    Value,
    /// The first argument is the name, the second the module.
    Named,
}
