//! The arguments of `symbols`: a name and compound filters.

use crate::answer::Cursor;
use crate::arguments::enum_values;
use crate::error::ToolError;
use clap::Args;
use orient_engine::{NumberRange, SymbolFilter, SymbolOrder};
use orient_model::{Modifier, Visibility};

/// Arguments of `symbols`.
#[derive(Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a filter of its own")]
pub(crate) struct SymbolsArgs {
    /// The name, a prefix or a word of it; `Server.run` for a member. Optional with a filter
    #[arg(value_name = "NAME")]
    pub(super) name: Option<String>,
    /// Only these kinds: function, method, class, struct, interface, …
    #[arg(long, value_name = "KIND", value_delimiter = ',')]
    pub(super) kind: Vec<String>,
    /// Only in files of these languages
    #[arg(long, value_name = "LANGUAGE", value_delimiter = ',')]
    pub(super) lang: Vec<String>,
    /// Only in this file or directory, or in files that match this glob
    #[arg(long = "in", value_name = "PATH")]
    pub(super) within: Option<String>,
    /// Only roles: source, test, doc, config, generated, vendored, handler, service, model, …
    #[arg(long, value_name = "ROLE", value_delimiter = ',')]
    pub(super) role: Vec<String>,
    /// Only with this attribute, annotation or decorator
    #[arg(long, value_name = "NAME")]
    pub(super) attr: Option<String>,
    /// Only types that inherit from or implement this one
    #[arg(long, value_name = "NAME")]
    pub(super) base: Option<String>,
    /// Only with all these modifiers: static, async, abstract, override, …; `!static` for those without
    #[arg(long, value_name = "MODIFIER", value_delimiter = ',')]
    modifier: Vec<String>,
    /// Only with one of these visibilities: public, protected, internal, private
    #[arg(long, value_name = "VISIBILITY", value_delimiter = ',')]
    visibility: Vec<String>,
    /// Only if they return this type, or a list, pointer or promise of it
    #[arg(long, value_name = "TYPE")]
    returns: Option<String>,
    /// Only if they take parameters of these types, in the same sense
    #[arg(long, value_name = "TYPE", value_delimiter = ',')]
    param_type: Vec<String>,
    /// Only members of something of this name
    #[arg(long, value_name = "NAME")]
    parent: Option<String>,
    /// Only if their container inherits from or implements this type
    #[arg(long, value_name = "NAME")]
    container_base: Option<String>,
    /// Only if their container has this attribute
    #[arg(long, value_name = "NAME")]
    container_attr: Option<String>,
    /// Only with documentation
    #[arg(long, conflicts_with = "undocumented")]
    documented: bool,
    /// Only without documentation
    #[arg(long)]
    undocumented: bool,
    /// Only those marked as deprecated
    #[arg(long)]
    deprecated: bool,
    /// Only those whose body says that it is not implemented
    #[arg(long)]
    stub: bool,
    /// Minimum number of parameters
    #[arg(long, value_name = "N")]
    min_params: Option<u32>,
    /// Maximum number of parameters
    #[arg(long, value_name = "N")]
    max_params: Option<u32>,
    /// Minimum number of lines
    #[arg(long, value_name = "N")]
    min_lines: Option<u32>,
    /// Maximum number of lines
    #[arg(long, value_name = "N")]
    max_lines: Option<u32>,
    /// Minimum cyclomatic complexity: decisions plus one
    #[arg(long, value_name = "N")]
    min_complexity: Option<u32>,
    /// Maximum cyclomatic complexity
    #[arg(long, value_name = "N")]
    max_complexity: Option<u32>,
    /// Minimum cognitive complexity
    #[arg(long, value_name = "N")]
    min_cognitive: Option<u32>,
    /// Maximum cognitive complexity
    #[arg(long, value_name = "N")]
    max_cognitive: Option<u32>,
    /// Minimum nesting of branches and loops
    #[arg(long, value_name = "N")]
    min_nesting: Option<u32>,
    /// Maximum nesting of branches and loops
    #[arg(long, value_name = "N")]
    max_nesting: Option<u32>,
    /// Minimum number of proven callers
    #[arg(long, value_name = "N")]
    min_callers: Option<u32>,
    /// Maximum number of proven callers
    #[arg(long, value_name = "N")]
    max_callers: Option<u32>,
    /// Minimum number of proven callees
    #[arg(long, value_name = "N")]
    min_callees: Option<u32>,
    /// Maximum number of proven callees
    #[arg(long, value_name = "N")]
    max_callees: Option<u32>,
    /// Order by name, lines, parameters, complexity, cognitive, nesting, callers or callees; default: by path and line
    #[arg(long, value_name = "KEY")]
    sort: Option<String>,
    /// How the name must match: exact, case, prefix, word or fuzzy; default: the best of the first four
    #[arg(long = "match", value_name = "MODE")]
    pub(super) how: Option<String>,
    /// Maximum number of symbols; 0 means all [default: 50]
    #[arg(long, value_name = "N")]
    pub(super) limit: Option<u64>,
    /// Continue after the cursor of the previous answer
    #[arg(long, value_name = "CURSOR")]
    pub(super) after: Option<Cursor>,
}

impl SymbolsArgs {
    /// The compound conditions.
    pub(super) fn filter(&self) -> Result<SymbolFilter, ToolError> {
        let (without, with): (Vec<&String>, Vec<&String>) =
            self.modifier.iter().partition(|word| word.starts_with('!'));
        let mut modifiers = enum_values::modifiers(with.into_iter().map(String::as_str))?;
        modifiers.extend(self.deprecated.then_some(Modifier::Deprecated));
        let order = self.sort.as_deref().map(order).transpose()?;
        let range = |least, most| NumberRange { least, most };
        Ok(SymbolFilter {
            modifiers,
            without_modifiers: enum_values::modifiers(without.into_iter().map(|word| &word[1..]))?,
            visibilities: self.visibility.iter().map(|word| visibility(word)).collect::<Result<_, _>>()?,
            returns: self.returns.clone(),
            parameter_types: self.param_type.clone(),
            container: self.parent.clone(),
            container_base: self.container_base.clone(),
            container_attribute: self.container_attr.clone(),
            documented: match (self.documented, self.undocumented) {
                (true, _) => Some(true),
                (_, true) => Some(false),
                _ => None,
            },
            stub: self.stub,
            parameters: range(self.min_params, self.max_params),
            lines: range(self.min_lines, self.max_lines),
            cyclomatic: range(self.min_complexity, self.max_complexity),
            cognitive: range(self.min_cognitive, self.max_cognitive),
            nesting: range(self.min_nesting, self.max_nesting),
            callers: range(self.min_callers, self.max_callers),
            callees: range(self.min_callees, self.max_callees),
            order,
        })
    }
}

fn order(word: &str) -> Result<SymbolOrder, ToolError> {
    let known: Vec<&str> = SymbolOrder::ALL.iter().map(|order| order.as_str()).collect();
    enum_values::one_of("sort key", word, &known)?;
    Ok(SymbolOrder::ALL.iter().copied().find(|order| order.as_str() == word).unwrap_or(SymbolOrder::Name))
}

fn visibility(word: &str) -> Result<Visibility, ToolError> {
    let all = [Visibility::Public, Visibility::Protected, Visibility::Internal, Visibility::Private];
    let known: Vec<&str> = all.iter().map(|one| one.as_str()).collect();
    enum_values::one_of("visibility", word, &known)?;
    Ok(all.into_iter().find(|one| one.as_str() == word).unwrap_or_default())
}
