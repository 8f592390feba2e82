//! The registry of language packs: detects the language of a file by its name, its content or its `#!` line.

use super::{Pack, builtin};
use crate::project::Glob;
use crate::schema::error::PackError;
use regex::bytes::Regex;
use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

/// Bytes at the beginning of a file that decide about an ambiguous name.
const DETECTION_HEAD: usize = 16 * 1024;

/// The known languages.
pub struct Registry {
    packs: Vec<Pack>,
    by_suffix: HashMap<Vec<u8>, usize>,
    by_file_name: HashMap<Vec<u8>, usize>,
    /// Prefixes of file names, from patterns like `name*`.
    by_prefix: Vec<(Vec<u8>, usize)>,
    by_shebang: HashMap<String, usize>,
    /// Suffixes that several languages share: the suffix, the pack, and the content that decides for it.
    ambiguous: Vec<(Vec<u8>, usize, Arc<ContentPattern>)>,
    /// A pack for each kind of project file.
    projects: Vec<Pack>,
    /// Patterns of project files, longest first: the pack of the language, the pattern, the index in `projects`.
    by_project: Vec<(usize, Glob, usize)>,
    /// What is wrong with packs that could not be loaded.
    faults: Vec<PackError>,
}

/// A pattern that the content of a file must match. Compiled on first use: most commands read no ambiguous file, and
/// compiling all patterns takes longer than the rest of the start.
struct ContentPattern {
    pattern: String,
    compiled: OnceLock<Option<Regex>>,
}

impl ContentPattern {
    fn matches(&self, text: &[u8]) -> bool {
        let compiled = self.compiled.get_or_init(|| Regex::new(&self.pattern).ok());
        compiled.as_ref().is_some_and(|regex| regex.is_match(text))
    }
}

impl Registry {
    /// The packs that are compiled in.
    pub fn builtin() -> &'static Self {
        static BUILTIN: OnceLock<Registry> = OnceLock::new();
        BUILTIN.get_or_init(Self::load)
    }

    fn load() -> Self {
        let (mut packs, mut faults) = (Vec::new(), Vec::new());
        for files in builtin::packs() {
            match Pack::load(files) {
                Ok(pack) => packs.push(pack),
                Err(error) => faults.push(error),
            }
        }
        let plain = packs.iter().filter(|pack| !pack.manifest().embeds());
        let plain: Vec<Pack> = plain.cloned().collect();
        for pack in packs.iter_mut().filter(|pack| pack.manifest().embeds()) {
            pack.embed(&plain);
        }
        let mut registry = Self {
            packs: Vec::new(),
            by_suffix: HashMap::new(),
            by_file_name: HashMap::new(),
            by_prefix: Vec::new(),
            by_shebang: HashMap::new(),
            ambiguous: Vec::new(),
            projects: Vec::new(),
            by_project: Vec::new(),
            faults,
        };
        for (index, pack) in packs.iter().enumerate() {
            registry.add_patterns(index, pack);
            registry.add_projects(index, pack);
        }
        registry.by_project.sort_by_key(|(_, glob, _)| std::cmp::Reverse(glob.fixed_length()));
        registry.packs = packs;
        registry
    }

    /// Indexes the file patterns of a pack.
    fn add_patterns(&mut self, index: usize, pack: &Pack) {
        let manifest = pack.manifest();
        for pattern in &manifest.files {
            if let Some(suffix) = pattern.strip_prefix('*') {
                self.by_suffix.insert(suffix.to_ascii_lowercase().into_bytes(), index);
            } else if let Some(prefix) = pattern.strip_suffix('*') {
                self.by_prefix.push((prefix.as_bytes().to_vec(), index));
            } else {
                self.by_file_name.insert(pattern.as_bytes().to_vec(), index);
            }
        }
        for ambiguous in &manifest.ambiguous_files {
            let content = ContentPattern { pattern: ambiguous.contains.clone(), compiled: OnceLock::new() };
            let content = Arc::new(content);
            for pattern in &ambiguous.files {
                let suffix = pattern.trim_start_matches('*').to_ascii_lowercase().into_bytes();
                self.ambiguous.push((suffix, index, Arc::clone(&content)));
            }
        }
        for shebang in &manifest.shebangs {
            self.by_shebang.insert(shebang.clone(), index);
        }
    }

    /// Creates a pack for each kind of project file of a language and indexes their file patterns.
    fn add_projects(&mut self, index: usize, pack: &Pack) {
        for (name, bytes) in pack.project_rules() {
            match pack.with_project(name, bytes) {
                Ok(variant) => {
                    let at = self.projects.len();
                    self.by_project.extend(
                        variant.project_files().iter().map(|pattern| (index, Glob::new(pattern), at)),
                    );
                    self.projects.push(variant);
                }
                Err(error) => self.faults.push(error),
            }
        }
    }

    /// All packs, in the order of their names.
    pub fn packs(&self) -> &[Pack] {
        &self.packs
    }

    /// One pack for each kind of project file. Its name is that of the language.
    pub fn projects(&self) -> &[Pack] {
        &self.projects
    }

    /// The names of the project files, without patterns.
    pub fn project_files(&self) -> impl Iterator<Item = &str> {
        let files = self.projects.iter().flat_map(Pack::project_files);
        files.map(String::as_str).filter(|name| !name.contains('*'))
    }

    /// The pack for a file in the language of `pack`: that pack, or one of [`Self::projects`].
    pub fn for_file<'r>(&'r self, pack: &'r Pack, path: &[u8]) -> &'r Pack {
        let at = self.packs.iter().position(|known| known.name() == pack.name());
        at.map_or(pack, |at| self.at(at, path).unwrap_or(pack))
    }

    /// The pack with this name or alias.
    pub fn by_name(&self, name: &str) -> Option<&Pack> {
        let name = name.to_ascii_lowercase();
        self.packs.iter().find(|pack| pack.is_called(&name))
    }

    /// The pack of a file, by its name, its content, or its `#!` line.
    pub fn detect(&self, path: &[u8], head: &[u8]) -> Option<&Pack> {
        self.at(self.language(path, head)?, path)
    }

    /// The pack for a file in a language.
    fn at(&self, language: usize, path: &[u8]) -> Option<&Pack> {
        let name = file_name(path);
        let project = self.by_project.iter().find(|(base, glob, _)| *base == language && glob.matches(name));
        match project {
            Some(&(_, _, variant)) => self.projects.get(variant),
            None => self.packs.get(language),
        }
    }

    fn language(&self, path: &[u8], head: &[u8]) -> Option<usize> {
        let name = file_name(path);
        if let Some(&index) = self.by_file_name.get(name) {
            return Some(index);
        }
        let lower = name.to_ascii_lowercase();
        let start = &head[..head.len().min(DETECTION_HEAD)];
        let ambiguous = self
            .ambiguous
            .iter()
            .find(|(suffix, _, content)| lower.ends_with(suffix) && content.matches(start));
        if let Some(&(_, index, _)) = ambiguous {
            return Some(index);
        }
        // The longest suffix wins: `.blade.php` before `.php`.
        for at in lower.iter().enumerate().filter(|(_, b)| **b == b'.').map(|(at, _)| at) {
            if let Some(&index) = self.by_suffix.get(&lower[at..]) {
                return Some(index);
            }
        }
        if let Some((_, index)) = self.by_prefix.iter().find(|(prefix, _)| name.starts_with(prefix)) {
            return Some(*index);
        }
        self.by_shebang.get(shebang(head)?).copied()
    }

    /// All errors of all packs.
    pub fn faults(&self) -> Vec<String> {
        let faults = self.packs.iter().chain(&self.projects).flat_map(Pack::faults);
        self.faults.iter().map(ToString::to_string).chain(faults.map(|fault| fault.to_string())).collect()
    }
}

fn file_name(path: &[u8]) -> &[u8] {
    path.rsplit(|&b| b == b'/').next().unwrap_or_default()
}

/// The interpreter that a `#!` line names: `python3` in `#!/usr/bin/env python3 -u`.
fn shebang(head: &[u8]) -> Option<&str> {
    let line = head.strip_prefix(b"#!")?.split(|&b| b == b'\n').next()?;
    let line = std::str::from_utf8(line).ok()?;
    let mut words = line.split_ascii_whitespace();
    let program = words.next()?.rsplit('/').next()?;
    if program != "env" {
        return Some(program);
    }
    words.find(|word| !word.starts_with('-') && !word.contains('='))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_builtin_pack_has_errors() {
        let registry = Registry::builtin();
        let faults = registry.faults();
        assert!(faults.is_empty(), "{}", faults.join("\n"));
        let names: Vec<&str> = registry.packs().iter().map(Pack::name).collect();
        let directories: Vec<&str> = builtin::packs().iter().map(|files| files.name).collect();
        assert_eq!(names, directories, "a pack has the name of its directory");
    }

    #[test]
    fn a_project_file_keeps_its_language_and_gets_the_rules_of_its_kind() {
        let registry = Registry::builtin();
        let base = registry.by_name("json").expect("a pack");
        let of = |path: &[u8]| {
            let pack = registry.detect(path, b"").expect("a pack");
            assert_eq!(pack.version(), registry.for_file(base, path).version());
            assert_eq!(pack.name(), "json");
            pack.project_title()
        };
        assert_eq!(of(b"a/other.json"), None);
        assert_eq!(of(b"a/package.json"), Some("npm package"));
        assert_eq!(of(b"package-lock.json"), None);
        assert_eq!(of(b"a/tsconfig.base.json"), Some("TypeScript project"));
        assert_ne!(registry.for_file(base, b"package.json").version(), base.version());
    }

    #[test]
    fn content_decides_about_ambiguous_file_names() {
        let language = |path: &[u8], head: &[u8]| Registry::builtin().detect(path, head).map(Pack::name);
        assert_eq!(language(b"a.h", b"int f(void);\n"), Some("c"));
        assert_eq!(language(b"a.h", b"/* Call it\n   using the handle. */\nint f(void);\n"), Some("c"));
        assert_eq!(language(b"a.h", b"#pragma once\nnamespace a {\nclass B;\n}\n"), Some("cpp"));
        assert_eq!(language(b"a.h", b"#import <A/A.h>\n@interface B : NSObject\n@end\n"), Some("objc"));
        assert_eq!(language(b"a.m", b"#import <A/A.h>\n@implementation B\n@end\n"), Some("objc"));
        assert_eq!(language(b"a.m", b"% Adds.\nfunction y = add(x)\n  y = x + 1;\nend\n"), Some("text"));
        assert_eq!(language(b"a.pl", b":- module(a, [b/1]).\nb(X) :- c(X).\n"), Some("text"));
        assert_eq!(language(b"a.pl", b"use strict;\nprint 1;\n"), Some("perl"));
        assert_eq!(language(b"a.r", b"REBOL [title: 1]\n"), Some("text"));
        assert_eq!(language(b"a.R", b"f <- function(x) x\n"), Some("r"));
        assert_eq!(language(b"a.ts", b"<?xml version=\"1.0\"?>\n<!DOCTYPE TS>\n<TS></TS>\n"), Some("xml"));
        assert_eq!(language(b"a.ts", b"let a: number = 1;\n"), Some("typescript"));
        assert_eq!(language(b"a.blade.php", b"@yield('a')\n"), Some("blade"));
    }

    #[test]
    fn a_shebang_line_names_its_interpreter() {
        assert_eq!(shebang(b"#!/bin/bash -e\nx"), Some("bash"));
        assert_eq!(shebang(b"#!/usr/bin/env -S A=1 python3 -u\n"), Some("python3"));
        assert_eq!(shebang(b"# no"), None);
    }
}
