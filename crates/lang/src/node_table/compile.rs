//! Compiles a node table as written against its grammar, and reports words that the grammar or the vocabulary lacks.

use super::compiler::Compiler;
use super::path_syntax::is_path;
use super::{
    CallImport, CallRule, ExportRole, FlowBreak, ImportRole, NarrowingWords, NodeTable, Rule, Target,
};
use crate::grammar_repair::{GrammarGap, GrammarGaps};
use crate::item_macros::ItemMacros;
use crate::parse::flat_tree::Token;
use crate::preprocess::Preprocessor;
use crate::schema::error::PackError;
use crate::schema::node_table::{CallSpec, ComplexitySpec, NarrowingSpec, NodeSpec, TableSpec};
use crate::schema::vocabulary::{self, HEADER_WORDS, UnknownWord};
use orient_grammars::Language;
use orient_model::{Modifier, Modifiers, SymbolKind, Visibility};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// Compiles a table. `inherited` are the tables it extends; their entries may name nodes that this grammar lacks.
pub(crate) fn compile(
    pack: &str,
    language: &Language,
    spec: &TableSpec,
    inherited: &[TableSpec],
) -> Result<NodeTable, Vec<PackError>> {
    let mut compiler = Compiler {
        pack,
        language,
        place: String::new(),
        strict: true,
        needed_tokens: Vec::new(),
        errors: Vec::new(),
    };
    let count = language.node_kind_count();
    let mut table = NodeTable {
        by_kind: vec![0; count],
        by_parent: FxHashMap::default(),
        has_parent_rule: vec![false; count],
        rules: vec![Rule::default()],
        tokens: tokens(language, inherited.iter().chain([spec])),
        modifier_words: HEADER_WORDS.iter().map(|(word, says)| (word.as_bytes().to_vec(), *says)).collect(),
        top_level_modifier_words: FxHashMap::default(),
        calls: FxHashMap::default(),
        self_names: last(spec, inherited, |s| &s.self_names),
        super_names: last(spec, inherited, |s| &s.super_names),
        factory_methods: last(spec, inherited, |s| &s.factory_methods),
        has_bare_calls: false,
        has_dotted_calls: false,
        first_param_is_self: spec.first_param_is_self,
        variadic_is_list: any(spec, inherited, |s| s.variadic_is_list),
        project_wide_imports: any(spec, inherited, |s| s.project_wide_imports),
        calls_return_decorators: spec.calls_return_decorators,
        binds_after_value: any(spec, inherited, |s| s.binds_after_value),
        documented_types: any(spec, inherited, |s| s.documented_types),
        narrowing: None,
        self_assignment_declares_field: spec
            .self_assignment_declares_field
            .or_else(|| inherited.iter().rev().find_map(|s| s.self_assignment_declares_field))
            .unwrap_or_default(),
        implicit_return: spec.implicit_return,
        global_prefix: spec.global_prefix.clone(),
        variadic_token: spec.variadic_token.clone(),
        docstrings: spec.docstrings,
        trailing_docs: any(spec, inherited, |s| s.trailing_docs),
        constructors: last(spec, inherited, |s| &s.constructors),
        constructor_named_as_type: any(spec, inherited, |s| s.constructor_named_as_type),
        attribute_modifiers: FxHashMap::default(),
        sigil: spec.sigil.clone(),
        variable_prefix: spec.variable_prefix.clone(),
        import_binds_first: spec.import_binds.as_deref() == Some("first"),
        component_types: last(spec, inherited, |s| &s.component_types),
        default_visibility: Visibility::Public,
        default_member_visibility: Visibility::Public,
        public_member_kinds: Vec::new(),
        export_objects: last(spec, inherited, |s| &s.export_objects),
        xml_docs: any(spec, inherited, |s| s.xml_docs),
        preprocessor: None,
        unexported_is_private: any(spec, inherited, |s| s.unexported_is_private),
        item_macros: None,
        token_functions: spec.token_functions.clone(),
        grammar_gaps: GrammarGaps::new(last(spec, inherited, |s| &s.reserved_words)),
        has_continuations: false,
        has_tokens: false,
        rebinds: false,
        inner_doc_prefixes: last(spec, inherited, |s| &s.inner_doc_prefixes),
        derive_attributes: last(spec, inherited, |s| &s.derive_attributes),
        flow_breaks: Vec::new(),
        default_cases: Vec::new(),
        language: language.clone(),
    };
    let mut merged: BTreeMap<&str, (&NodeSpec, bool)> = BTreeMap::new();
    for (table_spec, strict) in inherited.iter().map(|s| (s, false)).chain([(spec, true)]) {
        compiler.strict = strict;
        compiler.settings(table_spec, &mut table);
        merged.extend(table_spec.node.iter().map(|(key, node)| (key.as_str(), (node, strict))));
    }
    compiler.preprocess(spec, inherited, &mut table);
    for (key, (node, strict)) in merged {
        compiler.strict = strict;
        compiler.entry(key, node, &mut table);
    }
    table.has_tokens = table.rules.iter().any(|rule| rule.unparsed_tokens);
    table.has_continuations = table.rules.iter().any(|rule| rule.continues_previous);
    table.has_bare_calls = table.rules.iter().any(|rule| rule.bare_call);
    table.has_dotted_calls = table.calls.keys().any(|name| name.contains('.'));
    table.rebinds = table.rules.iter().any(|rule| rule.rebind);
    for &token in &compiler.needed_tokens {
        if let Some(mark) = table.tokens.get_mut(token as usize).filter(|token| **token == Token::Mark) {
            *mark = Token::Word;
        }
    }
    if compiler.errors.is_empty() { Ok(table) } else { Err(compiler.errors) }
}

fn last(spec: &TableSpec, inherited: &[TableSpec], get: impl Fn(&TableSpec) -> &Vec<String>) -> Vec<String> {
    [spec]
        .into_iter()
        .chain(inherited.iter().rev())
        .map(get)
        .find(|list| !list.is_empty())
        .cloned()
        .unwrap_or_default()
}

fn any(spec: &TableSpec, inherited: &[TableSpec], get: impl Fn(&TableSpec) -> bool) -> bool {
    get(spec) || inherited.iter().any(get)
}

/// Anonymous tokens carry meaning if they are words (`async`, `static`) or if a table lists them.
fn tokens<'s>(language: &Language, specs: impl Iterator<Item = &'s TableSpec>) -> Vec<Token> {
    let needed_tokens: Vec<&str> =
        specs.flat_map(|spec| spec.significant_tokens.iter().map(String::as_str)).collect();
    let token = |kind| {
        let word = language.node_kind_for_id(kind).unwrap_or_default();
        if language.node_kind_is_named(kind) {
            Token::Named
        } else if word.starts_with(|c: char| c.is_ascii_alphabetic()) || needed_tokens.contains(&word) {
            Token::Word
        } else {
            Token::Mark
        }
    };
    (0..language.node_kind_count() as u16).map(token).collect()
}

impl Compiler<'_> {
    fn settings(&mut self, spec: &TableSpec, table: &mut NodeTable) {
        for (word, says) in &spec.modifier_words {
            self.place = format!("modifier_words.{word}");
            if let Some(says) = self.word(says, vocabulary::header_word) {
                table.modifier_words.insert(word.as_bytes().to_vec(), says);
            }
        }
        for (word, says) in &spec.top_level_modifier_words {
            self.place = format!("top_level_modifier_words.{word}");
            if let Some(says) = self.word(says, vocabulary::header_word) {
                table.top_level_modifier_words.insert(word.as_bytes().to_vec(), says);
            }
        }
        for (name, says) in &spec.attribute_modifiers {
            self.place = format!("attribute_modifiers.{name}");
            if let Some(says) = self.word(says, vocabulary::header_word) {
                table.attribute_modifiers.insert(name.clone(), says);
            }
        }
        for (name, call) in &spec.call {
            self.place = format!("call.{name}");
            let rule = self.call(call);
            table.calls.insert(name.clone(), rule);
        }
        self.complexity(&spec.complexity, table);
        if let Some(narrowing) = &spec.narrowing {
            self.narrowing(narrowing, table);
        }
        for (kind, ending) in &spec.impossible_endings {
            self.place = format!("impossible_endings.{kind}");
            if let (Some(kind), Some(ending)) = (self.kind(kind), self.kind(ending)) {
                table.grammar_gaps.forbid_ending(kind, ending);
            }
        }
        for gap in &spec.grammar_gap {
            match GrammarGap::compile(self.pack, gap) {
                Ok(gap) => table.grammar_gaps.add(gap),
                Err(error) => self.errors.push(error),
            }
        }
        if let Some(macros) = &spec.item_macros {
            match ItemMacros::compile(self.pack, macros) {
                Ok(macros) => table.item_macros = Some(macros),
                Err(error) => self.errors.push(error),
            }
        }
        "default_visibility".clone_into(&mut self.place);
        if let Some(word) = &spec.default_visibility {
            table.default_visibility = self.word(word, vocabulary::visibility).unwrap_or_default();
        }
        if let Some(word) = &spec.default_member_visibility {
            table.default_member_visibility = self.word(word, vocabulary::visibility).unwrap_or_default();
        }
        for word in &spec.public_member_kinds {
            table.public_member_kinds.extend(self.word(word, vocabulary::symbol));
        }
    }

    fn narrowing(&mut self, spec: &NarrowingSpec, table: &mut NodeTable) {
        "narrowing".clone_into(&mut self.place);
        let bytes = |words: &[String]| words.iter().map(|word| word.as_bytes().to_vec()).collect();
        table.narrowing = Some(NarrowingWords {
            tests: bytes(&spec.tests),
            test_functions: bytes(&spec.test_functions),
            membership: bytes(&spec.membership),
            equal: bytes(&spec.equal),
            unequal: bytes(&spec.unequal),
            type_of: bytes(&spec.type_of),
            type_names: bytes(&spec.type_names),
            guards: spec.guards,
            not: bytes(&spec.not),
            and: bytes(&spec.and),
            or: bytes(&spec.or),
            assertions: bytes(&spec.assertions),
            denials: bytes(&spec.denials),
            type_assertions: bytes(&spec.type_assertions),
            exits: spec.exits.iter().filter_map(|kind| self.kind(kind)).collect(),
        });
    }

    fn complexity(&mut self, spec: &ComplexitySpec, table: &mut NodeTable) {
        "complexity".clone_into(&mut self.place);
        let lists = [
            (&spec.branches, FlowBreak::Branch),
            (&spec.further_branches, FlowBreak::FurtherBranch),
            (&spec.switches, FlowBreak::Switch),
            (&spec.cases, FlowBreak::Case),
            (&spec.otherwise, FlowBreak::Otherwise),
            (&spec.operators, FlowBreak::Operator),
        ];
        for (kinds, flow_break) in lists {
            for kind in kinds {
                let Some(kind) = self.kind(kind) else { continue };
                table.flow_breaks.resize(self.language.node_kind_count(), None);
                table.flow_breaks[kind as usize] = Some(flow_break);
                self.needed_tokens.push(kind);
            }
        }
        table.default_cases.extend(spec.default_cases.iter().map(|word| word.as_bytes().to_vec()));
    }

    fn preprocess(&mut self, spec: &TableSpec, inherited: &[TableSpec], table: &mut NodeTable) {
        let specs: Vec<_> =
            inherited.iter().chain([spec]).filter_map(|spec| spec.preprocess.as_ref()).collect();
        match Preprocessor::compile(&specs) {
            Ok(preprocessor) => table.preprocessor = preprocessor,
            Err(error) => self.errors.push(PackError::Pattern {
                pack: self.pack.to_owned(),
                place: "preprocess".to_owned(),
                message: error.to_string(),
            }),
        }
    }

    fn call(&mut self, spec: &CallSpec) -> CallRule {
        CallRule {
            import: spec.import.as_ref().and_then(|word| match word.as_str() {
                "effect" => Some(CallImport::Effect),
                "value" => Some(CallImport::Value),
                "named" => Some(CallImport::Named),
                _ => self.unknown(
                    word,
                    &UnknownWord { what: "import of a call", known: vec!["effect", "value", "named"] },
                ),
            }),
            define: spec.define.as_ref().and_then(|word| self.word(word, vocabulary::symbol)),
            first_argument_only: spec.first_argument_only,
            mixes_in: spec.mixes_in,
            sets_visibility: spec
                .sets_visibility
                .as_ref()
                .and_then(|word| self.word(word, vocabulary::visibility)),
            keyword: spec.keyword,
            test: spec.test,
            suite: spec.suite,
            returns_its_function: spec.returns_its_function,
            component: spec.component,
            modifiers: self.modifiers(&spec.modifiers),
            only_in_type: spec.only_in_type,
            relative_to_file: spec.relative_to_file,
            creates_type: self.symbol(spec.creates_type.as_deref()),
            inherits_arguments: spec.inherits_arguments,
        }
    }

    fn entry(&mut self, key: &str, node: &NodeSpec, table: &mut NodeTable) {
        self.place = format!("node.{key}");
        let (parent, kind) = match key.split_once('>') {
            Some((parent, kind)) => (Some(parent.trim()), kind.trim()),
            None => (None, key),
        };
        let Some(kind) = self.kind(kind) else { return };
        let parent = match parent.map(|parent| self.kind(parent)) {
            Some(None) => return,
            Some(Some(parent)) => Some(parent),
            None => None,
        };
        let rule = self.rule(node);
        let position = table.rules.len() as u16;
        table.rules.push(rule);
        if let Some(parent) = parent {
            table.by_parent.insert((parent, kind), position);
            table.has_parent_rule[kind as usize] = true;
        } else {
            table.by_kind[kind as usize] = position;
        }
    }

    fn selector_attributes(&mut self, spec: &NodeSpec) -> Vec<(String, char)> {
        let mark = |(name, lists): (&String, &String)| {
            Some((name.clone(), self.word(lists, vocabulary::selector_mark)?))
        };
        spec.selector_attributes.iter().filter_map(mark).collect()
    }

    fn first_param_modifiers(&mut self, spec: &NodeSpec) -> Vec<(Vec<u8>, Modifier)> {
        let mark = |(word, says): (&String, &String)| match self.word(says, vocabulary::header_word)? {
            vocabulary::HeaderWord::Modifier(modifier) => Some((word.as_bytes().to_vec(), modifier)),
            _ => None,
        };
        spec.first_param_modifiers.iter().filter_map(mark).collect()
    }

    fn rule(&mut self, spec: &NodeSpec) -> Rule {
        Rule {
            symbol: self.symbol(spec.symbol.as_deref()),
            declare: self.symbol(spec.declare.as_deref()),
            member_kind: self.symbol(spec.member_kind.as_deref()),
            local_kind: self.symbol(spec.local_kind.as_deref()),
            callable_kind: self.symbol(spec.callable_kind.as_deref()),
            most_vexing_parse: spec.most_vexing_parse,
            positional_fields: spec.positional_fields,
            suffix_types: by_suffix(&spec.suffix_types),
            fraction_types: by_suffix(&spec.fraction_types),
            spreads_list: spec.spreads_list,
            kinds: spec
                .kinds
                .iter()
                .filter(|(word, _)| !is_path(word))
                .filter_map(|(word, kind)| Some((word.as_bytes().to_vec(), self.symbol(Some(kind))?)))
                .collect(),
            kinds_by_part: spec
                .kinds
                .iter()
                .filter(|(word, _)| is_path(word))
                .filter_map(|(path, kind)| Some((self.node_path(Some(path)), self.symbol(Some(kind))?)))
                .collect(),
            constant_words: spec.constant_words.iter().map(|word| word.as_bytes().to_vec()).collect(),
            modifiers: self.modifiers(&spec.modifiers),
            visibility: spec.visibility.as_ref().and_then(|word| self.word(word, vocabulary::visibility)),
            fixed_name: spec.fixed_name.clone(),
            passes_functions_to: spec.passes_functions_to.clone(),
            rebind: spec.rebind,
            hoist: spec.hoist,
            inner_name: spec.inner_name,
            only_in_type: spec.only_in_type,
            only_if_capitalised: spec.only_if_capitalised,
            only_with_words: spec.only_with_words.iter().map(|word| word.as_bytes().to_vec()).collect(),
            only_if_function: spec.only_if_function,
            needs_body: spec.needs_body,
            parameter_property_direct: spec.parameter_property.as_ref().is_some_and(|promote| promote.direct),
            parameter_property: spec.parameter_property.as_ref().and_then(|promote| {
                let words = promote.words.iter().map(|word| word.as_bytes().to_vec()).collect();
                Some((self.symbol(Some(&promote.kind))?, words))
            }),
            variadic: spec.variadic,
            variadic_words: spec.variadic_words.iter().map(|word| word.as_bytes().to_vec()).collect(),
            default_name: spec.default_name.clone(),
            named_after: self.node_path(spec.named_after.as_deref()),
            implicit_param: spec.implicit_param.clone(),
            returns_last_expression: spec.returns_last_expression,
            modifiers_if_qualified: self.modifiers(&spec.modifiers_if_qualified),
            param: spec.param,
            optional: spec.optional,
            type_param: spec.type_param,
            type_bounds: spec.type_bounds,
            receiver: spec.receiver,
            bind: spec.bind.as_ref().and_then(|word| self.word(word, vocabulary::via)),
            assign: spec.assign,
            assigns_existing: spec.assigns_existing,
            returned: spec.returned,
            yielded: spec.yielded,
            outer_names: spec.outer_names,
            import: spec.import.as_ref().and_then(|word| self.import(word)),
            reexport: spec.reexport,
            export: spec.export.as_ref().and_then(|word| self.export(word)),
            package: spec.package,
            comment: spec.comment,
            attribute: spec.attribute,
            attribute_if_has: self.node_path(spec.attribute_if_has.as_deref()),
            continues_previous: spec.continues_previous,
            holds_modifiers: spec.holds_modifiers,
            wrapper: spec.wrapper,
            scope: spec.scope.as_ref().and_then(|word| self.word(word, vocabulary::scope)),
            expr: spec.expr.as_ref().and_then(|word| self.word(word, vocabulary::expr_role)),
            roles: self.roles(&spec.roles),
            reference: spec.reference.as_ref().and_then(|word| self.word(word, vocabulary::reference)),
            type_context: spec.type_context,
            value_context: spec.value_context,
            markup: spec.markup,
            element_attribute: spec.element_attribute,
            selector_attributes: self.selector_attributes(spec),
            not_a_reference: spec.not_a_reference,
            access_specifier: spec.access_specifier,
            pattern: spec.pattern,
            unparsed_tokens: spec.unparsed_tokens,
            skip: spec.skip,
            qualifies_type: spec.qualifies_type,
            parameters_declare: self.symbol(spec.parameters_declare.as_deref()),
            bare_call: spec.bare_call,
            first_param_modifiers: self.first_param_modifiers(spec),
            empty_texts: spec.empty_texts.iter().map(|text| text.as_bytes().to_vec()).collect(),
            true_conditions: spec.true_conditions.iter().map(|text| text.as_bytes().to_vec()).collect(),
            is_path: spec.is_path,
            narrows: spec.narrows,
            assignment_target: spec.assignment_target.as_ref().and_then(|word| self.target(word)),
            member_modifiers: self.modifiers(&spec.member_modifiers),
            not_an_item: spec.not_an_item,
            ..self.places(spec)
        }
    }

    /// The node paths of a rule.
    fn places(&mut self, spec: &NodeSpec) -> Rule {
        Rule {
            name: self.node_path(spec.name.as_deref()),
            condition: self.node_path(spec.condition.as_deref()),
            otherwise: self.node_path(spec.otherwise.as_deref()),
            narrowed: self.node_path(spec.narrowed.as_deref()),
            subject: self.node_path(spec.subject.as_deref()),
            cases: self.node_path(spec.cases.as_deref()),
            qualifier: self.node_path(spec.qualifier.as_deref()),
            params: self.node_path(spec.params.as_deref()),
            receiver_params: self.node_path(spec.receiver_params.as_deref()),
            returns: self.node_path(spec.returns.as_deref()),
            body: self.node_path(spec.body.as_deref()),
            ty: self.node_path(spec.ty.as_deref()),
            value: self.node_path(spec.value.as_deref()),
            callee: self.node_path(spec.callee.as_deref()),
            base: self.node_path(spec.base.as_deref()),
            args: self.node_path(spec.args.as_deref()),
            type_args: self.node_path(spec.type_args.as_deref()),
            alias: self.node_path(spec.alias.as_deref()),
            module: self.node_path(spec.module.as_deref()),
            wildcard: self.node_path(spec.wildcard.as_deref()),
            side_effect: self.node_path(spec.side_effect.as_deref()),
            inner_declarator: self.node_path(spec.inner_declarator.as_deref()),
            extends: self.node_path(spec.extends.as_deref()),
            implements: self.node_path(spec.implements.as_deref()),
            mixins: self.node_path(spec.mixins.as_deref()),
            label: self.node_path(spec.label.as_deref()),
            group: self.node_path(spec.group.as_deref()),
            name_starts: self.node_path(spec.name_starts.as_deref()),
            name_ends: self.node_path(spec.name_ends.as_deref()),
            trailing_argument: self.node_path(spec.trailing_argument.as_deref()),
            ..Rule::default()
        }
    }

    fn symbol(&mut self, word: Option<&str>) -> Option<SymbolKind> {
        word.and_then(|word| self.word(word, vocabulary::symbol))
    }

    fn target(&mut self, word: &str) -> Option<Target> {
        match word.split_once(' ') {
            None if word == "local" => Some(Target::Local),
            None if word == "member" => Some(Target::Member),
            None => self.symbol(Some(word)).map(Target::Here),
            Some(("global", kind)) => self.symbol(Some(kind)).map(Target::Global),
            Some(_) => {
                let known = vec!["local", "member", "KIND", "global KIND"];
                self.unknown(word, &UnknownWord { what: "target of an assignment", known })
            }
        }
    }

    fn modifiers(&mut self, words: &[String]) -> Modifiers {
        let mut modifiers = Modifiers::default();
        for word in words {
            match vocabulary::header_word(word) {
                Ok(vocabulary::HeaderWord::Modifier(modifier)) => modifiers.insert(modifier),
                Ok(_) => {}
                Err(unknown) => drop(self.unknown::<()>(word, &unknown)),
            }
        }
        modifiers
    }

    fn import(&mut self, word: &str) -> Option<ImportRole> {
        Some(match word {
            "statement" => ImportRole::Statement,
            "effect" => ImportRole::Effect,
            "group" => ImportRole::Group,
            "item" => ImportRole::Item,
            "module" => ImportRole::Module,
            "wildcard" => ImportRole::Wildcard,
            "default" => ImportRole::Default,
            _ => {
                let known = vec!["statement", "effect", "group", "item", "module", "wildcard", "default"];
                return self.unknown(word, &UnknownWord { what: "import role", known });
            }
        })
    }

    fn export(&mut self, word: &str) -> Option<ExportRole> {
        match word {
            "statement" => Some(ExportRole::Statement),
            "item" => Some(ExportRole::Item),
            _ => self.unknown(word, &UnknownWord { what: "export role", known: vec!["statement", "item"] }),
        }
    }

    fn roles(&mut self, roles: &BTreeMap<String, String>) -> Vec<(u16, vocabulary::ExprRole)> {
        let mut compiled = Vec::new();
        for (token, word) in roles {
            let kind = match token.strip_prefix(':').filter(|kind| !kind.is_empty()) {
                Some(kind) => self.kind(kind),
                None => self.kind(&format!("'{token}'")),
            };
            let role = self.word(word, vocabulary::expr_role);
            self.needed_tokens.extend(kind);
            compiled.extend(kind.zip(role));
        }
        compiled
    }
}

/// Types by the ends of literals, the longest end first.
fn by_suffix(types: &BTreeMap<String, String>) -> Vec<(Vec<u8>, String)> {
    let mut types: Vec<(Vec<u8>, String)> =
        types.iter().map(|(suffix, ty)| (suffix.clone().into_bytes(), ty.clone())).collect();
    types.sort_by_key(|(suffix, _)| std::cmp::Reverse(suffix.len()));
    types
}
