//! The table of clients: where each keeps its configuration and what an entry looks like there.

use std::path::{Path, PathBuf};

/// The syntax of a configuration file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// JSON, possibly with comments and trailing commas.
    Json,
    /// TOML.
    Toml,
}

/// Which projects a configuration applies to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scope {
    /// All projects of the user.
    User,
    /// One project, for everyone who works on it.
    Project,
}

impl Scope {
    /// The name on the command line and in output.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Project => "project",
        }
    }
}

/// An operating system, as far as configuration directories differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Os {
    /// macOS.
    Mac,
    /// Windows.
    Windows,
    /// Linux and other Unix systems.
    Unix,
}

impl Os {
    /// The system this program was built for.
    pub const CURRENT: Self = if cfg!(target_os = "macos") {
        Self::Mac
    } else if cfg!(windows) {
        Self::Windows
    } else {
        Self::Unix
    };
}

/// The directory that a path is relative to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Base {
    Project,
    Home,
    /// `$XDG_CONFIG_HOME` or `~/.config`, on every system.
    DotConfig,
    /// The system's directory for application settings.
    AppConfig,
}

/// Where a configuration file may be: the first name that exists, or else the first.
struct ConfigFile {
    scope: Scope,
    base: Base,
    names: &'static [&'static str],
}

/// Which fields an entry has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EntryShape {
    /// `command` and `args`.
    Command,
    /// The same, and `type = stdio`.
    Stdio,
    /// The same, with `type = local` and all tools enabled.
    Local,
    /// `type = local`, and the command and its arguments in one list.
    CommandList,
}

/// A program that can start us as an MCP server.
pub struct Client {
    /// Its name on the command line.
    pub id: &'static str,
    /// Its name in output.
    pub name: &'static str,
    /// The syntax of its configuration.
    pub format: Format,
    /// The keys that lead to its table of servers.
    pub servers_path: &'static [&'static str],
    pub(crate) shape: EntryShape,
    files: &'static [ConfigFile],
    /// Files or directories that exist if the client is installed.
    markers: &'static [(Base, &'static str)],
}

const fn project(names: &'static [&'static str]) -> ConfigFile {
    ConfigFile { scope: Scope::Project, base: Base::Project, names }
}

const fn home(names: &'static [&'static str]) -> ConfigFile {
    ConfigFile { scope: Scope::User, base: Base::Home, names }
}

/// All clients we know how to configure, in the order of listings.
pub const CLIENTS: &[Client] = &[
    Client {
        id: "claude-code",
        name: "Claude Code",
        format: Format::Json,
        servers_path: &["mcpServers"],
        shape: EntryShape::Stdio,
        files: &[home(&[".claude.json"]), project(&[".mcp.json"])],
        markers: &[(Base::Home, ".claude.json"), (Base::Home, ".claude")],
    },
    Client {
        id: "claude-desktop",
        name: "Claude Desktop",
        format: Format::Json,
        servers_path: &["mcpServers"],
        shape: EntryShape::Command,
        files: &[ConfigFile {
            scope: Scope::User,
            base: Base::AppConfig,
            names: &["Claude/claude_desktop_config.json"],
        }],
        markers: &[(Base::AppConfig, "Claude")],
    },
    Client {
        id: "cursor",
        name: "Cursor",
        format: Format::Json,
        servers_path: &["mcpServers"],
        shape: EntryShape::Command,
        files: &[home(&[".cursor/mcp.json"]), project(&[".cursor/mcp.json"])],
        markers: &[(Base::Home, ".cursor")],
    },
    Client {
        id: "vscode",
        name: "Visual Studio Code",
        format: Format::Json,
        servers_path: &["servers"],
        shape: EntryShape::Stdio,
        files: &[
            ConfigFile { scope: Scope::User, base: Base::AppConfig, names: &["Code/User/mcp.json"] },
            project(&[".vscode/mcp.json"]),
        ],
        markers: &[(Base::AppConfig, "Code/User")],
    },
    Client {
        id: "codex",
        name: "Codex",
        format: Format::Toml,
        servers_path: &["mcp_servers"],
        shape: EntryShape::Command,
        files: &[home(&[".codex/config.toml"]), project(&[".codex/config.toml"])],
        markers: &[(Base::Home, ".codex")],
    },
    Client {
        id: "zed",
        name: "Zed",
        format: Format::Json,
        servers_path: &["context_servers"],
        shape: EntryShape::Command,
        files: &[
            ConfigFile { scope: Scope::User, base: Base::DotConfig, names: &["zed/settings.json"] },
            project(&[".zed/settings.json"]),
        ],
        markers: &[(Base::DotConfig, "zed")],
    },
    Client {
        id: "windsurf",
        name: "Windsurf",
        format: Format::Json,
        servers_path: &["mcpServers"],
        shape: EntryShape::Command,
        files: &[home(&[".codeium/windsurf/mcp_config.json"])],
        markers: &[(Base::Home, ".codeium/windsurf")],
    },
    Client {
        id: "gemini",
        name: "Gemini CLI",
        format: Format::Json,
        servers_path: &["mcpServers"],
        shape: EntryShape::Command,
        files: &[home(&[".gemini/settings.json"]), project(&[".gemini/settings.json"])],
        markers: &[(Base::Home, ".gemini/settings.json")],
    },
    Client {
        id: "antigravity",
        name: "Antigravity",
        format: Format::Json,
        servers_path: &["mcpServers"],
        shape: EntryShape::Command,
        files: &[home(&[".gemini/config/mcp_config.json"]), project(&[".agents/mcp_config.json"])],
        markers: &[(Base::Home, ".gemini/config"), (Base::Home, ".gemini/antigravity")],
    },
    Client {
        id: "opencode",
        name: "opencode",
        format: Format::Json,
        servers_path: &["mcp"],
        shape: EntryShape::CommandList,
        files: &[
            ConfigFile {
                scope: Scope::User,
                base: Base::DotConfig,
                names: &["opencode/opencode.json", "opencode/opencode.jsonc"],
            },
            project(&["opencode.json", "opencode.jsonc"]),
        ],
        markers: &[(Base::DotConfig, "opencode")],
    },
    Client {
        id: "copilot",
        name: "GitHub Copilot CLI",
        format: Format::Json,
        servers_path: &["mcpServers"],
        shape: EntryShape::Local,
        files: &[home(&[".copilot/mcp-config.json"])],
        markers: &[(Base::Home, ".copilot")],
    },
    Client {
        id: "kiro",
        name: "Kiro",
        format: Format::Json,
        servers_path: &["mcpServers"],
        shape: EntryShape::Command,
        files: &[home(&[".kiro/settings/mcp.json"]), project(&[".kiro/settings/mcp.json"])],
        markers: &[(Base::Home, ".kiro")],
    },
];

/// The directories that configuration files are in.
#[derive(Clone, Debug)]
pub struct ConfigDirs {
    /// The root of the project.
    pub project: PathBuf,
    /// The user's home directory.
    pub home: PathBuf,
    /// `$XDG_CONFIG_HOME`, if set.
    pub xdg_config: Option<PathBuf>,
    /// `%APPDATA%`, if set.
    pub app_data: Option<PathBuf>,
    /// The operating system.
    pub os: Os,
}

impl ConfigDirs {
    /// The directories of this user; `None` without a home directory.
    pub fn detect(project: &Path) -> Option<Self> {
        let dir = |name| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
        Some(Self {
            project: project.to_owned(),
            home: std::env::home_dir().filter(|home| home.is_absolute())?,
            xdg_config: dir("XDG_CONFIG_HOME"),
            app_data: dir("APPDATA"),
            os: Os::CURRENT,
        })
    }

    fn base(&self, base: Base) -> PathBuf {
        let dot_config = || self.xdg_config.clone().unwrap_or_else(|| self.home.join(".config"));
        match (base, self.os) {
            (Base::Project, _) => self.project.clone(),
            (Base::Home, _) => self.home.clone(),
            (Base::DotConfig | Base::AppConfig, Os::Windows) => {
                self.app_data.clone().unwrap_or_else(|| self.home.join("AppData/Roaming"))
            }
            (Base::AppConfig, Os::Mac) => self.home.join("Library/Application Support"),
            (Base::DotConfig, _) | (Base::AppConfig, Os::Unix) => dot_config(),
        }
    }
}

impl Client {
    /// The client with this id.
    pub fn by_id(id: &str) -> Option<&'static Self> {
        CLIENTS.iter().find(|client| client.id == id)
    }

    /// The scopes it has a configuration file for.
    pub fn scopes(&self) -> impl Iterator<Item = Scope> {
        self.files.iter().map(|file| file.scope)
    }

    /// The configuration file of a scope, which need not exist yet; `None` if the client has none.
    pub fn config_file(
        &self,
        scope: Scope,
        dirs: &ConfigDirs,
        exists: impl Fn(&Path) -> bool,
    ) -> Option<PathBuf> {
        let file = self.files.iter().find(|file| file.scope == scope)?;
        let base = dirs.base(file.base);
        let mut candidates = file.names.iter().map(|name| base.join(name));
        let first = candidates.next()?;
        if exists(&first) {
            return Some(first);
        }
        Some(candidates.find(|file| exists(file)).unwrap_or(first))
    }

    /// The file of a skill or rule that the client reads; `None` if it has no such files.
    pub fn skill_file(&self, scope: Scope, dirs: &ConfigDirs) -> Option<PathBuf> {
        let base = match scope {
            Scope::User => &dirs.home,
            Scope::Project => &dirs.project,
        };
        let file = match self.id {
            "claude-code" => ".claude/skills/orient/SKILL.md",
            "codex" => ".codex/skills/orient/SKILL.md",
            "gemini" => ".gemini/skills/orient/SKILL.md",
            "cursor" => ".cursor/rules/orient.mdc",
            "opencode" => ".opencode/skills/orient/SKILL.md",
            _ => return None,
        };
        Some(base.join(file))
    }

    /// Whether the client seems to be installed.
    pub fn is_installed(&self, dirs: &ConfigDirs, exists: impl Fn(&Path) -> bool) -> bool {
        self.markers.iter().any(|(base, name)| exists(&dirs.base(*base).join(name)))
    }
}
