//! Whether a mention of a name in a text may be a use: the forms in which templates and texts spell the name, and what stands around it.

use super::mentions::MentionQuery;
use super::unresolved_files::UnresolvedFileKind;
use crate::extraction::highlight;
use orient_lang::{EmbeddedForm, TokenClass};
use std::ops::Range;

/// Names shorter than this are found everywhere.
const MIN_NAME: usize = 3;
/// Names longer than this are no names of symbols, and cost too much to search for.
pub(super) const MAX_NAME: usize = 500;
/// How far an expression is looked for before a mention, in bytes.
const MAX_EXPRESSION: usize = 600;

/// The forms of a name.
pub(super) struct NameForms {
    name: String,
    container: Option<String>,
    callable: bool,
    /// Whether the name has several parts, so that it is hardly a word of a sentence.
    compound: bool,
    /// The property that templates read through a getter: `fullName` for `getFullName`.
    property: Vec<String>,
    /// The name of an element or attribute: `max-width` for `maxWidth`.
    hyphenated: Option<String>,
    /// As code that is generated from a schema spells it: `GetUser` for `get_user`.
    respelled: Vec<String>,
}

/// Which form a mention has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Name,
    Property,
    Hyphenated,
    Respelled,
}

/// A mention of one of the forms.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    /// The byte where it starts.
    pub(super) at: usize,
    end: usize,
    form: Form,
}

impl NameForms {
    /// The forms of a name; `None` if it cannot be searched for.
    pub(super) fn of(query: &MentionQuery<'_>) -> Option<Self> {
        let name = query.name.trim_end_matches('=').trim_start_matches(['@', '$', '#', '~']);
        if !(MIN_NAME..=MAX_NAME).contains(&name.len()) || !name.chars().any(is_word) {
            return None;
        }
        let words = words_of(name);
        let mut property: Vec<String> = Vec::new();
        if let Some((first, rest)) = words.split_first()
            && ["get", "is", "has", "set", "can", "should"].contains(&first.as_str())
            && !rest.is_empty()
        {
            property = vec![camel(rest), rest.join("_")];
            // An accessor may be marked at its end too: `getFullNameAttribute`.
            if let Some((last, rest)) = rest.split_last()
                && last == "attribute"
                && !rest.is_empty()
            {
                property.extend([camel(rest), rest.join("_")]);
            }
            property.retain(|form| form.len() >= MIN_NAME && form != name);
            property.dedup();
        }
        let compound = words.len() > 1;
        let mut respelled =
            if compound { vec![camel(&words), pascal(&words), words.join("_")] } else { Vec::new() };
        respelled.retain(|form| form != name);
        let hyphenated = compound.then(|| words.join("-"));
        Some(Self {
            name: name.to_owned(),
            container: query.container.map(str::to_owned),
            callable: query.callable,
            compound,
            property,
            hyphenated,
            respelled,
        })
    }

    /// The name as code spells it.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// The texts to search for.
    pub(super) fn texts(&self) -> Vec<&str> {
        self.forms().map(|(text, _)| text).collect()
    }

    /// Whether text that is no code mentions it by this name and hardly by chance.
    pub(super) fn is_distinct(&self) -> bool {
        self.compound || self.container.is_some() || self.name.starts_with(char::is_uppercase)
    }

    fn forms(&self) -> impl Iterator<Item = (&str, Form)> {
        let name = std::iter::once((self.name.as_str(), Form::Name));
        let property = self.property.iter().map(|text| (text.as_str(), Form::Property));
        let hyphenated = self.hyphenated.iter().map(|text| (text.as_str(), Form::Hyphenated));
        let respelled = self.respelled.iter().map(|text| (text.as_str(), Form::Respelled));
        name.chain(property).chain(hyphenated).chain(respelled)
    }

    /// Where the forms stand in a text as words of their own, by position.
    pub(super) fn places(&self, text: &str) -> Vec<Place> {
        let mut places = Vec::new();
        for (form_text, form) in self.forms() {
            for (at, _) in text.match_indices(form_text) {
                let end = at + form_text.len();
                let inside = text[..at].ends_with(is_word)
                    || form_text.ends_with(is_word) && text[end..].starts_with(is_word);
                if !inside {
                    places.push(Place { at, end, form });
                }
            }
        }
        places.sort_by_key(|place| place.at);
        places.dedup_by_key(|place| place.at);
        places
    }
}

/// The text around mentions.
pub(super) struct MentionContext<'t> {
    path: &'t str,
    text: &'t str,
    kind: &'t UnresolvedFileKind,
    /// Whether it has elements.
    has_elements: bool,
    /// Comments, and strings in code; computed for the first mention.
    tokens: Option<Vec<(Range<usize>, TokenClass)>>,
}

impl<'t> MentionContext<'t> {
    pub(super) fn new(path: &'t str, text: &'t str, kind: &'t UnresolvedFileKind) -> Self {
        let has_elements = text.contains("</") || text.contains("/>");
        Self { path, text, kind, has_elements, tokens: None }
    }

    /// Whether a mention may be a use of the symbol.
    pub(super) fn is_use(&mut self, forms: &NameForms, place: &Place) -> bool {
        let around = Around { text: self.text, at: place.at, end: place.end };
        match self.kind {
            UnresolvedFileKind::Text | UnresolvedFileKind::Code => {
                self.use_in_resolved(forms, place).is_some()
            }
            UnresolvedFileKind::Embedded(EmbeddedForm::None, _) => false,
            UnresolvedFileKind::Embedded(EmbeddedForm::Data, _) => {
                place.form == Form::Name && (forms.compound || around.follows(forms.container.as_deref()))
            }
            UnresolvedFileKind::Embedded(EmbeddedForm::Schema, _) => {
                matches!(place.form, Form::Name | Form::Respelled)
                    && (forms.compound || forms.name.starts_with(char::is_uppercase))
                    && !around.is_in_comment()
            }
            UnresolvedFileKind::Embedded(EmbeddedForm::Markup, _) => {
                !around.is_in_comment() && is_use_in_markup(place, around)
            }
            UnresolvedFileKind::Embedded(EmbeddedForm::Code, _) => {
                !around.is_in_comment() && self.is_use_in_template(forms, place, around)
            }
            UnresolvedFileKind::Language(_) => place.form == Form::Name && self.token(place.at).is_none(),
            UnresolvedFileKind::Partly => {
                place.form == Form::Name
                    && (!forms.callable || around.is_called() || around.is_member())
                    && self.token(place.at).is_none()
            }
        }
    }

    /// What a mention in a file whose names are resolved may be: the name in a string, or code in which resolution found nothing.
    pub(super) fn use_in_resolved(&mut self, forms: &NameForms, place: &Place) -> Option<UnresolvedFileKind> {
        if place.form != Form::Name {
            return None;
        }
        let around = Around { text: self.text, at: place.at, end: place.end };
        let (is_quoted, is_code) = (around.is_quoted_name(forms.compound), around.is_code_use(forms));
        let is_interpolated = around.is_interpolated(forms.callable);
        // Code of another language in a string: a script in a page that a program writes.
        let is_called = forms.callable && forms.compound && around.is_called();
        if !is_quoted && !is_code && !is_interpolated {
            return None;
        }
        match self.token(place.at) {
            Some(TokenClass::Comment) => None,
            Some(TokenClass::Text) => {
                (is_quoted || is_interpolated || is_called).then_some(UnresolvedFileKind::Text)
            }
            _ if is_code || is_interpolated => Some(UnresolvedFileKind::Code),
            _ => is_quoted.then_some(UnresolvedFileKind::Text),
        }
    }

    /// What a position is in, if it is a comment or a string.
    fn token(&mut self, at: usize) -> Option<TokenClass> {
        let (path, text) = (self.path, self.text);
        let tokens = self.tokens.get_or_insert_with(|| highlight(path, text));
        let mut around = tokens.iter().filter(|(range, _)| range.contains(&at)).map(|(_, class)| *class);
        around.find(|class| matches!(class, TokenClass::Comment | TokenClass::Text))
    }

    fn is_use_in_template(&self, forms: &NameForms, place: &Place, around: Around<'_>) -> bool {
        match place.form {
            Form::Name if forms.compound || around.is_member() || around.is_called() => true,
            Form::Name if self.has_elements => around.is_in_expression() || around.in_element() == Some(true),
            Form::Name => true,
            Form::Property => around.is_member() || around.is_in_expression() || around.is_attribute_value(),
            Form::Hyphenated => self.has_elements && around.is_element_or_attribute_name(),
            Form::Respelled => false,
        }
    }
}

/// Whether a mention in markup is in code between or in its elements.
fn is_use_in_markup(place: &Place, around: Around<'_>) -> bool {
    match place.form {
        Form::Name => around.is_in_expression() || around.in_element() == Some(true),
        Form::Property => around.is_in_expression() || around.is_attribute_value(),
        Form::Hyphenated => around.is_element_or_attribute_name(),
        Form::Respelled => false,
    }
}

/// What stands around a mention.
#[derive(Clone, Copy)]
struct Around<'t> {
    text: &'t str,
    at: usize,
    end: usize,
}

impl<'t> Around<'t> {
    fn before(self) -> &'t str {
        &self.text[..self.at]
    }

    fn after(self) -> &'t str {
        &self.text[self.end..]
    }

    /// The text before it that an expression or element may start in.
    fn near(self) -> &'t str {
        let mut start = self.at.saturating_sub(MAX_EXPRESSION);
        while !self.text.is_char_boundary(start) {
            start += 1;
        }
        &self.text[start..self.at]
    }

    fn line(self) -> &'t str {
        let start = self.before().rfind('\n').map_or(0, |at| at + 1);
        let end = self.after().find('\n').map_or(self.text.len(), |at| self.end + at);
        &self.text[start..end]
    }

    fn is_member(self) -> bool {
        let before = self.before();
        // The dot at the end of a sentence is followed by a space.
        before.ends_with('.') && !before.ends_with("..") || before.ends_with("->") || before.ends_with("::")
    }

    fn is_called(self) -> bool {
        self.after().starts_with('(')
    }

    /// Whether code here may name the symbol, rather than a local variable of the same name: a function is called, or named as a member; a
    /// member is named as one, or given a value by its name. Of what is neither, only a name that is hardly chosen twice is evidence.
    fn is_code_use(self, forms: &NameForms) -> bool {
        if self.is_member() || self.after().starts_with("::") || self.is_in_macro() {
            return true;
        }
        if forms.callable {
            return self.after().trim_start_matches(' ').starts_with('(');
        }
        if forms.container.is_some() {
            let after = self.after().trim_start();
            let is_given = after.starts_with(':') || after.starts_with('=') && !after.starts_with("==");
            return is_given || self.is_element_of_pattern();
        }
        forms.compound || forms.name.starts_with(char::is_uppercase)
    }

    /// Whether it stands alone between braces and commas: `const { name, price } = item` takes members by their names, and `{ name, price }` gives
    /// them values.
    fn is_element_of_pattern(self) -> bool {
        let before = self.before().trim_end();
        before.ends_with(['{', ',']) && self.after().trim_start().starts_with([',', '}'])
    }

    /// Whether the line belongs to the definition of a macro: what a macro contains is not resolved.
    fn is_in_macro(self) -> bool {
        let is_define = |line: &str| {
            line.trim_start().strip_prefix('#').is_some_and(|rest| rest.trim_start().starts_with("define"))
        };
        let start = self.before().rfind('\n').map_or(0, |at| at + 1);
        let mut continued =
            self.before()[..start].lines().rev().take_while(|line| line.trim_end().ends_with('\\'));
        is_define(self.line()) || continued.any(is_define)
    }

    /// Whether a string takes a value by this name: `"{NAME}"`, `"$NAME"`, `"${NAME}"`, `"#{NAME}"`; also `$NAME` in a shell.
    fn is_interpolated(self, callable: bool) -> bool {
        let (before, after) = (self.before(), self.after());
        let braced = before.ends_with('{') && after.starts_with(['}', ':', '.', '(', '!', '[', '|', '%']);
        braced || !callable && before.ends_with('$')
    }

    /// Whether it follows the name of its container: `Server.Run`, `Server::Run`, `Server#Run`, `Server@run`.
    fn follows(self, container: Option<&str>) -> bool {
        let before = self.before().trim_end_matches(['.', ':', '#', '@', '/', '-', '>', '\\']);
        before.len() < self.at && container.is_some_and(|container| before.ends_with(container))
    }

    /// Whether it is the text of a string, or the last part of it: `"run"`, `'server.run'`, `"Server@run"`; of a compound name also a symbol
    /// such as `:run_all`.
    fn is_quoted_name(self, compound: bool) -> bool {
        let quotes = ['"', '\'', '`'];
        let before = self.before();
        let begins = before.ends_with(quotes)
            || before.ends_with(['.', '#', ':', '@', '/', '\\']) && {
                let start = before
                    .rfind(|c: char| !is_word(c) && !matches!(c, '.' | '#' | ':' | '@' | '/' | '\\' | '-'));
                start.is_some_and(|start| before[start..].starts_with(quotes))
            };
        let is_symbol = compound
            && before.ends_with(':')
            && !before.ends_with("::")
            && before[..before.len() - 1].ends_with([' ', '(', '[', ',', '{'])
            && !self.is_called();
        // `"Shop\Cart:index"` names a class and a method of it.
        let path = |c: char| is_word(c) || matches!(c, '.' | '#' | ':' | '@' | '\\');
        let ends = self.after().trim_start_matches(path).starts_with(quotes);
        begins && (self.after().starts_with(quotes) || compound && ends) || is_symbol
    }

    fn is_in_comment(self) -> bool {
        let pairs = [
            ("<!--", "-->"),
            ("{#", "#}"),
            ("<%--", "--%>"),
            ("{{--", "--}}"),
            ("@*", "*@"),
            ("{{!", "}}"),
            ("/*", "*/"),
        ];
        let before = self.before();
        // What opens a comment in one language is code in another: only a comment that ends is one.
        let open = |(opens, closes): (&str, &str)| {
            let opened = before.rfind(opens)?;
            Some(!before[opened..].contains(closes) && self.after().contains(closes))
        };
        let line = self.line().trim_start();
        let is_line = ["//", "-#", "/ ", "##", "#=", "*"].iter().any(|mark| line.starts_with(mark));
        pairs.into_iter().any(|pair| open(pair) == Some(true)) || is_line
    }

    /// Whether it stands between the delimiters of an expression, or in a statement of a template.
    fn is_in_expression(self) -> bool {
        let near = self.near();
        let last = |marks: &[&str]| marks.iter().filter_map(|mark| near.rfind(mark)).max();
        let opened = last(&["{", "<%", "[[", "@(", "<?"]);
        let closed = last(&["}", "%>", "]]", "?>"]);
        let is_open = opened.is_some_and(|opened| closed.is_none_or(|closed| closed < opened));
        is_open || self.is_in_statement()
    }

    /// Whether the line is a statement, or the mention is marked as code: `@if (x)`, `@foreach(…)`, `@Model.Name`, `$name`.
    fn is_in_statement(self) -> bool {
        let before = self.before();
        let line = &before[before.rfind('\n').map_or(0, |at| at + 1)..];
        let marked = before.ends_with(['@', '$', '#', '~']);
        let statement = line.match_indices('@').any(|(at, _)| {
            let rest = &line[at + 1..];
            let word = rest.len() - rest.trim_start_matches(|c: char| is_word(c) || c == '.').len();
            word > 0 && (rest[word..].is_empty() || rest[word..].trim_start().starts_with('('))
        });
        marked || statement
    }

    /// Inside of the tag of an element: whether it may be code there. `None` outside of tags.
    fn in_element(self) -> Option<bool> {
        let near = self.near();
        let opened = near.rfind('<')?;
        if near[opened..].contains('>') {
            return None;
        }
        Some(match self.attribute() {
            Some(attribute) => !is_plain_attribute(attribute),
            None => true,
        })
    }

    fn is_attribute_value(self) -> bool {
        self.in_element() == Some(true) && self.attribute().is_some()
    }

    /// The attribute whose value contains the mention.
    fn attribute(self) -> Option<&'t str> {
        let near = self.near();
        let tag = &near[near.rfind('<')?..];
        let quote = tag.rfind(['"', '\''])?;
        let mark = &tag[quote..=quote];
        // An even number of quotes before it means that none is open.
        if tag.matches(mark).count().is_multiple_of(2) {
            return None;
        }
        let name = tag[..quote].trim_end().strip_suffix('=')?.trim_end();
        name.rsplit([' ', '\t', '\n', '\r']).next()
    }

    fn is_element_or_attribute_name(self) -> bool {
        let before = self.before();
        let is_name = self.in_element().is_some() && self.attribute().is_none();
        is_name && before.ends_with(['<', '/', ' ', '\t', '\n', ':', '@', '[', '(', '.'])
    }
}

/// Whether the value of an attribute is text in any markup.
fn is_plain_attribute(name: &str) -> bool {
    const PLAIN: &[&str] = &[
        "class",
        "className",
        "id",
        "href",
        "src",
        "alt",
        "style",
        "rel",
        "type",
        "name",
        "for",
        "value",
        "placeholder",
        "content",
        "lang",
        "charset",
        "width",
        "height",
        "title",
        "target",
        "role",
        "xmlns",
        "method",
        "action",
        "media",
        "d",
        "fill",
        "viewBox",
        "stroke",
        "label",
        "description",
        "summary",
        "cite",
        "datetime",
        "integrity",
    ];
    PLAIN.contains(&name) || name.starts_with("aria-") || name.starts_with("xmlns:")
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The words of a name in lower case: `getFullName`, `get_full_name`.
fn words_of(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let letters: Vec<char> = name.chars().collect();
    let mut starts = true;
    for (at, &letter) in letters.iter().enumerate() {
        if !letter.is_alphanumeric() {
            starts = true;
            continue;
        }
        let after_lower = at > 0 && (letters[at - 1].is_lowercase() || letters[at - 1].is_numeric());
        let before_lower = letters.get(at + 1).is_some_and(|next| next.is_lowercase());
        if letter.is_uppercase() && (after_lower || before_lower && at > 0 && letters[at - 1].is_uppercase())
        {
            starts = true;
        }
        match words.last_mut() {
            Some(word) if !starts => word.extend(letter.to_lowercase()),
            _ => words.push(letter.to_lowercase().collect()),
        }
        starts = false;
    }
    words
}

fn capitalised(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

fn pascal(words: &[String]) -> String {
    words.iter().map(|word| capitalised(word)).collect()
}

fn camel(words: &[String]) -> String {
    let Some((first, rest)) = words.split_first() else { return String::new() };
    format!("{first}{}", pascal(rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn query(name: &str) -> MentionQuery<'_> {
        MentionQuery { name, container: None, callable: true, resolved: true, own: None }
    }

    /// The lines with a mention of a name that may be a use.
    fn lines(path: &str, kind: &UnresolvedFileKind, name: &str, text: &str) -> Vec<usize> {
        let forms = NameForms::of(&query(name)).expect("it can be searched for");
        let mut context = MentionContext::new(path, text, kind);
        let places = forms.places(text).into_iter().filter(|place| context.is_use(&forms, place));
        places.map(|place| 1 + text[..place.at].matches('\n').count()).collect()
    }

    const TEMPLATE: UnresolvedFileKind = UnresolvedFileKind::Embedded(EmbeddedForm::Code, "templates");
    const MARKUP: UnresolvedFileKind = UnresolvedFileKind::Embedded(EmbeddedForm::Markup, "markup");
    const DATA: UnresolvedFileKind = UnresolvedFileKind::Embedded(EmbeddedForm::Data, "configuration");

    #[test]
    fn a_name_in_an_expression_of_a_template_may_be_a_use() {
        let text = "<h1>Order summary</h1>\n<p class=\"summary\">{{ post.summary }}</p>\n<%= summary %>\n<!-- summary() -->\n@post.summary\n";
        assert_eq!(lines("a.ejs", &TEMPLATE, "summary", text), [2, 3, 5]);
        assert_eq!(
            lines("a.html", &MARKUP, "submitForm", "<form (submit)=\"submitForm()\">\n<p>submitForm()</p>\n"),
            [1]
        );
        assert_eq!(lines("a.html", &MARKUP, "isSignedIn", "@if (auth.isSignedIn()) {\n"), [1]);
        assert_eq!(lines("a.haml", &TEMPLATE, "refundable?", "- if order.refundable?\n  %p text\n"), [1]);
    }

    #[test]
    fn a_getter_is_read_as_a_property_and_an_input_is_an_attribute() {
        assert_eq!(lines("a.jsp", &TEMPLATE, "getFullName", "<p>${customer.fullName} fullName</p>\n"), [1]);
        assert_eq!(
            lines("a.html", &MARKUP, "getCustomerName", "<p th:text=\"*{customerName}\">x</p>\n"),
            [1]
        );
        assert_eq!(
            lines("a.html.twig", &TEMPLATE, "isAvailable", "{% if product.available %}\navailable\n"),
            [1]
        );
        assert_eq!(
            lines("a.html", &MARKUP, "headline", "<card [headline]=\"x\"></card>\n<p>headline</p>\n"),
            [1]
        );
        assert_eq!(
            lines("a.html", &MARKUP, "maxWidth", "<my-card max-width=\"3\" style=\"max-width: 3px\">\n"),
            [1]
        );
    }

    #[test]
    fn configuration_names_code_by_names_of_several_parts() {
        assert_eq!(lines("a.yaml", &DATA, "build", "build: build\n"), [0_usize; 0]);
        assert_eq!(lines("a.yaml", &DATA, "send_mail", "handler: app.send_mail\n"), [1]);
    }

    #[test]
    fn a_string_names_code_if_the_name_is_all_of_it_or_its_end() {
        let text = "getattr(x, \"on_save\")\ncall('app.tasks.on_save')\nprint(\"on_save is called\")\ncallback :on_save\n";
        assert_eq!(lines("a.rb", &UnresolvedFileKind::Text, "on_save", text), [1, 2, 4]);
    }

    #[test]
    fn in_code_that_was_understood_in_part_calls_and_members_count() {
        let text = "int total = 1;\nx.total(1);\n// total()\nlog(\"total()\");\n";
        assert_eq!(lines("a.cpp", &UnresolvedFileKind::Partly, "total", text), [2]);
    }

    #[test]
    fn names_are_split_into_words() {
        assert_eq!(words_of("getHTTPName"), ["get", "http", "name"]);
        assert_eq!(words_of("get_full_name"), ["get", "full", "name"]);
        assert!(NameForms::of(&query("+")).is_none());
    }
}
