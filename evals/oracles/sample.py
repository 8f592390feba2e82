#!/usr/bin/env python3
"""Shows random edges of a truth file beside their source lines, to be checked by eye, and counts the edges
whose lines do not hold the names they should.

    sample.py TRUTH.jsonl [-n 20] [--seed 1] [--kind call]
"""

import argparse
import json
import random
import re
from collections import Counter
from functools import lru_cache
from pathlib import Path


@lru_cache(maxsize=None)
def lines(path):
    return Path(path).read_text(encoding="utf-8", errors="replace").split("\n")


def line(root, path, number):
    if not number:
        return "(top level)"
    found = lines(str(Path(root) / path))
    return found[number - 1].strip() if number <= len(found) else "(no such line)"


def holds(source, name):
    return not name or source == "(top level)" or re.search(rf"(?<!\w){re.escape(name)}(?!\w)", source) is not None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("truth", type=Path)
    parser.add_argument("-n", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kind")
    parser.add_argument("--odd", action="store_true", help="show only edges whose lines lack a name")
    args = parser.parse_args()
    root = json.loads(args.truth.with_suffix(".scope.json").read_text())["root"]
    edges = [json.loads(text) for text in args.truth.read_text(encoding="utf-8").splitlines()]
    edges = [edge for edge in edges if not args.kind or edge.get("kind", "call") == args.kind]
    kinds = Counter((edge.get("kind", "call"), bool(edge.get("dynamic"))) for edge in edges)
    pairs = {(edge["caller"]["path"], edge["caller"]["line"], edge["callee"]["path"], edge["callee"]["line"])
             for edge in edges}
    print(f"{len(edges)} edges, {len(pairs)} pairs; by (kind, dynamic): {dict(kinds)}")
    shown = []
    odd = Counter()
    for edge in edges:
        caller, callee = edge["caller"], edge["callee"]
        views = (line(root, caller["path"], caller["line"]), line(root, caller["path"], edge.get("at")),
                 line(root, callee["path"], callee["line"]))
        names = (caller.get("name"), callee.get("name"), callee.get("name"))
        wrong = [word for word, view, name in zip(("caller", "at", "callee"), views, names) if not holds(view, name)]
        odd.update(wrong)
        if wrong or not args.odd:
            shown.append((edge, views))
    print(f"lines without the name they should hold: {dict(odd)}")
    for edge, views in random.Random(args.seed).sample(shown, min(args.n, len(shown))):
        caller, callee = edge["caller"], edge["callee"]
        print(f"\n{edge.get('kind', 'call')}{' dynamic' if edge.get('dynamic') else ''}")
        print(f"  caller {caller['path']}:{caller['line']} {caller.get('also', '')}\t{views[0][:150]}")
        print(f"  at     {caller['path']}:{edge.get('at')}\t{views[1][:150]}")
        also = [f"{other['path']}:{other['line']}" for other in edge.get("also", [])][:6]
        print(f"  callee {callee['path']}:{callee['line']} {also or ''}\t{views[2][:150]}")


if __name__ == "__main__":
    main()
