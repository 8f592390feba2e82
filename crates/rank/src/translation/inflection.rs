//! Inflection: folds case and accents, and reduces the forms of a word to one stem by tables of endings.
//!
//! A stem need not be a word. Verbs and the nouns derived from them share one on purpose: `validieren`, `validiert` and `Validierung` all
//! mean `validate`.

use super::language::Language;

/// The inflection of a language.
pub(super) struct Inflection {
    /// Endings of plurals and cases, longest first.
    pub(super) endings: &'static [&'static str],
    /// Endings of all kinds, longest first.
    suffixes: &'static [&'static str],
    /// Minimum number of letters of a stem.
    min_stem: usize,
    /// Whether words are joined to new ones.
    pub(super) compounds: bool,
    language: Language,
}

impl Inflection {
    /// The inflection of a language; `None` if its words do not change.
    pub(super) fn of(language: Language) -> Option<Self> {
        let (endings, suffixes, min_stem): (&[&str], &[&str], usize) = match language {
            Language::Chinese | Language::Japanese | Language::Korean => return None,
            Language::Spanish => (&["es", "s"], SPANISH, 3),
            Language::Portuguese => (&["es", "s"], PORTUGUESE, 3),
            Language::French => (&["es", "s", "x", "e"], FRENCH, 3),
            Language::German => (&["ern", "en", "er", "em", "es", "n", "e", "s"], GERMAN, 4),
            Language::Russian => (&[], RUSSIAN, 4),
        };
        Some(Self { endings, suffixes, min_stem, compounds: language == Language::German, language })
    }

    /// The shortest stem of a folded word.
    pub(super) fn stem<'w>(&self, word: &'w str) -> &'w str {
        self.stems(word).last().unwrap_or(word)
    }

    /// What may be the stem of a folded word, longest first: `valida` is a form of `validar`, and could be one of `valer`.
    pub(super) fn stems<'w>(&self, word: &'w str) -> impl Iterator<Item = &'w str> {
        let word = self.without_ending(word);
        let rest = move |suffix: &&str| word.strip_suffix(*suffix).filter(|rest| self.is_stem(rest));
        std::iter::once(word).chain(self.suffixes.iter().rev().filter_map(rest))
    }

    /// A word without the ending that precedes all others.
    fn without_ending<'w>(&self, word: &'w str) -> &'w str {
        let mut word = word;
        match self.language {
            Language::Russian => {
                let reflexive = word.strip_suffix("ся").or_else(|| word.strip_suffix("сь"));
                word = reflexive.filter(|rest| self.is_stem(rest)).unwrap_or(word);
            }
            Language::French => {
                let singular = word.strip_suffix(['s', 'x']);
                word = singular.filter(|rest| self.is_stem(rest)).unwrap_or(word);
            }
            _ => {}
        }
        word
    }

    fn is_stem(&self, rest: &str) -> bool {
        rest.chars().count() >= self.min_stem
    }

    /// A folded word and what else it may be a form of, likeliest first.
    pub(super) fn variants(&self, word: &str) -> Vec<String> {
        let mut variants = vec![word.to_owned()];
        match self.language {
            Language::German => german_variants(word, &mut variants),
            Language::Portuguese => {
                for (plural, singular) in
                    [("oes", "ao"), ("aes", "ao"), ("ais", "al"), ("eis", "el"), ("ns", "m")]
                {
                    variants.extend(word.strip_suffix(plural).map(|rest| format!("{rest}{singular}")));
                }
            }
            _ => {}
        }
        variants
    }
}

/// Prefixes of German verbs that a participle or an infinitive with `zu` separates from the stem: `abgebrochen`, `abzubrechen`.
const SEPARABLE: &[&str] = &[
    "ab", "an", "auf", "aus", "ein", "zu", "zuruck", "hoch", "herunter", "hinzu", "um", "vor", "weg", "her",
    "hin", "nach", "wieder", "fest", "durch", "zusammen", "weiter", "frei", "fehl", "nieder", "bereit",
    "uber", "unter", "zwischen", "runter", "raus", "rein",
];

fn german_variants(word: &str, variants: &mut Vec<String>) {
    // Umlauts written without dots.
    for (written, folded) in [("ae", "a"), ("oe", "o"), ("ue", "u")] {
        if word.contains(written) {
            variants.push(word.replace(written, folded));
        }
    }
    if let Some(rest) = word.strip_prefix("ge").filter(|rest| rest.len() > 3) {
        variants.push(rest.to_owned());
    }
    for prefix in SEPARABLE {
        for infix in ["ge", "zu"] {
            let rest = word.strip_prefix(prefix).and_then(|rest| rest.strip_prefix(infix));
            variants.extend(rest.filter(|rest| rest.len() > 3).map(|rest| format!("{prefix}{rest}")));
        }
    }
}

/// Lower case, without accents and hyphens.
pub(super) fn fold(word: &str) -> String {
    let mut folded = String::with_capacity(word.len());
    for letter in word.chars().flat_map(char::to_lowercase) {
        match letter {
            'á' | 'à' | 'â' | 'ä' | 'ã' | 'å' => folded.push('a'),
            'é' | 'è' | 'ê' | 'ë' => folded.push('e'),
            'í' | 'ì' | 'î' | 'ï' => folded.push('i'),
            'ó' | 'ò' | 'ô' | 'ö' | 'õ' => folded.push('o'),
            'ú' | 'ù' | 'û' | 'ü' => folded.push('u'),
            'ñ' => folded.push('n'),
            'ç' => folded.push('c'),
            'ß' => folded.push_str("ss"),
            'œ' => folded.push_str("oe"),
            'æ' => folded.push_str("ae"),
            'ё' => folded.push('е'),
            // A combining accent, a hyphen.
            '\u{0300}'..='\u{036F}' | '-' | '\u{2010}'..='\u{2015}' => {}
            letter => folded.push(letter),
        }
    }
    folded
}

/// The words of a token: articles are elided before an apostrophe (`l'erreur`).
pub(super) fn split_words(token: &str) -> Vec<&str> {
    token
        .split(|c: char| c.is_whitespace() || matches!(c, '\'' | '’' | 'ʼ' | ',' | ';' | '/'))
        .filter(|word| !word.is_empty())
        .collect()
}

const SPANISH: &[&str] = &[
    "amientos", "imientos", "aciones", "amiento", "iciones", "imiento", "uciones", "adoras", "adores",
    "andose", "acion", "adora", "icion", "iendo", "ieron", "ucion", "aban", "adas", "ador", "ados", "ando",
    "aran", "aria", "aron", "arse", "endo", "eran", "eria", "erse", "idas", "idos", "iran", "iria", "irse",
    "aba", "ada", "ado", "ara", "era", "ida", "ido", "ira", "an", "ar", "as", "en", "er", "es", "ir", "os",
    "a", "e", "o", "s",
];
const PORTUGUESE: &[&str] = &[
    "amentos", "imentos", "adoras", "adores", "amento", "imento", "acoes", "adora", "icoes", "ucoes", "acao",
    "adas", "ador", "ados", "ando", "aram", "avam", "endo", "eram", "icao", "idas", "idos", "indo", "iram",
    "ucao", "ada", "ado", "ava", "ida", "ido", "oes", "am", "ao", "ar", "as", "em", "er", "es", "ir", "os",
    "a", "e", "o", "s",
];
const FRENCH: &[&str] = &[
    "issement", "ations", "issait", "issant", "issent", "itions", "aient", "ateur", "ation", "ement",
    "ition", "ante", "eurs", "euse", "age", "ait", "ant", "ees", "ent", "eur", "ion", "ons", "ee", "er",
    "es", "ez", "ir", "is", "it", "re", "e",
];
const GERMAN: &[&str] = &[
    "ierungen", "ierend", "ierten", "ierung", "enden", "ieren", "ierte", "teten", "ungen", "ende", "iert",
    "test", "tete", "end", "ern", "est", "ten", "tet", "ung", "em", "en", "er", "es", "et", "st", "te", "e",
    "n", "s", "t",
];
const RUSSIAN: &[&str] = &[
    "ированием",
    "ирование",
    "ированию",
    "ирования",
    "иваются",
    "ированы",
    "ировать",
    "ируется",
    "ованием",
    "ывается",
    "ываются",
    "аниями",
    "ениями",
    "ирован",
    "ование",
    "ованию",
    "ования",
    "ается",
    "анием",
    "аниях",
    "анные",
    "анный",
    "анных",
    "аются",
    "ением",
    "ениях",
    "енные",
    "енный",
    "енных",
    "ивает",
    "ивать",
    "ивают",
    "ирует",
    "ируют",
    "овать",
    "ывает",
    "ывать",
    "ывают",
    "яется",
    "яются",
    "ание",
    "аний",
    "анию",
    "ания",
    "ение",
    "ений",
    "ению",
    "ения",
    "ется",
    "ится",
    "ются",
    "ятся",
    "ает",
    "ала",
    "али",
    "ами",
    "ана",
    "ано",
    "аны",
    "ать",
    "ают",
    "его",
    "ему",
    "ена",
    "ено",
    "ены",
    "еть",
    "ешь",
    "ией",
    "ием",
    "ила",
    "или",
    "ило",
    "ими",
    "ить",
    "ишь",
    "иях",
    "ого",
    "ому",
    "ует",
    "уть",
    "уют",
    "ыми",
    "яет",
    "яла",
    "яли",
    "ями",
    "ять",
    "яют",
    "ал",
    "ам",
    "ан",
    "ах",
    "ая",
    "ев",
    "ее",
    "ей",
    "ел",
    "ем",
    "ен",
    "ет",
    "ие",
    "ии",
    "ий",
    "ил",
    "им",
    "ит",
    "их",
    "ию",
    "ия",
    "ов",
    "ое",
    "ой",
    "ом",
    "ть",
    "ут",
    "ую",
    "ые",
    "ый",
    "ым",
    "ых",
    "ье",
    "ья",
    "ют",
    "юю",
    "ял",
    "ям",
    "ят",
    "ях",
    "яя",
    "а",
    "е",
    "и",
    "й",
    "о",
    "у",
    "ы",
    "ь",
    "ю",
    "я",
];

#[cfg(test)]
mod tests {
    use super::*;

    fn same(language: Language, words: &[&str]) {
        let inflection = Inflection::of(language).expect("an inflected language");
        let stems: Vec<String> = words.iter().map(|word| inflection.stem(&fold(word)).to_owned()).collect();
        assert!(stems.iter().all(|stem| *stem == stems[0]), "{words:?}: {stems:?}");
    }

    #[test]
    fn forms_of_a_word_have_one_stem() {
        same(
            Language::Spanish,
            &["validar", "validan", "validación", "validaciones", "validado", "validando"],
        );
        same(Language::Portuguese, &["configurar", "configuração", "configurações", "configurado"]);
        same(Language::French, &["analyser", "analyse", "analysée", "analysent", "analysés"]);
        same(Language::German, &["validieren", "validiert", "Validierung", "Validierungen"]);
        same(Language::Russian, &["соединение", "соединения", "соединений", "соединить"]);
    }

    #[test]
    fn endings_are_sorted_by_length() {
        for language in
            [Language::Spanish, Language::Portuguese, Language::French, Language::German, Language::Russian]
        {
            let inflection = Inflection::of(language).expect("an inflected language");
            for list in [inflection.suffixes, inflection.endings] {
                assert!(
                    list.is_sorted_by_key(|suffix| std::cmp::Reverse(suffix.chars().count())),
                    "{language:?}"
                );
            }
        }
    }

    #[test]
    fn accents_case_and_hyphens_are_folded() {
        assert_eq!(fold("En-Tête"), "entete");
        assert_eq!(fold("GRÖßE"), "grosse");
        assert_eq!(fold("Ещё"), "еще");
        assert_eq!(split_words("l'erreur d’attente"), ["l", "erreur", "d", "attente"]);
    }
}
