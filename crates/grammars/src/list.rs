//! The list of grammars: their names, packages and directories. The build script reads it, too.

/// A grammar and its origin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grammar {
    /// Its name in language packs.
    pub name: &'static str,
    /// The feature of this crate that adds it.
    pub feature: &'static str,
    /// The package on crates.io.
    pub package: &'static str,
    /// The directory of `parser.c` in the package.
    pub directory: &'static str,
    /// Whether it is compiled as ISO C, as in the package's own build: ISO C has trigraphs, GNU C does not.
    pub is_iso: bool,
    /// How the functions of its external scanner begin, if it has one.
    pub scanner: Option<&'static str>,
}

/// The only grammar of a package.
const fn one(name: &'static str, package: &'static str) -> Grammar {
    Grammar { name, feature: name, package, directory: "src", is_iso: true, scanner: None }
}

/// One grammar of a package of several.
const fn of(
    name: &'static str,
    feature: &'static str,
    package: &'static str,
    directory: &'static str,
) -> Grammar {
    Grammar { name, feature, package, directory, is_iso: true, scanner: None }
}

const fn gnu(grammar: Grammar) -> Grammar {
    Grammar { is_iso: false, ..grammar }
}

/// A grammar with a scanner whose functions begin like this.
const fn scanned(grammar: Grammar, scanner: &'static str) -> Grammar {
    Grammar { scanner: Some(scanner), ..grammar }
}

/// All grammars.
pub const GRAMMARS: &[Grammar] = &[
    one("go", "tree-sitter-go"),
    scanned(one("python", "tree-sitter-python"), "tree_sitter_python"),
    scanned(one("javascript", "tree-sitter-javascript"), "tree_sitter_javascript"),
    scanned(
        of("typescript", "typescript", "tree-sitter-typescript", "typescript/src"),
        "tree_sitter_typescript",
    ),
    scanned(of("tsx", "typescript", "tree-sitter-typescript", "tsx/src"), "tree_sitter_tsx"),
    scanned(one("csharp", "tree-sitter-c-sharp"), "tree_sitter_c_sharp"),
    scanned(one("rust", "tree-sitter-rust"), "tree_sitter_rust"),
    one("java", "tree-sitter-java"),
    one("c", "tree-sitter-c"),
    scanned(one("cpp", "tree-sitter-cpp"), "tree_sitter_cpp"),
    scanned(of("php", "php", "tree-sitter-php", "php/src"), "tree_sitter_php"),
    scanned(one("ruby", "tree-sitter-ruby"), "tree_sitter_ruby"),
    scanned(one("kotlin", "tree-sitter-kotlin-ng"), "tree_sitter_kotlin"),
    scanned(one("swift", "tree-sitter-swift"), "tree_sitter_swift"),
    scanned(one("scala", "tree-sitter-scala"), "tree_sitter_scala"),
    scanned(one("bash", "tree-sitter-bash"), "tree_sitter_bash"),
    scanned(one("lua", "tree-sitter-lua"), "tree_sitter_lua"),
    scanned(one("css", "tree-sitter-css"), "tree_sitter_css"),
    scanned(one("html", "tree-sitter-html"), "tree_sitter_html"),
    one("json", "tree-sitter-json"),
    scanned(one("yaml", "tree-sitter-yaml"), "tree_sitter_yaml"),
    scanned(one("toml", "tree-sitter-toml-ng"), "tree_sitter_toml"),
    scanned(one("sql", "tree-sitter-sequel"), "tree_sitter_sql"),
    one("proto", "tree-sitter-proto"),
    scanned(gnu(one("elixir", "tree-sitter-elixir")), "tree_sitter_elixir"),
    scanned(one("haskell", "tree-sitter-haskell"), "tree_sitter_haskell"),
    one("zig", "tree-sitter-zig"),
    scanned(one("dart", "tree-sitter-dart"), "tree_sitter_dart"),
    scanned(one("vue", "tree-sitter-vue-next"), "tree_sitter_vue"),
    scanned(one("svelte", "tree-sitter-svelte-ng"), "tree_sitter_svelte"),
    scanned(one("razor", "tree-sitter-razor"), "tree_sitter_razor"),
    scanned(one("hcl", "tree-sitter-hcl"), "tree_sitter_hcl"),
    scanned(one("dockerfile", "tree-sitter-containerfile"), "tree_sitter_containerfile"),
    scanned(one("r", "tree-sitter-r"), "tree_sitter_r"),
    scanned(one("julia", "tree-sitter-julia"), "tree_sitter_julia"),
    one("objc", "tree-sitter-objc"),
    scanned(gnu(one("perl", "ts-parser-perl")), "tree_sitter_perl"),
    scanned(of("ocaml", "ocaml", "tree-sitter-ocaml", "grammars/ocaml/src"), "tree_sitter_ocaml"),
    scanned(
        of("ocaml_interface", "ocaml", "tree-sitter-ocaml", "grammars/interface/src"),
        "tree_sitter_ocaml_interface",
    ),
    scanned(one("erlang", "tree-sitter-erlang"), "tree_sitter_erlang"),
    gnu(one("solidity", "tree-sitter-solidity")),
    one("graphql", "tree-sitter-graphql"),
    scanned(one("cmake", "tree-sitter-cmake"), "tree_sitter_cmake"),
    one("make", "tree-sitter-make"),
    scanned(gnu(one("nix", "tree-sitter-nix")), "tree_sitter_nix"),
    scanned(one("powershell", "tree-sitter-powershell"), "tree_sitter_powershell"),
    scanned(of("markdown", "markdown", "tree-sitter-md", "tree-sitter-markdown/src"), "tree_sitter_markdown"),
    scanned(of("xml", "xml", "tree-sitter-xml", "xml/src"), "tree_sitter_xml"),
    one("groovy", "tree-sitter-groovy"),
    one("clojure", "tree-sitter-clojure-orchard"),
];
