"""Documented functions and types of a file, by the shape of its lines.

A definition is a line that matches its language's pattern and has a comment (or an attribute that documents) right above
it. It ends where a line is indented no deeper than it. That finds most of what is written with care and nothing else,
which is what pairs are made of; no parser is needed.
"""

import dataclasses
import re

MAX_CODE = 1100
MAX_DOC = 600


@dataclasses.dataclass(frozen=True)
class Language:
    """How a language documents and defines."""

    name: str
    line_comment: str
    function: str  # pattern of a line; the group is the name
    type: str
    closer: str = r"[})\]]|end\b"  # what may stand at the definition's own indentation and still belong to it


_NAME = r"([A-Za-z_][\w]*[?!]?)"
_MODIFIERS = r"(?:(?:public|private|protected|internal|open|override|final|static|abstract|sealed|inline|suspend|operator|infix|tailrec|external|actual|expect|export|default|async|declare|readonly|mutating|class|fileprivate|implicit|lazy|virtual|unsafe|partial|extern|new|pub|nonisolated|indirect|required|convenience|const|lateinit|data|value|enum|annotation|case|inner|fun|companion|@\w+(?:\([^)]*\))?)\s+)*"  # fmt: skip

LANGUAGES = {
    "kt": Language("kotlin", "//", rf"\s*{_MODIFIERS}fun\s+(?:<[^>]*>\s*)?(?:[\w<>?,. *]+\.)?{_NAME}\s*\(", rf"\s*{_MODIFIERS}(?:class|interface|object)\s+{_NAME}"),
    "scala": Language("scala", "//", rf"\s*{_MODIFIERS}def\s+([\w]+)", rf"\s*{_MODIFIERS}(?:class|trait|object|enum)\s+{_NAME}"),
    "swift": Language("swift", "//", rf"\s*{_MODIFIERS}func\s+{_NAME}", rf"\s*{_MODIFIERS}(?:struct|class|enum|protocol|actor)\s+{_NAME}"),
    "ts": Language("typescript", "//", rf"\s*{_MODIFIERS}(?:function\*?\s+{_NAME}|(?!if|for|while|switch|catch|return|new)([a-zA-Z_$][\w$]*)\s*(?:<[^>]*>)?\((?=.*[{{,(]\s*$)|const\s+{_NAME}\s*(?::[^=]+)?=\s*(?:async\s*)?\(?.*=>)", rf"\s*{_MODIFIERS}(?:class|interface|type|enum)\s+{_NAME}"),
    "cs": Language("csharp", "//", rf"\s*(?:\[[^\]]*\]\s*)*{_MODIFIERS}(?!return\b|new\b|else\b|throw\b|using\b|await\b)[\w<>\[\],.?]+\s+{_NAME}\s*(?:<[^>]*>)?\((?!.*;\s*$)", rf"\s*(?:\[[^\]]*\]\s*)*{_MODIFIERS}(?:class|struct|interface|enum|record)\s+{_NAME}"),
    "lua": Language("lua", "--", r"\s*(?:local\s+)?function\s+([\w.:]+)\s*\(|\s*([\w.]+)\s*=\s*function\s*\(", r"(?!)"),
    "ex": Language("elixir", "#", rf"\s*(?:def|defp|defmacro|defmacrop|defguard)\s+{_NAME}", r"\s*defmodule\s+([\w.]+)"),
    "sh": Language("bash", "#", r"\s*(?:function\s+)?([A-Za-z_][\w:.-]*)\s*\(\)\s*\{?|\s*function\s+([A-Za-z_][\w:.-]*)\s*\{", r"(?!)"),
    "zig": Language("zig", "//", rf"\s*(?:pub\s+|export\s+|inline\s+|extern\s+)*fn\s+{_NAME}\s*\(", rf"\s*(?:pub\s+)?const\s+{_NAME}\s*=\s*(?:packed\s+|extern\s+)?(?:struct|union|enum)\b"),
}  # fmt: skip
EXTENSIONS = {"kts": None, "tsx": "ts", "mts": "ts", "cts": "ts", "exs": "ex", "bash": "sh", "zsh": "sh"}
_SKIPPED = re.compile(r"(^|/)(test|tests|__tests__|spec|vendor|third_party|node_modules|generated)/|\.d\.ts$|\.(test|spec)\.\w+$|_test\.\w+$|\.min\.")
_TAG = re.compile(r"^\s*[@\\]\w+|^\s*-\s*(Parameters?|Returns?|Throws)\b|^\s*#+\s|^\s*```|^\s*Copyright|^\s*\{@|^\s*(Args|Returns|Raises):|^\s*---+\s*@", re.I)
_NOISE = re.compile(r"eslint|prettier|ts-ignore|tslint|istanbul|noinspection|nolint|todo|fixme|SPDX|licen[cs]e|shellcheck", re.I)
_ATTRIBUTE = re.compile(r"\s*(@[\w.]+(\(.*\))?|\[[\w., ()\"=]+\]|#\[.*\]|@(spec|impl|since|deprecated|doc since:).*)\s*$")
_MARKUP = re.compile(r"<[^>\n]{1,60}>|\{@\w+\s+([^}]*)\}|`+|\[\[|\]\]|\*\*")


def language_of(path: str) -> Language | None:
    """The language a file is mined as, by its extension."""
    if _SKIPPED.search(path):
        return None
    extension = path.rsplit(".", 1)[-1]
    return LANGUAGES.get(EXTENSIONS.get(extension, extension) or "")


def first_paragraph(lines: list[str]) -> str:
    """The prose a documentation opens with, as one line, markup removed."""
    kept = []
    for line in lines:
        line = line.strip()
        if _TAG.match(line) or (not line and kept):
            break
        if line:
            kept.append(line)
    text = _MARKUP.sub(lambda m: m[1] or "", " ".join(kept))
    return re.sub(r"\s+", " ", text).strip()[:MAX_DOC]


def _comment_above(lines: list[str], at: int, language: Language) -> list[str]:
    """The lines of the comment that ends right above a line, without its marks."""
    end = at
    while end and _ATTRIBUTE.match(lines[end - 1]):
        end -= 1
    if not end:
        return []
    above = lines[end - 1].strip()
    if language.name == "elixir" and above.endswith('"""'):
        begin = end - 2
        while begin >= 0 and not re.match(r"\s*@(doc|moduledoc|typedoc)\s", lines[begin]):
            begin -= 1
        return lines[begin + 1 : end - 1] if begin >= 0 and end - begin < 60 else []
    if above.endswith("*/"):
        begin = end - 1
        while begin >= 0 and "/*" not in lines[begin]:
            begin -= 1
        if begin < 0 or end - begin > 80 or not lines[begin].strip().startswith("/*"):
            return []
        return [re.sub(r"^\s*(/\*+!?|\*+/|\*)|\*+/\s*$", "", line) for line in lines[begin:end]]
    if above.startswith(language.line_comment):
        begin = end
        while begin and lines[begin - 1].strip().startswith(language.line_comment):
            begin -= 1
        mark = re.escape(language.line_comment[0])
        return [re.sub(rf"^\s*{mark}+[!|*]?", "", line) for line in lines[begin:end]]
    return []


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _body(lines: list[str], at: int, language: Language) -> str:
    depth, end = _indent(lines[at]), at + 1
    while end < len(lines) and end - at < 80:
        line = lines[end]
        if line.strip() and _indent(line) <= depth:
            if re.match(language.closer, line.strip()) or (line.strip() == "{" and end == at + 1):
                end += 1
                if "{" in line or line.rstrip().endswith(("(", "do", "=")):
                    continue
            break
        end += 1
    text = "\n".join(line.strip() for line in lines[at:end] if line.strip())
    return text[:MAX_CODE]


def pairs_of(path: str, text: str, language: Language):
    """Each documented definition: name, container, kind, documentation, code."""
    lines = text.splitlines()
    if len(lines) > 20_000 or max(map(len, lines), default=0) > 2_000:
        return
    function, type_ = re.compile(language.function), re.compile(language.type)
    containers: list[tuple[int, str]] = []
    for at, line in enumerate(lines):
        found_type, found = type_.match(line), function.match(line)
        if not found_type and not found:
            continue
        name = next(g for g in (found_type or found).groups() if g)
        while containers and containers[-1][0] >= _indent(line):
            containers.pop()
        container = containers[-1][1] if containers else ""
        if found_type:
            containers.append((_indent(line), name))
        doc = first_paragraph(_comment_above(lines, at, language))
        if len(doc.split()) < 3 or _NOISE.search(doc) or sum(map(str.isalpha, doc)) < 0.6 * len(doc):
            continue
        code = _body(lines, at, language)
        if code.count("\n") < 1 and len(code) < 60:
            continue
        yield {"name": name, "cls": container, "kind": "t" if found_type else "f", "doc": doc, "code": code}
