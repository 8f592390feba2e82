//! Any text as a question: it is analysed within bounded time, whatever it is.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|question: &str| {
    let _ = orient_rank::analyse(question);
});
