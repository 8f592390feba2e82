//! Pure markup: files without symbols, for which reading definitions and references means nothing.

/// Extensions of pure markup. Templates and components are left out: they are coupled with logic, where definitions and
/// references are worth reading.
const EXTENSIONS: &[&str] = &["html", "htm", "css", "scss", "sass", "less", "xml", "svg", "md", "markdown"];

/// Endings that a pure extension hides: a template in another language.
const TEMPLATES: &[&str] = &["blade", "twig", "ejs", "erb", "jinja", "j2", "hbs", "njk", "liquid"];

/// Whether a file is pure markup, by its name.
pub fn is_markup(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
    let Some((stem, extension)) = name.rsplit_once('.') else { return false };
    let template = stem.rsplit_once('.').is_some_and(|(_, inner)| TEMPLATES.contains(&inner));
    EXTENSIONS.contains(&extension) && !template
}

/// Whether there are files and all of them are pure markup.
pub fn is_markup_context<'p>(files: impl IntoIterator<Item = &'p str>) -> bool {
    let mut files = files.into_iter().peekable();
    files.peek().is_some() && files.all(is_markup)
}
