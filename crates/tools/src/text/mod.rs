//! Text rendering: styled output, escaping of repository text, number formats, token estimates and diagrams.

pub(crate) mod diagram;
pub(crate) mod escape;
pub(crate) mod number_format;
pub(crate) mod redaction;
pub(crate) mod safe_line;
pub(crate) mod token_estimate;
pub(crate) mod writer;
