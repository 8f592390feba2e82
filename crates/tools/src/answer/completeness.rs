//! Whether an answer is complete: what could change it and was not read or not understood, by one function for all operations.

use super::outside_uses::doubt_about_outside;
use super::unread_files::{self, AnswerScope};
use super::{Cause, Doubt};
use crate::arguments::symbol_lookup::{is_code, unresolved_language};
use crate::error::ToolError;
use crate::graph::name_candidates::NameCandidates;
use crate::text::number_format::{count, plural};
use orient_engine::{
    Definition, EmbeddedForm, FrameworkEvidence, Mention, MentionQuery, Mentions, Snapshot,
    UnresolvedFileKind,
};
use orient_model::{SurfaceKind, SymbolKind};
use std::collections::BTreeSet;

/// Maximum number of places or packages that a doubt names.
const MAX_NAMED: usize = 2;
/// With more proven uses than this, configuration and schemas that mention the name are no doubt worth a line.
const FEW_USES: u64 = 3;

/// What an answer is about, which says what could change it.
pub(crate) enum Question<'q> {
    /// The files of the tree, or some of them.
    Files(AnswerScope<'q>),
    /// The uses of symbols.
    Uses(&'q [UsesOf<'q>]),
    /// A name that no symbol has.
    Name(&'q str),
    /// What the program exposes.
    Surface(SurfaceQuestion<'q>),
}

/// The uses of a symbol.
pub(crate) struct UsesOf<'q> {
    /// The symbol.
    pub(crate) definition: &'q Definition,
    /// Number of uses that were found.
    pub(crate) found: u64,
    /// The unresolved uses of its name, if they are part of the question.
    pub(crate) candidates: Option<&'q NameCandidates>,
    /// Whether templates and strings may have such uses; only code states subtypes.
    pub(crate) by_name: bool,
}

/// What a program exposes, as far as rules find it.
pub(crate) struct SurfaceQuestion<'q> {
    /// The kinds that are asked for.
    pub(crate) kinds: &'q [SurfaceKind],
    /// What was found: the kind, the rules, and the file that registers it.
    pub(crate) found: &'q [(SurfaceKind, String, String)],
    /// Number of addresses with a part that is not known.
    pub(crate) partly_unknown: u64,
    /// Number of addresses that nothing mounts.
    pub(crate) unmounted: u64,
    /// Places in the text that have the address asked for, if nothing was found that serves it.
    pub(crate) elsewhere: &'q [String],
}

/// The reasons why an answer to a question may lack something.
pub(crate) fn doubts(snapshot: &Snapshot, question: &Question<'_>) -> Result<Vec<Doubt>, ToolError> {
    let mut doubts = match question {
        Question::Files(scope) => unread_files::doubt(snapshot, *scope, &[]).into_iter().collect(),
        Question::Uses(all) => {
            let mut doubts = Vec::new();
            for uses in *all {
                doubts.extend(doubts_about_uses(snapshot, uses)?);
            }
            let names: Vec<&str> = all.iter().map(|uses| used_name(uses.definition)).collect();
            doubts.extend(unread_files::doubt(snapshot, AnswerScope::Tree, &names));
            doubts
        }
        Question::Name(name) => {
            let query = MentionQuery { name, container: None, callable: false, resolved: false, own: None };
            let mut mentions = snapshot.unaccounted_mentions(&query)?;
            mentions.places.retain(|mention| mention.kind == UnresolvedFileKind::Partly);
            let mut doubts = doubts_about_mentions(name, &mentions);
            doubts.extend(unread_files::doubt(snapshot, AnswerScope::Tree, &[name]));
            doubts
        }
        Question::Surface(surface) => {
            let evidence = snapshot.framework_evidence()?;
            let mut doubts = doubts_about_surface(surface, &evidence);
            doubts.extend(unread_files::doubt(snapshot, AnswerScope::Tree, &[]));
            doubts
        }
    };
    doubts.sort_by_key(|doubt| doubt.count.cause);
    doubts.dedup();
    Ok(doubts)
}

/// The name by which code uses a definition: a constructor by that of its type.
fn used_name(definition: &Definition) -> &str {
    let container = container(definition);
    match definition.kind {
        SymbolKind::Constructor => container.unwrap_or(&definition.name),
        _ => &definition.name,
    }
}

/// The name of what contains a definition.
fn container(definition: &Definition) -> Option<&str> {
    let [.., container, _] = definition.handle.names.as_slice() else { return None };
    Some(container)
}

fn doubts_about_uses(snapshot: &Snapshot, uses: &UsesOf<'_>) -> Result<Vec<Doubt>, ToolError> {
    let definition = uses.definition;
    let mut doubts: Vec<Doubt> = unresolved_language(definition).into_iter().collect();
    if let Some(candidates) = uses.candidates {
        doubts.extend(doubts_about_candidates(candidates));
    }
    if !is_code(definition.kind) {
        return Ok(doubts);
    }
    let name = used_name(definition);
    let query = MentionQuery {
        name,
        container: container(definition),
        callable: definition.kind.is_callable() && definition.kind != SymbolKind::Constructor,
        resolved: uses.found == 0 && uses.by_name,
        own: Some((&definition.path, definition.span.first_line..=definition.span.last_line)),
    };
    let mut mentions = snapshot.unaccounted_mentions(&query)?;
    // What is said about the language of the symbol covers its own files.
    mentions.places.retain(|mention| match &mention.kind {
        UnresolvedFileKind::Language(language) => definition.language.as_ref() != Some(language),
        UnresolvedFileKind::Embedded(EmbeddedForm::Code | EmbeddedForm::Markup, _) => uses.by_name,
        UnresolvedFileKind::Embedded(..) => uses.by_name && uses.found <= FEW_USES,
        UnresolvedFileKind::Partly | UnresolvedFileKind::Text | UnresolvedFileKind::Code => true,
    });
    doubts.extend(doubts_about_mentions(name, &mentions));
    if uses.found == 0 && uses.by_name {
        if mentions.unsearchable && definition.kind != SymbolKind::Operator {
            let text = "its name cannot be searched for in the text: it is too short, too long or no word";
            doubts.push(Doubt::new(Cause::Unsearched, 1, text));
        }
        if definition.is_used_by_other_languages() {
            let text = "code in other languages may use it: through a mapping, in a query that it builds, or in what is generated";
            doubts.push(Doubt::new(Cause::OtherLanguage, 1, text));
        }
        doubts.extend(doubt_about_outside(snapshot, definition)?);
    }
    if uses.found == 0
        && uses.by_name
        && (definition.kind.is_callable()
            || definition.kind.is_type()
            || matches!(definition.kind, SymbolKind::Constant | SymbolKind::Variable))
        && let Some((path, line)) = snapshot.joined_name(name)?
    {
        let text =
            format!("a name that begins or ends like it is built or looked for ({}:{line})", path.display());
        doubts.push(Doubt::new(Cause::NamedAsText, 1, text));
    }
    let is_marked = !definition.attributes.is_empty() || !definition.bases.is_empty();
    if uses.found == 0 && uses.by_name && is_marked {
        doubts.extend(doubt_about_registration(definition, &snapshot.framework_evidence()?));
    }
    Ok(doubts)
}

fn doubts_about_candidates(candidates: &NameCandidates) -> Vec<Doubt> {
    let mut doubts = Vec::new();
    if candidates.total > 0 {
        let uses = plural(candidates.total, "use of the name is", "uses of the name are");
        let text = format!("{uses} not resolved and may mean it");
        doubts.push(Doubt::new(Cause::UnresolvedUses, candidates.total, text));
    }
    if candidates.files_unread > 0 {
        let files = plural(candidates.files_unread, "file", "files");
        let text = format!("{files} with the name were not searched for name-only candidates");
        doubts.push(Doubt::new(Cause::Unsearched, candidates.files_unread, text));
    }
    doubts
}

/// The doubts about mentions, one for each cause.
fn doubts_about_mentions(name: &str, mentions: &Mentions) -> Vec<Doubt> {
    let mut doubts = Vec::new();
    let causes = [
        Cause::EmbeddedCode,
        Cause::OtherLanguage,
        Cause::PartlyParsed,
        Cause::GeneratedCode,
        Cause::UnresolvedUses,
        Cause::NamedAsText,
    ];
    for cause in causes {
        let places: Vec<&Mention> =
            mentions.places.iter().filter(|mention| cause_of(&mention.kind) == cause).collect();
        if !places.is_empty() {
            doubts.push(doubt_about_places(name, cause, &places));
        }
    }
    if mentions.unsearched > 0 {
        let files =
            plural(mentions.unsearched, "file that may mention it was", "files that may mention it were");
        let doubt = Doubt::new(Cause::Unsearched, mentions.unsearched, format!("{files} not searched"));
        doubts.push(doubt.remedy(format!("`orient grep -F -w {name}`")));
    }
    doubts
}

fn cause_of(kind: &UnresolvedFileKind) -> Cause {
    match kind {
        UnresolvedFileKind::Embedded(EmbeddedForm::Code | EmbeddedForm::Markup, _) => Cause::EmbeddedCode,
        UnresolvedFileKind::Embedded(EmbeddedForm::Schema, _) => Cause::GeneratedCode,
        UnresolvedFileKind::Embedded(EmbeddedForm::Data | EmbeddedForm::None, _)
        | UnresolvedFileKind::Text => Cause::NamedAsText,
        UnresolvedFileKind::Language(_) => Cause::OtherLanguage,
        UnresolvedFileKind::Partly => Cause::PartlyParsed,
        UnresolvedFileKind::Code => Cause::UnresolvedUses,
    }
}

fn doubt_about_places(name: &str, cause: Cause, places: &[&Mention]) -> Doubt {
    let kinds: BTreeSet<&str> = places
        .iter()
        .map(|mention| match &mention.kind {
            UnresolvedFileKind::Embedded(_, title) => *title,
            UnresolvedFileKind::Language(language) => language.as_str(),
            UnresolvedFileKind::Partly => "files that were parsed only in part",
            UnresolvedFileKind::Text => "strings",
            UnresolvedFileKind::Code => "code",
        })
        .collect();
    let kinds = kinds.into_iter().collect::<Vec<_>>().join(" and ");
    let number = places.len() as u64;
    let mentions = plural(number, "mention", "mentions");
    let (verb, them) = if number == 1 { ("is", "it") } else { ("are", "them") };
    let what = match cause {
        Cause::GeneratedCode => format!("{mentions} in {kinds}"),
        Cause::NamedAsText | Cause::UnresolvedUses => format!("{mentions} in {kinds} may mean it"),
        _ => format!("{mentions} in {kinds} {verb} not resolved"),
    };
    let named: Vec<String> =
        places.iter().take(MAX_NAMED).map(|one| format!("{}:{}", one.path.display(), one.line)).collect();
    let text = format!("{what} ({})", listed(&named, number as usize));
    Doubt::new(cause, number, text).remedy(format!("`orient grep -F -w {name}` shows {them}"))
}

/// A symbol that nothing uses may be registered by a framework that has no rules, if annotations or a base mark it.
fn doubt_about_registration(definition: &Definition, evidence: &[FrameworkEvidence]) -> Option<Doubt> {
    let language = definition.language.as_deref()?;
    let is_here = |one: &&FrameworkEvidence| {
        one.rules.is_empty() && one.languages.iter().any(|known| known == language)
    };
    let packages: BTreeSet<&str> = evidence.iter().filter(is_here).map(|one| one.name).collect();
    let number = packages.len();
    let named: Vec<String> = packages.into_iter().take(MAX_NAMED).map(str::to_owned).collect();
    (number > 0).then(|| {
        let text = format!("what {} register by annotations or types is not known", listed(&named, number));
        Doubt::new(Cause::UnknownFramework, number as u64, text)
    })
}

fn doubts_about_surface(surface: &SurfaceQuestion<'_>, evidence: &[FrameworkEvidence]) -> Vec<Doubt> {
    let asked = |one: &&FrameworkEvidence| surface.kinds.contains(&one.does);
    let (unknown, known): (Vec<&FrameworkEvidence>, Vec<&FrameworkEvidence>) =
        evidence.iter().filter(asked).partition(|one| one.rules.is_empty());
    let mut doubts = Vec::new();
    // A sign in the text says little where a framework was found.
    let nothing_of = |kind| !surface.found.iter().any(|(found, ..)| *found == kind);
    let unknown: BTreeSet<&str> = unknown
        .into_iter()
        .filter(|one| !one.languages.is_empty() || nothing_of(one.does))
        .map(|one| one.name)
        .collect();
    if !unknown.is_empty() {
        let number = unknown.len();
        let named: Vec<String> = unknown.into_iter().take(MAX_NAMED).map(str::to_owned).collect();
        let verb = if number == 1 { "has" } else { "have" };
        let text = format!("there are no rules for what {} registers", listed(&named, number));
        let text = if verb == "has" { text } else { text.replace(" registers", " register") };
        let doubt = Doubt::new(Cause::UnknownFramework, number as u64, text);
        doubts.push(doubt.remedy("`orient grep` finds its calls"));
    }
    let silent: BTreeSet<String> = known
        .into_iter()
        .filter(|one| is_silent(surface, one))
        .map(|one| format!("{} ({})", one.name, one.found_in.display()))
        .collect();
    if !silent.is_empty() {
        let number = silent.len();
        let named: Vec<String> = silent.into_iter().take(MAX_NAMED).collect();
        let verb = if number == 1 { "is" } else { "are" };
        let text =
            format!("{} {verb} there, but nothing was found that it registers", listed(&named, number));
        doubts.push(Doubt::new(Cause::SilentFramework, number as u64, text));
    }
    let addresses = [
        (
            surface.partly_unknown,
            "address has a part that is computed",
            "addresses have a part that is computed",
        ),
        (surface.unmounted, "is not mounted as far as is known", "are not mounted as far as is known"),
    ];
    for (number, one, many) in addresses {
        if number > 0 {
            let text = format!("{}: there may be others, or other paths", plural(number, one, many));
            doubts.push(Doubt::new(Cause::UnknownAddress, number, text));
        }
    }
    if !surface.elsewhere.is_empty() {
        let number = surface.elsewhere.len();
        let places = plural(number as u64, "place in the text has", "places in the text have");
        let named: Vec<String> = surface.elsewhere.iter().take(MAX_NAMED).cloned().collect();
        let text = format!("{places} it ({})", listed(&named, number));
        doubts.push(Doubt::new(Cause::NamedAsText, number as u64, text));
    }
    doubts
}

/// Whether a framework with rules is in a project in which rules found nothing of its kind.
fn is_silent(surface: &SurfaceQuestion<'_>, evidence: &FrameworkEvidence) -> bool {
    let directory = String::from_utf8_lossy(evidence.found_in.directory()).into_owned();
    let is_below = |path: &str| {
        evidence.languages.is_empty()
            || directory.is_empty()
            || path.strip_prefix(directory.as_str()).is_some_and(|rest| rest.starts_with('/'))
    };
    !surface.found.iter().any(|(kind, rules, path)| {
        // One project uses one framework, and the packages that this one is built on.
        *kind == evidence.does && (evidence.rules.contains(rules) || is_below(path))
    })
}

/// `a, b and 3 more`.
fn listed(named: &[String], all: usize) -> String {
    let more = all.saturating_sub(named.len());
    if more > 0 {
        format!("{} and {} more", named.join(", "), count(more as u64))
    } else {
        named.join(" and ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn evidence(
        does: SurfaceKind,
        rules: &'static [String],
        name: &'static str,
        at: &str,
    ) -> FrameworkEvidence {
        static LANGUAGES: std::sync::LazyLock<Vec<String>> =
            std::sync::LazyLock::new(|| vec!["x".to_owned()]);
        FrameworkEvidence { does, rules, name, found_in: at.into(), languages: &LANGUAGES }
    }

    fn rules() -> &'static [String] {
        static RULES: std::sync::LazyLock<Vec<String>> =
            std::sync::LazyLock::new(|| vec!["known".to_owned()]);
        &RULES
    }

    fn causes(found: &[(SurfaceKind, String, String)], evidence: &[FrameworkEvidence]) -> Vec<Cause> {
        let (kinds, elsewhere) = (&[SurfaceKind::Endpoint], &[]);
        let question = SurfaceQuestion { kinds, found, partly_unknown: 0, unmounted: 0, elsewhere };
        doubts_about_surface(&question, evidence).into_iter().map(|doubt| doubt.count.cause).collect()
    }

    fn endpoint(rules: &str, path: &str) -> (SurfaceKind, String, String) {
        (SurfaceKind::Endpoint, rules.to_owned(), path.to_owned())
    }

    #[test]
    fn nothing_that_registers_anything_is_no_doubt() {
        assert_eq!(causes(&[], &[]), []);
        assert_eq!(
            causes(&[], &[evidence(SurfaceKind::Job, &[], "queue", "a.json")]),
            [],
            "it is not asked for"
        );
    }

    #[test]
    fn a_framework_without_rules_is_a_doubt_even_beside_others() {
        let unknown = evidence(SurfaceKind::Endpoint, &[], "unknown", "a.json");
        assert_eq!(causes(&[], std::slice::from_ref(&unknown)), [Cause::UnknownFramework]);
        assert_eq!(causes(&[endpoint("known", "src/a")], &[unknown]), [Cause::UnknownFramework]);
    }

    #[test]
    fn rules_that_find_nothing_in_a_project_are_a_doubt() {
        let here = evidence(SurfaceKind::Endpoint, rules(), "package", "web/manifest");
        assert_eq!(causes(&[], std::slice::from_ref(&here)), [Cause::SilentFramework]);
        assert_eq!(
            causes(&[endpoint("other", "api/a")], std::slice::from_ref(&here)),
            [Cause::SilentFramework]
        );
        assert_eq!(causes(&[endpoint("other", "web/a")], std::slice::from_ref(&here)), []);
        assert_eq!(causes(&[endpoint("known", "api/a")], &[here]), []);
    }

    #[test]
    fn an_address_that_is_partly_unknown_is_a_doubt() {
        let (kinds, found, elsewhere) = (&[SurfaceKind::Endpoint], &[endpoint("known", "a")], &[]);
        let question = SurfaceQuestion { kinds, found, partly_unknown: 1, unmounted: 2, elsewhere };
        let doubts = doubts_about_surface(&question, &[]);
        let counts: Vec<_> = doubts.iter().map(|doubt| (doubt.count.cause, doubt.count.count)).collect();
        assert_eq!(counts, [(Cause::UnknownAddress, 1), (Cause::UnknownAddress, 2)]);
    }

    #[test]
    fn mentions_are_counted_by_cause_and_a_few_are_named() {
        let place = |kind, path: &str, line| Mention { kind, path: path.into(), line };
        let template = UnresolvedFileKind::Embedded(EmbeddedForm::Code, "templates");
        let places = vec![
            place(template.clone(), "a.haml", 1),
            place(template.clone(), "b.haml", 2),
            place(template, "c.haml", 3),
            place(UnresolvedFileKind::Text, "d.rb", 4),
        ];
        let doubts = doubts_about_mentions("total", &Mentions { places, ..Mentions::default() });
        assert_eq!(
            doubts.iter().map(|doubt| doubt.note.with_flag().into_owned()).collect::<Vec<_>>(),
            [
                "3 mentions in templates are not resolved (a.haml:1, b.haml:2 and 1 more); `orient grep -F -w total` shows them",
                "1 mention in strings may mean it (d.rb:4); `orient grep -F -w total` shows it",
            ]
        );
        assert_eq!(doubts_about_mentions("total", &Mentions::default()), []);
    }
}
