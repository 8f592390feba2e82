//! `xtask package`: packages the binary as an archive, a Python wheel and npm packages, installs each into an empty
//! environment and runs a query. Needs Python and Node.
#![expect(clippy::print_stdout, reason = "a subcommand prints to the terminal")]

use crate::workspace::{self, passes};
use anyhow::{Context, Result, bail, ensure};
use clap::Args;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The version of maturin that builds the wheel.
const MATURIN: &str = "maturin==1.16.0";

/// The scope of the npm packages with one binary each. `packaging/npm/launcher.js` uses the same.
const SCOPE: &str = "@orient-code";

/// Options of `xtask package`.
#[derive(Args)]
pub(crate) struct Package {
    /// The output directory
    #[arg(long, value_name = "DIR", default_value = "target/packages")]
    pub(crate) out: PathBuf,
    /// Packages the debug build, to test the packaging itself quickly
    #[arg(long)]
    pub(crate) dev: bool,
}

/// Builds the packages and installs each into an empty environment.
pub(crate) fn run(options: &Package) -> Result<()> {
    let out = workspace::root().join(&options.out);
    std::fs::create_dir_all(&out)?;
    let scratch = Scratch::new()?;
    let host = Host::detect()?;
    let wheel = wheel(&out, &scratch.0, options.dev)?;
    let binary = unpacked_binary(&wheel, &scratch.0, &host)?;
    let npm = npm(&out, &scratch.0, &host, &binary)?;
    archive(&out, &host, &binary)?;
    for file in std::iter::once(&binary).chain([&wheel]).chain(&npm) {
        println!("{}: {} kB", file.display(), std::fs::metadata(file)?.len() / 1000);
    }
    let tree = scratch.0.join("tree");
    std::fs::create_dir_all(&tree)?;
    std::fs::write(
        tree.join("cart.py"),
        "def total(items):\n    return sum(items)\n\n\nprint(total([1]))\n",
    )?;
    install_wheel(&wheel, &scratch.0, &tree, &host)?;
    install_npm(&npm, &scratch.0, &tree)
}

/// The current platform, in the terms of each packager.
struct Host {
    triple: String,
    npm_os: &'static str,
    npm_cpu: &'static str,
    exe: &'static str,
    bin: &'static str,
}

impl Host {
    fn detect() -> Result<Self> {
        let version = String::from_utf8(workspace::output(Command::new("rustc").arg("-vV"))?)?;
        let triple = version.lines().find_map(|line| line.strip_prefix("host: "));
        let npm_os = match std::env::consts::OS {
            "linux" => "linux",
            "macos" => "darwin",
            "windows" => "win32",
            other => bail!("there is no npm package for {other}"),
        };
        let npm_cpu = match std::env::consts::ARCH {
            "x86_64" => "x64",
            "aarch64" => "arm64",
            other => bail!("there is no npm package for {other}"),
        };
        let windows = cfg!(windows);
        Ok(Self {
            triple: triple.context("rustc names its host")?.to_owned(),
            npm_os,
            npm_cpu,
            exe: if windows { "orient.exe" } else { "orient" },
            bin: if windows { "Scripts" } else { "bin" },
        })
    }
}

/// A temporary directory, removed when dropped.
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> Result<Self> {
        let directory = std::env::temp_dir().join(format!("orient-package-{}", std::process::id()));
        std::fs::create_dir_all(&directory)?;
        Ok(Self(directory))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Builds the wheel with maturin, in a virtual environment of its own.
fn wheel(out: &Path, scratch: &Path, dev: bool) -> Result<PathBuf> {
    let venv = virtual_env(&scratch.join("maturin"))?;
    pip(&venv, &[MATURIN.as_ref()])?;
    let built = scratch.join("wheel");
    let mut build = Command::new(venv.join("python"));
    build.args(["-m", "maturin", "build", "--out"]).arg(&built);
    build.args(["--profile", if dev { "dev" } else { "release" }]);
    passes(build.current_dir(workspace::root().join("packaging/python")))?;
    let wheel = only_file(&built)?;
    let kept = out.join(wheel.file_name().context("a wheel has a name")?);
    std::fs::copy(&wheel, &kept)?;
    Ok(kept)
}

/// The binary inside the wheel: all packages hold the same bytes.
fn unpacked_binary(wheel: &Path, scratch: &Path, host: &Host) -> Result<PathBuf> {
    let directory = scratch.join("unpacked");
    passes(Command::new("python3").args(["-m", "zipfile", "-e"]).arg(wheel).arg(&directory))?;
    for entry in std::fs::read_dir(&directory)? {
        let binary = entry?.path().join("scripts").join(host.exe);
        if binary.is_file() {
            make_executable(&binary)?;
            return Ok(binary);
        }
    }
    bail!("{} holds no {}", wheel.display(), host.exe)
}

/// The launcher package, and the one with the binary of this platform.
fn npm(out: &Path, scratch: &Path, host: &Host, binary: &Path) -> Result<[PathBuf; 2]> {
    let version = env!("CARGO_PKG_VERSION");
    let source = workspace::root().join("packaging/npm");
    let mut launcher: Value = serde_json::from_slice(&std::fs::read(source.join("package.json"))?)?;
    let name = format!("{SCOPE}/{}-{}", host.npm_os, host.npm_cpu);
    let platform = json!({
        "name": &name,
        "version": version,
        "description": format!("The orient binary for {}", host.triple),
        "license": &launcher["license"],
        "repository": &launcher["repository"],
        "os": [host.npm_os],
        "cpu": [host.npm_cpu],
        "files": [host.exe],
    });
    launcher["version"] = json!(version);
    let all = ["linux-x64", "linux-arm64", "darwin-x64", "darwin-arm64", "win32-x64"];
    launcher["optionalDependencies"] =
        all.iter().map(|platform| (format!("{SCOPE}/{platform}"), json!(version))).collect();

    let directory = scratch.join("npm-launcher");
    std::fs::create_dir_all(&directory)?;
    for file in ["launcher.js", "README.md"] {
        std::fs::copy(source.join(file), directory.join(file))?;
    }
    let launcher = npm_pack(&directory, &launcher, out)?;
    let directory = scratch.join("npm-platform");
    std::fs::create_dir_all(&directory)?;
    std::fs::copy(binary, directory.join(host.exe))?;
    Ok([launcher, npm_pack(&directory, &platform, out)?])
}

fn npm_pack(directory: &Path, manifest: &Value, out: &Path) -> Result<PathBuf> {
    std::fs::write(directory.join("package.json"), serde_json::to_string_pretty(manifest)?)?;
    let printed = workspace::output(
        npm_command().args(["pack", "--silent", "--pack-destination"]).arg(out).current_dir(directory),
    )?;
    let name = String::from_utf8(printed)?;
    let name = name.trim().lines().last().context("npm names what it packed")?;
    Ok(out.join(name))
}

/// The plain archive of a release: the binary, the licences and the README.
fn archive(out: &Path, host: &Host, binary: &Path) -> Result<()> {
    let name = format!("orient-{}-{}", env!("CARGO_PKG_VERSION"), host.triple);
    let directory = out.join(&name);
    std::fs::create_dir_all(&directory)?;
    std::fs::copy(binary, directory.join(host.exe))?;
    for file in ["README.md", "LICENSE-MIT", "LICENSE-APACHE"] {
        std::fs::copy(workspace::root().join(file), directory.join(file))?;
    }
    let format = if cfg!(windows) { "zip" } else { "gztar" };
    let script =
        "import shutil, sys; shutil.make_archive(sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4])";
    passes(Command::new("python3").args(["-c", script]).arg(&directory).arg(format).arg(out).arg(&name))?;
    std::fs::remove_dir_all(&directory)?;
    Ok(())
}

/// Installs the wheel into an empty environment, without a registry, and runs a query.
fn install_wheel(wheel: &Path, scratch: &Path, tree: &Path, host: &Host) -> Result<()> {
    let venv = virtual_env(&scratch.join("empty"))?;
    pip(&venv, &["--no-index".as_ref(), "--no-deps".as_ref(), wheel])?;
    let command = venv.parent().context("a directory")?.join(host.bin).join(host.exe);
    answers(&mut Command::new(command), tree, &scratch.join("wheel-store"), "wheel")
}

/// Installs both npm packages into an empty project, without a registry, and runs a query through the launcher.
fn install_npm(packages: &[PathBuf; 2], scratch: &Path, tree: &Path) -> Result<()> {
    let project = scratch.join("project");
    std::fs::create_dir_all(&project)?;
    std::fs::write(project.join("package.json"), "{ \"private\": true }")?;
    let install = ["install", "--silent", "--no-audit", "--no-fund", "--offline", "--omit=optional"];
    passes(npm_command().args(install).args(packages).current_dir(&project))?;
    let launcher = project.join("node_modules/orient/launcher.js");
    answers(Command::new("node").arg(launcher), tree, &scratch.join("npm-store"), "npm package")
}

/// Runs a query with a known answer in an installed program. Its `PATH` does not contain Rust.
fn answers(program: &mut Command, tree: &Path, store: &Path, what: &str) -> Result<()> {
    let asked = ["--json", "callers", "total", "--root"];
    program.args(asked).arg(tree).arg("--store").arg(store);
    if cfg!(unix) {
        let node = which("node")?;
        program.env("PATH", format!("{}:/usr/bin:/bin", node.display()));
    }
    let printed = String::from_utf8(workspace::output(program)?)?;
    ensure!(printed.contains("cart.py"), "the {what} gave another answer: {printed}");
    println!("the {what} installs into an empty environment and answers");
    Ok(())
}

/// The directory of a program on the `PATH`.
fn which(program: &str) -> Result<PathBuf> {
    let path = std::env::var_os("PATH").context("there is no search path")?;
    std::env::split_paths(&path)
        .find(|directory| directory.join(program).is_file())
        .with_context(|| format!("{program} is not installed"))
}

/// Creates a virtual environment. Returns its directory of programs.
fn virtual_env(directory: &Path) -> Result<PathBuf> {
    passes(Command::new("python3").args(["-m", "venv"]).arg(directory))?;
    Ok(directory.join(if cfg!(windows) { "Scripts" } else { "bin" }))
}

fn pip(venv: &Path, arguments: &[&Path]) -> Result<()> {
    let quiet = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
    passes(Command::new(venv.join("python")).args(quiet).args(arguments))
}

/// On Windows, npm is a script and needs its file extension.
fn npm_command() -> Command {
    Command::new(if cfg!(windows) { "npm.cmd" } else { "npm" })
}

fn only_file(directory: &Path) -> Result<PathBuf> {
    let mut files = std::fs::read_dir(directory)?;
    let first = files.next().with_context(|| format!("{} is empty", directory.display()))??;
    ensure!(files.next().is_none(), "{} holds more than one file", directory.display());
    Ok(first.path())
}

#[cfg(unix)]
fn make_executable(file: &Path) -> Result<()> {
    use std::os::unix::fs::PermissionsExt;
    Ok(std::fs::set_permissions(file, std::fs::Permissions::from_mode(0o755))?)
}

#[cfg(not(unix))]
#[expect(clippy::unnecessary_wraps, reason = "the same form on every platform")]
fn make_executable(_file: &Path) -> Result<()> {
    Ok(())
}
