//! A tree with its pages, and a check that a page contains no markup but our own.

use orient_engine::{Cancel, NoProgress};
use orient_settings::Override;
use orient_tools::{Session, SessionOptions};
use orient_web::{PageCache, PageEnvironment, PagePlace, PageRequest, ServerReport, respond};
use std::process::Command;
use tempfile::TempDir;

/// Texts that mean something to a browser, a template, a shell, a file system or a database, and must mean nothing here.
pub(crate) const HOSTILE_TEXTS: &[&str] = &[
    "<script>alert(1)</script>",
    "</script><script>alert(1)</script>",
    "\"><script>alert(1)</script>",
    "'><img src=x onerror=alert(1)>",
    "<img src=x onerror=alert(1)>",
    "<svg onload=alert(1)>",
    "<svg><script>alert(1)</script></svg>",
    "</title><script>alert(1)</script>",
    "</textarea><script>alert(1)</script>",
    "</style><script>alert(1)</script>",
    "<iframe src=javascript:alert(1)>",
    "<a href=javascript:alert(1)>x</a>",
    "javascript:alert(1)",
    "data:text/html,<script>alert(1)</script>",
    "\" onmouseover=\"alert(1)",
    "' onfocus='alert(1)' autofocus='",
    "` onclick=`alert(1)",
    "<base href=//evil.example>",
    "<meta http-equiv=refresh content=0;url=//evil.example>",
    "<link rel=stylesheet href=//evil.example/x.css>",
    "<form action=//evil.example><input name=token>",
    "<object data=//evil.example>",
    "<embed src=//evil.example>",
    "<!--<script>alert(1)</script>-->",
    "<![CDATA[<script>alert(1)</script>]]>",
    "&lt;script&gt;alert(1)&lt;/script&gt;",
    "&#60;script&#62;alert(1)",
    "%3Cscript%3Ealert(1)%3C/script%3E",
    "{{constructor.constructor('alert(1)')()}}",
    "${alert(1)}",
    "<%= alert(1) %>",
    "../../../../etc/passwd",
    "..\\..\\windows",
    "/etc/passwd",
    "a\r\nSet-Cookie: x=1",
    "\u{202e}txt.exe",
    "\u{feff}\u{200b}\u{2028}x",
    "'; DROP TABLE files; --",
    "$(touch /tmp/x)",
    "a?b#c&d=e;f",
    "[x](javascript:alert(1))",
    "--help",
    "*",
    "\u{fffd}\u{1f980}é",
];

/// The elements of our pages.
const ELEMENTS: &[&str] = &[
    "!DOCTYPE", "a", "article", "aside", "body", "button", "caption", "code", "col", "colgroup", "datalist",
    "dd", "defs", "del", "details", "div", "dl", "dt", "fieldset", "footer", "form", "g", "h1", "h2", "h3",
    "head", "header", "html", "input", "ins", "kbd", "label", "legend", "li", "link", "main", "mark",
    "marker", "meta", "nav", "noscript", "ol", "option", "p", "path", "pre", "rect", "s", "script",
    "section", "select", "span", "strong", "summary", "svg", "table", "tbody", "td", "text", "th", "thead",
    "title", "tr", "ul",
];

/// A response.
pub(crate) struct Page {
    pub(crate) status: u16,
    pub(crate) body: String,
    pub(crate) etag: Option<String>,
}

/// A tree with its index.
pub(crate) struct Site {
    tree: TempDir,
    store: TempDir,
    cache: PageCache,
}

impl Site {
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        let site = Self {
            tree: tempfile::tempdir().expect("a directory"),
            store: tempfile::tempdir().expect("a directory"),
            cache: PageCache::default(),
        };
        for (path, content) in files {
            site.write(path, content);
        }
        site
    }

    pub(crate) fn write(&self, path: &str, content: &str) {
        let path = self.tree.path().join(path);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("a directory");
        std::fs::write(path, content).expect("a file");
    }

    pub(crate) fn git(&self, arguments: &[&str]) {
        let identity = ["-c", "user.name=T", "-c", "user.email=t@example.com", "-c", "commit.gpgsign=false"];
        let status = Command::new("git")
            .args(identity)
            .args(arguments)
            .current_dir(self.tree.path())
            .status()
            .expect("git");
        assert!(status.success());
    }

    pub(crate) fn get(&self, target: &str) -> Page {
        self.request(target, None, false)
    }

    pub(crate) fn get_with(&self, target: &str, etag: Option<&str>) -> Page {
        self.request(target, etag, false)
    }

    pub(crate) fn get_redacted(&self, target: &str) -> Page {
        self.request(target, None, true)
    }

    fn request(&self, target: &str, if_none_match: Option<&str>, redacts: bool) -> Page {
        let options = SessionOptions {
            start: self.tree.path().to_owned(),
            directory: self.tree.path().to_owned(),
            overrides: vec![Override {
                key: "store.dir".to_owned(),
                value: self.store.path().display().to_string(),
                flag: "--store".to_owned(),
            }],
            force: 2,
            refresh: true,
        };
        let cancel = Cancel::default();
        let session = Session::open(options, &NoProgress, &cancel).expect("a session");
        let fresh = PageCache::default();
        let environment = PageEnvironment {
            redacts,
            cache: Some(if redacts { &fresh } else { &self.cache }),
            process: 1,
            if_none_match,
            server: &ServerReport::default,
            place: PagePlace::default(),
        };
        let response = respond(&session, &PageRequest::parse(target), &environment).expect("a response");
        let body = String::from_utf8(response.body.to_vec()).expect("UTF-8");
        Page { status: response.status, body, etag: response.etag }
    }
}

/// The value of the first attribute after a text.
pub(crate) fn attribute(page: &str, before: &str) -> Option<String> {
    let rest = &page[page.find(before)? + before.len()..];
    let value = rest.strip_prefix('"')?.split('"').next()?;
    Some(value.replace("&amp;", "&"))
}

/// Fails if a page contains an element, an attribute or an address that our templates do not produce.
pub(crate) fn check_inert(what: &str, page: &str) {
    if !page.contains("<html") && !page.contains("<div") && !page.contains("<svg") {
        return; // not a page
    }
    let mut rest = page;
    while let Some(at) = rest.find('<') {
        rest = &rest[at + 1..];
        let end = tag_end(rest).unwrap_or_else(|| panic!("{what}: an open tag: {rest:.80}"));
        check_tag(what, &rest[..end]);
        rest = &rest[end + 1..];
    }
}

/// The end of a tag: the first `>` outside of quotes.
fn tag_end(tag: &str) -> Option<usize> {
    let mut quoted = false;
    tag.bytes().position(|byte| {
        quoted ^= byte == b'"';
        byte == b'>' && !quoted
    })
}

fn check_tag(what: &str, tag: &str) {
    let name = tag.trim_start_matches('/').split([' ', '>']).next().unwrap_or_default();
    assert!(ELEMENTS.contains(&name), "{what}: an element <{tag}>");
    if name == "script" && !tag.starts_with('/') {
        assert!(tag.contains("type=\"module\" src=\"/assets/app-"), "{what}: a script <{tag}>");
    }
    let mut rest = tag.trim_start_matches(|c| c != ' ').trim();
    while let Some((attribute, after)) = rest.split_once("=\"") {
        let attribute = attribute.split(' ').next_back().unwrap_or_default();
        let (value, after) = after.split_once('"').unwrap_or((after, ""));
        assert!(!attribute.starts_with("on") && attribute != "style", "{what}: <{tag}>");
        if matches!(attribute, "href" | "src" | "action" | "data-card" | "data-deferred" | "data-reload") {
            let is_ours = value.starts_with('/') && !value.starts_with("//") || value.starts_with('#');
            assert!(is_ours, "{what}: leads to {value}");
        }
        rest = after;
    }
}
