//! The list of grammars: their names, packages and parser directories.

/// A grammar and its origin.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Grammar {
    /// Its name in language packs.
    pub(crate) name: &'static str,
    /// The feature of this crate that compiles it in.
    pub(crate) feature: &'static str,
    /// The package on crates.io.
    pub(crate) package: &'static str,
    /// The directory of `parser.c` in the package.
    pub(crate) directory: &'static str,
    /// Whether it is compiled as ISO C, as in the package's own build: ISO C has trigraphs, GNU C does not.
    pub(crate) is_iso: bool,
}

/// The only grammar of a package.
const fn one(name: &'static str, package: &'static str) -> Grammar {
    Grammar { name, feature: name, package, directory: "src", is_iso: true }
}

/// One grammar of a package of several.
const fn of(
    name: &'static str,
    feature: &'static str,
    package: &'static str,
    directory: &'static str,
) -> Grammar {
    Grammar { name, feature, package, directory, is_iso: true }
}

const fn gnu(grammar: Grammar) -> Grammar {
    Grammar { is_iso: false, ..grammar }
}

pub(crate) const GRAMMARS: &[Grammar] = &[
    one("go", "tree-sitter-go"),
    one("python", "tree-sitter-python"),
    one("javascript", "tree-sitter-javascript"),
    of("typescript", "typescript", "tree-sitter-typescript", "typescript/src"),
    of("tsx", "typescript", "tree-sitter-typescript", "tsx/src"),
    one("csharp", "tree-sitter-c-sharp"),
    one("rust", "tree-sitter-rust"),
    one("java", "tree-sitter-java"),
    one("c", "tree-sitter-c"),
    one("cpp", "tree-sitter-cpp"),
    of("php", "php", "tree-sitter-php", "php/src"),
    one("ruby", "tree-sitter-ruby"),
    one("kotlin", "tree-sitter-kotlin-ng"),
    one("swift", "tree-sitter-swift"),
    one("scala", "tree-sitter-scala"),
    one("bash", "tree-sitter-bash"),
    one("lua", "tree-sitter-lua"),
    one("css", "tree-sitter-css"),
    one("html", "tree-sitter-html"),
    one("json", "tree-sitter-json"),
    one("yaml", "tree-sitter-yaml"),
    one("toml", "tree-sitter-toml-ng"),
    one("sql", "tree-sitter-sequel"),
    one("proto", "tree-sitter-proto"),
    gnu(one("elixir", "tree-sitter-elixir")),
    one("haskell", "tree-sitter-haskell"),
    one("zig", "tree-sitter-zig"),
    one("dart", "tree-sitter-dart"),
    one("vue", "tree-sitter-vue-next"),
    one("svelte", "tree-sitter-svelte-ng"),
    one("razor", "tree-sitter-razor"),
    one("hcl", "tree-sitter-hcl"),
    one("dockerfile", "tree-sitter-containerfile"),
    one("r", "tree-sitter-r"),
    one("julia", "tree-sitter-julia"),
    one("objc", "tree-sitter-objc"),
    gnu(one("perl", "ts-parser-perl")),
    of("ocaml", "ocaml", "tree-sitter-ocaml", "grammars/ocaml/src"),
    of("ocaml_interface", "ocaml", "tree-sitter-ocaml", "grammars/interface/src"),
    one("erlang", "tree-sitter-erlang"),
    gnu(one("solidity", "tree-sitter-solidity")),
    one("graphql", "tree-sitter-graphql"),
    one("cmake", "tree-sitter-cmake"),
    one("make", "tree-sitter-make"),
    gnu(one("nix", "tree-sitter-nix")),
    one("powershell", "tree-sitter-powershell"),
    of("markdown", "markdown", "tree-sitter-md", "tree-sitter-markdown/src"),
    of("xml", "xml", "tree-sitter-xml", "xml/src"),
    one("groovy", "tree-sitter-groovy"),
    one("clojure", "tree-sitter-clojure-orchard"),
];
