//! `table.toml` as written: the node table of a deep language, which says what each node kind of its grammar means.
//!
//! Values that name a part of a node are node paths, for example `declarator.:identifier|name`; `node_table/path_syntax.rs`
//! describes them. Only the shape of the file is checked here.

use super::source_rewriting::{GrammarGapSpec, ItemMacroSpec, PreprocessSpec};
use serde::Deserialize;
use std::collections::BTreeMap;

/// `table.toml`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[expect(clippy::struct_excessive_bools, reason = "each is one key of a table")]
pub(crate) struct TableSpec {
    /// Modifier words of definitions, beyond the common ones.
    pub(crate) modifier_words: BTreeMap<String, String>,
    /// Modifier words that mean something else outside of types.
    pub(crate) top_level_modifier_words: BTreeMap<String, String>,
    /// Node kinds, or `parent>kind` for a kind that means something else under one parent.
    pub(crate) node: BTreeMap<String, NodeSpec>,
    /// The node kinds that make a function complex.
    pub(crate) complexity: ComplexitySpec,
    /// Constructs that the grammar does not know.
    pub(crate) grammar_gap: Vec<GrammarGapSpec>,
    pub(crate) item_macros: Option<ItemMacroSpec>,
    /// The word before the name of a function, for functions among the unparsed tokens of macros: `fn`.
    pub(crate) token_functions: Option<String>,
    /// Words that are never names: a grammar that takes one for a name misread the source.
    pub(crate) reserved_words: Vec<String>,
    /// Kinds of nodes that the grammar extends too far, each with the kind of a node that it cannot end with.
    pub(crate) impossible_endings: BTreeMap<String, String>,
    /// Calls of bare names that declare something: `require`, `include`, `describe`.
    pub(crate) call: BTreeMap<String, CallSpec>,
    /// Names of the receiver, and of the receiver as an instance of its base, if the grammar has no kinds for them.
    pub(crate) self_names: Vec<String>,
    pub(crate) super_names: Vec<String>,
    /// Methods that create an instance of the type they are called on: `new`.
    pub(crate) factory_methods: Vec<String>,
    /// The first parameter of a method is the receiver.
    pub(crate) first_param_is_self: bool,
    /// A local variable is visible only after its value: `let x = x(1)` calls a function `x`.
    pub(crate) binds_after_value: bool,
    /// Documentation states types where none are declared: `@param Leaf[] $xs`.
    pub(crate) documented_types: bool,
    /// What type tests and logical operators look like, for kinds that narrow types.
    pub(crate) narrowing: Option<NarrowingSpec>,
    /// A decorator that is a call returns the function that decorates: `@retry(3)`.
    pub(crate) calls_return_decorators: bool,
    /// Inside of a function, a variadic parameter is a list of its declared type.
    pub(crate) variadic_is_list: bool,
    /// An import that is passed on applies to all files of the project: `global using`.
    pub(crate) project_wide_imports: bool,
    /// An assignment to a member of the receiver declares a field.
    pub(crate) self_assignment_declares_field: Option<bool>,
    /// The last expression of a body is its value.
    pub(crate) implicit_return: bool,
    /// The prefix of a name that is looked up at the top level only: `::`.
    pub(crate) global_prefix: String,
    /// The token in a list of parameters after which a function takes any arguments: `...`.
    pub(crate) variadic_token: String,
    /// The first string of a body is documentation.
    pub(crate) docstrings: bool,
    /// Documentation may also follow the definition on the same line.
    pub(crate) trailing_docs: bool,
    /// Names of methods that are constructors.
    pub(crate) constructors: Vec<String>,
    /// A method with the name of its type is a constructor.
    pub(crate) constructor_named_as_type: bool,
    /// Modifiers that attributes imply, by the last part of the attribute's name: `override = "override"`.
    pub(crate) attribute_modifiers: BTreeMap<String, String>,
    /// The prefix of variables: part of a use, not of the name.
    pub(crate) variable_prefix: Option<String>,
    /// A prefix of names that is not part of them.
    pub(crate) sigil: Option<String>,
    /// The part of a module path that an import binds: `first` or `last`.
    pub(crate) import_binds: Option<String>,
    /// Types whose values are user-interface components.
    pub(crate) component_types: Vec<String>,
    /// Visibility of a symbol that does not state one: at file level, and in types.
    pub(crate) default_visibility: Option<String>,
    pub(crate) default_member_visibility: Option<String>,
    /// Kinds of types whose members are public unless they state otherwise.
    pub(crate) public_member_kinds: Vec<String>,
    /// Punctuation tokens that carry meaning: `*`, `...`.
    pub(crate) significant_tokens: Vec<String>,
    /// Documentation is written in XML tags: `<summary>`.
    pub(crate) xml_docs: bool,
    /// How to rewrite the source before it is parsed.
    pub(crate) preprocess: Option<PreprocessSpec>,
    /// Objects whose members are the exports of the file: `exports`.
    pub(crate) export_objects: Vec<String>,
    /// In a file that imports or exports, everything it does not export is private.
    pub(crate) unexported_is_private: bool,
    /// Prefixes of comments that document the enclosing definition: `//!`.
    pub(crate) inner_doc_prefixes: Vec<String>,
    /// Attributes whose arguments are interfaces that the symbol implements: `derive`.
    pub(crate) derive_attributes: Vec<String>,
}

/// `[narrowing]`: how a condition tests the types of variables.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct NarrowingSpec {
    /// Operators between a variable and a type that hold if the variable has the type: `instanceof`.
    pub(crate) tests: Vec<String>,
    /// Functions that test whether their first argument has the type that is their second one: `isinstance`.
    pub(crate) test_functions: Vec<String>,
    /// Operators between the name of a member and a variable that has it: `in`.
    pub(crate) membership: Vec<String>,
    /// Operators that compare a member with a constant, or the name of a type with that of a variable's type.
    pub(crate) equal: Vec<String>,
    pub(crate) unequal: Vec<String>,
    /// Operators whose value is the name of a type: `typeof`.
    pub(crate) type_of: Vec<String>,
    /// The names that such an operator gives to types that have them.
    pub(crate) type_names: Vec<String>,
    /// Any function may be one that tests the type of its argument: its declaration says so.
    pub(crate) guards: bool,
    /// Logical operators.
    pub(crate) not: Vec<String>,
    pub(crate) and: Vec<String>,
    pub(crate) or: Vec<String>,
    /// Functions and methods after which their first argument holds: `assert`, `assertTrue`.
    pub(crate) assertions: Vec<String>,
    /// Functions and methods after which their first argument fails: `assertFalse`.
    pub(crate) denials: Vec<String>,
    /// Functions and methods after which their second argument has the type that the first one names: `assertInstanceOf`.
    pub(crate) type_assertions: Vec<String>,
    /// Kinds of statements and expressions that what follows is not reached from.
    pub(crate) exits: Vec<String>,
}

/// `[complexity]`: the node kinds that break the linear flow of a function. Quotes mark tokens: `'&&'`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct ComplexitySpec {
    /// A decision whose parts nest: `if`, loops, `catch`, conditional expressions.
    pub(crate) branches: Vec<String>,
    /// A further decision of the branch around it: `elif`.
    pub(crate) further_branches: Vec<String>,
    /// A choice between cases, which nest.
    pub(crate) switches: Vec<String>,
    /// A decision inside of another construct: a case of a switch, a filter of a comprehension.
    pub(crate) cases: Vec<String>,
    /// How a case begins that is taken if no other is: `default`, `case _`.
    pub(crate) default_cases: Vec<String>,
    /// Tokens before what happens otherwise.
    pub(crate) otherwise: Vec<String>,
    /// Operators that may leave their right side out.
    pub(crate) operators: Vec<String>,
}

/// What one node kind means. A node may be several things at once: a symbol, a scope, an expression.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "a node may be several things at once; each is one key of a table"
)]
pub(crate) struct NodeSpec {
    // What it defines.
    /// The kind of the symbol it defines.
    pub(crate) symbol: Option<String>,
    /// The kind of the names it declares; there may be several, and they may be local variables.
    pub(crate) declare: Option<String>,
    /// The kind instead, if it is a member of a type, a local, or a value that can be called.
    pub(crate) member_kind: Option<String>,
    pub(crate) local_kind: Option<String>,
    pub(crate) callable_kind: Option<String>,
    /// A local declaration that looks like a function is a variable if its parameters could be values: `T x(a, b);`.
    pub(crate) most_vexing_parse: bool,
    /// The kind instead, by a word or a part that it contains.
    pub(crate) kinds: BTreeMap<String, String>,
    /// Words that make a declared name a constant.
    pub(crate) constant_words: Vec<String>,
    /// Modifiers of the symbol.
    pub(crate) modifiers: Vec<String>,
    pub(crate) visibility: Option<String>,
    /// The name of every such symbol: `constructor`.
    pub(crate) fixed_name: Option<String>,
    /// The member of the value around it that every function in it is passed to: an initialiser calls `Add`.
    pub(crate) passes_functions_to: Option<String>,
    /// Assigns to an existing name if there is one, and declares it otherwise.
    pub(crate) rebind: bool,
    /// Binds its names in the enclosing function, not in the block.
    pub(crate) hoist: bool,
    /// Its own name is visible inside it only; what it is assigned to names it.
    pub(crate) inner_name: bool,
    /// Defines something only directly in a type.
    pub(crate) only_in_type: bool,
    /// Is a reference only if the bare name begins with a capital letter.
    pub(crate) only_if_capitalised: bool,
    /// Binds, assigns, or is an expression of its role only if it contains one of these words.
    pub(crate) only_with_words: Vec<String>,
    /// Defines something only if its value is an anonymous function or type.
    pub(crate) only_if_function: bool,
    /// Defines something only if it has a body; it is a reference otherwise.
    pub(crate) needs_body: bool,
    /// A parameter that also declares a member of its type.
    pub(crate) parameter_property: Option<ParameterPropertySpec>,
    // Where its parts are.
    pub(crate) name: Option<String>,
    pub(crate) qualifier: Option<String>,
    pub(crate) params: Option<String>,
    /// The parameter list that holds the receiver, if it is separate.
    pub(crate) receiver_params: Option<String>,
    pub(crate) returns: Option<String>,
    pub(crate) body: Option<String>,
    #[serde(rename = "type")]
    pub(crate) ty: Option<String>,
    pub(crate) value: Option<String>,
    pub(crate) callee: Option<String>,
    pub(crate) base: Option<String>,
    pub(crate) args: Option<String>,
    /// Type arguments beside the called or constructed expression.
    pub(crate) type_args: Option<String>,
    pub(crate) alias: Option<String>,
    pub(crate) module: Option<String>,
    pub(crate) wildcard: Option<String>,
    /// A part that makes an import one for its side effects only.
    pub(crate) side_effect: Option<String>,
    /// The declarator inside this one: `x` in `*x`.
    pub(crate) inner_declarator: Option<String>,
    pub(crate) extends: Option<String>,
    pub(crate) implements: Option<String>,
    pub(crate) mixins: Option<String>,
    /// A variadic parameter; or the words that make it one.
    pub(crate) variadic: bool,
    pub(crate) variadic_words: Vec<String>,
    /// Its name if the source gives none.
    pub(crate) default_name: Option<String>,
    /// The type that an anonymous type is called after: `Runnable{}`.
    pub(crate) named_after: Option<String>,
    /// A part that is a label: neither a value nor a reference.
    pub(crate) label: Option<String>,
    /// The parameter of a function that lists none.
    pub(crate) implicit_param: Option<String>,
    /// The last expression of its body is its value.
    pub(crate) returns_last_expression: bool,
    /// Modifiers of a symbol that names its container at its definition.
    pub(crate) modifiers_if_qualified: Vec<String>,
    // What else it is.
    pub(crate) param: bool,
    /// A parameter that callers may omit.
    pub(crate) optional: bool,
    pub(crate) type_param: bool,
    /// Constrains a type parameter of the header: `where T : Base`.
    pub(crate) type_bounds: bool,
    pub(crate) receiver: bool,
    /// How the bound names get their values.
    pub(crate) bind: Option<String>,
    pub(crate) assign: bool,
    /// Assigns to something declared elsewhere: an assigned function does not get its name.
    pub(crate) assigns_existing: bool,
    #[serde(rename = "return")]
    pub(crate) returned: bool,
    #[serde(rename = "yield")]
    pub(crate) yielded: bool,
    /// Declares that names belong to an outer scope: `global`, `nonlocal`.
    pub(crate) outer_names: bool,
    pub(crate) import: Option<String>,
    pub(crate) reexport: bool,
    pub(crate) export: Option<String>,
    pub(crate) package: bool,
    pub(crate) comment: bool,
    pub(crate) attribute: bool,
    /// If it has this part, it is an attribute of the next node, whose arguments the grammar took for a value.
    pub(crate) attribute_if_has: Option<String>,
    /// Belongs to the statement before it: the text of a string that began there.
    pub(crate) continues_previous: bool,
    /// Its children are modifier words of its parent.
    pub(crate) holds_modifiers: bool,
    /// Wraps one definition: `export`, `template`.
    pub(crate) wrapper: bool,
    /// A part that makes a wrapper a group, whose members keep their own spans even if there is only one.
    pub(crate) group: Option<String>,
    pub(crate) scope: Option<String>,
    pub(crate) expr: Option<String>,
    /// The type of a literal, by the end of its text: `{ L = "long" }`.
    pub(crate) suffix_types: BTreeMap<String, String>,
    /// The same for a number with a point; the empty end is that of any number.
    pub(crate) fraction_types: BTreeMap<String, String>,
    /// Its arguments are the items of a list: `T{a, b}`.
    pub(crate) spreads_list: bool,
    /// The expression role instead, by a token that it contains.
    pub(crate) roles: BTreeMap<String, String>,
    #[serde(rename = "ref")]
    pub(crate) reference: Option<String>,
    /// Names inside are types; or values, even inside a type.
    pub(crate) type_context: bool,
    pub(crate) value_context: bool,
    /// Markup of a user interface: the function around it is a component.
    pub(crate) markup: bool,
    /// An attribute of an element: it sets a property of the component that the element names.
    pub(crate) element_attribute: bool,
    /// The attributes of elements whose texts style sheets select, and what they list: `class` or `id`.
    pub(crate) selector_attributes: BTreeMap<String, String>,
    /// An expression that is no reference: a built-in type.
    pub(crate) not_a_reference: bool,
    /// Sets the visibility of the members after it: `private:`.
    pub(crate) access_specifier: bool,
    pub(crate) pattern: bool,
    /// Its children are tokens that the grammar did not parse.
    pub(crate) unparsed_tokens: bool,
    pub(crate) skip: bool,
    /// Precedes a type and belongs to it.
    pub(crate) qualifies_type: bool,
    /// The first token of a name of several tokens that ends with `name`.
    pub(crate) name_starts: Option<String>,
    /// The part before which its text ends, if it is a name.
    pub(crate) name_ends: Option<String>,
    /// Its children are the types of fields without names, which are numbered: `struct Pair(Row, u8)`.
    pub(crate) positional_fields: bool,
    /// The kind of the member that each of its parameters also declares.
    pub(crate) parameters_declare: Option<String>,
    /// A name that is a call unless a variable has that name.
    pub(crate) bare_call: bool,
    /// The call that an argument after it belongs to.
    pub(crate) trailing_argument: Option<String>,
    /// Modifiers of the function, by words of its first parameter.
    pub(crate) first_param_modifiers: BTreeMap<String, String>,
    /// Texts that mean that there is nothing: `void` for parameters.
    pub(crate) empty_texts: Vec<String>,
    /// Conditions that always hold: what the other branch binds, only the other branch sees.
    pub(crate) true_conditions: Vec<String>,
    /// The condition of a statement that selects a branch, and the branch that is taken if it does not hold.
    pub(crate) condition: Option<String>,
    pub(crate) otherwise: Option<String>,
    /// What is reached only if the condition holds.
    pub(crate) narrowed: Option<String>,
    /// The value that a statement compares with those of its cases, and the cases.
    pub(crate) subject: Option<String>,
    pub(crate) cases: Option<String>,
    /// Is a path, whose first name never means a variable: `config::load`.
    pub(crate) is_path: bool,
    /// Is a condition, a logical operator or a call that may say something about the types of variables.
    pub(crate) narrows: bool,
    /// What an assignment to such a name declares.
    pub(crate) assignment_target: Option<String>,
    /// Modifiers of the members defined inside it.
    pub(crate) member_modifiers: Vec<String>,
    /// Is among list items without being one: the text of a string that began earlier.
    pub(crate) not_an_item: bool,
}

/// When a parameter also declares a member of its type.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct ParameterPropertySpec {
    /// The kind of the member.
    pub(crate) kind: String,
    /// Only parameters of the type itself, not those of its functions.
    pub(crate) direct: bool,
    /// Words one of which the parameter must contain; any parameter if empty.
    pub(crate) words: Vec<String>,
}

/// What a call of a bare name declares.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "a call may declare several things at once; each is one key of a table"
)]
pub(crate) struct CallSpec {
    /// Imports the module that its first argument names: `effect`, or `value` if the call evaluates to the module, or
    /// `named` if the first argument is the bound name and the second the module.
    pub(crate) import: Option<String>,
    /// Declares one symbol of this kind for each name among its arguments.
    pub(crate) define: Option<String>,
    /// Declares by its first argument only.
    pub(crate) first_argument_only: bool,
    /// Mixes its arguments into the enclosing type.
    pub(crate) mixes_in: bool,
    /// Sets the visibility of the named members, or of all members after it.
    pub(crate) sets_visibility: Option<String>,
    /// Is a keyword, not a function: `static_cast<T>(x)`.
    pub(crate) keyword: bool,
    /// Is a test named by its first argument.
    pub(crate) test: bool,
    /// Groups the tests inside it and is not a test itself.
    pub(crate) suite: bool,
    /// Evaluates to the function it is given, which takes the name that the call is assigned to.
    pub(crate) returns_its_function: bool,
    /// Evaluates to a user-interface component.
    pub(crate) component: bool,
    /// Modifiers of what it declares or names.
    pub(crate) modifiers: Vec<String>,
    /// Means this only directly in a type.
    pub(crate) only_in_type: bool,
    /// The imported module's path is relative to the file.
    pub(crate) relative_to_file: bool,
    /// Evaluates to a new type of this kind whose body is the call's block.
    pub(crate) creates_type: Option<String>,
    /// The type it creates inherits from its arguments.
    pub(crate) inherits_arguments: bool,
}
