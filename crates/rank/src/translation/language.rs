//! Which language a question is in. The question decides, not the locale of the machine.
//!
//! Other scripts decide by themselves. Of the languages in the Latin script, one is recognised if its function words, its letters and its
//! terms outnumber the function words of English.

use super::glossary::Glossary;
use super::inflection::{fold, split_words};

/// A language that questions are translated from; in the order of the columns of the glossary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// Chinese, simplified or traditional.
    Chinese,
    /// Japanese.
    Japanese,
    /// Korean.
    Korean,
    /// Spanish.
    Spanish,
    /// Portuguese.
    Portuguese,
    /// French.
    French,
    /// German.
    German,
    /// Russian.
    Russian,
}

impl Language {
    /// The name that users see.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Chinese => "Chinese",
            Self::Japanese => "Japanese",
            Self::Korean => "Korean",
            Self::Spanish => "Spanish",
            Self::Portuguese => "Portuguese",
            Self::French => "French",
            Self::German => "German",
            Self::Russian => "Russian",
        }
    }
}

/// The script of a text, by its first letter that is not ASCII.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Script {
    Latin,
    Cyrillic,
    Han,
    Kana,
    Hangul,
    Other,
}

/// The script of a character.
pub(super) fn script_of(letter: char) -> Script {
    match letter {
        '\u{0400}'..='\u{052F}' => Script::Cyrillic,
        '\u{3040}'..='\u{30FF}' | '\u{31F0}'..='\u{31FF}' | '\u{FF66}'..='\u{FF9F}' => Script::Kana,
        '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}' | '々' => Script::Han,
        '\u{1100}'..='\u{11FF}' | '\u{AC00}'..='\u{D7A3}' | '\u{3130}'..='\u{318F}' => Script::Hangul,
        letter if letter.is_ascii_alphabetic() || ('\u{00C0}'..='\u{024F}').contains(&letter) => {
            Script::Latin
        }
        _ => Script::Other,
    }
}

/// The script of a word.
pub(super) fn script(word: &str) -> Script {
    let letters = word.chars().filter(|letter| letter.is_alphabetic());
    letters.map(script_of).find(|script| *script != Script::Latin).unwrap_or(Script::Latin)
}

/// The function words of English that no other of the languages has.
const ENGLISH: &[&str] = &[
    "the", "is", "are", "how", "where", "what", "which", "does", "of", "to", "and", "when", "with", "from",
    "that", "this", "it", "by", "or", "why", "who", "into", "used", "gets", "its", "for", "be", "been",
    "has", "have", "should", "would", "could", "can", "there", "then", "than", "they", "their", "you",
    "your", "if",
];

/// Signs of the languages in the Latin script: function words and letters. Words that English has too are left out.
const SIGNS: &[(Language, &[&str], &str)] = &[
    (
        Language::Spanish,
        &[
            "el", "la", "los", "las", "del", "al", "de", "un", "una", "en", "con", "por", "para", "que",
            "qué", "se", "su", "sus", "dónde", "donde", "cómo", "como", "cuándo", "cuando", "cuál", "qué",
            "es", "está", "son", "hace", "y", "sin", "entre", "desde", "sobre", "este", "esta", "quién",
            "lo", "si", "hay", "cada",
        ],
        "áéíóúñü¿¡",
    ),
    (
        Language::Portuguese,
        &[
            "os", "da", "das", "dos", "de", "um", "uma", "em", "na", "nas", "nos", "com", "por", "para",
            "que", "se", "seu", "sua", "onde", "como", "quando", "qual", "é", "são", "está", "e", "ao",
            "pelo", "pela", "não", "sem", "entre", "sobre", "este", "esta", "quem", "foi", "cada",
        ],
        "áéíóúâêôãõç",
    ),
    (
        Language::French,
        &[
            "le", "la", "les", "des", "du", "de", "un", "une", "et", "est", "sont", "où", "comment", "quand",
            "quel", "quelle", "quels", "quelles", "dans", "avec", "pour", "par", "que", "qui", "se", "ce",
            "cette", "ces", "au", "aux", "en", "sans", "il", "elle", "lors", "lorsque", "chaque", "l", "d",
            "qu", "pourquoi",
        ],
        "àâçéèêëîïôûùœ",
    ),
    (
        Language::German,
        &[
            "der", "das", "den", "dem", "des", "ein", "eine", "einen", "einem", "einer", "und", "oder",
            "ist", "sind", "wird", "werden", "wurde", "wo", "wie", "wann", "wer", "warum", "welche",
            "welcher", "welches", "mit", "von", "vom", "zu", "zum", "zur", "für", "auf", "aus", "bei",
            "beim", "nach", "nicht", "wenn", "im", "am", "über", "durch", "ohne", "sich", "es", "die",
            "kann", "hat",
        ],
        "äöüß",
    ),
];

/// The language of a text; `None` for English, and where nothing would be translated.
pub(super) fn detect(text: &str) -> Option<Language> {
    if text.is_ascii() {
        return latin(text);
    }
    let has = |script: Script| text.chars().any(|letter| script_of(letter) == script);
    if has(Script::Kana) {
        Some(Language::Japanese)
    } else if has(Script::Hangul) {
        Some(Language::Korean)
    } else if has(Script::Han) {
        Some(Language::Chinese)
    } else if has(Script::Cyrillic) {
        Some(Language::Russian)
    } else {
        latin(text)
    }
}

/// The language of a text in the Latin script.
fn latin(text: &str) -> Option<Language> {
    let words: Vec<String> = text
        .split_whitespace()
        .flat_map(|token| split_words(token.trim_matches(|c: char| !c.is_alphanumeric())))
        .filter(|word| !word.is_empty() && word.chars().all(char::is_alphabetic))
        .map(str::to_lowercase)
        .collect();
    let english = words.iter().filter(|word| ENGLISH.contains(&word.as_str())).count();
    let mut best: Option<(usize, Language)> = None;
    for (language, function_words, letters) in SIGNS {
        let is_sign = |word: &&String| {
            function_words.contains(&word.as_str())
                || word.contains(|letter: char| !letter.is_ascii() && letters.contains(letter))
        };
        let signs = words.iter().filter(is_sign).count();
        if signs == 0
            || best.is_some_and(|(most, _)| signs + words.len() <= most)
            || signs + words.len() <= 2 * english
        {
            continue;
        }
        let glossary = Glossary::of(*language);
        let is_term = |word: &&String| {
            !function_words.contains(&word.as_str())
                && glossary.find_parts(&fold(word)).iter().any(|entries| {
                    // A word that is the same in English says nothing.
                    !entries.is_function_word() && !entries.english().any(|english| english == word.as_str())
                })
        };
        let terms = words.iter().filter(is_term).count();
        let score = signs + terms;
        if terms > 0 && score >= 2 && score > 2 * english && best.is_none_or(|(most, _)| score > most) {
            best = Some((score, *language));
        }
    }
    best.map(|(_, language)| language)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_question_shows_its_language() {
        let expected = [
            ("在哪里处理超时", Some(Language::Chinese)),
            ("タイムアウトはどこで処理されますか", Some(Language::Japanese)),
            ("타임아웃은 어디에서 처리되나요", Some(Language::Korean)),
            ("dónde se cierran las conexiones", Some(Language::Spanish)),
            ("onde são fechadas as conexões", Some(Language::Portuguese)),
            ("où sont fermées les connexions", Some(Language::French)),
            ("wo werden Verbindungen geschlossen", Some(Language::German)),
            ("где закрываются соединения", Some(Language::Russian)),
            ("where are connections closed", None),
            ("connection pool", None),
            ("Zeitüberschreitung", Some(Language::German)),
            ("the naïve parser in the en locale", None),
            ("de facto standard of la", None),
            ("Server.run", None),
            ("", None),
        ];
        for (text, language) in expected {
            assert_eq!(detect(text), language, "{text}");
        }
    }
}
