//! `hierarchy`: supertypes and subtypes of a type, or the overridden and overriding members of a member.

use crate::answer::completeness::{Question, UsesOf};
use crate::answer::{Answer, Doubt, Note, limit_or_all};
use crate::arguments::symbol_lookup::{SymbolAnswer, resolve_symbol};
use crate::error::{Exit, ToolError};
use crate::graph::node_line::NodeLine;
use crate::graph::type_hierarchy::{HierarchyLine, walk_hierarchy, write};
use crate::operation::{Example, TypedOperation};
use crate::session::Session;
use crate::text::writer::{Style, TextWriter};
use clap::Args;
use orient_engine::Direction;
use serde::Serialize;
use std::io;

pub(crate) struct Hierarchy;

/// Arguments of `hierarchy`.
#[derive(Args)]
pub(crate) struct HierarchyArgs {
    /// A type or a member of one: a handle (`src/io.go#Reader`) or a name (`Reader`, `Reader.Read`)
    #[arg(value_name = "SYMBOL")]
    symbol: String,
    /// Number of levels in each direction
    #[arg(long, short, value_name = "N", default_value_t = 10)]
    depth: u32,
    /// Maximum number of results in each direction; 0 means all
    #[arg(long, value_name = "N", default_value_t = 100)]
    limit: usize,
}

/// The hierarchy of a symbol.
#[derive(Serialize)]
pub(crate) struct HierarchyOut {
    /// The symbol.
    symbol: NodeLine,
    /// Supertypes, or members it overrides.
    up: Vec<HierarchyLine>,
    /// Subtypes, or members that override it.
    down: Vec<HierarchyLine>,
}

impl TypedOperation for Hierarchy {
    const NAME: &'static str = "hierarchy";
    const ABOUT: &'static str = "Show the supertypes and subtypes of a type or member";
    const DETAILS: &'static str = "\
Up: base types, interfaces and traits, or the members it overrides; external ones by name only. Down: subtypes and \
implementations, or the members that override it.";
    const EXAMPLES: &'static [Example] = &[
        Example { command: "hierarchy Reader", about: "a type" },
        Example {
            command: "hierarchy Reader.Read --depth 1",
            about: "a member, one level in each direction",
        },
    ];
    const PROVISIONAL: bool = true;
    const IS_NEGATIVE: fn(&Self::Out) -> bool =
        |out| out.is_negative(|out| out.up.is_empty() && out.down.is_empty());
    type Args = HierarchyArgs;
    type Out = SymbolAnswer<HierarchyOut>;

    fn run(session: &Session<'_>, args: HierarchyArgs) -> Result<Answer<Self::Out>, ToolError> {
        let snapshot = session.snapshot()?;
        let subject = match resolve_symbol(&snapshot, session.own_name(&args.symbol))? {
            Ok(subject) => subject,
            Err(unclear) => return unclear.answer(session, &snapshot),
        };
        let view = snapshot.graph();
        let node = subject.definition.id.into();
        // A block that extends a type may declare supertypes.
        let mut nodes = vec![node];
        nodes.extend(subject.declarations.iter().map(|one| orient_engine::NodeId::from(one.id)));
        let max = limit_or_all(args.limit);
        let depth = args.depth.clamp(1, 100);
        let up = walk_hierarchy(&view, &nodes, Direction::Out, depth, max)?;
        let down = walk_hierarchy(&view, &nodes, Direction::In, depth, max)?;
        let (cut, unexplored) = (up.cut + down.cut, up.unexplored + down.unexplored);
        let out =
            HierarchyOut { symbol: NodeLine::of(&view.describe(node)?), up: up.lines, down: down.lines };
        let (definition, found) = (&subject.definition, (out.up.len() + out.down.len()) as u64);
        let uses = [UsesOf { definition, found, candidates: None, by_name: false }];
        let mut answer = session.answer_about(&snapshot, &Question::Uses(&uses), SymbolAnswer::one(out))?;
        answer.add_notes(subject.note());
        if cut > 0 {
            answer = answer
                .partial(Doubt::limit(cut as u64, Note::from(format!("{cut} more omitted")).see("limit")));
        }
        if unexplored > 0 {
            answer = answer.partial(Doubt::limit(
                unexplored as u64,
                Note::from("levels beyond the last were not searched").see("depth"),
            ));
        }
        Ok(answer)
    }

    fn text(out: &Self::Out, writer: &mut TextWriter<'_>) -> io::Result<()> {
        out.write(writer, |out, writer| {
            out.symbol.write(writer)?;
            writer.end_line()?;
            for (head, lines) in [("up", &out.up), ("down", &out.down)] {
                writer.put(Style::Head, head)?;
                writer.line(Style::Dim, if lines.is_empty() { ": none" } else { ":" })?;
                write(lines, writer, 1)?;
            }
            Ok(())
        })
    }

    fn exit(out: &Self::Out) -> Exit {
        out.exit()
    }
}
