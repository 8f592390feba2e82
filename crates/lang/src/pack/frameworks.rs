//! The frameworks that are compiled in. The build script lists their files.

use crate::schema::framework_rules;
use orient_model::Framework;

include!(concat!(env!("OUT_DIR"), "/frameworks.rs"));

/// The frameworks in the pack of a language, or what is wrong with one.
pub(crate) fn of_pack(pack: &str) -> Vec<Result<Framework, String>> {
    FILES.iter().filter(|(name, _)| *name == pack).map(|(_, text)| framework_rules::parse(text)).collect()
}
