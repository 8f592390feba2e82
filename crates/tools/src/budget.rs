//! How much of a reader's attention a text takes.

/// About how many tokens a text is to a language model: four letters of prose or code, and never less than its words.
pub(crate) fn tokens(text: &str) -> usize {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).count();
    text.len().div_ceil(4).max(words)
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_text_is_never_less_than_its_words() {
        assert_eq!(super::tokens(""), 0);
        assert_eq!(super::tokens("a b c d"), 4);
        assert_eq!(super::tokens("internationalisation"), 5);
    }
}
