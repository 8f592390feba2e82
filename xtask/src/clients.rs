//! `xtask clients`: scripted sessions of the official MCP clients with the real server, over stdio and HTTP, and the cost
//! of schemas and answers by public tokenizers. Installs the clients into the user's cache; needs Python and Node.
#![expect(clippy::print_stdout, reason = "a chore talks to the terminal")]

use crate::asking::Asking;
use crate::workspace;
use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// Tokens the schemas of the default tools may cost.
const SCHEMA_TOKENS: usize = 1_500;

/// Runs everything.
pub(crate) fn run() -> Result<()> {
    let clients = Clients::install()?;
    let orient = build()?;
    let folder = std::env::temp_dir().join(format!("orient-clients-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let done = sessions(&clients, &orient, &folder).and_then(|()| tokens(&clients, &orient, &folder));
    let _ = std::fs::remove_dir_all(&folder);
    done
}

/// Where the clients are.
struct Clients {
    scripts: PathBuf,
    python: PathBuf,
    node_folder: PathBuf,
}

impl Clients {
    /// Installs what is missing, once for each set of versions.
    fn install() -> Result<Self> {
        let scripts = workspace::root().join("crates/serve/clients");
        let cache = cache()?.join("clients");
        let (python, node_folder) = (cache.join("python"), cache.join("node"));
        let wanted = [scripts.join("requirements.txt"), scripts.join("package.json")];
        let versions =
            wanted.iter().map(std::fs::read_to_string).collect::<std::io::Result<Vec<_>>>()?.concat();
        let mark = cache.join("installed");
        if std::fs::read_to_string(&mark).is_ok_and(|installed| installed == versions) {
            return Ok(Self { scripts, python: python.join("bin/python"), node_folder });
        }
        println!("installing the clients into {}", cache.display());
        std::fs::create_dir_all(&node_folder)?;
        passes(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&python))?;
        let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--requirement"];
        passes(Command::new(python.join("bin/python")).args(pip).arg(&wanted[0]))?;
        std::fs::copy(&wanted[1], node_folder.join("package.json"))?;
        let npm = ["install", "--silent", "--no-audit", "--no-fund", "--ignore-scripts"];
        passes(Command::new("npm").args(npm).current_dir(&node_folder))?;
        std::fs::write(&mark, versions)?;
        Ok(Self { scripts, python: python.join("bin/python"), node_folder })
    }

    fn python(&self) -> Command {
        let mut command = Command::new(&self.python);
        command.arg(self.scripts.join("session.py"));
        command
    }

    /// A script beside its packages: modules are looked for from where a script lies.
    fn node(&self, script: &str) -> Result<Command> {
        std::fs::copy(self.scripts.join(script), self.node_folder.join(script))?;
        let mut command = Command::new("node");
        command.arg(self.node_folder.join(script));
        Ok(command)
    }

    fn inspector(&self) -> Command {
        let mut command = Command::new("node");
        command.arg(self.node_folder.join("node_modules/@modelcontextprotocol/inspector/cli/build/cli.js"));
        command.arg("--cli");
        command
    }
}

fn sessions(clients: &Clients, orient: &Path, folder: &Path) -> Result<()> {
    let each: [(&str, fn(&Clients) -> Result<Command>); 2] =
        [("python", |clients| Ok(clients.python())), ("typescript", |clients| clients.node("session.mjs"))];
    for (name, script) in each {
        let tree = tree(&folder.join(name))?;
        let store = folder.join(format!("{name}-store"));
        passes(script(clients)?.arg(orient).arg(&tree).arg(&store))?;
        let server = Server::start(orient, &tree, &store)?;
        println!("the same over HTTP");
        passes(script(clients)?.arg(orient).arg(&tree).arg(&store).arg(&server.url))?;
    }
    let tree = tree(&folder.join("inspector"))?;
    let store = folder.join("inspector-store");
    let server = Server::start(orient, &tree, &store)?;
    for over_http in [false, true] {
        inspect(clients, orient, &tree, &store, over_http.then_some(server.url.as_str()))?;
    }
    Ok(())
}

/// The inspector's command line: lists, calls, and gets an error.
fn inspect(clients: &Clients, orient: &Path, tree: &Path, store: &Path, url: Option<&str>) -> Result<()> {
    let ask = |arguments: &[&str]| -> Result<Value> {
        let mut command = clients.inspector();
        match url {
            Some(url) => command.args([url, "--transport", "http"]),
            None => command.arg(orient).arg("mcp").arg("--root").arg(tree).arg("--store").arg(store),
        };
        let printed = workspace::output(command.args(arguments))?;
        serde_json::from_slice(&printed).context("the inspector prints JSON")
    };
    let listed = ask(&["--method", "tools/list"])?;
    let tools = listed["tools"].as_array().context("no list of tools")?.len();
    let call = |target: &str| {
        let target = format!("target={target}");
        ask(&["--method", "tools/call", "--tool-name", "read", "--tool-arg", &target])
    };
    let (found, missing) = (call("total")?, call("no_such_thing")?);
    if !found["content"][0]["text"].as_str().is_some_and(|text| text.contains("def total")) {
        bail!("the inspector got no answer: {found}");
    }
    if missing["isError"] != true {
        bail!("the inspector got no error: {missing}");
    }
    println!(
        "inspector over {}: {tools} tools, an answer, an error",
        if url.is_some() { "HTTP" } else { "stdio" }
    );
    Ok(())
}

/// Counts what the default tools cost, and what answers about our own sources cost, with public tokenizers.
fn tokens(clients: &Clients, orient: &Path, folder: &Path) -> Result<()> {
    let mut asking = Asking::start(orient, workspace::root(), &folder.join("own-store"))?;
    let listing = folder.join("listing.json");
    let tools = asking.request("tools/list", json!({}))?;
    std::fs::write(&listing, tools.to_string())?;
    passes(clients.node("tokens.mjs")?.arg("schema").arg(&listing).arg(SCHEMA_TOKENS.to_string()))?;
    let mut lines = String::new();
    for (tool, arguments) in questions() {
        for max_tokens in [300, 2_000, 8_000] {
            let mut arguments = arguments.clone();
            arguments["max_tokens"] = json!(max_tokens);
            arguments["again"] = json!(true);
            let result = asking.request("tools/call", json!({ "name": tool, "arguments": arguments }))?;
            let text = result["content"][0]["text"].as_str().context("no text")?;
            let estimate = orient_tools::tokens(text);
            let line = json!({ "max_tokens": max_tokens, "estimate": estimate, "text": text, "structured": result["structuredContent"] });
            writeln!(lines, "{line}")?;
        }
    }
    let answers = folder.join("answers.jsonl");
    std::fs::write(&answers, lines)?;
    passes(clients.node("tokens.mjs")?.arg("answers").arg(&answers))
}

/// Questions about this repository, which has code, prose, data and text in other scripts.
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

/// `orient serve`, and where it is.
struct Server {
    child: Child,
    url: String,
}

impl Server {
    fn start(orient: &Path, tree: &Path, store: &Path) -> Result<Self> {
        let mut command = Command::new(orient);
        command
            .arg("serve")
            .arg("--root")
            .arg(tree)
            .arg("--store")
            .arg(store)
            .args(["--listen", "127.0.0.1:0"]);
        let mut child = command.stderr(Stdio::piped()).spawn()?;
        let mut line = String::new();
        BufReader::new(child.stderr.take().context("it is piped")?).read_line(&mut line)?;
        let url = line.trim().strip_prefix("serving on ").context("the server says where it is")?.to_owned();
        Ok(Self { child, url })
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The tree the scripts know.
fn tree(folder: &Path) -> Result<PathBuf> {
    std::fs::create_dir_all(folder.join("shop"))?;
    std::fs::create_dir_all(folder.join("pkg"))?;
    let cart = "def total(items):\n    return sum(items)\n\n\ndef main():\n    print(total([1, 2]))\n";
    std::fs::write(folder.join("shop/cart.py"), cart)?;
    for part in 0..300 {
        let text = format!("def part_{part:03}(x):\n    return x + {part}\n");
        std::fs::write(folder.join(format!("pkg/part_{part:03}.py")), text)?;
    }
    Ok(folder.to_owned())
}

fn build() -> Result<PathBuf> {
    passes(workspace::cargo().args(["build", "--locked", "--package", "orient-cli"]))?;
    // Beside us, whatever the target folder is called.
    let beside = std::env::current_exe()?.parent().context("a program has a folder")?.join("orient");
    if !beside.is_file() {
        bail!("{} is not there: run without --release", beside.display());
    }
    Ok(beside)
}

fn cache() -> Result<PathBuf> {
    let named = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
    let home = || std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".cache"));
    Ok(named.or_else(home).context("there is no home folder")?.join("orient-ci"))
}

fn passes(command: &mut Command) -> Result<()> {
    let status = command.status().with_context(|| format!("cannot start {command:?}"))?;
    if !status.success() {
        bail!("{command:?}: {status}");
    }
    Ok(())
}
