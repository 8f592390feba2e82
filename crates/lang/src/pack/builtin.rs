//! The packs that are compiled into the binary.

use crate::schema::pack_files::{PackFiles, ProjectFiles};
use std::borrow::Cow;

// `include_str!` resolves these paths relative to `packs/registry.rs`, where the macros expand.
macro_rules! file {
    ($name:literal, $file:literal) => {
        include_str!(concat!($name, "/", $file))
    };
}

macro_rules! deep {
    ($name:literal $(, $parent:literal)*) => {
        PackFiles {
            name: Cow::Borrowed($name),
            manifest: Cow::Borrowed(file!($name, "pack.toml")),
            node_table: Some(Cow::Borrowed(file!($name, "table.toml"))),
            queries: None,
            inherited: vec![$(($parent, Cow::Borrowed(file!($parent, "table.toml")))),*],
        }
    };
}

macro_rules! shallow {
    ($name:literal) => {
        PackFiles {
            name: Cow::Borrowed($name),
            manifest: Cow::Borrowed(file!($name, "pack.toml")),
            node_table: None,
            queries: Some(Cow::Borrowed(file!($name, "tags.scm"))),
            inherited: Vec::new(),
        }
    };
}

macro_rules! plain {
    ($name:literal) => {
        PackFiles {
            name: Cow::Borrowed($name),
            manifest: Cow::Borrowed(file!($name, "pack.toml")),
            node_table: None,
            queries: None,
            inherited: Vec::new(),
        }
    };
}

macro_rules! project {
    ($pack:literal, $name:literal, $files:expr) => {
        ProjectFiles {
            pack: $pack,
            name: $name,
            files: &$files,
            text: Cow::Borrowed(include_str!(concat!($pack, "/projects/", $name, ".toml"))),
        }
    };
}

include!("../../packs/registry.rs");
