//! A structural query: its specification, compilation and matches.

use crate::constraint::{Constraint, Relation};
use crate::error::StructuralError;
use crate::pack_language::{Document, PackLanguage};
use crate::required_literals;
use crate::unified_diff::TextEdit;
use ast_grep_core::matcher::{KindMatcher, NodeMatch, Pattern, PatternError, PatternNode};
use ast_grep_core::meta_var::{MetaVarEnv, MetaVariable};
use ast_grep_core::replacer::TemplateFix;
use ast_grep_core::{AstGrep, MatchStrictness, Matcher, Node};
use orient_lang::Registry;
use orient_text::TrigramQuery;
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::Range;

/// The node kind that every grammar uses for text that it cannot parse.
const ERROR_KIND: u16 = u16::MAX;

/// The names of the degrees of strictness, the default first.
pub const STRICTNESS: &[&str] = &["smart", "cst", "ast", "relaxed", "signature", "template"];

/// What to search for, as the user writes it.
#[derive(Clone, Debug, Default)]
pub struct QuerySpec {
    /// A piece of code with metavariables: `$X.unwrap()`, `f($$$ARGS)`; or a node kind in parentheses.
    pub pattern: String,
    /// The kind of the node in the pattern that matches have; the whole pattern by default.
    pub selector: Option<String>,
    /// How exactly the tokens must agree: one of [`STRICTNESS`].
    pub strictness: Option<String>,
    /// Conditions on matches.
    pub constraints: Vec<(Relation, String)>,
    /// What to replace matches by.
    pub rewrite: Option<String>,
}

/// A compiled query for one language.
pub struct Query {
    language: PackLanguage,
    pattern: NodePattern,
    constraints: Vec<Constraint>,
    rewrite: Option<TemplateFix>,
    /// Texts that every matching file contains.
    literals: Vec<String>,
}

/// A place in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// The line, from 1.
    pub line: u32,
    /// The column in bytes, from 1.
    pub column: u32,
}

/// A match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StructuralMatch {
    /// The bytes.
    pub range: Range<usize>,
    /// Where it starts.
    pub start: Position,
    /// Where it ends; the column is that of the byte after it.
    pub end: Position,
    /// What the metavariables matched, by name.
    pub captures: Vec<Capture>,
    /// The replacement, if the query rewrites.
    pub edit: Option<TextEdit>,
}

/// What a metavariable matched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Capture {
    /// Its name without the `$`.
    pub name: String,
    /// The text; that of a list from its first to its last element.
    pub text: String,
}

impl Query {
    /// Compiles a query for the language with this name or alias.
    pub fn compile(language: &str, spec: &QuerySpec) -> Result<Self, StructuralError> {
        let pack = Registry::builtin()
            .by_name(language)
            .ok_or_else(|| StructuralError::UnknownLanguage(language.to_owned()))?;
        let language =
            PackLanguage::new(pack).ok_or_else(|| StructuralError::NoGrammar(pack.title().to_owned()))?;
        let strictness = strictness(spec.strictness.as_deref())?;
        let pattern = NodePattern::parse(language, &spec.pattern, spec.selector.as_deref(), &strictness)?;
        let mut literals = pattern.literals();
        let mut constraints = Vec::new();
        for (relation, text) in &spec.constraints {
            let constraint = Constraint {
                relation: *relation,
                pattern: NodePattern::parse(language, text, None, &strictness)?,
            };
            if relation.is_positive() {
                literals.extend(constraint.pattern.literals());
            }
            constraints.push(constraint);
        }
        let rewrite = spec.rewrite.as_deref().map(|text| match TemplateFix::try_new(text, &language) {
            Ok(template) => template,
            Err(never) => match never {},
        });
        let query = Self { language, pattern, constraints, rewrite, literals };
        match query.unbound() {
            Some(name) => Err(StructuralError::Unbound(name)),
            None => Ok(query),
        }
    }

    /// The name of the language.
    pub fn language(&self) -> &str {
        self.language.name()
    }

    /// The trigrams that every matching file contains.
    pub fn required(&self) -> TrigramQuery {
        required_literals::trigrams(&self.literals)
    }

    /// Whether the grammar cannot parse a part of the pattern, so that matches may be missing.
    pub fn has_syntax_error(&self) -> bool {
        std::iter::once(&self.pattern)
            .chain(self.constraints.iter().map(|constraint| &constraint.pattern))
            .any(NodePattern::has_syntax_error)
    }

    /// The matches in a text by position, outer ones before those inside them. `None` if the parser reaches a limit.
    pub fn search(&self, text: &[u8]) -> Option<Vec<StructuralMatch>> {
        if !self.literals.iter().all(|literal| memchr::memmem::find(text, literal.as_bytes()).is_some()) {
            return Some(Vec::new());
        }
        let root = AstGrep::doc(self.language.document(valid_utf8(text))?);
        let root = root.root();
        let may_match = self.pattern.kind_filter();
        let mut matches = Vec::new();
        for node in root.dfs() {
            if may_match(node.kind_id())
                && let Some(found) = self.match_node(node)
            {
                matches.push(self.describe(&found));
            }
        }
        Some(matches)
    }

    fn match_node<'t>(&self, node: Node<'t, Document>) -> Option<NodeMatch<'t, Document>> {
        let mut variables = Cow::Owned(MetaVarEnv::new());
        let node = self.pattern.match_node_with_env(node, &mut variables)?;
        let holds = self.constraints.iter().all(|constraint| constraint.holds(&node, &mut variables));
        holds.then(|| NodeMatch::new(node, variables.into_owned()))
    }

    fn describe(&self, found: &NodeMatch<'_, Document>) -> StructuralMatch {
        let position = |at: ast_grep_core::Position| {
            let (line, column) = at.byte_point();
            Position { line: line as u32 + 1, column: column as u32 + 1 }
        };
        let variables = found.get_env();
        let mut captures: Vec<Capture> = variables
            .get_matched_variables()
            .filter_map(|variable| {
                let text = String::from_utf8_lossy(variables.get_var_bytes(&variable)?).into_owned();
                match variable {
                    MetaVariable::Capture(name, _) | MetaVariable::MultiCapture(name) => {
                        Some(Capture { name, text })
                    }
                    MetaVariable::Dropped(_) | MetaVariable::Multiple => None,
                }
            })
            .collect();
        captures.sort_by(|one, other| one.name.cmp(&other.name));
        let edit = self.rewrite.as_ref().map(|rewrite| {
            let edit = found.make_edit(&self.pattern, rewrite);
            let inserted = String::from_utf8_lossy(&edit.inserted_text).into_owned();
            TextEdit { range: edit.position..edit.position + edit.deleted_length, inserted }
        });
        StructuralMatch {
            range: found.range(),
            start: position(found.start_pos()),
            end: position(found.end_pos()),
            captures,
            edit,
        }
    }

    /// A metavariable of the rewrite that nothing binds.
    fn unbound(&self) -> Option<String> {
        let mut bound: BTreeSet<&str> = self.pattern.variables();
        for constraint in self.constraints.iter().filter(|constraint| constraint.relation.is_positive()) {
            bound.extend(constraint.pattern.variables());
        }
        let used: BTreeSet<&str> = self.rewrite.as_ref()?.used_vars().into_iter().collect();
        used.difference(&bound).next().map(|name| (*name).to_owned())
    }
}

/// What a node is compared with: code with metavariables, or a node kind.
pub(crate) enum NodePattern {
    Code(Pattern),
    Kind(KindMatcher),
}

impl NodePattern {
    /// Parses code with metavariables, or `(node_kind)` if the grammar has that kind.
    fn parse(
        language: PackLanguage,
        text: &str,
        selector: Option<&str>,
        strictness: &MatchStrictness,
    ) -> Result<Self, StructuralError> {
        let text = text.trim();
        if text.is_empty() {
            return Err(StructuralError::Empty);
        }
        let kind = text.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
        if let Some(kind) = kind.and_then(|kind| language.kind(kind)) {
            return Ok(Self::Kind(KindMatcher::from_id(kind)));
        }
        let pattern = match selector {
            Some(selector) => Pattern::contextual(text, selector, language),
            None => language.pattern(text),
        };
        let pattern = pattern.map_err(|error| match error {
            PatternError::NoContent(_) => StructuralError::Empty,
            PatternError::MultipleNode(_) => StructuralError::SeveralNodes(text.to_owned()),
            PatternError::RootMultiMetaVar(_) => StructuralError::OnlyList(text.to_owned()),
            PatternError::InvalidKind(_) | PatternError::NoSelectorInContext { .. } => {
                StructuralError::Selector(selector.unwrap_or_default().to_owned())
            }
            PatternError::Parse(problem) => StructuralError::Parse(problem),
        })?;
        Ok(Self::Code(pattern.with_strictness(strictness.clone())))
    }

    fn literals(&self) -> Vec<String> {
        let mut literals = Vec::new();
        if let Self::Code(pattern) = self {
            required_literals::collect(&pattern.node, &pattern.strictness, &mut literals);
        }
        literals
    }

    fn variables(&self) -> BTreeSet<&str> {
        match self {
            Self::Code(pattern) => pattern.defined_vars().into_iter().collect(),
            Self::Kind(_) => BTreeSet::new(),
        }
    }

    fn has_syntax_error(&self) -> bool {
        fn is_broken(node: &PatternNode) -> bool {
            match node {
                PatternNode::MetaVar { .. } => false,
                PatternNode::Terminal { kind_id, .. } => *kind_id == ERROR_KIND,
                PatternNode::Internal { kind_id, children } => {
                    *kind_id == ERROR_KIND || children.iter().any(is_broken)
                }
            }
        }
        matches!(self, Self::Code(pattern) if is_broken(&pattern.node))
    }

    /// Tells whether nodes of a kind can match.
    fn kind_filter(&self) -> impl Fn(u16) -> bool {
        let kinds = match self {
            Self::Code(pattern) => pattern.potential_kinds(),
            Self::Kind(kind) => kind.potential_kinds(),
        };
        move |kind| kinds.as_ref().is_none_or(|kinds| kinds.contains(kind.into()))
    }
}

impl Matcher for NodePattern {
    fn match_node_with_env<'t, D: ast_grep_core::Doc>(
        &self,
        node: Node<'t, D>,
        variables: &mut Cow<'_, MetaVarEnv<'t, D>>,
    ) -> Option<Node<'t, D>> {
        match self {
            Self::Code(pattern) => pattern.match_node_with_env(node, variables),
            Self::Kind(kind) => kind.match_node_with_env(node, variables),
        }
    }

    fn get_match_len<D: ast_grep_core::Doc>(&self, node: Node<'_, D>) -> Option<usize> {
        match self {
            Self::Code(pattern) => pattern.get_match_len(node),
            Self::Kind(kind) => kind.get_match_len(node),
        }
    }
}

fn strictness(name: Option<&str>) -> Result<MatchStrictness, StructuralError> {
    let name = name.unwrap_or(STRICTNESS[0]);
    name.parse().map_err(|_| StructuralError::Strictness(name.to_owned()))
}

/// The text with every byte that is not UTF-8 replaced by a question mark, so that all offsets stay.
fn valid_utf8(text: &[u8]) -> String {
    let mut valid = String::with_capacity(text.len());
    for chunk in text.utf8_chunks() {
        valid.push_str(chunk.valid());
        valid.extend(std::iter::repeat_n('?', chunk.invalid().len()));
    }
    valid
}

#[cfg(test)]
mod tests {
    use super::*;

    fn query(pattern: &str) -> QuerySpec {
        QuerySpec { pattern: pattern.to_owned(), ..QuerySpec::default() }
    }

    fn texts(language: &str, spec: &QuerySpec, source: &str) -> Vec<String> {
        let query = Query::compile(language, spec).expect("a valid query");
        let found = query.search(source.as_bytes()).expect("within the limits");
        found.iter().map(|one| source[one.range.clone()].to_owned()).collect()
    }

    #[test]
    fn a_metavariable_matches_any_node_and_the_same_name_the_same_text() {
        let source = "a == a; a == b; f(x) == f(x);";
        assert_eq!(texts("javascript", &query("$X == $X"), source), ["a == a", "f(x) == f(x)"]);
        assert_eq!(texts("javascript", &query("$X == $Y"), source).len(), 3);
    }

    #[test]
    fn a_pattern_is_code_in_a_language_whose_files_begin_as_text() {
        let source = "<p>f(1)</p><?php f(1); $this->f($x); new Cart($x);";
        assert_eq!(texts("php", &query("f($A)"), source), ["f(1)"]);
        assert_eq!(texts("php", &query("$this->f($A)"), source), ["$this->f($x)"]);
        assert_eq!(texts("php", &query("$B->f($A);"), source), ["$this->f($x);"]);
        assert_eq!(texts("php", &query("new $C($$$)"), source), ["new Cart($x)"]);
        let two = Query::compile("php", &query("f(1); f(2);")).map(|_| ());
        assert!(matches!(two, Err(StructuralError::SeveralNodes(_))), "{two:?}");
    }

    #[test]
    fn three_dollars_match_a_list() {
        let source = "f(); f(1); f(1, 2); g(1)";
        assert_eq!(texts("python", &query("f($$$ARGS)"), source), ["f()", "f(1)", "f(1, 2)"]);
        let found = Query::compile("py", &query("f($$$ARGS)")).expect("valid").search(source.as_bytes());
        let captures: Vec<Vec<Capture>> =
            found.expect("parsed").into_iter().map(|one| one.captures).collect();
        assert_eq!(captures[2], [Capture { name: "ARGS".to_owned(), text: "1, 2".to_owned() }]);
    }

    #[test]
    fn constraints_relate_a_match_to_what_is_around_and_inside_it() {
        let source =
            "fn main() { work().unwrap(); }\n#[test]\nfn check() { for _ in 0..2 { work(1).unwrap(); } }\n";
        let with = |relation, text: &str| QuerySpec {
            constraints: vec![(relation, text.to_owned())],
            ..query("$X.unwrap()")
        };
        assert_eq!(texts("rust", &with(Relation::Inside, "(for_expression)"), source), ["work(1).unwrap()"]);
        assert_eq!(
            texts("rust", &with(Relation::NotInside, "(for_expression)"), source),
            ["work().unwrap()"]
        );
        assert_eq!(texts("rust", &with(Relation::Has, "(integer_literal)"), source), ["work(1).unwrap()"]);
        assert_eq!(texts("rust", &with(Relation::NotHas, "(integer_literal)"), source), ["work().unwrap()"]);
        assert_eq!(texts("rust", &with(Relation::Not, "work().$M()"), source), ["work(1).unwrap()"]);
        assert_eq!(texts("rust", &with(Relation::Inside, "fn main() { $$$ }"), source), ["work().unwrap()"]);
    }

    #[test]
    fn a_constraint_shares_the_metavariables_of_the_pattern() {
        let source = "def f(n):\n    return f(n - 1)\n\ndef g(n):\n    return f(n)\n";
        let spec = QuerySpec {
            constraints: vec![(Relation::Inside, "def $F($$$): $$$".to_owned())],
            ..query("$F($$$)")
        };
        assert_eq!(texts("python", &spec, source), ["f(n - 1)"]);
    }

    #[test]
    fn every_language_with_a_grammar_accepts_a_kind_or_a_name() {
        for pack in Registry::builtin().packs().iter().filter(|pack| pack.grammar().is_some()) {
            let compiled = Query::compile(pack.name(), &query("orient"));
            assert!(!matches!(compiled, Err(StructuralError::Parse(_))), "{}", pack.name());
        }
    }

    #[test]
    fn a_file_without_the_literals_of_the_pattern_is_not_parsed() {
        let query = Query::compile("go", &query("if err != nil { return $$$ }")).expect("valid");
        assert_eq!(query.literals, ["err", "nil"]);
        assert!(!query.required().is_all());
        assert_eq!(query.search(b"\xff broken {{{{"), Some(Vec::new()));
    }

    #[test]
    fn bytes_that_are_not_utf8_do_not_move_the_matches() {
        let query = Query::compile("python", &query("print($X)")).expect("valid");
        let found = query.search(b"# caf\xe9\nprint(1)\n").expect("parsed");
        assert_eq!((found[0].range.clone(), found[0].start), (7..15, Position { line: 2, column: 1 }));
    }

    #[test]
    fn what_cannot_be_searched_for_is_an_error() {
        let error = |language: &str, pattern: &str| Query::compile(language, &query(pattern)).err();
        assert_eq!(error("klingon", "f"), Some(StructuralError::UnknownLanguage("klingon".to_owned())));
        assert_eq!(error("rust", "  "), Some(StructuralError::Empty));
        assert_eq!(error("rust", "a(); b();"), Some(StructuralError::SeveralNodes("a(); b();".to_owned())));
        assert_eq!(error("rust", "$$$ALL"), Some(StructuralError::OnlyList("$$$ALL".to_owned())));
        let rewrite = QuerySpec { rewrite: Some("$Y".to_owned()), ..query("f($X)") };
        assert_eq!(Query::compile("rust", &rewrite).err(), Some(StructuralError::Unbound("Y".to_owned())));
        assert!(Query::compile("python", &query("def (")).expect("searchable").has_syntax_error());
    }
}
