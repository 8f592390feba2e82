//! Turns a table as written into one that is looked up by number; names what the grammar or the vocabulary lacks.

use super::path_syntax::is_path;
use super::{CallImport, CallRule, ExportRole, ImportRole, Rule, Table, Target};
use crate::grammar_repair::{Mend, Mends};
use crate::parse::flat_tree::Token;
use crate::preprocess::Blank;
use crate::schema::error::PackError;
use crate::schema::node_table::{CallSpec, NodeSpec, TableSpec};
use crate::schema::vocabulary::{self, HEADER_WORDS, Unknown};
use orient_grammars::Language;
use orient_model::{Modifiers, SymbolKind, Visibility};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// Compiles a table. `inherited` is the table it starts from: entries of it that this grammar lacks are passed over.
pub(crate) fn compile(
    pack: &str,
    language: &Language,
    spec: &TableSpec,
    inherited: &[TableSpec],
) -> Result<Table, Vec<PackError>> {
    let mut compiler = Compiler {
        pack,
        language,
        place: String::new(),
        strict: true,
        asked: Vec::new(),
        errors: Vec::new(),
    };
    let count = language.node_kind_count();
    let mut table = Table {
        by_kind: vec![0; count],
        by_parent: FxHashMap::default(),
        has_parent_rule: vec![false; count],
        rules: vec![Rule::default()],
        tokens: tokens(language, inherited.iter().chain([spec])),
        words: HEADER_WORDS.iter().map(|(word, says)| (word.as_bytes().to_vec(), *says)).collect(),
        outer_words: FxHashMap::default(),
        calls: FxHashMap::default(),
        self_names: last(spec, inherited, |s| &s.self_names),
        super_names: last(spec, inherited, |s| &s.super_names),
        makers: last(spec, inherited, |s| &s.makers),
        has_bare_calls: false,
        has_dotted_calls: false,
        first_param_is_self: spec.first_param_is_self,
        self_assign_declares: spec
            .self_assign_declares
            .or_else(|| inherited.iter().rev().find_map(|s| s.self_assign_declares))
            .unwrap_or_default(),
        implicit_return: spec.implicit_return,
        root: spec.root.clone(),
        docstrings: spec.docstrings,
        trailing_docs: any(spec, inherited, |s| s.trailing_docs),
        constructors: last(spec, inherited, |s| &s.constructors),
        constructor_named_as_type: any(spec, inherited, |s| s.constructor_named_as_type),
        attributes: FxHashMap::default(),
        sigil: spec.sigil.clone(),
        variable_mark: spec.variable_mark.clone(),
        import_binds_first: spec.import_binds.as_deref() == Some("first"),
        component_types: last(spec, inherited, |s| &s.component_types),
        visibility: Visibility::Public,
        member_visibility: Visibility::Public,
        open_kinds: Vec::new(),
        export_targets: last(spec, inherited, |s| &s.export_targets),
        xml_docs: any(spec, inherited, |s| s.xml_docs),
        blank: None,
        exports_decide: any(spec, inherited, |s| s.exports_decide),
        mends: Mends::new(last(spec, inherited, |s| &s.never_names)),
        has_rests: false,
        has_tokens: false,
        rebinds: false,
        inner_docs: last(spec, inherited, |s| &s.inner_docs),
        derives: last(spec, inherited, |s| &s.derives),
        language: language.clone(),
    };
    let mut merged: BTreeMap<&str, (&NodeSpec, bool)> = BTreeMap::new();
    for (table_spec, strict) in inherited.iter().map(|s| (s, false)).chain([(spec, true)]) {
        compiler.strict = strict;
        compiler.settings(table_spec, &mut table);
        merged.extend(table_spec.node.iter().map(|(key, node)| (key.as_str(), (node, strict))));
    }
    compiler.blank(spec, inherited, &mut table);
    for (key, (node, strict)) in merged {
        compiler.strict = strict;
        compiler.entry(key, node, &mut table);
    }
    table.has_tokens = table.rules.iter().any(|rule| rule.tokens);
    table.has_rests = table.rules.iter().any(|rule| rule.continues);
    table.has_bare_calls = table.rules.iter().any(|rule| rule.bare_call);
    table.has_dotted_calls = table.calls.keys().any(|name| name.contains('.'));
    table.rebinds = table.rules.iter().any(|rule| rule.rebind);
    for &token in &compiler.asked {
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

/// Unnamed tokens carry meaning when they are words (`async`, `static`) or when a table asks for them.
fn tokens<'s>(language: &Language, specs: impl Iterator<Item = &'s TableSpec>) -> Vec<Token> {
    let asked: Vec<&str> = specs.flat_map(|spec| spec.keep.iter().map(String::as_str)).collect();
    let token = |kind| {
        let word = language.node_kind_for_id(kind).unwrap_or_default();
        if language.node_kind_is_named(kind) {
            Token::Named
        } else if word.starts_with(|c: char| c.is_ascii_alphabetic()) || asked.contains(&word) {
            Token::Word
        } else {
            Token::Mark
        }
    };
    (0..language.node_kind_count() as u16).map(token).collect()
}

pub(super) struct Compiler<'a> {
    pack: &'a str,
    pub(super) language: &'a Language,
    place: String,
    /// Whether what the grammar lacks is an error; not so for inherited entries.
    strict: bool,
    /// Tokens that paths or roles look for.
    pub(super) asked: Vec<u16>,
    errors: Vec<PackError>,
}

impl Compiler<'_> {
    fn settings(&mut self, spec: &TableSpec, table: &mut Table) {
        for (word, says) in &spec.words {
            self.place = format!("words.{word}");
            if let Some(says) = self.word(says, vocabulary::header_word) {
                table.words.insert(word.as_bytes().to_vec(), says);
            }
        }
        for (word, says) in &spec.outer_words {
            self.place = format!("outer_words.{word}");
            if let Some(says) = self.word(says, vocabulary::header_word) {
                table.outer_words.insert(word.as_bytes().to_vec(), says);
            }
        }
        for (name, says) in &spec.attributes {
            self.place = format!("attributes.{name}");
            if let Some(says) = self.word(says, vocabulary::header_word) {
                table.attributes.insert(name.clone(), says);
            }
        }
        for (name, call) in &spec.call {
            self.place = format!("call.{name}");
            let rule = self.call(call);
            table.calls.insert(name.clone(), rule);
        }
        for mend in &spec.mend {
            match Mend::compile(self.pack, mend) {
                Ok(mend) => table.mends.add(mend),
                Err(error) => self.errors.push(error),
            }
        }
        "visibility".clone_into(&mut self.place);
        if let Some(word) = &spec.visibility {
            table.visibility = self.word(word, vocabulary::visibility).unwrap_or_default();
        }
        if let Some(word) = &spec.member_visibility {
            table.member_visibility = self.word(word, vocabulary::visibility).unwrap_or_default();
        }
        for word in &spec.open_kinds {
            table.open_kinds.extend(self.word(word, vocabulary::symbol));
        }
    }

    fn blank(&mut self, spec: &TableSpec, inherited: &[TableSpec], table: &mut Table) {
        let specs: Vec<_> = inherited.iter().chain([spec]).filter_map(|spec| spec.blank.as_ref()).collect();
        match Blank::compile(&specs) {
            Ok(blank) => table.blank = blank,
            Err(error) => self.errors.push(PackError::Pattern {
                pack: self.pack.to_owned(),
                place: "blank".to_owned(),
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
                    &Unknown { what: "import of a call", known: vec!["effect", "value", "named"] },
                ),
            }),
            define: spec.define.as_ref().and_then(|word| self.word(word, vocabulary::symbol)),
            first: spec.first,
            mixes: spec.mixes,
            access: spec.access.as_ref().and_then(|word| self.word(word, vocabulary::visibility)),
            keyword: spec.keyword,
            test: spec.test,
            suite: spec.suite,
            passes: spec.passes,
            component: spec.component,
            adds: self.modifiers(&spec.adds),
            member: spec.member,
            relative: spec.relative,
            makes: self.symbol(spec.makes.as_deref()),
            inherits: spec.inherits,
        }
    }

    fn entry(&mut self, key: &str, node: &NodeSpec, table: &mut Table) {
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

    fn rule(&mut self, spec: &NodeSpec) -> Rule {
        Rule {
            symbol: self.symbol(spec.symbol.as_deref()),
            declare: self.symbol(spec.declare.as_deref()),
            member: self.symbol(spec.member.as_deref()),
            local: self.symbol(spec.local.as_deref()),
            callable: self.symbol(spec.callable.as_deref()),
            vexing: spec.vexing,
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
                .filter_map(|(path, kind)| Some((self.spec(Some(path)), self.symbol(Some(kind))?)))
                .collect(),
            constant: spec.constant.iter().map(|word| word.as_bytes().to_vec()).collect(),
            adds: self.modifiers(&spec.adds),
            visibility: spec.visibility.as_ref().and_then(|word| self.word(word, vocabulary::visibility)),
            name_text: spec.name_text.clone(),
            rebind: spec.rebind,
            hoist: spec.hoist,
            inner_name: spec.inner_name,
            if_member: spec.if_member,
            if_capital: spec.if_capital,
            if_words: spec.if_words.iter().map(|word| word.as_bytes().to_vec()).collect(),
            if_function: spec.if_function,
            needs_body: spec.needs_body,
            promote_direct: spec.promote.as_ref().is_some_and(|promote| promote.direct),
            promote: spec.promote.as_ref().and_then(|promote| {
                let words = promote.words.iter().map(|word| word.as_bytes().to_vec()).collect();
                Some((self.symbol(Some(&promote.kind))?, words))
            }),
            variadic: spec.variadic,
            variadic_words: spec.variadic_words.iter().map(|word| word.as_bytes().to_vec()).collect(),
            default_name: spec.default_name.clone(),
            implicit_param: spec.implicit_param.clone(),
            returns_last: spec.returns_last,
            qualified: self.modifiers(&spec.qualified),
            param: spec.param,
            optional: spec.optional,
            type_param: spec.type_param,
            bounds: spec.bounds,
            receiver: spec.receiver,
            bind: spec.bind.as_ref().and_then(|word| self.word(word, vocabulary::via)),
            assign: spec.assign,
            overwrites: spec.overwrites,
            returned: spec.returned,
            yielded: spec.yielded,
            outer: spec.outer,
            import: spec.import.as_ref().and_then(|word| self.import(word)),
            reexport: spec.reexport,
            export: spec.export.as_ref().and_then(|word| self.export(word)),
            package: spec.package,
            comment: spec.comment,
            attribute: spec.attribute,
            stray: self.spec(spec.stray.as_deref()),
            continues: spec.continues,
            words: spec.words,
            wrapper: spec.wrapper,
            scope: spec.scope.as_ref().and_then(|word| self.word(word, vocabulary::scope)),
            expr: spec.expr.as_ref().and_then(|word| self.word(word, vocabulary::expr_role)),
            roles: self.roles(&spec.roles),
            reference: spec.reference.as_ref().and_then(|word| self.word(word, vocabulary::reference)),
            types: spec.types,
            values: spec.values,
            markup: spec.markup,
            silent: spec.silent,
            access: spec.access,
            pattern: spec.pattern,
            tokens: spec.tokens,
            skip: spec.skip,
            qualifies: spec.qualifies,
            promotes: self.symbol(spec.promotes.as_deref()),
            bare_call: spec.bare_call,
            marks: spec
                .marks
                .iter()
                .filter_map(|(word, says)| match self.word(says, vocabulary::header_word)? {
                    vocabulary::HeaderWord::Modifier(modifier) => Some((word.as_bytes().to_vec(), modifier)),
                    _ => None,
                })
                .collect(),
            absent: spec.absent.iter().map(|text| text.as_bytes().to_vec()).collect(),
            target: spec.target.as_ref().and_then(|word| self.target(word)),
            members_add: self.modifiers(&spec.members_add),
            aside: spec.aside,
            ..self.places(spec)
        }
    }

    /// Where the parts of a node are.
    fn places(&mut self, spec: &NodeSpec) -> Rule {
        Rule {
            name: self.spec(spec.name.as_deref()),
            qualifier: self.spec(spec.qualifier.as_deref()),
            params: self.spec(spec.params.as_deref()),
            owner: self.spec(spec.owner.as_deref()),
            returns: self.spec(spec.returns.as_deref()),
            body: self.spec(spec.body.as_deref()),
            ty: self.spec(spec.ty.as_deref()),
            value: self.spec(spec.value.as_deref()),
            callee: self.spec(spec.callee.as_deref()),
            base: self.spec(spec.base.as_deref()),
            args: self.spec(spec.args.as_deref()),
            type_args: self.spec(spec.type_args.as_deref()),
            alias: self.spec(spec.alias.as_deref()),
            module: self.spec(spec.module.as_deref()),
            wildcard: self.spec(spec.wildcard.as_deref()),
            effect: self.spec(spec.effect.as_deref()),
            unwrap: self.spec(spec.unwrap.as_deref()),
            extends: self.spec(spec.extends.as_deref()),
            implements: self.spec(spec.implements.as_deref()),
            mixes: self.spec(spec.mixes.as_deref()),
            label: self.spec(spec.label.as_deref()),
            group: self.spec(spec.group.as_deref()),
            name_starts: self.spec(spec.name_starts.as_deref()),
            name_ends: self.spec(spec.name_ends.as_deref()),
            trailing: self.spec(spec.trailing.as_deref()),
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
                self.unknown(word, &Unknown { what: "target of an assignment", known })
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
                return self.unknown(word, &Unknown { what: "import role", known });
            }
        })
    }

    fn export(&mut self, word: &str) -> Option<ExportRole> {
        match word {
            "statement" => Some(ExportRole::Statement),
            "item" => Some(ExportRole::Item),
            _ => self.unknown(word, &Unknown { what: "export role", known: vec!["statement", "item"] }),
        }
    }

    fn word<T>(&mut self, word: &str, find: impl Fn(&str) -> Result<T, Unknown>) -> Option<T> {
        find(word).map_err(|unknown| drop(self.unknown::<T>(word, &unknown))).ok()
    }

    fn unknown<T>(&mut self, word: &str, unknown: &Unknown) -> Option<T> {
        self.errors.push(PackError::Word {
            pack: self.pack.to_owned(),
            place: self.place.clone(),
            word: word.to_owned(),
            what: unknown.what,
            known: unknown.known.join(", "),
        });
        None
    }

    pub(super) fn kind(&mut self, kind: &str) -> Option<u16> {
        let (name, named) = match kind.strip_prefix('\'').and_then(|kind| kind.strip_suffix('\'')) {
            Some(token) => (token, false),
            None => (kind, true),
        };
        let id = self.language.id_for_node_kind(name, named);
        // An unnamed token and its named twin share a name; either will do where only one exists.
        let id = if id == 0 { self.language.id_for_node_kind(name, !named) } else { id };
        if id == 0 {
            self.lacks("node kind", kind);
            return None;
        }
        Some(id)
    }

    pub(super) fn lacks(&mut self, what: &'static str, word: &str) {
        if self.strict {
            self.errors.push(PackError::Unknown {
                pack: self.pack.to_owned(),
                place: self.place.clone(),
                what,
                word: word.to_owned(),
            });
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
            self.asked.extend(kind);
            compiled.extend(kind.zip(role));
        }
        compiled
    }
}
