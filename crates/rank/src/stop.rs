//! Words that say little about what is looked for.

/// Words of questions and of grammar: they count for nothing beside others.
const EMPTY: &[&str] = &[
    "a", "about", "all", "an", "and", "any", "are", "as", "at", "be", "been", "before", "being", "between",
    "but", "by", "can", "could", "did", "do", "does", "done", "during", "each", "every", "for", "from",
    "get", "gets", "given", "had", "has", "have", "how", "i", "if", "in", "into", "is", "it", "its", "like",
    "made", "make", "makes", "me", "my", "not", "of", "on", "one", "or", "other", "our", "out", "over",
    "per", "should", "so", "some", "such", "than", "that", "the", "their", "them", "then", "there", "these",
    "they", "this", "those", "through", "to", "up", "upon", "use", "used", "uses", "using", "via", "was",
    "we", "were", "what", "when", "where", "which", "while", "who", "why", "will", "with", "within",
    "without", "would", "you", "your", "vs",
];

/// Words that nearly every question about code may hold.
const WEAK: &[&str] = &[
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

/// What a word of a question counts, apart from how rare it is.
pub(crate) fn weight(word: &str) -> f32 {
    if EMPTY.contains(&word) {
        0.0
    } else if WEAK.contains(&word) {
        0.35
    } else {
        1.0
    }
}
