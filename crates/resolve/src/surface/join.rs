//! Joins what all files say about the surface: the full path of every route.
//!
//! Example. `main.go` makes a router, a group `/api` of it, and calls `Register` with the group; `routes.go` registers `/auth`
//! on the first parameter of `Register`. The group is below the router (prefix `/api`), the parameter below the group (no
//! prefix), so the endpoint is `/api/auth`. If `Register` is called for two groups, there are two endpoints.

use super::routers::join_path;
use orient_model::{Place, Route, Slot, Surface};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use std::hash::Hash;

/// Maximum number of full prefixes of one router.
const MAX_PREFIXES: usize = 64;
/// Maximum number of routers above one another.
const MAX_DEPTH: usize = 24;

/// A route with its full path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Endpoint<N> {
    /// The full path.
    pub path: String,
    /// The route.
    pub route: Route<N>,
    /// Whether the path leads from the application itself; otherwise a prefix may be missing.
    pub mounted: bool,
}

/// A set of places that hold the same router.
#[derive(Default)]
struct Router<'s> {
    frameworks: BTreeSet<&'s str>,
    prefix: String,
    app: bool,
    /// The routers above: index, prefix, whether the prefix replaces that of this router.
    parents: Vec<(usize, &'s str, bool)>,
}

/// What one file says, and whether it is test code.
#[derive(Clone, Debug)]
pub struct FileSurface<N> {
    /// What it says.
    pub surface: Surface<N>,
    /// Whether it is test code.
    pub test: bool,
}

/// The endpoints of a program, by path, method, and where they are registered. Tests mount routers of the program elsewhere:
/// that makes no endpoint of the program.
pub fn join<N: Copy + Ord + Hash>(files: &[FileSurface<N>]) -> Vec<Endpoint<N>> {
    let program: Vec<&Surface<N>> =
        files.iter().filter(|file| !file.test).map(|file| &file.surface).collect();
    let mut endpoints = join_files(&program, |_| true);
    if program.len() < files.len() {
        let all: Vec<&Surface<N>> = files.iter().map(|file| &file.surface).collect();
        endpoints.extend(join_files(&all, |at| files[at].test));
    }
    endpoints.sort_by_cached_key(sort_key);
    endpoints.dedup_by_key(|one| sort_key(one));
    endpoints
}

fn sort_key<N: Copy>(one: &Endpoint<N>) -> (String, Route<N>, bool) {
    (one.path.clone(), one.route.clone(), one.mounted)
}

/// The endpoints that the selected files register.
fn join_files<N: Copy + Ord + Hash>(
    files: &[&Surface<N>],
    selects: impl Fn(usize) -> bool,
) -> Vec<Endpoint<N>> {
    let mut places = Places::default();
    for file in files {
        for link in file.links.iter().filter(|link| link.same) {
            places.unite(link.child, link.parent);
        }
    }
    let mut routers: FxHashMap<usize, Router<'_>> = FxHashMap::default();
    for file in files {
        for def in &file.routers {
            let router = routers.entry(places.class(def.place)).or_default();
            router.frameworks.insert(&def.framework);
            router.app |= def.app;
            if router.prefix.is_empty() {
                router.prefix.clone_from(&def.prefix);
            }
        }
        for link in file.links.iter().filter(|link| !link.same) {
            let (child, parent) = (places.class(link.child), places.class(link.parent));
            if child != parent {
                let entry = (parent, link.prefix.as_str(), link.replaces);
                let router = routers.entry(child).or_default();
                if !router.parents.contains(&entry) {
                    router.parents.push(entry);
                }
            }
        }
    }
    let global = global_prefixes(files);
    let mut endpoints = Vec::new();
    let selected = files.iter().enumerate().filter(|&(at, _)| selects(at));
    for route in selected.flat_map(|(_, file)| &file.routes) {
        let class = route.place.map(|place| places.class(place));
        let above = class.map(|class| Above { routers: &routers }.of(class, &route.framework));
        let own_framework = route.proven || above.as_ref().is_some_and(|above| above.belongs);
        if !own_framework {
            continue;
        }
        let alone = || vec![(global.get(route.framework.as_str()).cloned().unwrap_or_default(), true)];
        let prefixes = above.map_or_else(alone, |above| above.prefixes);
        for (prefix, mounted) in prefixes {
            let path = match join_path(&prefix, &route.path) {
                path if path.is_empty() => "/".to_owned(),
                path if path.starts_with('/') => path,
                path => format!("/{path}"),
            };
            endpoints.push(Endpoint { path, route: route.clone(), mounted });
        }
    }
    endpoints
}

/// The prefix of all annotated routes of a framework; none if two applications set different ones.
fn global_prefixes<'s, N>(files: &[&'s Surface<N>]) -> FxHashMap<&'s str, String> {
    let mut found: FxHashMap<&str, BTreeSet<&str>> = FxHashMap::default();
    let defs = files.iter().flat_map(|file| &file.routers);
    for def in defs.filter(|def| def.place.slot == Slot::Application) {
        found.entry(&def.framework).or_default().insert(&def.prefix);
    }
    let only = |(framework, prefixes): (&'s str, BTreeSet<&str>)| match prefixes.iter().next() {
        Some(prefix) if prefixes.len() == 1 => Some((framework, join_path("", prefix))),
        _ => None,
    };
    found.into_iter().filter_map(only).collect()
}

/// What is above a router.
struct AboveRouter {
    /// Full prefixes, each with whether it leads from the application.
    prefixes: Vec<(String, bool)>,
    /// Whether the router belongs to the framework.
    belongs: bool,
}

struct Above<'r, 's> {
    routers: &'r FxHashMap<usize, Router<'s>>,
}

impl Above<'_, '_> {
    fn of(&self, class: usize, framework: &str) -> AboveRouter {
        let mut seen = FxHashSet::default();
        let belongs = self.belongs(class, framework, &mut seen);
        let mut prefixes = self.prefixes(class, &mut Vec::new());
        prefixes.sort_unstable();
        prefixes.dedup();
        // Without a way to the application, an unmounted prefix is all that is known.
        if prefixes.iter().any(|(_, mounted)| *mounted) {
            prefixes.retain(|(_, mounted)| *mounted);
        }
        AboveRouter { prefixes, belongs }
    }

    fn belongs(&self, class: usize, framework: &str, seen: &mut FxHashSet<usize>) -> bool {
        if !seen.insert(class) {
            return false;
        }
        let Some(router) = self.routers.get(&class) else { return false };
        router.frameworks.contains(framework)
            || router.parents.iter().any(|&(parent, ..)| self.belongs(parent, framework, seen))
    }

    fn prefixes(&self, class: usize, way: &mut Vec<usize>) -> Vec<(String, bool)> {
        let Some(router) = self.routers.get(&class) else { return vec![(String::new(), false)] };
        if way.contains(&class) || way.len() > MAX_DEPTH {
            return Vec::new();
        }
        if router.parents.is_empty() {
            return vec![(router.prefix.clone(), router.app)];
        }
        way.push(class);
        let mut found = Vec::new();
        for &(parent, prefix, replaces) in &router.parents {
            // Something unknown that routers are mounted on is the application.
            let unknown = !self.routers.contains_key(&parent) && router.app;
            for (above, mounted) in self.prefixes(parent, way) {
                let mounted = mounted || unknown;
                let below = join_path(&above, prefix);
                let full = if replaces { below } else { join_path(&below, &router.prefix) };
                if found.len() < MAX_PREFIXES {
                    found.push((full, mounted));
                }
            }
        }
        way.pop();
        if found.is_empty() { vec![(router.prefix.clone(), router.app)] } else { found }
    }
}

/// Places, united where they hold the same router.
struct Places<N> {
    numbers: FxHashMap<Place<N>, usize>,
    above: Vec<usize>,
}

impl<N> Default for Places<N> {
    fn default() -> Self {
        Self { numbers: FxHashMap::default(), above: Vec::new() }
    }
}

impl<N: Copy + Ord + Hash> Places<N> {
    fn class(&mut self, place: Place<N>) -> usize {
        let next = self.above.len();
        let mut at = *self.numbers.entry(place).or_insert(next);
        if at == next {
            self.above.push(next);
        }
        while self.above[at] != at {
            self.above[at] = self.above[self.above[at]];
            at = self.above[at];
        }
        at
    }

    fn unite(&mut self, a: Place<N>, b: Place<N>) {
        let (a, b) = (self.class(a), self.class(b));
        self.above[a.max(b)] = a.min(b);
    }
}
