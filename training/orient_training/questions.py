"""Questions about repositories, answered by the vectors alone: what the model is worth without the rest of the product.

usage: python -m orient_training.questions --model orient-embed.bin --questions questions.jsonl
           --repositories repositories.json --checkouts DIR [--names 3 --path 4] [--run run.jsonl]

Files are cut at definitions, simply. A question is ranked against all chunks of its repository; NDCG@10 is printed as the
vectors rank them, and with further chunks of a file lowered (each times 0.35), as the product does.
"""

import argparse
import collections
import json
import math
import os
import re

import numpy as np

from . import words
from .artefact import Artefact

MAX_BYTES = 1_000_000
LEAST_LINES, MOST_LINES = 8, 60
FILE_DECAY = 0.35
_KEYWORD = re.compile(
    r"(?:^|[\s(])(?:def|defp|defmacro|defmodule|class|func|fn|fun|function|struct|enum|trait|interface|type|module|object|protocol|extension|impl|data"
    r"|newtype|instance|namespace|const|val|record|actor|macro_rules!|#define)\s+([A-Za-z_][\w.:?!]*)"
)
_C_FUNCTION = re.compile(r"([A-Za-z_][\w:]*)\s*\(")
_SHELL = re.compile(r"(?:function\s+)?([\w:.-]+)\s*\(\)")
_BINDING = re.compile(r"(?:export\s+)?(?:local\s+)?([A-Za-z_][\w.]*)\s*(?:::|=\s*(?:async\s*)?(?:function|\())")


def definition(line: str) -> str | None:
    """The name a line defines, if it does."""
    indent = len(line) - len(line.lstrip())
    if indent > 4 or line.lstrip().startswith(("//", "--", "* ", "/*", '"')):
        return None
    found = _KEYWORD.search(line)
    if not found and indent == 0:
        found = _SHELL.match(line) or _BINDING.match(line)
        if not found and line[:1].isalpha() and ";" not in line and "=" not in line:
            found = _C_FUNCTION.search(line)
    return found[1] if found else None


def chunks_of(text: str):
    """(first line, last line, names defined, text) of each chunk; lines count from 1."""
    lines = text.splitlines()
    begin, names = 0, []
    for at, line in enumerate(lines):
        name = definition(line) if len(line) < 300 else None
        size = at - begin
        if size and ((name and size >= LEAST_LINES) or size >= MOST_LINES):
            yield begin + 1, at, names, "\n".join(lines[begin:at])
            begin, names = at, []
        if name:
            names.append(name)
    if begin < len(lines):
        yield begin + 1, len(lines), names, "\n".join(lines[begin:])


def files_of(folder: str):
    """Text files below a folder, in a fixed order."""
    for where, folders, names in os.walk(folder):
        folders[:] = sorted(f for f in folders if not f.startswith("."))
        for name in sorted(names):
            path = os.path.join(where, name)
            if os.path.islink(path) or os.path.getsize(path) > MAX_BYTES:
                continue
            with open(path, "rb") as file:
                data = file.read()
            if b"\0" not in data[:4096]:
                yield path, data.decode("utf-8", "replace")


def index(model: Artefact, checkout: str, root: str, weights: tuple[float, float]):
    """Places and vectors of all chunks below a root."""
    places, vectors = [], []
    for path, text in files_of(os.path.join(checkout, root)):
        relative = os.path.relpath(path, checkout)
        path_sum = model.sum(words.path_words_text(relative).encode())
        for first, last, names, body in chunks_of(text):
            parts = [(model.sum(body.encode()), 1.0), (model.sum(" ".join(names).encode()), weights[0])]
            vectors.append(model.combine([*parts, (path_sum, weights[1])]))
            places.append((relative, first, last))
    return places, np.array(vectors, np.int32)


def ranked(places, scores: np.ndarray, decay: float, count: int = 10) -> list:
    """The best chunks; with decay, each further chunk of a file counts less."""
    seen: collections.Counter = collections.Counter()
    best = []
    for at in np.argsort(-scores, kind="stable")[:400]:
        path = places[at][0]
        best.append((scores[at] * decay ** seen[path], at))
        seen[path] += 1
    best.sort(key=lambda pair: (-pair[0], pair[1]))
    return [places[at] for _, at in best[:count]]


def ndcg(results: list, relevant: list[dict]) -> float:
    """NDCG@10: a target counts at the first result that covers it."""
    found = set()
    for target in relevant:
        for rank, (path, first, last) in enumerate(results, 1):
            begin, end = target.get("start_line"), target.get("end_line")
            if path == target["path"] and (begin is None or end is None or (first <= end and begin <= last)):
                found.add(rank)
                break
    ideal = sum(1 / math.log2(i + 2) for i in range(min(10, len(relevant))))
    return sum(1 / math.log2(rank + 1) for rank in found) / ideal


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("model", "questions", "repositories", "checkouts"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("--names", type=float, default=3.0)
    parser.add_argument("--path", type=float, default=4.0)
    parser.add_argument("--run")
    arguments = parser.parse_args()
    model = Artefact(arguments.model)
    with open(arguments.questions, encoding="utf-8") as file:
        questions = [json.loads(line) for line in file]
    with open(arguments.repositories, encoding="utf-8") as file:
        roots = {r["repo"]: r["root"] for r in json.load(file)}
    by_repository = collections.defaultdict(list)
    for question in questions:
        by_repository[question["repo"]].append(question)
    rows, run = [], []
    for repository, asked in by_repository.items():
        checkout = os.path.join(arguments.checkouts, repository)
        places, vectors = index(model, checkout, roots[repository], (arguments.names, arguments.path))
        for question in asked:
            query = model.combine([(model.sum(question["query"].encode()), 1.0)]).astype(np.int32)
            scores = vectors @ query
            plain, lowered = (ranked(places, scores, d) for d in (1.0, FILE_DECAY))
            rows.append((question, ndcg(plain, question["relevant"]), ndcg(lowered, question["relevant"])))
            results = [{"path": p, "start_line": a, "end_line": b} for p, a, b in lowered]
            run.append({"repo": repository, "query": question["query"], "results": results})
    for key in ("category", "language"):
        for value in sorted({q[key] for q, _, _ in rows}):
            some = [(a, b) for q, a, b in rows if q[key] == value]
            plain, lowered = np.mean(some, axis=0)
            print(f"{key} {value:<12} n {len(some):<4} NDCG@10 {plain:.3f}, files lowered {lowered:.3f}")
    plain, lowered = np.mean([(a, b) for _, a, b in rows], axis=0)
    print(f"all n {len(rows)} NDCG@10 {plain:.4f}, files lowered {lowered:.4f}")
    if arguments.run:
        with open(arguments.run, "w", encoding="utf-8") as file:
            file.writelines(json.dumps(line) + "\n" for line in run)


if __name__ == "__main__":
    main()
