//! Code between delimiters, such as `<% … %>`: everything else becomes white space, so that the code of a file is one program
//! in which a loop may begin in one piece and end in another. All offsets stay as they are.
//!
//! Example: `<ul><% xs.each do |x| %><li><%= x %></li><% end %></ul>` becomes `xs.each do |x| ; x ; end ;`, spread out.

use crate::schema::manifest::DelimitedSpec;

/// The code of a file; none if there is no code in it.
pub(crate) fn code(spec: &DelimitedSpec, source: &[u8]) -> Option<Vec<u8>> {
    let (open, close) = (spec.open.as_bytes(), spec.close.as_bytes());
    let mut text: Vec<u8> =
        source.iter().map(|&byte| if matches!(byte, b'\n' | b'\r') { byte } else { b' ' }).collect();
    let (mut at, mut has_code) = (0, false);
    while let Some(found) = memchr::memmem::find(&source[at..], open) {
        let start = at + found + open.len();
        let end = memchr::memmem::find(&source[start..], close).map_or(source.len(), |end| start + end);
        at = (end + close.len()).min(source.len());
        if spec.skip.iter().any(|skip| source[start..].starts_with(skip.as_bytes())) {
            continue;
        }
        let is_mark = |byte: u8| spec.marks.as_bytes().contains(&byte);
        let marks = source[start..end].iter().take_while(|&&byte| is_mark(byte)).count();
        let from = start + marks;
        let to = if end > from && is_mark(source[end - 1]) { end - 1 } else { end };
        text[from..to].copy_from_slice(&source[from..to]);
        if let (Some(place), Some(ending)) = (text.get_mut(end), spec.end.as_bytes().first()) {
            *place = *ending;
        }
        has_code = true;
    }
    has_code.then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_outside_of_the_delimiters_becomes_white_space() {
        let spec = DelimitedSpec {
            open: "<%".to_owned(),
            close: "%>".to_owned(),
            skip: vec!["#".to_owned(), "%".to_owned()],
            marks: "=-".to_owned(),
            end: ";".to_owned(),
            ..DelimitedSpec::default()
        };
        let shown = |text: &str| {
            let code = code(&spec, text.as_bytes())?;
            assert_eq!(code.len(), text.len(), "offsets stay as they are");
            Some(String::from_utf8_lossy(&code).split_whitespace().collect::<Vec<_>>().join(" "))
        };
        assert_eq!(shown("<b><%= a -%></b><% if b %>x<% end %>").as_deref(), Some("a ; if b ; end ;"));
        assert_eq!(shown("<%# no %><%% no %>"), None);
        assert_eq!(shown("<% open").as_deref(), Some("open"));
        assert_eq!(shown("<p>text</p>"), None);
    }
}
