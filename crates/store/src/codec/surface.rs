//! The encoding of what a file says about the surface of a program.

use super::CodecError;
use super::varint::{Decoder, Encoder};
use crate::graph::NodeId;
use orient_model::{
    Atom, Place, Route, RouterDef, RouterLink, Slot, Strings, Surface, SurfaceEntry, SurfaceKind, SurfaceRole,
};
use rustc_hash::FxHashMap;

const VALUE: u32 = 0;
const RESULT: u32 = 1;
const PARAM: u32 = 2;
const LOCAL: u32 = 3;
const APPLICATION: u32 = 4;

pub(super) fn write(out: &mut Encoder, surface: &Surface<NodeId>) {
    let mut words = Words::default();
    let mut rows = Encoder { bytes: Vec::new() };
    let to = &mut rows;
    to.number(surface.routers.len() as u32);
    for router in &surface.routers {
        place(to, router.place);
        to.number(words.number(&router.framework));
        to.number(words.number(&router.prefix));
        to.number(u32::from(router.app));
    }
    to.number(surface.links.len() as u32);
    for link in &surface.links {
        place(to, link.child);
        place(to, link.parent);
        to.number(words.number(&link.prefix));
        to.number(u32::from(link.same));
        to.number(u32::from(link.replaces));
    }
    to.number(surface.routes.len() as u32);
    for route in &surface.routes {
        to.number(u32::from(route.place.is_some()));
        if let Some(at) = route.place {
            place(to, at);
        }
        for text in [&route.framework, &route.method, &route.path, &route.text] {
            to.number(words.number(text));
        }
        to.step(route.handler.map_or(0, |node| node.0), 0);
        to.number(route.middleware.len() as u32);
        route.middleware.iter().for_each(|text| to.number(words.number(text)));
        to.step(route.from.0, 0);
        to.number(route.line);
        to.number(u32::from(route.proven));
    }
    to.number(surface.entries.len() as u32);
    for entry in &surface.entries {
        to.number(u32::from(entry.kind as u8));
        to.number(u32::from(entry.role as u8));
        for text in [&entry.name, &entry.framework, &entry.text] {
            to.number(words.number(text));
        }
        to.step(entry.symbol.map_or(0, |node| node.0), 0);
        to.step(entry.from.0, 0);
        to.number(entry.line);
        to.number(u32::from(entry.proven));
    }
    out.strings(&words.strings);
    out.bytes.extend_from_slice(&rows.bytes);
}

pub(super) fn read(bytes: &[u8]) -> Result<Surface<NodeId>, CodecError> {
    let mut from = Decoder { bytes };
    let strings = from.strings()?;
    let count = from.count()?;
    let routers = from.rows(count, |from| {
        Ok(RouterDef {
            place: read_place(from)?,
            framework: word(from, &strings)?,
            prefix: word(from, &strings)?,
            app: from.flag()?,
        })
    })?;
    let count = from.count()?;
    let links = from.rows(count, |from| {
        Ok(RouterLink {
            child: read_place(from)?,
            parent: read_place(from)?,
            prefix: word(from, &strings)?,
            same: from.flag()?,
            replaces: from.flag()?,
        })
    })?;
    let count = from.count()?;
    let routes = from.rows(count, |from| read_route(from, &strings))?;
    let count = from.count()?;
    let entries = from.rows(count, |from| read_entry(from, &strings))?;
    from.end()?;
    Ok(Surface { routers, links, routes, entries })
}

fn read_entry(from: &mut Decoder<'_>, strings: &Strings) -> Result<SurfaceEntry<NodeId>, CodecError> {
    let small = |number: u32| u8::try_from(number).map_err(|_| CodecError);
    let kind = SurfaceKind::from_number(small(from.number()?)?).ok_or(CodecError)?;
    let role = SurfaceRole::from_number(small(from.number()?)?).ok_or(CodecError)?;
    let (name, framework, text) = (word(from, strings)?, word(from, strings)?, word(from, strings)?);
    let symbol = Some(from.step(0)?).filter(|&node| node != 0).map(NodeId);
    let (source, line, proven) = (NodeId(from.step(0)?), from.number()?, from.flag()?);
    Ok(SurfaceEntry { kind, name, role, framework, symbol, text, from: source, line, proven })
}

fn read_route(from: &mut Decoder<'_>, strings: &Strings) -> Result<Route<NodeId>, CodecError> {
    let place = if from.flag()? { Some(read_place(from)?) } else { None };
    let (framework, method) = (word(from, strings)?, word(from, strings)?);
    let (path, text) = (word(from, strings)?, word(from, strings)?);
    let handler = Some(from.step(0)?).filter(|&node| node != 0).map(NodeId);
    let count = from.count()?;
    let middleware = from.rows(count, |from| word(from, strings))?;
    let (source, line, proven) = (NodeId(from.step(0)?), from.number()?, from.flag()?);
    Ok(Route { place, framework, method, path, handler, text, middleware, from: source, line, proven })
}

fn place(out: &mut Encoder, place: Place<NodeId>) {
    out.step(place.node.0, 0);
    let (slot, number) = match place.slot {
        Slot::Value => (VALUE, 0),
        Slot::Result => (RESULT, 0),
        Slot::Param(at) => (PARAM, at),
        Slot::Local(at) => (LOCAL, at),
        Slot::Application => (APPLICATION, 0),
    };
    out.number(slot);
    out.number(number);
}

fn read_place(from: &mut Decoder<'_>) -> Result<Place<NodeId>, CodecError> {
    let node = NodeId(from.step(0)?);
    let (slot, number) = (from.number()?, from.number()?);
    let slot = match slot {
        VALUE => Slot::Value,
        RESULT => Slot::Result,
        PARAM => Slot::Param(number),
        LOCAL => Slot::Local(number),
        APPLICATION => Slot::Application,
        _ => return Err(CodecError),
    };
    Ok(Place { node, slot })
}

fn word(from: &mut Decoder<'_>, strings: &Strings) -> Result<String, CodecError> {
    let number = from.number()?;
    if (number as usize) < strings.len() { Ok(strings.get(Atom(number)).to_owned()) } else { Err(CodecError) }
}

/// Strings, each stored once.
#[derive(Default)]
struct Words<'w> {
    strings: Strings,
    numbers: FxHashMap<&'w str, u32>,
}

impl<'w> Words<'w> {
    fn number(&mut self, text: &'w str) -> u32 {
        *self.numbers.entry(text).or_insert_with(|| self.strings.push(text).0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_surface_comes_back() {
        let place = |node, slot| Place { node: NodeId(node), slot };
        let surface = Surface {
            routers: vec![RouterDef {
                place: place(-3, Slot::Local(u32::MAX)),
                framework: "gin".to_owned(),
                prefix: String::new(),
                app: true,
            }],
            links: vec![RouterLink {
                child: place(7, Slot::Param(1)),
                parent: place(9, Slot::Result),
                prefix: "/api".to_owned(),
                same: false,
                replaces: true,
            }],
            routes: vec![Route {
                place: Some(place(7, Slot::Value)),
                framework: "gin".to_owned(),
                method: "GET".to_owned(),
                path: "/x".to_owned(),
                handler: Some(NodeId(12)),
                text: String::new(),
                middleware: vec!["auth".to_owned()],
                from: NodeId(-3),
                line: 4,
                proven: true,
            }],
            entries: vec![SurfaceEntry {
                kind: SurfaceKind::Topic,
                name: "orders".to_owned(),
                role: SurfaceRole::Consumes,
                framework: "kafka".to_owned(),
                symbol: Some(NodeId(5)),
                text: String::new(),
                from: NodeId(-3),
                line: 9,
                proven: false,
            }],
        };
        let mut out = Encoder { bytes: Vec::new() };
        write(&mut out, &surface);
        assert_eq!(read(&out.bytes), Ok(surface));
        assert!(read(&out.bytes[..out.bytes.len() - 1]).is_err());
    }
}
