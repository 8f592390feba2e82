//! Any bytes as a SCIP index: reading ends with documents or an error, within bounded memory.
#![no_main]

use libfuzzer_sys::fuzz_target;
use orient_scip::{Part, descriptor_name, package, read};

fuzz_target!(|bytes: &[u8]| {
    let _ = read(bytes, |part| {
        if let Part::Document(document) = part {
            for one in &document.occurrences {
                let _ = (descriptor_name(&one.symbol), package(&one.symbol));
            }
        }
    });
});
