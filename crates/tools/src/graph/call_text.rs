//! `callers` and `callees` as text: a tree or a list, what is passed as a value, and what is not linked.

use super::call_lines::{CallLine, CallsOut, ExternalCall};
use super::node_line::{lines, qualifier};
use super::symbol_roles::bracketed;
use crate::text::number_format::{count, plural};
use crate::text::writer::{Style, TextWriter};
use orient_engine::Direction;
use orient_model::Confidence;
use std::io;

impl CallsOut {
    /// Writes the answer.
    pub(crate) fn write(&self, writer: &mut TextWriter<'_>) -> io::Result<()> {
        let (one, many) = match self.layout.direction {
            Direction::In => ("verified caller of", "verified callers of"),
            Direction::Out => ("verified callee of", "verified callees of"),
        };
        writer.put(Style::Head, &format!("{} ", plural(self.verified, one, many)))?;
        writer.put(Style::Name, self.symbol.called())?;
        writer.put(Style::Dim, &format!(" ({})", self.symbol.anchor()))?;
        if self.through_dispatch > 0 {
            writer.plain(&format!(", {} more by dispatch", count(self.through_dispatch)))?;
        }
        if !self.passed.is_empty() {
            let (one, many) = match self.layout.direction {
                Direction::In => ("symbol passes it on", "symbols pass it on"),
                Direction::Out => ("function passed on", "functions passed on"),
            };
            writer.plain(&format!(", {}", plural(self.passed.len() as u64, one, many)))?;
        }
        if let Some(candidates) = &self.name_only {
            writer.plain(&format!(", {}", candidates.counted()))?;
        }
        if self.layout.direction == Direction::Out {
            let (external, unresolved) = (self.external.len() as u64, self.unresolved.len() as u64);
            writer.plain(&format!(", {} external, {} unresolved", count(external), count(unresolved)))?;
        }
        writer.end_line()?;
        if self.layout.flat {
            for line in self.calls.iter().filter(|line| !line.repeated) {
                line.write(writer, self, 0)?;
            }
        } else {
            let mut children: Vec<Vec<usize>> = vec![Vec::new(); self.calls.len() + 1];
            for (index, line) in self.calls.iter().enumerate() {
                children[line.parent.unwrap_or(self.calls.len())].push(index);
            }
            self.write_children(writer, &children, self.calls.len(), 0)?;
        }
        self.write_passed(writer)?;
        self.write_unlinked(writer)?;
        self.name_only.as_ref().map_or(Ok(()), |candidates| candidates.write(writer))
    }

    fn write_children(
        &self,
        writer: &mut TextWriter<'_>,
        children: &[Vec<usize>],
        parent: usize,
        indent: usize,
    ) -> io::Result<()> {
        for &index in &children[parent] {
            self.calls[index].write(writer, self, indent)?;
            self.write_children(writer, children, index, indent + 1)?;
        }
        Ok(())
    }

    fn write_passed(&self, writer: &mut TextWriter<'_>) -> io::Result<()> {
        let callers = self.layout.direction == Direction::In;
        if !self.passed.is_empty() {
            writer.line(Style::Head, if callers { "passed as a value in:" } else { "passes as values:" })?;
        }
        for line in &self.passed {
            writer.plain("  ")?;
            if callers {
                writer.put(Style::Path, &format!("{}:{}", line.node.path, lines(&line.uses)))?;
                writer.plain("  ")?;
                line.node.write_name(writer)?;
            } else {
                line.node.write(writer)?;
                writer.put(Style::Dim, &format!("  at {}", lines(&line.uses)))?;
            }
            let proof = line.uses.first().filter(|best| best.confidence != Confidence::Exact.as_str());
            if let Some(best) = proof {
                writer.put(Style::Dim, &format!("  {}: {}", best.confidence, best.rule))?;
            }
            writer.end_line()?;
        }
        Ok(())
    }

    fn write_unlinked(&self, writer: &mut TextWriter<'_>) -> io::Result<()> {
        if !self.external.is_empty() {
            let show = |one: &ExternalCall| {
                if one.package.is_empty() {
                    one.name.clone()
                } else {
                    format!("{} of {}", one.name, one.package)
                }
            };
            writer.put(Style::Head, "external: ")?;
            writer.line(Style::Plain, &self.external.iter().map(show).collect::<Vec<_>>().join(", "))?;
        }
        if !self.unresolved.is_empty() {
            writer.line(Style::Head, "unresolved:")?;
        }
        for one in &self.unresolved {
            writer.put(Style::Path, &format!("  {}:{}", self.symbol.path, one.line))?;
            writer.plain("  ")?;
            writer.put(Style::Name, &one.name)?;
            writer.line(Style::Dim, &format!("  {}", one.reason))?;
        }
        Ok(())
    }
}

impl CallLine {
    fn write(&self, writer: &mut TextWriter<'_>, all: &CallsOut, indent: usize) -> io::Result<()> {
        writer.plain(&"  ".repeat(indent))?;
        let callers = all.layout.direction == Direction::In;
        if self.dispatch && callers {
            writer.put(Style::Warn, "via ")?;
            writer.put(Style::Name, &self.node.name)?;
            return writer.line(Style::Dim, &format!("  {}  probable", self.node.anchor()));
        }
        if callers {
            writer.put(Style::Path, &format!("{}:{}", self.node.path, lines(&self.uses)))?;
            writer.plain("  ")?;
            self.node.write_name(writer)?;
            writer.put(Style::Dim, &bracketed(&self.roles, self.node.kind))?;
        } else {
            if self.dispatch {
                writer.put(Style::Warn, "may be ")?;
            }
            self.node.write(writer)?;
            writer.put(Style::Dim, &bracketed(&self.roles, self.node.kind))?;
            if !self.dispatch {
                writer.put(Style::Dim, &format!("  at {}", lines(&self.uses)))?;
            }
        }
        if let Some(text) = qualifier(&self.uses).filter(|_| !self.dispatch) {
            writer.put(Style::Dim, &format!("  {text}"))?;
        }
        if all.layout.flat && self.level > 1 {
            writer.put(Style::Dim, &format!("  level {}", self.level))?;
        }
        if self.repeated {
            writer.put(Style::Dim, "  (above)")?;
        }
        writer.end_line()
    }
}
