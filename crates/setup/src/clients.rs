//! The table of clients.

use std::path::{Path, PathBuf};

/// How a configuration is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// JSON, possibly with comments and trailing commas.
    Json,
    /// TOML.
    Toml,
}

/// For whom a configuration is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scope {
    /// All projects of the user.
    User,
    /// One project, for everybody who works on it.
    Project,
}

impl Scope {
    /// The word users type and see.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Project => "project",
        }
    }
}

/// A kind of operating system, as far as places differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum System {
    /// macOS.
    Mac,
    /// Windows.
    Windows,
    /// Linux and what is like it.
    Unix,
}

impl System {
    /// The one this program was built for.
    pub const HERE: Self = if cfg!(target_os = "macos") {
        Self::Mac
    } else if cfg!(windows) {
        Self::Windows
    } else {
        Self::Unix
    };
}

/// What a path hangs from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Base {
    Project,
    Home,
    /// `$XDG_CONFIG_HOME` or `~/.config`, on every system.
    DotConfig,
    /// Where applications keep their settings on this system.
    AppConfig,
}

/// Where a configuration may be: the first of the names that is there, or else the first.
struct Place {
    scope: Scope,
    base: Base,
    names: &'static [&'static str],
}

/// What an entry looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// A command and its arguments.
    Plain,
    /// The same, and how to talk to it.
    Stdio,
    /// The same as a program of this machine with all its tools.
    LocalTools,
    /// One list of command and arguments.
    List,
}

/// A program that can start us.
pub struct Client {
    /// What users type.
    pub id: &'static str,
    /// Its name.
    pub name: &'static str,
    /// How its configuration is written.
    pub format: Format,
    /// The keys that lead to its table of servers.
    pub keys: &'static [&'static str],
    pub(crate) shape: Shape,
    places: &'static [Place],
    /// A folder below the user's home or settings that is there where the client is.
    traces: &'static [(Base, &'static str)],
}

const fn project(names: &'static [&'static str]) -> Place {
    Place { scope: Scope::Project, base: Base::Project, names }
}

const fn home(names: &'static [&'static str]) -> Place {
    Place { scope: Scope::User, base: Base::Home, names }
}

/// All clients whose places and shapes are known, in the order in which they are listed.
pub const CLIENTS: &[Client] = &[
    Client {
        id: "claude-code",
        name: "Claude Code",
        format: Format::Json,
        keys: &["mcpServers"],
        shape: Shape::Stdio,
        places: &[home(&[".claude.json"]), project(&[".mcp.json"])],
        traces: &[(Base::Home, ".claude.json"), (Base::Home, ".claude")],
    },
    Client {
        id: "claude-desktop",
        name: "Claude Desktop",
        format: Format::Json,
        keys: &["mcpServers"],
        shape: Shape::Plain,
        places: &[Place {
            scope: Scope::User,
            base: Base::AppConfig,
            names: &["Claude/claude_desktop_config.json"],
        }],
        traces: &[(Base::AppConfig, "Claude")],
    },
    Client {
        id: "cursor",
        name: "Cursor",
        format: Format::Json,
        keys: &["mcpServers"],
        shape: Shape::Plain,
        places: &[home(&[".cursor/mcp.json"]), project(&[".cursor/mcp.json"])],
        traces: &[(Base::Home, ".cursor")],
    },
    Client {
        id: "vscode",
        name: "Visual Studio Code",
        format: Format::Json,
        keys: &["servers"],
        shape: Shape::Stdio,
        places: &[
            Place { scope: Scope::User, base: Base::AppConfig, names: &["Code/User/mcp.json"] },
            project(&[".vscode/mcp.json"]),
        ],
        traces: &[(Base::AppConfig, "Code/User")],
    },
    Client {
        id: "codex",
        name: "Codex",
        format: Format::Toml,
        keys: &["mcp_servers"],
        shape: Shape::Plain,
        places: &[home(&[".codex/config.toml"]), project(&[".codex/config.toml"])],
        traces: &[(Base::Home, ".codex")],
    },
    Client {
        id: "zed",
        name: "Zed",
        format: Format::Json,
        keys: &["context_servers"],
        shape: Shape::Plain,
        places: &[
            Place { scope: Scope::User, base: Base::DotConfig, names: &["zed/settings.json"] },
            project(&[".zed/settings.json"]),
        ],
        traces: &[(Base::DotConfig, "zed")],
    },
    Client {
        id: "windsurf",
        name: "Windsurf",
        format: Format::Json,
        keys: &["mcpServers"],
        shape: Shape::Plain,
        places: &[home(&[".codeium/windsurf/mcp_config.json"])],
        traces: &[(Base::Home, ".codeium/windsurf")],
    },
    Client {
        id: "gemini",
        name: "Gemini CLI",
        format: Format::Json,
        keys: &["mcpServers"],
        shape: Shape::Plain,
        places: &[home(&[".gemini/settings.json"]), project(&[".gemini/settings.json"])],
        traces: &[(Base::Home, ".gemini/settings.json")],
    },
    Client {
        id: "antigravity",
        name: "Antigravity",
        format: Format::Json,
        keys: &["mcpServers"],
        shape: Shape::Plain,
        places: &[home(&[".gemini/config/mcp_config.json"]), project(&[".agents/mcp_config.json"])],
        traces: &[(Base::Home, ".gemini/config"), (Base::Home, ".gemini/antigravity")],
    },
    Client {
        id: "opencode",
        name: "opencode",
        format: Format::Json,
        keys: &["mcp"],
        shape: Shape::List,
        places: &[
            Place {
                scope: Scope::User,
                base: Base::DotConfig,
                names: &["opencode/opencode.json", "opencode/opencode.jsonc"],
            },
            project(&["opencode.json", "opencode.jsonc"]),
        ],
        traces: &[(Base::DotConfig, "opencode")],
    },
    Client {
        id: "copilot",
        name: "GitHub Copilot CLI",
        format: Format::Json,
        keys: &["mcpServers"],
        shape: Shape::LocalTools,
        places: &[home(&[".copilot/mcp-config.json"])],
        traces: &[(Base::Home, ".copilot")],
    },
    Client {
        id: "kiro",
        name: "Kiro",
        format: Format::Json,
        keys: &["mcpServers"],
        shape: Shape::Plain,
        places: &[home(&[".kiro/settings/mcp.json"]), project(&[".kiro/settings/mcp.json"])],
        traces: &[(Base::Home, ".kiro")],
    },
];

/// Where things are for this user.
#[derive(Clone, Debug)]
pub struct Surroundings {
    /// The top of the project.
    pub project: PathBuf,
    /// The user's home folder.
    pub home: PathBuf,
    /// `$XDG_CONFIG_HOME`, where it is set.
    pub xdg_config: Option<PathBuf>,
    /// `%APPDATA%`, where it is set.
    pub app_data: Option<PathBuf>,
    /// The kind of system.
    pub system: System,
}

impl Surroundings {
    /// Those of this machine; none without a home folder.
    pub fn of_machine(project: &Path) -> Option<Self> {
        let folder = |name| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
        Some(Self {
            project: project.to_owned(),
            home: std::env::home_dir().filter(|home| home.is_absolute())?,
            xdg_config: folder("XDG_CONFIG_HOME"),
            app_data: folder("APPDATA"),
            system: System::HERE,
        })
    }

    fn base(&self, base: Base) -> PathBuf {
        let dot_config = || self.xdg_config.clone().unwrap_or_else(|| self.home.join(".config"));
        match (base, self.system) {
            (Base::Project, _) => self.project.clone(),
            (Base::Home, _) => self.home.clone(),
            (Base::DotConfig | Base::AppConfig, System::Windows) => {
                self.app_data.clone().unwrap_or_else(|| self.home.join("AppData/Roaming"))
            }
            (Base::AppConfig, System::Mac) => self.home.join("Library/Application Support"),
            (Base::DotConfig, _) | (Base::AppConfig, System::Unix) => dot_config(),
        }
    }
}

impl Client {
    /// The client of this name.
    pub fn by_id(id: &str) -> Option<&'static Self> {
        CLIENTS.iter().find(|client| client.id == id)
    }

    /// The scopes it has a configuration for.
    pub fn scopes(&self) -> impl Iterator<Item = Scope> {
        self.places.iter().map(|place| place.scope)
    }

    /// Where its configuration is, or should be; none where it has none for that scope.
    pub fn file(
        &self,
        scope: Scope,
        around: &Surroundings,
        is_there: impl Fn(&Path) -> bool,
    ) -> Option<PathBuf> {
        let place = self.places.iter().find(|place| place.scope == scope)?;
        let base = around.base(place.base);
        let mut files = place.names.iter().map(|name| base.join(name));
        let first = files.next()?;
        if is_there(&first) {
            return Some(first);
        }
        Some(files.find(|file| is_there(file)).unwrap_or(first))
    }

    /// Whether the user seems to have it.
    pub fn is_there(&self, around: &Surroundings, is_there: impl Fn(&Path) -> bool) -> bool {
        self.traces.iter().any(|(base, name)| is_there(&around.base(*base).join(name)))
    }
}
