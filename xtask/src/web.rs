//! `xtask web`: scenarios of the web pages in a real browser, on real and on hostile trees. Installs the driver and the
//! accessibility checker into the user's cache; needs Node and a Chromium of the system.
#![expect(clippy::print_stdout, reason = "a subcommand prints to the terminal")]

use crate::eval;
use crate::serve_process::ServeProcess;
use crate::workspace::{self, passes, passes_within};
use anyhow::{Context, Result};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

/// The names of Chromium in different systems.
const BROWSERS: &[&str] = &["chromium", "chromium-browser", "google-chrome"];
/// The most time for all scenarios; they take two minutes.
const DEADLINE: Duration = Duration::from_mins(15);
/// The token of the guarded server.
const TOKEN: &str = "a token for the browser scenarios";

/// Packages of the evaluation set that are browsed as well: real repositories in three languages.
const PACKAGES: &[&str] = &["tower-http", "huey", "ajv"];

/// Files whose names and contents are markup. `window.ran` would betray that a script ran.
const HOSTILE: &[(&str, &str)] = &[
    ("<script>window.ran=1<!--.py", "def alert(): pass\n"),
    (
        "\"><img src=x onerror=window.ran=1>.py",
        "def alert():\n    \"\"\"<img src=x onerror=window.ran=1>\"\"\"\n",
    ),
    (
        "' onmouseover='window.ran=1.py",
        "# </code></div><script>window.ran=1</script>\nalert = '<svg onload=window.ran=1>'\n",
    ),
    (
        "page.html",
        "<script>window.ran=1</script><body onload=window.ran=1><iframe src=javascript:window.ran=1>\n",
    ),
    ("javascript:window.ran=1.py", "def run(): return alert()\n"),
    ("&lt;script&gt;.md", "# <script>window.ran=1</script>\n\n[x](javascript:window.ran=1)\n"),
    ("a?b#c&d=e%3Cscript%3E.py", "class X:\n    def alert(self): pass\n"),
    (
        "picture.svg",
        "<svg xmlns=\"http://www.w3.org/2000/svg\" onload=\"window.ran=1\"><script>window.ran=1</script></svg>\n",
    ),
];

/// Runs all scenarios whose name contains a text.
pub(crate) fn run(only: Option<&str>) -> Result<()> {
    let browser = browser().context("no Chromium is installed: `apt-get install chromium`")?;
    let node = install()?;
    let orient = workspace::product()?;
    let directory = std::env::temp_dir().join(format!("orient-web-{}", std::process::id()));
    let done = scenarios(&orient, &browser, &node, &directory, only);
    let _ = std::fs::remove_dir_all(&directory);
    done
}

/// The browser of the system.
pub(crate) fn browser() -> Option<String> {
    let runs = |name: &&str| {
        let asked = Command::new(name).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
        asked.is_ok_and(|status| status.success())
    };
    BROWSERS.iter().find(|name| runs(name)).and_then(|name| path_of(name))
}

/// Where a program is.
fn path_of(program: &str) -> Option<String> {
    let directories = std::env::var_os("PATH")?;
    let found = std::env::split_paths(&directories)
        .map(|directory| directory.join(program))
        .find(|path| path.is_file())?;
    Some(found.display().to_string())
}

/// Installs the packages, once per set of versions. Returns their directory.
fn install() -> Result<PathBuf> {
    let scripts = workspace::root().join("crates/web/browser");
    let node = workspace::cache()?.join("browser");
    let versions = std::fs::read_to_string(scripts.join("package.json"))?;
    let mark = node.join("installed");
    if std::fs::read_to_string(&mark).is_ok_and(|installed| installed == versions) {
        return Ok(node);
    }
    println!("installing the driver of the browser into {}", node.display());
    std::fs::create_dir_all(&node)?;
    std::fs::copy(scripts.join("package.json"), node.join("package.json"))?;
    let npm = ["install", "--silent", "--no-audit", "--no-fund", "--ignore-scripts"];
    passes(Command::new("npm").args(npm).current_dir(&node))?;
    std::fs::write(&mark, versions)?;
    Ok(node)
}

fn scenarios(orient: &Path, browser: &str, node: &Path, directory: &Path, only: Option<&str>) -> Result<()> {
    let screenshots = workspace::root().join("target/web-screenshots");
    let mut trees = vec![
        ("parcel", parcel(&directory.join("parcel"))?),
        ("own", own(&directory.join("own"))?),
        ("hostile", hostile(&directory.join("hostile"))?),
        ("guarded", hostile(&directory.join("guarded"))?),
    ];
    for (name, source) in eval::package_sources(PACKAGES)? {
        let tree = directory.join(name);
        copy(&source, &tree)?;
        commit(&tree, "The published version")?;
        trees.push((name, tree));
    }
    let mut servers = Vec::new();
    let mut addresses = serde_json::Map::new();
    for (name, tree) in &trees {
        let store = directory.join(format!("{name}-store"));
        let token_file = directory.join("token");
        std::fs::write(&token_file, TOKEN)?;
        let token_file = token_file.display().to_string();
        let guard = ["--token-file", token_file.as_str()];
        let arguments: &[&str] = if *name == "guarded" { &guard } else { &[] };
        let server = ServeProcess::start(orient, tree, &store, arguments)?;
        let address = server.url.trim_end_matches("/mcp").to_owned();
        addresses.insert((*name).to_owned(), json!(address));
        servers.push(server);
    }
    let setup =
        json!({ "chromium": browser, "screenshots": screenshots, "token": TOKEN, "trees": addresses });
    // Node resolves modules relative to the script.
    let script = node.join("scenarios.mjs");
    std::fs::copy(workspace::root().join("crates/web/browser/scenarios.mjs"), &script)?;
    let mut command = Command::new("node");
    command.arg(&script).arg(setup.to_string()).args(only);
    let done = passes_within(DEADLINE, &mut command);
    println!("screenshots are in {}", screenshots.display());
    done
}

/// The fixture repository with two commits.
fn parcel(tree: &Path) -> Result<PathBuf> {
    copy(&workspace::root().join("crates/cli/demo/parcel"), tree)?;
    let file = tree.join("service/parcel/pricing.py");
    let text = std::fs::read_to_string(&file)?;
    commit(tree, "The first version")?;
    std::fs::write(
        &file,
        format!(
            "{text}\n\ndef handling(weight):\n    \"\"\"added by the second commit\"\"\"\n    return weight * 2\n"
        ),
    )?;
    commit(tree, "A handling fee")?;
    Ok(tree.to_owned())
}

/// Some of our own crates.
fn own(tree: &Path) -> Result<PathBuf> {
    for part in ["serve", "web"] {
        copy(&workspace::root().join("crates").join(part).join("src"), &tree.join(part).join("src"))?;
    }
    commit(tree, "Our own source")?;
    Ok(tree.to_owned())
}

fn hostile(tree: &Path) -> Result<PathBuf> {
    std::fs::create_dir_all(tree)?;
    for (name, content) in HOSTILE {
        std::fs::write(tree.join(name), content)?;
    }
    Ok(tree.to_owned())
}

fn commit(tree: &Path, message: &str) -> Result<()> {
    let git = |arguments: &[&str]| {
        let identity =
            ["-c", "user.name=Tester", "-c", "user.email=tester@example.com", "-c", "commit.gpgsign=false"];
        passes(Command::new("git").args(identity).args(arguments).current_dir(tree))
    };
    git(&["init", "--quiet"])?;
    git(&["add", "."])?;
    git(&["commit", "--quiet", "--message", message])
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    std::fs::create_dir_all(to)?;
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy(&entry.path(), &target)?;
        } else {
            std::fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}
