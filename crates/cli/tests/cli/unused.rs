//! `unused`: definitions that are likely unused, and each reason for doubt.

use crate::sandbox::{Sandbox, text};

/// The names at the highest confidence.
fn likely(files: &[(&str, &str)]) -> Vec<String> {
    let answer = Sandbox::new(files).json(&["unused", "--likely", "--json"]);
    let lines = answer["data"]["unused"].as_array().expect("a list").clone();
    lines.iter().map(|line| line["name"].as_str().expect("a name").to_owned()).collect()
}

#[test]
fn private_definitions_whose_names_occur_once_are_likely_unused() {
    assert_eq!(likely(&[("a.py", "def _dead():\n    return 1\n\nprint(2)\n")]), ["_dead"]);
    assert_eq!(likely(&[("a.js", "import './b';\nfunction dead() {\n  return 1;\n}\n")]), ["dead"]);
    assert_eq!(likely(&[("A.java", "class A {\n  private int dead() {\n    return 1;\n  }\n}\n")]), ["A"]);
    assert_eq!(likely(&[("a.c", "static int dead(void)\n{\n    return f();\n}\n")]), ["dead"]);
}

#[test]
fn a_declaration_and_its_definition_are_one() {
    let class = "class Cart {\n public:\n  void run();\n private:\n  void used();\n  void dead();\n};\n";
    let body = "#include \"cart.h\"\nvoid Cart::run() {\n  used();\n}\nvoid Cart::used() {\n}\nvoid Cart::dead() {\n}\n";
    assert_eq!(likely(&[("cart.h", class), ("cart.cpp", body)]), ["Cart.dead"]);
    let class = "class Window : public QWidget {\n private:\n  void drop() override;\n};\n";
    let body = "#include \"window.h\"\nvoid Window::drop() {\n}\n";
    assert_eq!(
        likely(&[("window.h", class), ("window.cpp", body)]),
        [""; 0],
        "only the declaration says it overrides"
    );
}

#[test]
fn what_may_be_reached_without_a_visible_call_is_doubtful() {
    let cases: &[(&str, &[(&str, &str)])] = &[
        (
            "a member of an object",
            &[("a.js", "import './b';\nfunction make() {\n  return {\n    go() {},\n  };\n}\nmake();\n")],
        ),
        (
            "a member of an object at the top level",
            &[("a.js", "import './b';\nmodes['x'] = {\n  format: function () {},\n};\n")],
        ),
        (
            "a member that an object is given",
            &[(
                "a.js",
                "import './b';\nconst reader = make();\nreader.onloadend = function () {};\nreader.read();\n",
            )],
        ),
        (
            "a function that is returned",
            &[("a.js", "import './b';\nfunction make() {\n  return function named() {};\n}\nmake();\n")],
        ),
        ("a function that is passed on", &[("a.js", "import './b';\non('x', function handler() {\n});\n")]),
        (
            "a name built at run time",
            &[("a.py", "def _visit_call():\n    pass\n\nglobals()['_visit_' + kind]()\n")],
        ),
        (
            "a name with a mark behind it",
            &[("a.rb", "class A < B\n  def run\n    save!\n  end\n\n  private\n\n  def save!\n  end\nend\n")],
        ),
        (
            "a hook of serialisation",
            &[("A.java", "public class A {\n  private Object readResolve() {\n    return null;\n  }\n}\n")],
        ),
        (
            "a member of a type from outside",
            &[("a.rb", "class Net::HTTP\n  private\n\n  def conn_address\n  end\nend\n")],
        ),
        (
            "an override of a base from outside",
            &[("a.py", "class _A(Thread):\n    def _hook(self):\n        pass\n\n_A().start()\n")],
        ),
        ("an attribute", &[("a.py", "@app.register\ndef _on_start():\n    pass\n")]),
        ("an initialiser that runs code", &[("a.js", "import './b';\nconst registered = register();\n")]),
        ("a name in a configuration", &[("a.py", "def _job():\n    pass\n"), ("jobs.yml", "run: a:_job\n")]),
        ("a key of a configuration", &[("a.py", "def _job():\n    pass\n"), ("jobs.yml", "_job: daily\n")]),
        (
            "a body of a macro",
            &[("a.c", "static int dead(void)\n{\n    return f();\n}\n#define RUN() dead()\n")],
        ),
        (
            "a name that a macro pastes together",
            &[("a.c", "#define CALL(name) my##name()\nstatic int mySwap(void)\n{\n    return f();\n}\n")],
        ),
        ("a definition in a header", &[("a.h", "static inline int dead(void)\n{\n    return f();\n}\n")]),
        (
            "one of several definitions for platforms",
            &[
                (
                    "a/Common.kt",
                    "package p\n\ninternal expect fun platform(): Int\n\nfun main() {\n    platform()\n}\n",
                ),
                ("a/Jvm.kt", "package p\n\ninternal actual fun platform(): Int {\n    return 1\n}\n"),
            ],
        ),
        (
            "a variable that is assigned again",
            &[(
                "a.js",
                "import './b';\nlet show = function () {\n  return 1;\n};\nfunction hide() {\n  show = function () {\n    return 2;\n  };\n}\nhide();\nshow();\n",
            )],
        ),
        (
            "a declaration without definition",
            &[
                ("a.h", "class A {\n private:\n  void missing();\n};\n"),
                ("b.cpp", "#include \"a.h\"\nA a;\n"),
            ],
        ),
    ];
    for (reason, files) in cases {
        assert_eq!(likely(files), [""; 0], "{reason}");
    }
}

#[test]
fn comments_are_no_uses() {
    assert_eq!(likely(&[("a.py", "# _dead was used once.\ndef _dead():\n    return 1\n")]), ["_dead"]);
}

#[test]
fn the_answer_says_what_the_claim_rests_on() {
    let tree = Sandbox::new(&[("a.py", "def _dead():\n    return 1\n"), ("notes.md", "Nothing.\n")]);
    let told = text(&tree.run(&["unused", "--likely"]).stdout);
    assert!(told.contains("the name occurs nowhere else in the text of 2 files"), "{told}");
    let former = tree.run(&["unused", "--certain"]);
    assert!(text(&former.stdout).starts_with(&told), "the former name of the option means the same");
    let said = text(&former.stdout) + &text(&former.stderr);
    assert!(said.contains("`certain` is now `likely`"), "{said}");
}

#[test]
fn what_only_others_can_use_is_listed_after_that_and_what_a_framework_may_use_is_left_out() {
    let tree = Sandbox::new(&[
        (
            "a.py",
            "def _dead():\n    return 1\n\ndef open_to_all():\n    return 2\n\ndef named():\n    return 3\n\n@app.route('/')\ndef page():\n    return 4\n",
        ),
        ("settings.yml", "handler: a:named\n"),
    ]);
    tree.assert_output(
        &["unused"],
        "
        4 definitions without a verified use: 1 likely unused, 1 visible outside, 2 may still be used
        likely unused: not visible outside, no reason to assume a use, and the name occurs nowhere else in the text of 2 files
        a.py:1  function _dead
        a.py:4  function open_to_all  but: public
        note: 2 left out that may be used for another reason than visibility: 1 entry point, 1 name occurs elsewhere in the text (`orient unused --all`)
        ",
    );
    let all = text(&tree.run(&["unused", "--all"]).stdout);
    assert!(
        all.contains("function named  but: public, its name occurs in 1 other place of the text"),
        "{all}"
    );
    assert!(all.contains("function page  but: entry point, has attributes"), "{all}");
}

#[test]
fn roles_and_visibilities_narrow_the_list() {
    let open = "public class A {\n  private int hidden() {\n    return 1;\n  }\n\n  public int open() {\n    return 2;\n  }\n}\n";
    let tree = Sandbox::new(&[("A.java", open), ("B.java", "class B {\n  A a = new A();\n}\n")]);
    let names = |flags: &[&str]| -> Vec<String> {
        let answer = tree.json(&[&["unused", "--kind", "method", "--json"], flags].concat());
        let lines = answer["data"]["unused"].as_array().expect("a list").clone();
        lines.iter().map(|line| line["name"].as_str().expect("a name").to_owned()).collect()
    };
    assert_eq!(names(&["--visibility", "private"]), ["A.hidden"]);
    assert_eq!(names(&["--visibility", "public", "--role", "source"]), ["A.open"]);
    assert_eq!(names(&["--role", "test"]), [""; 0]);
    let said = tree.run(&["unused", "--visibility", "hidden"]);
    assert_eq!(said.status.code(), Some(2), "{}", text(&said.stderr));
}

#[test]
fn a_class_of_extensions_may_be_used_where_the_name_of_one_is() {
    let extensions = "public static class RequestExtensions\n{\n    public static string ApiKey(this HttpRequest request) => null;\n    public static string Other(this HttpRequest request) => null;\n}\n";
    let unknown = "class Page : Outside\n{\n    string Key() => Request.ApiKey();\n}\n";
    let tree = Sandbox::new(&[("Extensions.cs", extensions), ("Page.cs", unknown)]);
    let all = text(&tree.run(&["unused", "--all"]).stdout);
    assert!(all.contains("class RequestExtensions  but: public, 1 name-only mention"), "{all}");
}

/// The names of all definitions that are listed by default.
fn listed(files: &[(&str, &str)]) -> Vec<String> {
    let answer = Sandbox::new(files).json(&["unused", "--json"]);
    let lines = answer["data"]["unused"].as_array().expect("a list").clone();
    lines.iter().map(|line| line["name"].as_str().expect("a name").to_owned()).collect()
}

#[test]
fn what_a_framework_uses_by_itself_is_left_out() {
    let cases: &[(&str, &[(&str, &str)])] = &[
        (
            "settings of Django",
            &[
                ("shop/settings/base.py", "ROOT_URLCONF = 'shop.urls'\nUSE_TZ = True\n"),
                ("shop/urls.py", "from django.urls import path\n\nurlpatterns = []\n"),
            ],
        ),
        (
            "a policy and an accessor of Laravel",
            &[
                (
                    "app/Policies/SongPolicy.php",
                    "<?php\nnamespace App\\Policies;\n\nclass SongPolicy\n{\n    public function own() { return true; }\n}\n",
                ),
                (
                    "app/Models/HasTitle.php",
                    "<?php\nnamespace App\\Models;\n\nuse Illuminate\\Database\\Eloquent\\Casts\\Attribute;\n\ntrait HasTitle\n{\n    protected function fullTitle(): Attribute\n    {\n        return Attribute::get(fn () => 1);\n    }\n}\n",
                ),
                (
                    "app/Models/Song.php",
                    "<?php\nnamespace App\\Models;\n\nuse Illuminate\\Database\\Eloquent\\Model;\n\nclass Song extends Model\n{\n    use HasTitle;\n}\n",
                ),
            ],
        ),
        (
            "a partial of Rails for a collection",
            &[
                ("app/views/moods/_mood.html.erb", "<p>1</p>\n"),
                ("app/views/moods/index.html.erb", "<%= render @moods %>\n"),
            ],
        ),
        (
            "a partial of Rails that a path names",
            &[
                ("app/views/devise/shared/_links.erb", "<p>1</p>\n"),
                ("app/views/moods/index.html.erb", "<%= render 'devise/shared/links' %>\n"),
            ],
        ),
        (
            "a class of extensions of a type from outside",
            &[
                (
                    "Extensions.cs",
                    "public static class HostExtensions\n{\n    public static bool IsBuild(this IHostEnvironment host) => true;\n}\n",
                ),
                ("Program.cs", "if (builder.Environment.IsBuild())\n{\n    return;\n}\n"),
            ],
        ),
        (
            "files that code loads by a pattern",
            &[
                (
                    "app/Rules/AgeRule.php",
                    "<?php\nnamespace App\\Rules;\n\nclass AgeRule\n{\n    public int $age = 1;\n}\n",
                ),
                (
                    "app/load.php",
                    "<?php\n\nforeach (glob(__DIR__ . '/Rules/*Rule.php') as $file) {\n    require $file;\n}\n",
                ),
            ],
        ),
    ];
    for (reason, files) in cases {
        assert_eq!(listed(files), [""; 0], "{reason}");
    }
}

#[test]
fn a_rule_of_a_framework_applies_where_it_is_imported() {
    let settings = ("shop/settings.py", "ROOT_URLCONF = 'shop.urls'\n");
    assert_eq!(listed(&[settings, ("shop/urls.py", "import other\n")]), ["ROOT_URLCONF"]);
    let extensions = "public static class HostExtensions\n{\n    public static bool IsBuild(this IHostEnvironment host) => true;\n}\n";
    assert_eq!(
        listed(&[
            ("Extensions.cs", extensions),
            ("Program.cs", "if (builder.Environment.Other())\n{\n    return;\n}\n")
        ]),
        ["HostExtensions"],
        "no extension of the class is named anywhere"
    );
}
