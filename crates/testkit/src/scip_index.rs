//! SCIP indexes as bytes, for tests: the few messages of the format that are needed to name definitions and uses.

/// A use of a symbol.
pub const USES: u8 = 0;
/// The definition of a symbol.
pub const DEFINES: u8 = 1;

/// A field of bytes in the encoding of protocol buffers.
fn field(number: u8, bytes: &[u8]) -> Vec<u8> {
    let mut out = vec![number << 3 | 2];
    let mut length = bytes.len();
    while length >= 0x80 {
        out.push(length as u8 | 0x80);
        length >>= 7;
    }
    out.push(length as u8);
    out.extend_from_slice(bytes);
    out
}

/// An occurrence of a symbol: its line and columns from zero, and [`USES`] or [`DEFINES`].
pub fn scip_occurrence(symbol: &str, line: u8, from: u8, to: u8, role: u8) -> Vec<u8> {
    let parts = [field(1, &[line, from, to]), field(2, symbol.as_bytes()), vec![3 << 3, role]];
    field(2, &parts.concat())
}

/// A document with its occurrences.
pub fn scip_document(path: &str, occurrences: &[Vec<u8>]) -> Vec<u8> {
    field(2, &[field(1, path.as_bytes()), occurrences.concat()].concat())
}

/// An index of documents, written by the indexer `scip-test 1`.
pub fn scip_index(documents: &[Vec<u8>]) -> Vec<u8> {
    let tool = field(2, &[field(1, b"scip-test"), field(2, b"1")].concat());
    [field(1, &tool), documents.concat()].concat()
}
