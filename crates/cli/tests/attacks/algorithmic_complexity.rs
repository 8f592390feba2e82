//! Repositories on which a naive resolver takes exponential or quadratic time: modules that all import everything from each other, and
//! thousands of overloads of one name. Indexing them takes bounded time, and questions about the other files are answered.

use crate::attack;
use crate::sandbox::{Sandbox, Store};
use std::fmt::Write;
use std::fs;

/// Seconds of processor time, for a build without optimisation on a slow machine, and kibibytes of address space.
const BOUNDED: &str = "ulimit -t 240 -v 4000000; exec \"$@\"";

/// Indexes the repository within the bounds, and asks for the function of the ordinary file.
fn index(sandbox: &Sandbox) {
    let indexed = sandbox.run_in(BOUNDED, &["index"]);
    assert!(indexed.ok, "{indexed:?}");
    let answer = sandbox.run_in(BOUNDED, &["symbols", "total"]);
    assert!(answer.ok && answer.out.contains("cart.py"), "{answer:?}");
}

/// Writes files, each made from its number.
fn write(sandbox: &Sandbox, files: usize, path: impl Fn(usize) -> String, text: impl Fn(usize) -> String) {
    for n in 0..files {
        let path = sandbox.root().join(path(n));
        fs::create_dir_all(path.parent().expect("a directory")).expect("made");
        fs::write(path, text(n)).expect("written");
    }
}

/// Lines for all other files.
fn of_others(files: usize, own: usize, line: impl Fn(usize) -> String) -> String {
    (0..files).filter(|&other| other != own).map(|other| line(other) + "\n").collect()
}

/// Lines with functions.
fn functions(many: usize, line: impl Fn(usize) -> String) -> String {
    (0..many).map(|n| line(n) + "\n").collect()
}

fn crate_of(files: usize, imports: impl Fn(usize) -> String) -> Sandbox {
    let sandbox = Sandbox::new(Store::Apart);
    sandbox.write("Cargo.toml", "[package]\nname = \"shop\"\nversion = \"0.1.0\"\nedition = \"2024\"\n");
    fs::create_dir_all(sandbox.root().join("src")).expect("made");
    sandbox.write("src/lib.rs", &functions(files, |n| format!("pub mod m{n};")));
    let text = |own: usize| {
        let next = (own + 1) % files;
        let call =
            |n: usize| format!("pub fn f{own}_{n}(a: u32) -> u32 {{ f{next}_{n}(a) + missing{n}(a) }}");
        of_others(files, own, &imports) + &functions(20, call) + &format!("pub enum S{own} {{ A{own} }}\n")
    };
    write(&sandbox, files, |n| format!("src/m{n}.rs"), text);
    sandbox
}

fn python_modules() -> Sandbox {
    const FILES: usize = 100;
    let sandbox = Sandbox::new(Store::Apart);
    let text = |own: usize| {
        let next = (own + 1) % FILES;
        let call = |n: usize| format!("def f{own}_{n}(a):\n    return f{next}_{n}(a) + missing{n}(a)");
        of_others(FILES, own, |other| format!("from shop.m{other} import *")) + &functions(20, call)
    };
    write(&sandbox, FILES, |n| format!("shop/m{n}.py"), text);
    sandbox
}

fn javascript_modules(extension: &str) -> Sandbox {
    const FILES: usize = 100;
    let sandbox = Sandbox::new(Store::Apart);
    let text = |own: usize| {
        let next = (own + 1) % FILES;
        let call = |n: usize| {
            format!(
                "export function f{own}_{n}(a) {{ return g{n}(a) + other.f{next}_{n}(a) + other.missing{n}(a); }}"
            )
        };
        let import = |n: usize| format!("import {{ f{next}_{n} as g{n} }} from './m{next}';");
        of_others(FILES, own, |other| format!("export * from './m{other}';"))
            + &format!("import * as other from './m{next}';\n")
            + &functions(100, import)
            + &functions(100, call)
    };
    write(&sandbox, FILES, |n| format!("m{n}.{extension}"), text);
    sandbox
}

fn java_overloads() -> Sandbox {
    let sandbox = Sandbox::new(Store::Apart);
    let text = |own: usize| {
        let mut text = format!("package shop;\npublic class C{own} {{\n");
        for n in 0..2000 {
            let _ = writeln!(text, "  static int go(T{n} a) {{ return C{}.go(a); }}", (own + 1) % 10);
        }
        text + "}\n"
    };
    write(&sandbox, 10, |n| format!("shop/C{n}.java"), text);
    sandbox
}

/// Files that include what is not there, and use the same names on values of types that nobody knows.
fn c_without_headers() -> Sandbox {
    const FILES: usize = 120;
    let sandbox = Sandbox::new(Store::Apart);
    let text = |own: usize| {
        let function = |n: usize| {
            format!(
                "static int step{n}(struct state *s) {{ return s->next->size + step{}(s->next) + go{n}(s, LIMIT); }}",
                (n + 1) % 40
            )
        };
        format!("#include <gone/state.h>\n#include \"gone.h\"\nint go{}(struct state *s, int n);\n", own % 40)
            + &functions(40, function)
    };
    write(&sandbox, FILES, |n| format!("part{}/m{n}.c", n % 7), text);
    sandbox
}

attack!(
    c_without_its_headers,
    "a hundred and twenty C files whose headers are elsewhere, with the same forty names each: nothing is compared with all namesakes",
    index(&c_without_headers())
);
attack!(
    rust_wildcards_in_a_circle,
    "fifty Rust modules that all pass on each other's names, by paths that are there: linear",
    index(&crate_of(50, |other| format!("pub use crate::m{other}::*;")))
);

attack!(
    rust_wildcards_of_unknown_modules,
    "thirty Rust modules whose wildcard imports begin with names that only another wildcard import may bring in: rounds, not ways",
    index(&crate_of(30, |other| {
        format!("pub use super::m{other}::*;\npub use outside{other}::*;\npub use S{other}::*;")
    }))
);

attack!(
    python_wildcards_in_a_circle,
    "a hundred Python modules that all import `*` from each other: linear",
    index(&python_modules())
);

attack!(
    javascript_exports_in_a_circle,
    "a hundred JavaScript modules that all `export *` from each other, with a hundred functions each: linear",
    index(&javascript_modules("js"))
);

attack!(typescript_exports_in_a_circle, "the same in TypeScript", index(&javascript_modules("ts")));

attack!(
    java_overloads_by_the_thousand,
    "ten Java classes with two thousand overloads of one method each: bounded",
    index(&java_overloads())
);
