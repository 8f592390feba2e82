//! `xtask docgen`: generates reference pages, terminal transcripts, figures and pictures in the documentation, or checks
//! that they are current.
//!
//! - Reference pages (`docs/tools.md`, …) are rendered from the tables in the code.
//! - Hand-written pages keep their prose; [`transcript`] re-runs the commands and tool calls in their code blocks on
//!   the fixture repository, and [`figures`] fills the blocks between `<!-- docgen: NAME -->` and `<!-- /docgen -->`.
//! - [`svg`] renders the terminal picture of the README.
#![expect(clippy::print_stdout, reason = "a subcommand prints to the terminal")]

mod figures;
mod fixture;
mod svg;
mod transcript;

use crate::workspace;
use anyhow::{Context, Result, bail};
use fixture::Fixture;
use orient_lang::Registry;

/// Renders a page.
type Render = fn() -> String;

/// Pages that are generated as a whole.
const REFERENCE_PAGES: &[(&str, Render)] = &[
    ("docs/tools.md", orient_tools::reference),
    ("docs/config.md", orient_settings::reference),
    ("docs/languages.md", || orient_lang::languages_reference(Registry::builtin())),
];

/// Hand-written pages with generated examples.
const HAND_WRITTEN_PAGES: &[&str] = &[
    "README.md",
    "docs/tour.md",
    "docs/agents.md",
    "docs/compilers.md",
    "docs/embedding-models.md",
    "docs/query.md",
    "docs/web.md",
];

/// The picture in the README, and the command it shows.
const PICTURE: (&str, &str) = ("docs/images/answer.svg", "orient impact surcharge");

/// Generates every page; with `check`, writes nothing and fails if a page is out of date.
pub(crate) fn run(check: bool) -> Result<()> {
    let mut pages = Vec::new();
    for (path, render) in REFERENCE_PAGES {
        pages.push(((*path).to_owned(), format!("{}\n", render().trim_end())));
    }
    let mut fixture = Fixture::start()?;
    for path in HAND_WRITTEN_PAGES {
        let current = workspace::text(path)?.replace("\r\n", "\n");
        let page = transcript::refresh(&current, &mut fixture).with_context(|| (*path).to_owned())?;
        let page = figures::fill(&page).with_context(|| (*path).to_owned())?;
        pages.push(((*path).to_owned(), page));
    }
    let (path, command) = PICTURE;
    pages.push((path.to_owned(), svg::render(command, &fixture.run_coloured(command)?)));

    let mut stale = Vec::new();
    for (path, page) in &pages {
        let file = workspace::root().join(path);
        if std::fs::read_to_string(&file).is_ok_and(|old| old.replace("\r\n", "\n") == *page) {
            continue;
        }
        if check {
            stale.push(path.as_str());
            continue;
        }
        let directory = file.parent().expect("a page is in a directory");
        std::fs::create_dir_all(directory).with_context(|| format!("creating the directory of {path}"))?;
        std::fs::write(&file, page).with_context(|| format!("writing {path}"))?;
        println!("wrote {path}");
    }
    if !stale.is_empty() {
        bail!("out of date: {}; run `cargo xtask docgen`", stale.join(", "));
    }
    println!("docgen: {} pages up to date", pages.len());
    Ok(())
}
