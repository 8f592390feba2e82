//! Stop words: words of a query with little or no weight.

/// Question words and function words: no weight.
const STOP_WORDS: &[&str] = &[
    "a", "about", "all", "an", "and", "any", "are", "as", "at", "be", "been", "before", "being", "between",
    "but", "by", "can", "could", "did", "do", "does", "done", "during", "each", "every", "for", "from",
    "get", "gets", "given", "had", "has", "have", "how", "i", "if", "in", "into", "is", "it", "its", "like",
    "made", "make", "makes", "me", "my", "not", "of", "on", "one", "or", "other", "our", "out", "over",
    "per", "should", "so", "some", "such", "than", "that", "the", "their", "them", "then", "there", "these",
    "they", "this", "those", "through", "to", "up", "upon", "use", "used", "uses", "using", "via", "was",
    "we", "were", "what", "when", "where", "which", "while", "who", "why", "will", "with", "within",
    "without", "would", "you", "your", "vs",
];

/// Words that occur in many questions about code: low weight.
const WEAK_WORDS: &[&str] = &[
    "class",
    "classes",
    "code",
    "called",
    "defined",
    "definition",
    "definitions",
    "different",
    "file",
    "files",
    "find",
    "function",
    "functions",
    "happens",
    "implement",
    "implementation",
    "implementations",
    "implemented",
    "implements",
    "internal",
    "internally",
    "logic",
    "method",
    "methods",
    "module",
    "modules",
    "show",
    "source",
    "work",
    "works",
    "handled",
    "handles",
    "handling",
    "handle",
    "provide",
    "provides",
    "support",
    "supports",
    "define",
    "defines",
];

/// Whether a word carries no meaning in a query, in any case.
pub fn is_stop_word(word: &str) -> bool {
    weight(&word.to_lowercase()) <= 0.0
}

/// The weight of a query word, apart from its rarity.
pub(crate) fn weight(word: &str) -> f32 {
    if STOP_WORDS.contains(&word) {
        0.0
    } else if WEAK_WORDS.contains(&word) {
        0.35
    } else {
        1.0
    }
}
