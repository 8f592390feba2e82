//! Any bytes as what a language server sends: reading ends with messages and places or an error, within bounded memory.
#![no_main]

use libfuzzer_sys::fuzz_target;
use orient_enrich::{Incoming, places, read_message};

fuzz_target!(|bytes: &[u8]| {
    let mut from = bytes;
    while let Ok(Some(body)) = read_message(&mut from) {
        if let Some(Incoming::Response { result: Ok(result), .. }) = Incoming::parse(&body) {
            let _ = places(&result, true);
        }
    }
});
