//! The types that all crates share: paths, spans, kinds, and the facts of a file.
//!
//! Plain data: no I/O, no parsing, no SQL, no serialisation, no dependency. A language is only a name here.

#[macro_use]
mod words;

mod chunk;
mod compiled;
mod edit_distance;
mod expr;
mod facts;
mod flow;
mod framework;
mod graph;
mod handle;
mod import;
mod kind;
mod language_service;
mod library;
mod modifiers;
mod name_pattern;
mod path;
mod project_statements;
mod rules;
mod span;
mod stamp;
mod string_table;
mod surface;
mod symbol;
mod symbol_role;

pub use chunk::{Chunk, ChunkKind};
pub use compiled::{CompiledFile, CompiledRelation, CompiledSymbol, CompiledTarget, CompiledUse};
pub use edit_distance::{distance, nearest, slip};
pub use expr::{Expr, ExprId, ExprList, Literal, RECEIVER_LABEL, Sequence, Wrapper};
pub use facts::{Facts, Issue, IssueKind, Outline, Role};
pub use flow::{
    Assign, Binding, BindingKind, Flow, Narrowing, RefKind, Reference, Return, Scope, ScopeKind, TypeTest,
    Via,
};
pub use framework::{
    ActionRule, AnnotatedAction, AnnotationRules, Argument, ChainRule, ContractRule, Convention,
    DescriptionRule, EntryRule, FileRouteRule, Framework, GroupRule, ImplicitUseRule, IncludeRule,
    LoadedModuleRule, MethodSource, MountRule, NameStyle, PathToken, ResourcePart, ResourceRule, RouteRule,
    RouterRule, TextHandlerRule, ViewRule,
};
pub use graph::{
    Confidence, Edge, EdgeKind, ExternalReference, Node, Reason, Resolved, Rule, UnresolvedReference,
};
pub use handle::{Handle, HandleError};
pub use import::{Export, Import, ImportKind};
pub use kind::SymbolKind;
pub use language_service::{
    AskedRelation, FileAnswers, FileQuestions, NameAnswer, NameQuestion, ServiceError, ServicePlace,
    ServiceStatus,
};
pub use library::{LibraryExpr, LibraryMember, LibraryType};
pub use modifiers::{Modifier, Modifiers, Visibility};
pub use name_pattern::{name_fits, path_ends_with};
pub use path::{RepoPath, directory_of_examples};
pub use project_statements::{Says, Statement};
pub use rules::{Fixtures, MarkupRules, Modules, PackageRules, Rules, SharedScope, TreeRules, TypeWords};
pub use span::Span;
pub use stamp::{ContentHash, Stamp};
pub use string_table::{Atom, Strings};
pub use surface::{
    Place, Route, RouterDef, RouterLink, Slot, Surface, SurfaceEntry, SurfaceKind, SurfaceRole,
};
pub use symbol::{ANONYMOUS, Base, Complexity, Param, Relation, Symbol};
pub use symbol_role::SymbolRole;
