//! The words every crate shares: paths, spans, kinds, and the facts of a file.
//!
//! Plain data. No IO, no parsing, no SQL, no serialisation, no dependency. A language is only ever a name here.

mod chunk;
mod distance;
mod expr;
mod facts;
mod flow;
mod framework;
mod graph;
mod handle;
mod import;
mod kind;
mod manifest;
mod modifiers;
mod path;
mod rules;
mod span;
mod stamp;
mod strings;
mod surface;
mod symbol;

pub use chunk::{Chunk, ChunkKind};
pub use distance::{distance, nearest, slip};
pub use expr::{Expr, ExprId, ExprList, Literal, Sequence, Wrapper};
pub use facts::{Facts, Issue, IssueKind, Outline, Role};
pub use flow::{Assign, Binding, BindingKind, Flow, RefKind, Reference, Return, Scope, ScopeKind, Via};
pub use framework::{
    AnnotationRules, Argument, Convention, Framework, GroupRule, IncludeRule, MethodSource, MountRule,
    PathToken, RouteRule, RouterRule,
};
pub use graph::{Confidence, Edge, EdgeKind, Miss, Node, Outside, Reason, Resolved, Rule};
pub use handle::{Handle, HandleError};
pub use import::{Export, Import, ImportKind};
pub use kind::SymbolKind;
pub use manifest::{Says, Statement};
pub use modifiers::{Modifier, Modifiers, Visibility};
pub use path::{RepoPath, folder_of_examples};
pub use rules::{Fixtures, Modules, PackageRules, Rules, SharedScope, TreeRules, TypeWords};
pub use span::Span;
pub use stamp::{ContentHash, Stamp};
pub use strings::{Atom, Strings};
pub use surface::{Place, Route, RouterDef, RouterLink, Slot, Surface};
pub use symbol::{Base, Param, Relation, Symbol};
