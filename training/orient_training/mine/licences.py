"""Which licences we train on: those that ask for no more than their text to be kept."""

import re

_PERMISSIVE = re.compile(
    r"\b(mit|expat|apache|bsd|isc|0bsd|zlib|unlicense|cc0|public[- ]domain|boost|bsl-1\.0|psf|python-2\.0|upl|wtfpl)\b", re.I
)
# A package under one of these is left out, even where it offers another licence for some of its files.
_OTHER = re.compile(r"\b(a?l?gpl|gnu|mpl|epl|cddl|cc-by-(sa|nc)|sspl|busl|commercial|proprietary|ms-pl|eupl)", re.I)


def is_permissive(stated: str) -> bool:
    """Whether a licence, as stated by a registry, is permissive; of a choice one permissive one is enough."""
    stated = stated.strip().strip("()")
    if not stated:
        return False
    if re.search(r"\bor\b", stated, re.I):
        return any(is_permissive(part) for part in re.split(r"\bor\b", stated, flags=re.I))
    return bool(_PERMISSIVE.search(stated)) and not _OTHER.search(stated)


def of_debian(copyright_text: str) -> str:
    """The licence of a Debian package as a whole: that of `Files: *`, or the one its header states."""
    paragraphs = re.split(r"\n\s*\n", copyright_text)
    whole = [p for p in paragraphs if re.search(r"^Files:\s*\*\s*$", p, re.M)]
    for paragraph in [*whole, *paragraphs[:1]]:
        found = re.search(r"^License:\s*(.+)$", paragraph, re.M)
        if found:
            return f"deb-copyright: {found[1].strip()}"
    return ""
