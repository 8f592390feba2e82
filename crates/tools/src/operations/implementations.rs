//! `implementations`: the implementations of an interface, base type or member.

use crate::answer::completeness::{Question, UsesOf};
use crate::answer::{Answer, Doubt, Note, limit_or_all};
use crate::arguments::symbol_lookup::{SymbolAnswer, resolve_symbol};
use crate::error::{Exit, ToolError};
use crate::graph::name_candidates::NameCandidates;
use crate::graph::node_line::NodeLine;
use crate::graph::type_hierarchy::{HierarchyLine, walk_hierarchy, write};
use crate::operation::{Example, TypedOperation};
use crate::session::Session;
use crate::text::number_format::plural;
use crate::text::writer::{Style, TextWriter};
use clap::Args;
use orient_engine::Direction;
use orient_model::RefKind;
use serde::Serialize;
use std::io;

pub(crate) struct Implementations;

/// Arguments of `implementations`.
#[derive(Args)]
pub(crate) struct ImplementationsArgs {
    /// A type or a member of one: a handle (`src/io.go#Reader`) or a name (`Reader`, `Reader.Read`)
    #[arg(value_name = "SYMBOL")]
    symbol: String,
    /// Only direct implementations
    #[arg(long)]
    direct: bool,
    /// Maximum number of results; 0 means all
    #[arg(long, value_name = "N", default_value_t = 200)]
    limit: usize,
}

/// Maximum number of types with an unresolved base listed.
const MAX_CANDIDATES: usize = 20;

/// The implementations of a symbol.
#[derive(Serialize)]
pub(crate) struct ImplementationsOut {
    /// The symbol.
    symbol: NodeLine,
    /// The implementations, nearest first within each branch.
    implementations: Vec<HierarchyLine>,
    /// Types with an unresolved base of this name: each may mean the symbol or another.
    name_only: NameCandidates,
}

impl TypedOperation for Implementations {
    const NAME: &'static str = "implementations";
    const ABOUT: &'static str = "List what implements or extends an interface, base type or member";
    const DETAILS: &'static str = "\
For a type: the types that implement, extend or inherit from it, directly or transitively. For a member: the members that \
override it, which a call of it may reach. `hierarchy` shows both directions.";
    const EXAMPLES: &'static [Example] = &[
        Example { command: "implementations Reader", about: "a type" },
        Example { command: "implementations Reader.Read", about: "a member" },
        Example { command: "implementations Shape --direct", about: "only direct ones" },
    ];
    const PROVISIONAL: bool = true;
    type Args = ImplementationsArgs;
    type Out = SymbolAnswer<ImplementationsOut>;

    fn run(session: &Session<'_>, args: ImplementationsArgs) -> Result<Answer<Self::Out>, ToolError> {
        let snapshot = session.snapshot()?;
        let subject = match resolve_symbol(&snapshot, session.own_name(&args.symbol))? {
            Ok(subject) => subject,
            Err(unclear) => return unclear.answer(session, &snapshot),
        };
        let view = snapshot.graph();
        let node = subject.definition.id.into();
        let max = limit_or_all(args.limit);
        let found = walk_hierarchy(&view, &[node], Direction::In, if args.direct { 1 } else { 100 }, max)?;
        let inherits = |_, kind| Ok(kind == RefKind::Inherit);
        let candidates = NameCandidates::of(&view, &subject.definition.name, inherits, MAX_CANDIDATES)?;
        let out = ImplementationsOut {
            symbol: NodeLine::of(&view.describe(node)?),
            implementations: found.lines,
            name_only: candidates.clone(),
        };
        let (definition, number) = (&subject.definition, out.implementations.len() as u64);
        let uses = [UsesOf { definition, found: number, candidates: Some(&candidates), by_name: false }];
        let mut answer = session.answer_about(&snapshot, &Question::Uses(&uses), SymbolAnswer::one(out))?;
        answer.add_notes(subject.note());
        if found.cut > 0 {
            let note = Note::from(format!("{} more omitted", found.cut)).see("limit");
            answer = answer.partial(Doubt::limit(found.cut as u64, note));
        }
        Ok(answer)
    }

    fn text(out: &Self::Out, writer: &mut TextWriter<'_>) -> io::Result<()> {
        out.write(writer, |out, writer| {
            let number = out.implementations.iter().filter(|line| !line.repeated).count() as u64;
            let found = plural(number, "implementation of", "implementations of");
            writer.put(Style::Head, &format!("{found} "))?;
            writer.put(Style::Name, out.symbol.called())?;
            writer.put(Style::Dim, &format!(" ({})", out.symbol.anchor()))?;
            if out.name_only.total > 0 {
                writer.plain(&format!(", {}", out.name_only.counted()))?;
            }
            writer.end_line()?;
            write(&out.implementations, writer, 0)?;
            out.name_only.write(writer)
        })
    }

    fn exit(out: &Self::Out) -> Exit {
        match out {
            SymbolAnswer::One(one) if one.implementations.is_empty() && one.name_only.total == 0 => {
                Exit::Nothing
            }
            out => out.exit(),
        }
    }
}
