//! `xtask clients`: scripted sessions of the official MCP clients with the real server, over stdio and HTTP, and the cost
//! of schemas and answers by public tokenizers. Installs the clients into the user's cache; needs Python and Node.
#![expect(clippy::print_stdout, reason = "a subcommand prints to the terminal")]

use crate::mcp_client::McpClient;
use crate::serve_process::ServeProcess;
use crate::workspace::{self, passes};
use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Token budget of the schemas of the default tools.
const SCHEMA_TOKENS: usize = 1_500;
/// Tokens the schemas of all operations may cost.
const SCHEMA_TOKENS_OF_ALL: usize = 12_000;

/// Runs everything.
pub(crate) fn run() -> Result<()> {
    let clients = Clients::install()?;
    let orient = workspace::product()?;
    let directory = std::env::temp_dir().join(format!("orient-clients-{}", std::process::id()));
    std::fs::create_dir_all(&directory)?;
    let done = sessions(&clients, &orient, &directory).and_then(|()| tokens(&clients, &orient, &directory));
    let _ = std::fs::remove_dir_all(&directory);
    done
}

/// The installed clients.
struct Clients {
    scripts: PathBuf,
    python: PathBuf,
    node_directory: PathBuf,
}

impl Clients {
    /// Installs what is missing, once per set of versions.
    fn install() -> Result<Self> {
        let scripts = workspace::root().join("crates/serve/clients");
        let cache = workspace::cache()?.join("clients");
        let (python, node_directory) = (cache.join("python"), cache.join("node"));
        let wanted = [scripts.join("requirements.txt"), scripts.join("package.json")];
        let versions =
            wanted.iter().map(std::fs::read_to_string).collect::<std::io::Result<Vec<_>>>()?.concat();
        let mark = cache.join("installed");
        if std::fs::read_to_string(&mark).is_ok_and(|installed| installed == versions) {
            return Ok(Self { scripts, python: python.join("bin/python"), node_directory });
        }
        println!("installing the clients into {}", cache.display());
        std::fs::create_dir_all(&node_directory)?;
        passes(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&python))?;
        let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--requirement"];
        passes(Command::new(python.join("bin/python")).args(pip).arg(&wanted[0]))?;
        std::fs::copy(&wanted[1], node_directory.join("package.json"))?;
        let npm = ["install", "--silent", "--no-audit", "--no-fund", "--ignore-scripts"];
        passes(Command::new("npm").args(npm).current_dir(&node_directory))?;
        std::fs::write(&mark, versions)?;
        Ok(Self { scripts, python: python.join("bin/python"), node_directory })
    }

    fn python(&self) -> Command {
        let mut command = Command::new(&self.python);
        command.arg(self.scripts.join("session.py"));
        command
    }

    /// Copies a script next to its packages: Node resolves modules relative to the script.
    fn node(&self, script: &str) -> Result<Command> {
        for file in [script, "tasks.json"] {
            std::fs::copy(self.scripts.join(file), self.node_directory.join(file))?;
        }
        let mut command = Command::new("node");
        command.arg(self.node_directory.join(script));
        Ok(command)
    }

    fn inspector(&self) -> Command {
        let mut command = Command::new("node");
        command
            .arg(self.node_directory.join("node_modules/@modelcontextprotocol/inspector/cli/build/cli.js"));
        command.arg("--cli");
        command
    }
}

fn sessions(clients: &Clients, orient: &Path, directory: &Path) -> Result<()> {
    type Script = fn(&Clients) -> Result<Command>;
    let each: [(&str, Script); 2] =
        [("python", |clients| Ok(clients.python())), ("typescript", |clients| clients.node("session.mjs"))];
    for (name, script) in each {
        let tree = tree(&directory.join(name))?;
        let store = directory.join(format!("{name}-store"));
        passes(script(clients)?.arg(orient).arg(&tree).arg(&store))?;
        let server = ServeProcess::start(orient, &tree, &store, &[])?;
        println!("the same over HTTP");
        passes(script(clients)?.arg(orient).arg(&tree).arg(&store).arg(&server.url))?;
    }
    let tree = tree(&directory.join("inspector"))?;
    let store = directory.join("inspector-store");
    let server = ServeProcess::start(orient, &tree, &store, &[])?;
    for over_http in [false, true] {
        inspect(clients, orient, &tree, &store, over_http.then_some(server.url.as_str()))?;
    }
    Ok(())
}

/// The tool calls of the inspector's command line, with arguments as words.
const INSPECTED: [(&str, &[&str]); 8] = [
    ("search", &["query=total"]),
    ("context", &["task=change how the total is made"]),
    ("read", &["target=total"]),
    ("graph", &["relation=callers", "symbol=total"]),
    ("overview", &["about=map"]),
    ("history", &["relation=log", "target=total"]),
    ("grep", &["pattern=def total"]),
    ("task", &["action=list"]),
];

/// Everything that the inspector's command line can do: lists, every tool, files, prompts, errors.
fn inspect(clients: &Clients, orient: &Path, tree: &Path, store: &Path, url: Option<&str>) -> Result<()> {
    let command = |arguments: &[&str]| {
        let mut command = clients.inspector();
        match url {
            Some(url) => command.args([url, "--transport", "http"]),
            None => command.arg(orient).arg("mcp").arg("--root").arg(tree).arg("--store").arg(store),
        };
        command.arg("--method").args(arguments);
        command
    };
    let ask = |arguments: &[&str]| -> Result<Value> {
        let printed = workspace::output(&mut command(arguments))?;
        serde_json::from_slice(&printed).context("the inspector prints JSON")
    };
    let list = |method: &str, what: &str, key: &str| -> Result<Vec<String>> {
        let listed = ask(&[method])?;
        let items = listed[what].as_array().with_context(|| format!("no list: {listed}"))?;
        let mut names: Vec<String> =
            items.iter().filter_map(|item| Some(item[key].as_str()?.to_owned())).collect();
        names.sort_unstable();
        Ok(names)
    };
    let tools = list("tools/list", "tools", "name")?;
    let mut expected = INSPECTED.map(|(tool, _)| tool);
    expected.sort_unstable();
    ensure!(tools == expected, "the inspector lists other tools: {tools:?}");
    for (tool, words) in INSPECTED {
        let mut arguments = vec!["tools/call", "--tool-name", tool, "--tool-arg"];
        arguments.extend(words);
        let answer = ask(&arguments)?;
        let text = answer["content"][0]["text"].as_str().unwrap_or_default();
        ensure!(
            answer["isError"] != true && (text.contains("total") || text.contains("no tasks")),
            "{tool}: no answer: {answer}"
        );
    }
    let missing = ask(&["tools/call", "--tool-name", "read", "--tool-arg", "target=no_such_thing"])?;
    ensure!(missing["isError"] == true, "the inspector got no error: {missing}");
    for refused in [
        ["tools/call", "--tool-name", "no_such_tool"],
        ["resources/read", "--uri", "orient://file/no/such/file"],
        ["prompts/get", "--prompt-name", "no_such_prompt"],
    ] {
        ensure!(!command(&refused).output()?.status.success(), "{refused:?} was not refused");
    }
    let resources = list("resources/list", "resources", "uri")?;
    ensure!(resources.len() == 200, "the first page has {} resources", resources.len());
    let read = ask(&["resources/read", "--uri", "orient://file/shop/cart.py"])?;
    let text = read["contents"][0]["text"].as_str();
    ensure!(text.is_some_and(|text| text.contains("def total")), "the inspector read nothing: {read}");
    let templates = list("resources/templates/list", "resourceTemplates", "name")?;
    ensure!(templates == ["definition", "file"], "the inspector lists other templates: {templates:?}");
    let prompts = list("prompts/list", "prompts", "name")?;
    ensure!(
        prompts == ["plan_change", "review", "understand"],
        "the inspector lists other prompts: {prompts:?}"
    );
    let plan =
        ask(&["prompts/get", "--prompt-name", "plan_change", "--prompt-args", "change=round the total"])?;
    ensure!(plan.to_string().contains("round the total"), "the inspector got no prompt: {plan}");
    println!(
        "inspector over {}: {} tools listed and called, errors, resources, templates, prompts",
        if url.is_some() { "HTTP" } else { "stdio" },
        tools.len()
    );
    Ok(())
}

/// Counts the tokens of the tools and of answers about our own sources, with public tokenizers.
fn tokens(clients: &Clients, orient: &Path, directory: &Path) -> Result<()> {
    let store = directory.join("own-store");
    let mut client = McpClient::start(orient, workspace::root(), &store)?;
    let listing = directory.join("listing.json");
    let all = McpClient::start_with(orient, workspace::root(), &store, &["--tools", "all"])?
        .request("tools/list", &json!({}))?;
    for (tools, most) in
        [(client.request("tools/list", &json!({}))?, SCHEMA_TOKENS), (all, SCHEMA_TOKENS_OF_ALL)]
    {
        std::fs::write(&listing, tools.to_string())?;
        passes(clients.node("tokens.mjs")?.arg("schema").arg(&listing).arg(most.to_string()))?;
    }
    let mut lines = String::new();
    for (tool, arguments) in questions() {
        for max_tokens in [300, 2_000, 8_000] {
            let mut arguments = arguments.clone();
            arguments["max_tokens"] = json!(max_tokens);
            arguments["again"] = json!(true);
            let result = client.request("tools/call", &json!({ "name": tool, "arguments": arguments }))?;
            let text = result["content"][0]["text"].as_str().context("no text")?;
            let estimate = orient_tools::tokens(text);
            let line = json!({ "max_tokens": max_tokens, "estimate": estimate, "text": text });
            writeln!(lines, "{line}")?;
        }
    }
    let answers = directory.join("answers.jsonl");
    std::fs::write(&answers, lines)?;
    passes(clients.node("tokens.mjs")?.arg("answers").arg(&answers))
}

/// Calls about this repository, which has code, prose, data and text in other scripts.
fn questions() -> Vec<(&'static str, Value)> {
    let mut all = vec![
        ("search", json!({ "query": "Session" })),
        ("graph", json!({ "relation": "references", "symbol": "ToolError" })),
        ("graph", json!({ "relation": "impact", "symbol": "RepoPath" })),
        ("overview", json!({ "about": "map" })),
        ("overview", json!({ "about": "files" })),
        ("grep", json!({ "pattern": "[^\\x00-\\x7f]" })),
        ("grep", json!({ "pattern": "fn |[0-9a-f]{8}" })),
        ("read", json!({ "target": "crates/lang", "view": "outline" })),
    ];
    for path in
        ["README.md", "Cargo.lock", "crates/tools/src/visible.rs", "crates/tools/src/groups.rs", "deny.toml"]
    {
        all.push(("read", json!({ "target": path })));
    }
    all
}

/// The tree that the scripts expect.
fn tree(directory: &Path) -> Result<PathBuf> {
    std::fs::create_dir_all(directory.join("shop"))?;
    std::fs::create_dir_all(directory.join("pkg"))?;
    let cart = "def total(items):\n    return sum(items)\n\n\ndef main():\n    print(total([1, 2]))\n";
    std::fs::write(directory.join("shop/cart.py"), cart)?;
    for part in 0..300 {
        let text = format!("def part_{part:03}(x):\n    return x + {part}\n");
        std::fs::write(directory.join(format!("pkg/part_{part:03}.py")), text)?;
    }
    for arguments in [&["init", "-q"][..], &["add", "-A"], &["commit", "-q", "-m", "add the total of a cart"]]
    {
        orient_testkit::git(directory, arguments);
    }
    Ok(directory.to_owned())
}
