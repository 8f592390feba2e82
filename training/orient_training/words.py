"""Text to words. `crates/embed/src/pretokenizer.rs` does the same, byte for byte; the exported vectors hold them together.

A word is a run of lower-case letters with at most one capital before it, a run of capitals (with a plural `s`), or a
run of digits. Bytes of other alphabets count as lower-case letters, so that no table of Unicode is needed; characters
that begin with the bytes C2 or E2 (quotes, dashes, arrows, signs) stand between words.
"""

import re

# Longer runs are encoded data, not words.
MAX_WORD = 40

_WORD = re.compile(
    rb"[A-Z]{2,}s(?![a-z\x80-\xff])|[A-Z]+(?![a-z\x80-\xff])|[A-Z]?[a-z\x80-\xff]+|[0-9]+"
)
_SIGN = re.compile(rb"[\xc2\xe2][\x80-\xbf]*")


def split(text: bytes) -> list[bytes]:
    """The words of a text, in lower case (ASCII only)."""
    if not text.isascii():
        text = _SIGN.sub(b" ", text)
    return [w.lower() for w in _WORD.findall(text) if len(w) <= MAX_WORD]


def path_words_text(path: str) -> str:
    """What of a path is embedded: the last three parts, without the extension of the file."""
    parts = path.split("/")[-3:]
    stem, dot, _ = parts[-1].rpartition(".")
    if dot and stem:
        parts[-1] = stem
    return "/".join(parts)
