//! What one file says about the surface of a program: routers, how they hang together, routes, and entries of other kinds.
//!
//! The nodes are those of the resolver, or of the index.

use crate::Node;

/// Where a router is kept. Two places that hold the same router are linked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place<N = Node> {
    /// The variable, field or function; the file for a local place.
    pub node: N,
    /// Which value of it.
    pub slot: Slot,
}

/// Which value of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Slot {
    /// The value of a variable or field, or a function itself.
    Value,
    /// The result of a function.
    Result,
    /// A parameter of a function, without the receiver.
    Param(u32),
    /// A local value of a file.
    Local(u32),
    /// The application that annotated routes belong to.
    Application,
}

/// A value that routes are registered on.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RouterDef<N = Node> {
    /// Where it is.
    pub place: Place<N>,
    /// Its framework.
    pub framework: String,
    /// The prefix of its routes.
    pub prefix: String,
    /// Whether it is the application itself.
    pub app: bool,
}

/// One router below another, or two places of one router.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RouterLink<N = Node> {
    /// The router below.
    pub child: Place<N>,
    /// The router above.
    pub parent: Place<N>,
    /// The prefix of the routes of the child.
    pub prefix: String,
    /// Both are the same router.
    pub same: bool,
    /// The prefix replaces that of the child.
    pub replaces: bool,
}

/// A registered route.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Route<N = Node> {
    /// The router; none for one that stands alone.
    pub place: Option<Place<N>>,
    /// The framework whose rule fits.
    pub framework: String,
    /// The HTTP method in upper case; `ANY` for all.
    pub method: String,
    /// The path below that of the router.
    pub path: String,
    /// The symbol that handles it.
    pub handler: Option<N>,
    /// The handler as written, if it is no symbol.
    pub text: String,
    /// What runs before the handler, as written.
    pub middleware: Vec<String>,
    /// Where it is registered.
    pub from: N,
    /// The line.
    pub line: u32,
    /// Whether the file proves that the router belongs to the framework.
    pub proven: bool,
}

words! {
    /// The kinds of surface entries. The numbers are stored: never reuse one.
    SurfaceKind {
        /// An HTTP endpoint.
        Endpoint = 0, "endpoint";
        /// A remote procedure.
        Rpc = 1, "rpc";
        /// A field of a schema that clients query.
        Field = 2, "field";
        /// A tool that agents call.
        Tool = 3, "tool";
        /// A command of a command line.
        Command = 4, "command";
        /// A job that runs on a schedule or in the background.
        Job = 5, "job";
        /// A topic or queue of messages.
        Topic = 6, "topic";
        /// An event or signal inside of the program.
        Event = 7, "event";
        /// A table or collection of a database.
        Table = 8, "table";
        /// An environment variable.
        Variable = 9, "variable";
        /// A key of the configuration.
        Setting = 10, "setting";
        /// A feature flag.
        Flag = 11, "flag";
        /// An HTTP request to another program.
        Request = 12, "request";
        /// A type that a container provides to others.
        Service = 13, "service";
        /// A part of a user interface.
        Component = 14, "component";
        /// A template that is rendered.
        Template = 15, "template";
        /// An application that finds its handlers by itself, such as by their annotations.
        Application = 16, "application";
    }
}

words! {
    /// What code does with a surface entry. The numbers are stored: never reuse one.
    SurfaceRole {
        /// Runs when it is called from outside.
        Handles = 0, "handles";
        /// Declares it: a model of a table, a procedure of a service.
        Defines = 1, "defines";
        /// Calls it.
        Calls = 2, "calls";
        /// Sends messages or events.
        Produces = 3, "produces";
        /// Receives messages or events.
        Consumes = 4, "consumes";
        /// Reads it.
        Reads = 5, "reads";
        /// Sets or writes it.
        Sets = 6, "sets";
    }
}

/// Something that the program exposes or depends on by a name that is text: a command, a topic, a table, a variable.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SurfaceEntry<N = Node> {
    /// What it is.
    pub kind: SurfaceKind,
    /// Its name.
    pub name: String,
    /// What the code does with it.
    pub role: SurfaceRole,
    /// The framework whose rule fits.
    pub framework: String,
    /// The symbol that handles or defines it.
    pub symbol: Option<N>,
    /// The handler as written, if it is no symbol.
    pub text: String,
    /// The symbol or file that says so.
    pub from: N,
    /// The line.
    pub line: u32,
    /// Whether the file proves that the framework is meant.
    pub proven: bool,
}

/// What one file says about the surface.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Surface<N = Node> {
    /// Routers, sorted.
    pub routers: Vec<RouterDef<N>>,
    /// Links, sorted.
    pub links: Vec<RouterLink<N>>,
    /// Routes, sorted.
    pub routes: Vec<Route<N>>,
    /// Entries of other kinds, sorted.
    pub entries: Vec<SurfaceEntry<N>>,
}

impl<N> Default for Surface<N> {
    fn default() -> Self {
        Self { routers: Vec::new(), links: Vec::new(), routes: Vec::new(), entries: Vec::new() }
    }
}

impl<N: Copy + Ord> Surface<N> {
    /// Whether it says nothing.
    pub fn is_empty(&self) -> bool {
        self.routers.is_empty() && self.links.is_empty() && self.routes.is_empty() && self.entries.is_empty()
    }

    /// Sorts everything and removes repetitions.
    pub fn normalize(&mut self) {
        self.routers.sort_unstable();
        self.routers.dedup();
        self.links.sort_unstable();
        self.links.dedup();
        self.routes.sort_unstable();
        self.routes.dedup();
        self.entries.sort_unstable();
        self.entries.dedup();
    }

    /// The same with other nodes. What has a node that `to` does not know is left out.
    pub fn map<M: Copy + Ord>(&self, to: &mut dyn FnMut(N) -> Option<M>) -> Surface<M> {
        let mut out = Surface::default();
        for router in &self.routers {
            let Some(place) = router.place.map(to) else { continue };
            let (framework, prefix) = (router.framework.clone(), router.prefix.clone());
            out.routers.push(RouterDef { place, framework, prefix, app: router.app });
        }
        for link in &self.links {
            let (Some(child), Some(parent)) = (link.child.map(to), link.parent.map(to)) else { continue };
            let prefix = link.prefix.clone();
            out.links.push(RouterLink { child, parent, prefix, same: link.same, replaces: link.replaces });
        }
        for route in &self.routes {
            let Some(from) = to(route.from) else { continue };
            let place = route.place.and_then(|place| place.map(to));
            if place.is_none() && route.place.is_some() {
                continue;
            }
            out.routes.push(Route {
                place,
                framework: route.framework.clone(),
                method: route.method.clone(),
                path: route.path.clone(),
                handler: route.handler.and_then(&mut *to),
                text: route.text.clone(),
                middleware: route.middleware.clone(),
                from,
                line: route.line,
                proven: route.proven,
            });
        }
        for entry in &self.entries {
            let Some(from) = to(entry.from) else { continue };
            out.entries.push(SurfaceEntry {
                kind: entry.kind,
                name: entry.name.clone(),
                role: entry.role,
                framework: entry.framework.clone(),
                symbol: entry.symbol.and_then(&mut *to),
                text: entry.text.clone(),
                from,
                line: entry.line,
                proven: entry.proven,
            });
        }
        out.normalize();
        out
    }
}

impl<N: Copy> Place<N> {
    fn map<M>(self, to: &mut dyn FnMut(N) -> Option<M>) -> Option<Place<M>> {
        Some(Place { node: to(self.node)?, slot: self.slot })
    }
}
