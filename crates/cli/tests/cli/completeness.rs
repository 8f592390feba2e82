//! What makes an answer partial, and that an answer that nothing could change is complete.

use crate::sandbox::{Sandbox, text};
use serde_json::Value;

/// The causes that an answer gives, and whether it calls itself complete.
fn causes(tree: &Sandbox, args: &[&str]) -> (bool, Vec<String>) {
    let answer = tree.json(args);
    let causes = answer["causes"].as_array().cloned().unwrap_or_default();
    let word = |cause: &Value| cause["cause"].as_str().unwrap_or_default().to_owned();
    (answer["complete"].as_bool().unwrap_or_default(), causes.iter().map(word).collect())
}

fn assert_partial(files: &[(&str, &str)], args: &[&str], cause: &str) {
    let (complete, causes) = causes(&Sandbox::new(files), args);
    assert!(!complete && causes.iter().any(|one| one == cause), "{args:?} of {files:?}: {causes:?}");
}

fn assert_complete(files: &[(&str, &str)], args: &[&str]) {
    assert_eq!(causes(&Sandbox::new(files), args), (true, Vec::new()), "{args:?} of {files:?}");
}

const USER: (&str, &str) = ("user.py", "class User:\n    def badge_label(self):\n        return 1\n");

#[test]
fn a_member_that_only_a_template_uses_is_not_said_to_have_no_uses() {
    let template = ("templates/me.html.j2", "<p>{{ user.badge_label }}</p>\n");
    for question in ["callers", "references", "symbol", "impact"] {
        assert_partial(&[USER, template], &[question, "badge_label", "--json"], "embedded_code");
    }
    for (file, line) in [
        ("a.haml", "%p= user.badge_label\n"),
        ("a.jsp", "<p>${user.badge_label}</p>\n"),
        ("a.ipynb", "{\"cells\": [{\"source\": [\"user.badge_label()\"]}]}\n"),
        ("a.xaml", "<Label Text=\"{Binding badge_label}\"/>\n"),
        ("a.hbs", "<p>{{badge_label}}</p>\n"),
    ] {
        assert_partial(&[USER, (file, line)], &["callers", "badge_label", "--json"], "embedded_code");
    }
}

#[test]
fn an_answer_that_nothing_could_change_is_complete() {
    let page = ("templates/me.html.j2", "<p>{{ user.name }}</p><!-- badge_label -->\n");
    let docs = ("README.md", "Call `badge_label` of a user.\n");
    let manifest = ("requirements.txt", "requests==2.0\n");
    for question in ["callers", "references", "symbol", "impact"] {
        assert_complete(&[USER, page, docs, manifest], &[question, "badge_label", "--json"]);
    }
    for question in [&["endpoints", "--json"][..], &["surface", "--json"], &["unused", "--json"]] {
        assert_complete(&[USER, docs, manifest], question);
    }
}

#[test]
fn the_first_line_of_an_empty_answer_names_the_strongest_doubt() {
    let tree = Sandbox::new(&[USER, ("a.haml", "%p= user.badge_label\n")]);
    let said = text(&tree.run(&["callers", "badge_label"]).stdout);
    let first = said.lines().next().unwrap_or_default();
    assert!(first.contains("not certain: 1 mention in templates is not resolved (a.haml:1)"), "{said}");
    let tree = Sandbox::new(&[("package.json", "{ \"dependencies\": { \"@hapi/hapi\": \"^21\" } }\n")]);
    let said = text(&tree.run(&["endpoints"]).stdout);
    let first = said.lines().next().unwrap_or_default();
    assert!(
        first.starts_with("0 endpoints (not certain: there are no rules for what @hapi/hapi registers"),
        "{said}"
    );
}

#[test]
fn no_endpoints_are_certain_only_without_a_framework() {
    let manifests: &[(&str, &str, &str)] = &[
        ("package.json", "{ \"dependencies\": { \"restify\": \"1\" } }\n", "unknown_framework"),
        ("package.json", "{ \"dependencies\": { \"express\": \"1\" } }\n", "silent_framework"),
        ("requirements.txt", "tornado>=6\n", "unknown_framework"),
        ("Gemfile", "gem \"grape\"\n", "unknown_framework"),
        ("mix.exs", "  {:phoenix, \"~> 1.7\"},\n", "unknown_framework"),
        ("pom.xml", "<project><artifactId>javalin</artifactId></project>\n", "unknown_framework"),
        (
            "Package.swift",
            ".package(url: \"https://github.com/vapor/vapor.git\", from: \"4.0.0\")\n",
            "unknown_framework",
        ),
        ("web.csproj", "<Project Sdk=\"Microsoft.NET.Sdk.Web\"></Project>\n", "silent_framework"),
        ("Cargo.toml", "[dependencies]\npoem = \"3\"\n", "unknown_framework"),
        ("composer.json", "{ \"require\": { \"cakephp/cakephp\": \"5\" } }\n", "unknown_framework"),
        ("go.mod", "module a\n\nrequire github.com/kataras/iris/v12 v12.0.0\n", "unknown_framework"),
    ];
    for &(name, manifest, cause) in manifests {
        assert_partial(&[USER, (name, manifest)], &["endpoints", "--json"], cause);
    }
    let serves =
        "package main\n\nimport \"net/http\"\n\nfunc main() {\n\thttp.ListenAndServe(\":1\", handler())\n}\n";
    assert_partial(
        &[("go.mod", "module a\n"), ("main.go", serves)],
        &["endpoints", "--json"],
        "silent_framework",
    );
    let asks = "package main\n\nimport \"net/http\"\n\nfunc main() {\n\thttp.Get(\"http://host/\")\n}\n";
    assert_complete(&[("go.mod", "module a\n"), ("main.go", asks)], &["endpoints", "--json"]);
}

#[test]
fn an_address_that_is_partly_unknown_makes_the_list_partial() {
    let files = &[
        ("package.json", "{ \"dependencies\": { \"express\": \"4\" } }\n"),
        (
            "a.js",
            "const express = require('express');\nconst app = express();\napp.get(`${process.env.BASE}/users`, list);\nfunction list() {}\n",
        ),
    ];
    assert_partial(files, &["endpoints", "--json"], "unknown_address");
    let files = &[
        ("package.json", "{ \"dependencies\": { \"express\": \"4\" } }\n"),
        (
            "a.js",
            "const express = require('express');\nconst app = express();\napp.get('/users', list);\nfunction list() {}\n",
        ),
    ];
    assert_complete(files, &["endpoints", "--json"]);
    assert_complete(files, &["endpoints", "--path", "/orders", "--json"]);
}

#[test]
fn unresolved_uses_strings_and_other_languages_are_counted() {
    let unresolved = ("b.py", "def f(x):\n    x.badge_label()\n");
    assert_partial(&[USER, unresolved], &["callers", "badge_label", "--json"], "unresolved_uses");
    let string = ("b.py", "def f(x):\n    return getattr(x, \"badge_label\")\n");
    assert_partial(&[USER, string], &["callers", "badge_label", "--json"], "named_as_text");
    let config = ("jobs.yaml", "handler: user.User.badge_label\n");
    assert_partial(&[USER, config], &["callers", "badge_label", "--json"], "named_as_text");
    let other = ("b.lua", "print(user.badge_label)\n");
    assert_partial(&[USER, other], &["callers", "badge_label", "--json"], "other_language");
    let schema = ("user.proto", "message User { string badge_label = 1; }\n");
    let handle = "user.py#User.badge_label";
    assert_partial(&[USER, schema], &["callers", handle, "--json"], "generated_code");
}

#[test]
fn what_a_library_or_framework_may_call_is_not_said_to_have_no_callers() {
    let base = (
        "a.py",
        "from lib import Field\n\n\nclass Own(Field):\n    def pre_validate(self):\n        return 1\n",
    );
    assert_partial(&[base], &["callers", "pre_validate", "--json"], "called_from_outside");
    let annotated = ("A.java", "class A {\n  @ModelAttribute\n  int kinds() {\n    return 1;\n  }\n}\n");
    assert_partial(&[annotated], &["callers", "kinds", "--json"], "called_from_outside");
    assert_complete(
        &[("A.java", "class A {\n  int kinds() {\n    return 1;\n  }\n}\n")],
        &["callers", "kinds", "--json"],
    );
}

#[test]
fn a_file_that_was_not_read_matters_only_if_it_could_use_the_name() {
    let long = "x: 1\n".repeat(1 << 19);
    let files = &[USER, ("tests/cassette.yaml", long.as_str())];
    assert_complete(files, &["callers", "badge_label", "--json"]);
    assert_complete(files, &["unused", "--json"]);
    let code = "y = 1\n".repeat(1 << 19);
    assert_complete(&[USER, ("big.py", code.as_str())], &["callers", "badge_label", "--json"]);
    let uses = format!("{code}z.badge_label()\n");
    assert_partial(&[USER, ("big.py", uses.as_str())], &["callers", "badge_label", "--json"], "unread");
}

#[test]
fn a_member_that_an_interface_asks_for_is_not_likely_unused() {
    let likely = |files: &[(&str, &str)]| {
        let answer = Sandbox::new(files).json(&["unused", "--likely", "--json"]);
        let lines = answer["data"]["unused"].as_array().cloned().unwrap_or_default();
        lines.iter().filter_map(|line| line["name"].as_str().map(str::to_owned)).collect::<Vec<_>>()
    };
    let go = "package a\n\ntype node interface {\n\tisNode()\n}\n\ntype leaf struct{}\n\nfunc (leaf) isNode() {}\n\nfunc Make() any {\n\treturn leaf{}\n}\n";
    let found = likely(&[("go.mod", "module a\n"), ("a.go", go)]);
    assert!(!found.iter().any(|name| name.contains("isNode")), "{found:?}");
    let go = "package a\n\ntype leaf struct{}\n\nfunc (leaf) isDead() {\n}\n\nfunc Make() any {\n\treturn leaf{}\n}\n";
    assert!(likely(&[("go.mod", "module a\n"), ("a.go", go)]).iter().any(|name| name.contains("isDead")));
}

#[test]
fn a_zero_is_complete_only_if_the_text_agrees() {
    for (files, question) in [
        // An argument that is inlined in a format string.
        (("main.rs", "const HELP: &str = \"x\";\nfn main() {\n    print!(\"{HELP}\");\n}\n"), "HELP"),
        // A macro that names a function.
        (("a.c", "int step_one(void) { return 1; }\n#define STEP(x) \\\n    step_one(x)\n"), "step_one"),
        (("a.kt", "const val MAX_NAME = 1\nfun f() = \"$MAX_NAME\"\n"), "MAX_NAME"),
    ] {
        let (is_complete, causes) = causes(&Sandbox::new(&[files]), &["references", question, "--json"]);
        assert!(!is_complete, "{question}: {causes:?}");
    }
    let shell = ("run.sh", "PORT=80\nwget \"http://localhost:$PORT/\"\n");
    assert_partial(&[shell], &["references", "PORT", "--json"], "unresolved_language");
    let comment = ("a.rs", "const HELP: &str = \"x\";\n// HELP is unused.\nfn main() {}\n");
    assert_complete(&[comment], &["references", "HELP", "--json"]);
}

#[test]
fn what_is_passed_on_as_a_value_is_not_said_to_have_no_callers() {
    let options = ("a.js", "const lib = require('lib');\nlib.run({ onDone() { return 1; } });\n");
    assert_partial(&[options], &["callers", "onDone", "--json"], "called_from_outside");
    let named = ("a.js", "window.f = wrap(function started() { return 1; });\n");
    assert_partial(&[named], &["callers", "started", "--json"], "called_from_outside");
    let far = (
        "a.py",
        "from lib import Field\n\n\nclass Own(Field):\n    pass\n\n\nclass Other(Own):\n    def prepare(self):\n        return 1\n",
    );
    assert_partial(&[far], &["callers", "prepare", "--json"], "called_from_outside");
    let chain = ("a.py", "def last():\n    return 1\n\n\ndef first():\n    return last()\n");
    assert_partial(&[chain], &["trace", "-", "last", "--json"], "called_from_outside");
}

#[test]
fn a_declaration_has_the_uses_of_its_definition() {
    let tree = Sandbox::new(&[
        ("cart.h", "int add(int a);\n"),
        ("cart.c", "#include \"cart.h\"\nint add(int a) { return a; }\n"),
        ("main.c", "#include \"cart.h\"\nint main(void) { return add(1); }\n"),
    ]);
    for handle in ["cart.h#add", "cart.c#add"] {
        assert_eq!(tree.json(&["callers", handle, "--json"])["data"]["verified"], 1, "{handle}");
    }
}

#[test]
fn macros_short_names_and_tables_leave_a_doubt_about_a_zero() {
    let called = ("a.c", "char *copy_of(char *s) { return s; }\n#define COPY(s) copy_of ((s))\n");
    assert_partial(&[called], &["callers", "copy_of", "--json"], "unresolved_uses");
    let passed = (
        "a.c",
        "static int parse(int a) { return a; }\n#define HANDLER(x) \\\n    (handler) parse, \\\n    &x\n",
    );
    assert_partial(&[passed], &["callers", "parse", "--json"], "unresolved_uses");
    let short = ("a.py", "def go():\n    return 1\n");
    assert_partial(&[short], &["callers", "go", "--json"], "unsearched");
    let table = ("shop.sql", "CREATE TABLE orders (id INT, placed_at DATE);\n");
    assert_partial(&[table], &["references", "placed_at", "--json"], "other_language");
}

#[test]
fn uses_that_seem_external_leave_a_doubt_about_a_zero() {
    let (library, page) = (
        ("src/lib/hash.ts", "export function hashOf(a: string) {\n  return a;\n}\n"),
        ("src/page.ts", "import { hashOf } from \"@app/lib/hash\";\nexport const a = hashOf(\"x\");\n"),
    );
    assert_partial(&[library, page], &["callers", "hashOf", "--json"], "unresolved_uses");
    let overriding = (
        "Client.kt",
        "class Client : outside.Client() {\n    private class Inner : Client() {\n        override fun visit(a: Int) = a\n    }\n}\n",
    );
    assert_partial(&[overriding], &["callers", "visit", "--json"], "called_from_outside");
}

#[test]
fn what_is_reached_by_another_name_is_not_said_to_have_no_uses() {
    let base = (
        "base.py",
        "class Output:\n    def close(self):\n        self._close()\n    def _close(self):\n        pass\n",
    );
    let file = (
        "file.py",
        "from base import Output\nclass FileOutput(Output):\n    def _close(self):\n        pass\n",
    );
    assert_partial(&[base, file], &["references", "FileOutput._close", "--json"], "called_from_outside");
    let event = ("Event.java", "class Event {\n  Event(int id) {}\n  static Event last;\n}\n");
    assert_partial(&[event], &["references", "Event.java#Event.Event", "--json"], "called_from_outside");
    let color = (
        "Color.java",
        "enum Color {\n  RED, GREEN;\n  static Color at(int i) { return Color.values()[i]; }\n}\n",
    );
    assert_partial(&[color], &["references", "Color.GREEN", "--json"], "called_from_outside");
    let story = ("button.stories.tsx", "export const Large = { args: { size: 3 } };\n");
    assert_partial(&[story], &["references", "Large", "--json"], "called_from_outside");
}

#[test]
fn a_string_or_a_pattern_with_the_name_leaves_a_doubt_about_a_zero() {
    let props = ("props.ts", "export interface TipProps {\n  getTipLabel: string;\n}\n");
    let tip = ("tip.ts", "export const tip = ({ getTipLabel }: any) => 1;\n");
    assert_partial(&[props, tip], &["references", "TipProps.getTipLabel", "--json"], "unresolved_uses");
    let controller = ("Cart.php", "<?php\nnamespace Shop;\nclass CartController {}\n");
    let routes = ("routes.php", "<?php\n$routes[] = 'Shop\\CartController:index';\n");
    assert_partial(&[controller, routes], &["references", "CartController", "--json"], "named_as_text");
    let hook = ("hooks.php", "<?php\nfunction hook_cart_footer($data) { return $data; }\n");
    let caller = ("plugins.php", "<?php\n$name = 'hook_' . $plugin . '_' . $place;\n$name();\n");
    assert_partial(&[hook, caller], &["callers", "hook_cart_footer", "--json"], "named_as_text");
    assert_complete(&[hook], &["callers", "hook_cart_footer", "--json"]);
}

#[test]
fn what_a_serialiser_or_a_layout_needs_is_not_said_to_have_no_uses() {
    let tagged = "package a\n\ntype Order struct {\n\tplaced string `json:\"placed\"`\n\tpaid   bool\n}\n\nfunc Make() Order {\n\treturn Order{}\n}\n";
    let go = |text| [("go.mod", "module a\n"), ("a.go", text)];
    assert_partial(&go(tagged), &["references", "Order.placed", "--json"], "called_from_outside");
    assert_complete(&go(tagged), &["references", "Order.paid", "--json"]);
    let embedded = "package a\n\ntype base struct{}\n\nfunc (base) Id() int { return 1 }\n\ntype Order struct {\n\tbase\n}\n\nfunc Make() Order {\n\treturn Order{}\n}\n";
    assert_partial(&go(embedded), &["references", "Order.base", "--json"], "called_from_outside");
    // An answer of a service: nothing here makes one, so what decodes it does.
    let decoded = (
        "Reply.java",
        "class Reply {\n  int spaceLeft;\n}\nclass Client {\n  Reply ask(Decoder d) { return d.decode(Reply.class); }\n}\n",
    );
    assert_partial(&[decoded], &["references", "Reply.spaceLeft", "--json"], "called_from_outside");
    let made = (
        "Reply.java",
        "class Reply {\n  int spaceLeft;\n}\nclass Client {\n  Reply ask() { return new Reply(); }\n}\n",
    );
    assert_complete(&[made], &["references", "Reply.spaceLeft", "--json"]);
    // The members of a table in C are given by position.
    let table = (
        "table.c",
        "struct option { const char *text; int flag; };\nstatic const struct option options[] = { { \"a\", 1 } };\nconst char *first(void) { return options[0].text; }\n",
    );
    assert_partial(&[table], &["references", "option.flag", "--json"], "called_from_outside");
    let marked = (
        "Native.cs",
        "[StructLayout(LayoutKind.Sequential)]\nstruct Startup {\n  public int Size;\n}\nclass Run {\n  void Go() { var s = new Startup(); }\n}\n",
    );
    assert_partial(&[marked], &["references", "Startup.Size", "--json"], "called_from_outside");
}

#[test]
fn what_is_reached_through_a_base_or_a_member_is_not_said_to_have_no_uses() {
    let service = "abstract class Service {\n  public abstract void Upload();\n}\nclass Mail : Service {\n  public override void Upload() {}\n}\n";
    let factory = "class Factory {\n  void Load() { foreach (Service one in Helper.GetInstances<Service>()) one.Upload(); }\n}\n";
    let files = [("Service.cs", service), ("Factory.cs", factory)];
    assert_partial(&files, &["references", "Mail", "--json"], "called_from_outside");
    let extensions =
        "static class TextExtensions {\n  public static int Twice(this string text) => 2 * text.Length;\n}\n";
    let user = "class User {\n  int Go() => \"a\".Twice();\n}\n";
    let files = [("TextExtensions.cs", extensions), ("User.cs", user)];
    assert_partial(&files, &["references", "TextExtensions", "--json"], "called_from_outside");
    let globals = (
        "components.d.ts",
        "export {}\n\ndeclare module 'vue' {\n  export interface GlobalComponents {\n    StackList: number\n  }\n}\n",
    );
    assert_partial(&[globals], &["references", "StackList", "--json"], "called_from_outside");
}

#[test]
fn what_may_be_declared_elsewhere_is_not_said_to_have_no_uses() {
    // The definition leaves out the names of the parameters.
    let header = "struct info;\nclass Pulse {\npublic:\n  static void sinkCallback(info* what, void *data);\n  void start();\n};\n";
    let source = "#include \"pulse.hpp\"\nvoid Pulse::sinkCallback(info *, void*) {}\nvoid Pulse::start() { ask(sinkCallback, this); }\n";
    let tree = Sandbox::new(&[("pulse.hpp", header), ("pulse.cpp", source)]);
    for handle in ["pulse.hpp#Pulse.sinkCallback", "pulse.cpp#Pulse.sinkCallback"] {
        assert_eq!(tree.json(&["references", handle, "--json"])["data"]["verified"], 1, "{handle}");
    }
    // A stub beside a module.
    let stub = ("area.pyi", "def area_of(a: int) -> int: ...\n");
    let module = ("area.py", "def area_of(a):\n    return a\n");
    let user = ("main.py", "from area import area_of\n\nprint(area_of(1))\n");
    let uses = |handle: &str| {
        let answer = Sandbox::new(&[stub, module, user]).json(&["references", handle, "--json"]);
        (answer["data"]["verified"].as_u64().unwrap_or_default(), answer["complete"].as_bool())
    };
    for handle in ["area.pyi#area_of", "area.py#area_of"] {
        assert!(uses(handle).0 > 0 || uses(handle).1 == Some(false), "{handle}: {:?}", uses(handle));
    }
    // The class around it was lost in what the parser does not understand.
    let torn = (
        "view.rb",
        "class Page < Component\n  def view_template(&)\n    div class: \"a\", &\n  end\n\n  def footer_line\n    1\n  end\nend\n",
    );
    let (is_complete, _) = causes(&Sandbox::new(&[torn]), &["references", "footer_line", "--json"]);
    assert!(!is_complete);
}

#[test]
fn a_name_that_is_built_of_words_leaves_a_doubt_about_a_zero() {
    let export = (
        "Export.php",
        "<?php\nclass Export {\n  function run($format) {\n    $name = 'produce' . ucfirst($format);\n    return $this->$name();\n  }\n  private function producePdf() { return 1; }\n}\n",
    );
    assert_partial(&[export], &["references", "producePdf", "--json"], "named_as_text");
    let update = (
        "Update.java",
        "class Update {\n  void updateMethodA() {}\n  void run() {\n    for (var m : Update.class.getDeclaredMethods())\n      if (m.getName().startsWith(\"updateMethod\")) call(m);\n  }\n}\n",
    );
    assert_partial(&[update], &["references", "updateMethodA", "--json"], "named_as_text");
}

#[test]
fn a_generic_alias_has_the_uses_of_its_name() {
    let tree = Sandbox::new(&[
        ("kinds.py", "type Query[F] = dict[F, int]\n"),
        ("main.py", "from kinds import Query\n\n\ndef run(query: Query[str]) -> None: ...\n"),
    ]);
    let verified = tree.json(&["references", "kinds.py#Query", "--json"])["data"]["verified"].as_u64();
    assert!(verified > Some(0), "{verified:?}");
}

#[test]
fn a_variable_that_holds_an_imported_function_has_its_calls() {
    let tree = Sandbox::new(&[
        ("common.js", "exports.setopts = setopts;\nfunction setopts(self) { return self; }\n"),
        (
            "glob.js",
            "var common = require('./common');\nvar setopts = common.setopts;\nfunction Glob() {\n  setopts(this);\n}\nmodule.exports = Glob;\n",
        ),
    ]);
    for handle in ["glob.js#setopts", "common.js#setopts"] {
        let answer = tree.json(&["references", handle, "--json"]);
        let is_used = answer["data"]["verified"].as_u64() > Some(0);
        assert!(is_used || answer["complete"] == false, "{handle}: {answer}");
    }
}

#[test]
fn what_a_framework_reads_by_name_and_place_is_not_said_to_have_no_uses() {
    let page =
        ("app/page.tsx", "export const metadata = { title: 'Boards' };\nexport const unusedTitle = 'a';\n");
    assert_partial(&[page], &["references", "metadata", "--json"], "called_from_outside");
    assert_complete(&[page], &["references", "unusedTitle", "--json"]);
    let page = ("lib/text.ts", "export const metadata = { title: 'Boards' };\n");
    assert_complete(&[page], &["references", "metadata", "--json"]);
    // An initialiser of Rails adds to a class of the language.
    let reopened = ("config/initializers/nil.rb", "class NilClass\n  def clean\n    nil\n  end\nend\n");
    assert_partial(&[reopened], &["references", "NilClass", "--json"], "called_from_outside");
}

#[test]
fn a_member_that_hides_a_used_one_is_not_said_to_have_no_uses() {
    let base = "class Model:\n    _searched: list = []\n\n    @classmethod\n    def find(cls):\n        return cls._searched\n";
    let unit = "from model import Model\n\n\nclass Unit(Model):\n    _searched: list = [\"name\"]\n    _unread: list = []\n";
    let files = [("model.py", base), ("unit.py", unit)];
    assert_partial(&files, &["references", "Unit._searched", "--json"], "called_from_outside");
}

#[test]
fn what_a_type_has_for_an_interface_is_not_said_to_have_no_uses() {
    // Two types with the method: an interface of a library asks for it.
    let items = "package a\n\ntype File struct{}\n\nfunc (File) FilterValue() string { return \"\" }\n\ntype Log struct{}\n\nfunc (Log) FilterValue() string { return \"\" }\n\n// AsArguments implements transfer.Lock.\nfunc (Log) AsArguments() []string { return nil }\n\nfunc (Log) Alone() int { return 1 }\n";
    let files = [("go.mod", "module a\n"), ("a.go", items)];
    assert_partial(&files, &["references", "File.FilterValue", "--json"], "called_from_outside");
    assert_partial(&files, &["references", "Log.AsArguments", "--json"], "called_from_outside");
    assert_complete(&files, &["references", "Log.Alone", "--json"]);
    let pad = ("pad.ts", "export class Pad {\n  allColors() {\n    return 1;\n  }\n}\n");
    let diff = (
        "diff.ts",
        "export interface PadType {\n  allColors(): number;\n}\nexport function diff(pad: PadType) {\n  return pad.allColors();\n}\n",
    );
    assert_partial(&[pad, diff], &["references", "Pad.allColors", "--json"], "called_from_outside");
    let getter = (
        "copy.ts",
        "export function copy(hooks: any) {\n  hooks.call({\n    get originalPad() {\n      return 1;\n    },\n  });\n}\n",
    );
    assert_partial(&[getter], &["references", "originalPad", "--json"], "called_from_outside");
    // Only the declaration in the class says that it overrides something.
    let page = (
        "page.h",
        "#include <QWizardPage>\nclass Page : public QWizardPage {\npublic:\n  void initializePage() override;\n};\n",
    );
    let body = ("page.cpp", "#include \"page.h\"\nvoid Page::initializePage() {}\n");
    let handle = "page.cpp#Page.initializePage";
    assert_partial(&[page, body], &["references", handle, "--json"], "called_from_outside");
}

#[test]
fn what_a_build_or_a_macro_chooses_is_not_said_to_have_no_uses() {
    let header = "static inline int meters(void) { return 1; }\n";
    let files = [
        ("linux/platform.h", header),
        ("darwin/platform.h", header),
        ("main.c", "#include \"darwin/platform.h\"\nint main(void) { return meters(); }\n"),
    ];
    assert_partial(&files, &["references", "linux/platform.h#meters", "--json"], "called_from_outside");
    let class = (
        "list.c",
        "#define Class(class_) (&(class_ ## _class))\nconst int ListItem_class = 1;\nconst int *get(void) { return Class(ListItem); }\n",
    );
    assert_partial(&[class], &["references", "ListItem_class", "--json"], "named_as_text");
    let tag =
        ("list.c", "typedef struct list_tag { int size; } list;\nint size_of(list *l) { return l->size; }\n");
    assert_partial(&[tag], &["references", "list_tag", "--json"], "called_from_outside");
}
