//! What is remembered while one file is resolved: the names that were asked for, answers, and what is being answered.

use crate::calls::argument_types::Taken;
use crate::file::file_unit::{Held, Members};
use crate::invalidation::name_reach;
use crate::modules::Tops;
use crate::names::scope_lookup::{Around, Beyond};
use crate::resolver::Resolver;
use crate::types::ty::{Found, Module, Sym, Ty, Val};
use crate::types::type_expr::Bases;
use orient_model::{ExprId, Modifiers, Resolved, SymbolKind};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

/// How deep one question may lead to others.
const DEPTH: u32 = 24;
/// How deep expressions, types and scopes may lead to each other, whatever is asked: bounds the stack.
const NESTING: u32 = 160;
/// How many steps one use may take, and all uses of a file together; then it must do with fewer. Steps, not time, so
/// that every machine gives up at the same place.
const STEPS_OF_USE: u64 = 20_000;
const STEPS_OF_FILE: u64 = 3_000_000;
const STEPS_IN_HASTE: u64 = 400;
/// Likewise for a file with hundreds of thousands of uses that each lead far, such as one chain of members.
const MANY_STEPS: u64 = 2 * STEPS_OF_FILE;
const STEPS_AT_LAST: u64 = 10;
/// How many answers are remembered for a file: some 40 MB.
pub(crate) const REMEMBERED: usize = 900_000;

/// A place to look from.
#[derive(Clone)]
pub(crate) struct Frame {
    pub(crate) unit: Held,
    pub(crate) scope: u32,
    /// The position in the file: what is bound later may not count.
    pub(crate) at: u32,
}

/// A question that may lead back to itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Question {
    TypeOf(Sym),
    ResultOf(Sym),
    Binding(u32, u32),
    Bases(Sym),
    Members(Sym),
    Import(u32, u32),
    Member(u32, u64),
    Returns(u32, u32),
    Wanted(u32, u32),
    Entry(u32, u32, ExprId, u64),
    Space(u32, u64),
}

/// A symbol by its name, as far as it can be told without its file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bearer {
    pub(crate) sym: Sym,
    pub(crate) kind: SymbolKind,
    pub(crate) modifiers: Modifiers,
}

/// Answers that were given before.
pub(crate) type Memo<K, V> = RefCell<FxHashMap<K, V>>;

/// An entry of an object: file, scope, expression, name.
type EntryKey = (u32, u32, ExprId, Box<str>);

/// One file's resolution.
pub(crate) struct Session<'r> {
    pub(crate) resolver: &'r Resolver<'r>,
    /// The file that is resolved.
    pub(crate) file: u32,
    /// What calls in the file give for its parameters.
    pub(crate) taken: Taken,
    asks: RefCell<FxHashSet<Box<str>>>,
    /// Files that were looked at the times before.
    looked: FxHashSet<u32>,
    depth: Cell<u32>,
    nesting: Cell<u32>,
    /// How often an answer was cut short.
    cut: Cell<u64>,
    /// Steps taken so far, and how many may be taken for the use at hand.
    steps: Cell<u64>,
    enough: Cell<u64>,
    busy: RefCell<FxHashSet<Question>>,
    /// Files that were looked at: no lock stands before these.
    units: RefCell<FxHashMap<u32, Option<Held>>>,
    pub(crate) names: Memo<Box<str>, Arc<[Bearer]>>,
    pub(crate) around: Memo<Around, Rc<[Found]>>,
    pub(crate) beyond: Memo<Beyond, Rc<[Found]>>,
    pub(crate) denoted: Memo<(u32, u32, ExprId, u32), Rc<[Found]>>,
    pub(crate) types: RefCell<FxHashMap<Sym, Val>>,
    pub(crate) bound: RefCell<FxHashMap<(u32, u32), Val>>,
    pub(crate) wanted: RefCell<FxHashMap<(u32, u32), Ty>>,
    pub(crate) aliases: RefCell<FxHashMap<Sym, Ty>>,
    pub(crate) entries: RefCell<FxHashMap<EntryKey, Rc<[Found]>>>,
    pub(crate) declared: RefCell<FxHashMap<(u32, u32), Ty>>,
    pub(crate) results: RefCell<FxHashMap<Sym, Val>>,
    pub(crate) members: RefCell<FxHashMap<Sym, Arc<Members>>>,
    pub(crate) bases: RefCell<FxHashMap<Sym, Bases>>,
    pub(crate) lines: RefCell<FxHashMap<Ty, Rc<[Ty]>>>,
    pub(crate) folders: RefCell<FxHashMap<String, Rc<[u32]>>>,
    pub(crate) tops: RefCell<FxHashMap<String, Arc<Tops>>>,
    /// Where absolute names may start, by the file that has them.
    pub(crate) roots: Memo<u32, Rc<[String]>>,
    pub(crate) included: Memo<u32, Rc<FxHashSet<u32>>>,
    /// Modules by the file that means them, and by name.
    pub(crate) modules: Memo<u32, FxHashMap<Box<str>, Option<Module>>>,
    pub(crate) imports: Memo<(u32, u32), Rc<[Found]>>,
    pub(crate) canonical: RefCell<FxHashMap<Sym, Sym>>,
    /// Namespaces by the file that opens them to all it holds, and by name.
    pub(crate) spaces: Memo<(u32, Box<str>), Rc<[Found]>>,
    /// How many namespaces are being looked for, each for the sake of the one before.
    pub(crate) spaces_sought: Cell<u32>,
    pub(crate) full: RefCell<FxHashMap<Box<str>, Rc<[Sym]>>>,
    pub(crate) parts: RefCell<FxHashMap<Sym, Rc<[Sym]>>>,
    /// How many types the type takes that is looked for; for the next lookup alone.
    pub(crate) arity: Cell<Option<usize>>,
    pub(crate) elsewhere: RefCell<FxHashMap<(u32, u32), bool>>,
}

impl<'r> Session<'r> {
    pub(crate) fn new(resolver: &'r Resolver<'r>, file: u32, taken: Taken) -> Self {
        Self {
            resolver,
            file,
            taken,
            asks: RefCell::default(),
            looked: FxHashSet::default(),
            depth: Cell::new(0),
            nesting: Cell::new(0),
            cut: Cell::new(0),
            steps: Cell::new(0),
            enough: Cell::new(STEPS_OF_USE),
            members: RefCell::default(),
            busy: RefCell::default(),
            units: RefCell::default(),
            names: RefCell::default(),
            around: RefCell::default(),
            beyond: RefCell::default(),
            denoted: RefCell::default(),
            types: RefCell::default(),
            bound: RefCell::default(),
            wanted: RefCell::default(),
            aliases: RefCell::default(),
            entries: RefCell::default(),
            declared: RefCell::default(),
            results: RefCell::default(),
            bases: RefCell::default(),
            lines: RefCell::default(),
            folders: RefCell::default(),
            tops: RefCell::default(),
            roots: RefCell::default(),
            included: RefCell::default(),
            modules: RefCell::default(),
            imports: RefCell::default(),
            canonical: RefCell::default(),
            spaces: RefCell::default(),
            spaces_sought: Cell::new(0),
            full: RefCell::default(),
            parts: RefCell::default(),
            arity: Cell::new(None),
            elsewhere: RefCell::default(),
        }
    }

    /// The same file again, with what is known now of its parameters.
    pub(crate) fn again(self, taken: Taken) -> Self {
        let looked = self.looked().collect();
        let asks = self.asks;
        Self { asks, looked, ..Self::new(self.resolver, self.file, taken) }
    }

    /// Makes room for what so many uses are found to mean.
    pub(crate) fn expect(&self, uses: usize) {
        self.denoted.borrow_mut().reserve(uses);
    }

    /// Notes that the result depends on what is called so elsewhere.
    pub(crate) fn ask(&self, name: &str) {
        // What has no name cannot be defined elsewhere; those who ask for it would be resolved after every change.
        if name.is_empty() {
            return;
        }
        let mut asks = self.asks.borrow_mut();
        if !asks.contains(name) {
            asks.insert(name.into());
        }
    }

    /// Says what the result depends on: every name that was asked for, and the other files that were looked at.
    pub(crate) fn depends(self, resolved: &mut Resolved) {
        resolved.looked = self.looked().filter(|&file| file != self.file).collect();
        resolved.looked.sort_unstable();
        resolved.asks = self.asks.into_inner().into_iter().map(Into::into).collect();
        resolved.asks.sort_unstable();
    }

    fn looked(&self) -> impl Iterator<Item = u32> {
        let units = self.units.borrow();
        let now = units.iter().filter(|(file, unit)| unit.is_some() && !self.looked.contains(file));
        let now: Vec<u32> = now.map(|(&file, _)| file).collect();
        self.looked.iter().copied().chain(now)
    }

    /// Notes that the result depends on what stands directly in something called as the last part but one of a full name.
    pub(crate) fn ask_around(&self, full: &str) {
        self.ask(name_reach::around(full).unwrap_or_default());
    }

    /// Members of this name in the family's files, whatever they are members of, by path and place.
    pub(crate) fn members_named(&self, family: &str, name: &str) -> Arc<[Bearer]> {
        self.ask(&name_reach::any_member(name));
        self.named(family, name)
    }

    /// Every symbol of this name in the family's files, by path and place. What a change of them means to others is said in
    /// [`name_reach`]: whoever uses more of a bearer than is told there must have looked at its file.
    pub(crate) fn named(&self, family: &str, name: &str) -> Arc<[Bearer]> {
        if let Some(known) = self.names.borrow().get(name) {
            return known.clone();
        }
        self.ask(name);
        let bearers = self.resolver.named(family, name);
        self.names.borrow_mut().insert(name.into(), bearers.clone());
        bearers
    }

    /// A file as resolution looks at it.
    pub(crate) fn unit(&self, file: u32) -> Option<Held> {
        if let Some(known) = self.units.borrow().get(&file) {
            return known.clone();
        }
        let unit = self.resolver.unit(file).map(Held::new);
        self.units.borrow_mut().insert(file, unit.clone());
        unit
    }

    /// The file of a symbol.
    pub(crate) fn home(&self, sym: Sym) -> Option<Held> {
        self.unit(sym.file)
    }

    /// The files directly in a folder.
    pub(crate) fn folder(&self, path: &str) -> Rc<[u32]> {
        if let Some(known) = self.folders.borrow().get(path) {
            return known.clone();
        }
        let files: Rc<[u32]> = self.resolver.world.folder(&path.into()).into();
        self.folders.borrow_mut().insert(path.to_owned(), files.clone());
        files
    }

    /// Answers a question, unless it is being answered already or leads too far.
    pub(crate) fn once<T>(&self, question: Question, answer: impl FnOnce() -> T) -> Option<T> {
        if self.depth.get() >= DEPTH || !self.busy.borrow_mut().insert(question) {
            self.cut.set(self.cut.get() + 1);
            return None;
        }
        self.depth.set(self.depth.get() + 1);
        let answer = answer();
        self.depth.set(self.depth.get() - 1);
        self.busy.borrow_mut().remove(&question);
        Some(answer)
    }

    /// Whether a question is being answered.
    pub(crate) fn is_busy(&self, question: Question) -> bool {
        self.busy.borrow().contains(&question)
    }

    /// Goes one step deeper, unless that leads too far.
    pub(crate) fn nested<T>(&self, step: impl FnOnce() -> T) -> Option<T> {
        self.steps.set(self.steps.get() + 1);
        if self.nesting.get() >= NESTING || self.steps.get() > self.enough.get() {
            self.cut.set(self.cut.get() + 1);
            return None;
        }
        self.nesting.set(self.nesting.get() + 1);
        let found = step();
        self.nesting.set(self.nesting.get() - 1);
        Some(found)
    }

    /// Begins with another use: it has steps of its own.
    pub(crate) fn next_use(&self) {
        let steps = self.steps.get();
        let more = match steps {
            ..STEPS_OF_FILE => STEPS_OF_USE,
            STEPS_OF_FILE..MANY_STEPS => STEPS_IN_HASTE,
            _ => STEPS_AT_LAST,
        };
        self.enough.set(steps + more);
    }

    /// How often an answer was cut short so far: what was found meanwhile may not be all there is.
    pub(crate) fn cut(&self) -> u64 {
        self.cut.get()
    }

    /// Whether nothing is being answered: an answer found now is whole, and can be kept.
    pub(crate) fn is_top(&self) -> bool {
        self.depth.get() == 0
    }
}

impl Frame {
    /// The innermost symbol around the place.
    pub(crate) fn symbol(&self) -> Option<u32> {
        self.unit.facts.flow.scopes.get(self.scope as usize)?.symbol
    }
}
