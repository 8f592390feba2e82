//! The reasons for which an exploration may go on with a search by meaning, and the gaps each may excuse.

use crate::exploration::Gap;
use crate::intent::words;
use std::fmt;
use std::str::FromStr;

words! {
    /// Why reading the code was not enough.
    SemanticReason {
        /// No definition has the name.
        NoDefinitionFound = "no_definition_found",
        /// Nothing uses the symbol.
        NoReferenceFound = "no_reference_found",
        /// Nothing similar exists.
        NoSimilarImplementation = "no_similar_implementation",
        /// What was found does not connect.
        ContextFragmented = "context_fragmented",
        /// How the parts belong together is unknown.
        ArchitectureUnknown = "architecture_unknown",
    }
}

impl SemanticReason {
    /// Whether it explains a gap. A call that was never made is explained by nothing: make it.
    pub fn explains(self, gap: Gap) -> bool {
        use SemanticReason as R;
        match gap {
            Gap::Symbols { .. } => matches!(self, R::NoDefinitionFound | R::ArchitectureUnknown),
            Gap::EntryPoints { .. } => matches!(self, R::NoDefinitionFound | R::NoReferenceFound),
            Gap::Patterns { .. } => matches!(self, R::NoSimilarImplementation | R::ArchitectureUnknown),
            Gap::Files { .. } => matches!(self, R::ContextFragmented | R::ArchitectureUnknown),
            Gap::Definitions | Gap::References | Gap::TextSearch => false,
        }
    }
}

/// Whether a reason is allowed for what is missing: it explains one of the gaps, and no call is left to make.
pub fn reason_is_allowed(reason: SemanticReason, gaps: &[Gap]) -> bool {
    let is_call = |gap: &Gap| matches!(gap, Gap::Definitions | Gap::References | Gap::TextSearch);
    gaps.iter().any(|&gap| reason.explains(gap)) && !gaps.iter().any(is_call)
}
