#!/usr/bin/env python3
"""Compares the edges printed by `orient edges --json` with a truth file made by a compiler.

    orient edges --json > ours.jsonl
    compare.py TRUTH.jsonl ours.jsonl [--out DIR]

The unit is the unique pair (caller, callee), which is false if one of its lines is. An edge is judged when its
caller lies in a file of the scope (`TRUTH.scope.json` beside the truth file). README.md describes the files.
"""

import argparse
import json
import re
import sys
from collections import Counter, defaultdict
from pathlib import Path

CONFIDENCES = ["exact", "probable", "approximate"]
# Calls that a test runner or a framework makes: no compiler lists them, so they are counted apart.
UNWRITTEN = {"setup", "fixture", "framework", "injected", "component", "template"}
# Kinds of truth that are required apart from calls and constructions, each with its own recall.
APART = ["value", "ref", "dispatch", "jsx", "decorator", "macro", "operator", "implicit"]
# What answers them: a function that is passed is not called, and a macro is expanded.
ANSWERS = {"calls", "constructs", "passes", "registers"}
ANSWERS_OF = {"macro": ANSWERS | {"references"}}


def read_lines(path):
    """Every JSON object of a file of JSON lines; `-` is standard input."""
    stream = sys.stdin if path == "-" else open(path, encoding="utf-8")
    with stream:
        for number, line in enumerate(stream, 1):
            line = line.strip()
            if not line:
                continue
            try:
                yield json.loads(line)
            except json.JSONDecodeError as fault:
                sys.exit(f"{path}:{number}: not a JSON object on one line: {fault}")


def place(point):
    return (point["path"], point.get("line") or 0)


def text(point):
    name = point.get("name") or ("(top level)" if not point.get("line") else "?")
    return f"{name} {point['path']}:{point.get('line') or 0}"


class Truth:
    """What the oracle says: required pairs, pairs that are allowed but not asked for, and call sites."""

    def __init__(self, path, kinds, dynamic, sites, wanted):
        scope_path = Path(path).with_suffix(".scope.json")
        if not scope_path.exists():
            sys.exit(f"{scope_path} is missing: the oracle writes it beside the truth file")
        scope = json.loads(scope_path.read_text(encoding="utf-8"))
        self.files = {path for path in scope["files"] if wanted(path)}
        self.compiled = set(scope["files"])
        self.skipped = scope.get("skipped", {})
        self.root = Path(scope.get("root", "."))
        self.texts = {}
        self.required = {}
        self.apart = {}
        self.kinds = set()
        self.members = set()
        self.allowed = defaultdict(list)
        self.at = defaultdict(list)
        for edge in read_lines(path):
            if edge["caller"]["path"] not in self.files:
                continue
            asked = edge.get("kind", "call") in kinds
            if edge.get("dynamic"):
                if dynamic == "only":
                    pass
                elif dynamic == "skip":
                    asked = False
            elif dynamic == "only":
                asked = False
            key = (place(edge["caller"]), place(edge["callee"]))
            kind = edge.get("kind", "call")
            self.kinds.add(kind)
            if asked:
                self.required.setdefault(key, edge)
            elif kind in APART:
                self.apart.setdefault((kind, key), edge)
            if kind == "call" and edge.get("dynamic"):
                name = edge["callee"].get("name")
                same = [other for other in edge.get("also", []) if other.get("name") == name and not other.get("signature")]
                self.members.update((place(edge["callee"]), place(other)) for other in same)
            for pair in accepted(edge):
                self.allowed[pair].append((key, asked, edge.get("at")))
            self.at[(edge["caller"]["path"], edge.get("at"))].append(edge)
        self.sites = None
        if sites:
            self.sites = defaultdict(list)
            for site in read_lines(sites):
                self.sites[(site["path"], site["line"])].append(site)

    def left_out(self, path, line):
        """Whether the compiler never saw this line: another platform's file, or a branch of `#if`."""
        return path not in self.compiled or any(first <= line <= last for first, last in self.skipped.get(path, []))

    def is_macro_argument(self, path, line, name):
        """Whether a name is written inside of the parentheses of a macro on this line."""
        if path not in self.texts:
            file = self.root / path
            self.texts[path] = file.read_text(encoding="utf-8", errors="replace").splitlines() if file.is_file() else []
        lines = self.texts[path]
        text = lines[line - 1] if line and line <= len(lines) else ""
        macros = [other["callee"].get("name") for other in self.at.get((path, line), []) if other["kind"] == "macro"]
        return any(re.search(rf"\b{re.escape(macro)}\s*\(.*\b{re.escape(name or '?')}\b", text) for macro in macros if macro)

    def knows(self, edge):
        """Whether the oracle can tell that this edge of ours is false."""
        path, line, name = edge["caller"]["path"], edge.get("line"), edge["callee"].get("name")
        if self.left_out(path, line or 0):
            return False
        if self.left_out(*place(edge["callee"])):
            # The same name declared for another platform: right there, though not in this build.
            if any(other["callee"].get("name") == name for other in self.at.get((path, line), [])):
                return False
        if self.sites is None:
            return True
        here = self.sites.get((path, line), [])
        named = [site for site in here if site.get("name") == name]
        if not named and self.is_macro_argument(path, line, name):
            # An argument that the macro of this build drops, as that of an assertion: never compiled.
            return False
        # A called variable that has the name of the claimed function hides it, unless the claim is that it holds it; under
        # another name it may hold it.
        doubt = {"unknown"} if named and edge.get("rule") != "value" else {"unknown", "value"}
        return all(site.get("status") not in doubt for site in named or here)


def accepted(edge):
    """Every pair of places that counts as this edge."""
    path = edge["caller"]["path"]
    callers = [place(edge["caller"])] + [(path, line) for line in edge["caller"].get("also", [])]
    callees = [place(edge["callee"])] + [place(other) for other in edge.get("also", [])]
    return {(caller, callee) for caller in callers for callee in callees}


def read_ours(path, truth, kinds, prefix):
    """Our edges in scope by pair, the kinds of every pair, and all dispatches of the repository."""
    pairs, apart, dispatches = defaultdict(list), defaultdict(set), defaultdict(set)
    for edge in read_lines(path):
        kind = edge.get("kind", "calls")
        for end in ("caller", "callee"):
            if prefix and edge[end]["path"].startswith(prefix):
                edge[end]["path"] = edge[end]["path"][len(prefix):]
        key = (place(edge["caller"]), place(edge["callee"]))
        if kind == "dispatches":
            dispatches[key[0]].add(key[1])
        if edge["caller"]["path"] not in truth.files:
            continue
        if kind in kinds:
            pairs[key].append(edge)
        apart[key].add(kind)
    return dict(sorted(pairs.items())), apart, dispatches


def verdict(truth, key, edge):
    """One line of ours: right, neutral (of another kind), unwritten, unknown or false."""
    hits = [hit for hit in truth.allowed.get(key, []) if hit[2] in (None, edge.get("line"))]
    if hits:
        return "right" if any(asked for _, asked, _ in hits) else "neutral"
    if edge.get("rule") in UNWRITTEN:
        return "unwritten"
    # Of calls that nobody wrote, an oracle that lists none knows nothing.
    if edge.get("rule") == "implicit" and truth.kinds.isdisjoint({"implicit", "operator"}):
        return "unknown"
    return "false" if truth.knows(edge) else "unknown"


def judge(truth, pairs):
    """A verdict for each of our pairs, with the edge that decides it, and the required pairs that are found and missing."""
    order = ["false", "right", "neutral", "unknown", "unwritten"]
    confidence = {word: rank for rank, word in enumerate(CONFIDENCES)}
    verdicts, ours, found = {}, {}, defaultdict(list)
    for key, edges in pairs.items():
        judged = [(order.index(verdict(truth, key, edge)), confidence.get(edge.get("confidence"), 3), edge.get("line") or 0, edge)
                  for edge in edges]
        best = min(judged, key=lambda one: one[:3])
        verdicts[key], ours[key] = order[best[0]], best[3]
        for pair, asked, _ in truth.allowed.get(key, []):
            if asked:
                found[pair].append(min(judged, key=lambda one: one[1:3])[3])
    missing = [key for key in sorted(truth.required) if key not in found]
    return verdicts, ours, found, missing


def is_answered(apart, kind, edge):
    wanted = ANSWERS_OF.get(kind, ANSWERS)
    return any(not wanted.isdisjoint(apart.get(pair, ())) for pair in accepted(edge))


def in_other_branch(truth, pairs, missing):
    """How many missing pairs have an edge of ours at their line to the same name in a branch of `#if` that this build leaves out."""
    lines = defaultdict(set)
    for edges in pairs.values():
        for edge in edges:
            if truth.left_out(*place(edge["callee"])):
                lines[(edge["caller"]["path"], edge.get("line"))].add(edge["callee"].get("name"))
    edges = [truth.required[key] for key in missing]
    return sum(edge["callee"].get("name") in lines[(edge["caller"]["path"], edge.get("at"))] for edge in edges)


def apart_found(truth, apart):
    """How many pairs of each kind that is required apart are answered by an edge of ours."""
    rows = {}
    for (kind, _), edge in truth.apart.items():
        row = rows.setdefault(kind, Counter())
        row["required"] += 1
        row["found"] += is_answered(apart, kind, edge)
    return {kind: {**row, "recall": share(row["found"], row["required"])} for kind, row in sorted(rows.items())}


def dispatch_found(truth, dispatches):
    """How many (member, implementation) pairs behind dynamic calls our dispatches lead to, at any depth."""
    missing = []
    for member, implementation in sorted(truth.members):
        seen, queue = {member}, [member]
        while queue and implementation not in seen:
            for other in dispatches.get(queue.pop(), ()):
                if other not in seen:
                    seen.add(other)
                    queue.append(other)
        if implementation not in seen:
            missing.append((member, implementation))
    return missing


def share(part, whole):
    return part / whole if whole else None


def percent(value):
    return "     -" if value is None else f"{100 * value:5.1f}%"


def tally(ours, verdicts, field):
    rows = defaultdict(Counter)
    for key, edge in ours.items():
        rows[str(edge.get(field, "-"))][verdicts[key]] += 1
    return rows


def summarise(truth, ours, verdicts, found, missing, apart, undispatched):
    counts = Counter(verdicts.values())
    judged = counts["right"] + counts["false"]
    precision = share(counts["right"], judged)
    recall = share(len(truth.required) - len(missing), len(truth.required))
    summary = {
        "required": len(truth.required),
        "ours": len(ours),
        "right": counts["right"],
        "false": counts["false"],
        "unknown": counts["unknown"],
        "neutral": counts["neutral"],
        "unwritten": counts["unwritten"],
        "missing": len(missing),
        "precision": precision,
        "precision_strict": share(counts["right"], judged + counts["unknown"]),
        "recall": recall,
        "f1": share(2 * precision * recall, precision + recall) if precision and recall else None,
    }
    for field in ("confidence", "rule", "kind"):
        summary[field] = {
            word: {**row, "precision": share(row["right"], row["right"] + row["false"])}
            for word, row in sorted(tally(ours, verdicts, field).items())
        }
    summary["apart"] = apart_found(truth, apart)
    pairs = len(truth.members)
    summary["dispatch"] = {"required": pairs, "found": pairs - len(undispatched), "recall": share(pairs - len(undispatched), pairs)}
    summary["up_to"] = cumulative(truth, ours, verdicts, found)
    asked, got = Counter(), Counter()
    for key, edge in truth.required.items():
        word = edge.get("kind", "call") + (" dynamic" if edge.get("dynamic") else "")
        asked[word] += 1
        got[word] += key in found
    summary["truth_kind"] = {
        word: {"required": asked[word], "found": got[word], "recall": share(got[word], asked[word])}
        for word in sorted(asked)
    }
    return summary


def cumulative(truth, ours, verdicts, found):
    """Precision and recall when only edges of at least this confidence are taken."""
    table = {}
    for last in range(1, len(CONFIDENCES) + 1):
        taken = set(CONFIDENCES[:last])
        row = Counter(verdicts[key] for key, edge in ours.items() if edge.get("confidence") in taken)
        hit = sum(any(edge.get("confidence") in taken for edge in edges) for edges in found.values())
        table[CONFIDENCES[last - 1]] = {
            "precision": share(row["right"], row["right"] + row["false"]),
            "recall": share(hit, len(truth.required)),
        }
    return table


def show(summary):
    print(f"truth pairs {summary['required']}, ours in scope {summary['ours']}")
    print(f"precision {percent(summary['precision'])}, with unjudged edges as wrong {percent(summary['precision_strict'])}  "
          f"recall {percent(summary['recall'])}  f1 {percent(summary['f1'])}")
    print(f"right {summary['right']}, false {summary['false']}, missing {summary['missing']}, "
          f"not judged: oracle has no answer {summary['unknown']}, other kind {summary['neutral']}, "
          f"made by a runner or framework {summary['unwritten']}")
    if summary["other_branch"]:
        print(f"of the missing ones, {summary['other_branch']} lead to the same name in another branch of #if")
    for field in ("confidence", "rule", "kind"):
        print(f"\nby {field:<22} {'right':>7} {'false':>7} {'no answer':>10} {'precision':>10}")
        rows = sorted(summary[field].items(), key=lambda row: (-row[1].get("false", 0), row[0]))
        for word, row in rows:
            print(f"   {word:<22} {row.get('right', 0):>7} {row.get('false', 0):>7} "
                  f"{row.get('unknown', 0):>10} {percent(row['precision']):>10}")
    print(f"\nup to confidence          {'precision':>10} {'recall':>8}")
    for word, row in summary["up_to"].items():
        print(f"   {word:<22} {percent(row['precision']):>10} {percent(row['recall']):>8}")
    print(f"\nrequired apart             {'required':>10} {'found':>8} {'recall':>8}")
    for word, row in [*summary["apart"].items(), ("interface dispatch", summary["dispatch"])]:
        print(f"   {word:<22} {row['required']:>10} {row['found']:>8} {percent(row['recall']):>8}")
    print(f"\ntruth of kind             {'required':>10} {'found':>8} {'recall':>8}")
    for word, row in summary["truth_kind"].items():
        print(f"   {word:<22} {row['required']:>10} {row['found']:>8} {percent(row['recall']):>8}")


def write_lists(folder, truth, ours, verdicts, missing, apart, undispatched):
    """One line an edge, with what the other side says at the same line."""
    folder.mkdir(parents=True, exist_ok=True)
    ours_at = defaultdict(list)
    for edge in ours.values():
        ours_at[(edge["caller"]["path"], edge.get("line"))].append(edge)
    for verdict in ("false", "unknown"):
        with open(folder / f"{verdict}.txt", "w", encoding="utf-8") as out:
            for key, edge in ours.items():
                if verdicts[key] != verdict:
                    continue
                at = (edge["caller"]["path"], edge.get("line"))
                says = [text(other["callee"]) for other in truth.at.get(at, [])]
                print(f"{at[0]}:{at[1]}\t{text(edge['caller'])} -> {text(edge['callee'])}\t"
                      f"{edge.get('confidence')}/{edge.get('rule')}\toracle: {'; '.join(says) or 'nothing'}",
                      file=out)
    with open(folder / "missing.txt", "w", encoding="utf-8") as out:
        for key in missing:
            edge = truth.required[key]
            at = (edge["caller"]["path"], edge.get("at"))
            says = [f"{text(other['callee'])} [{other.get('rule')}]" for other in ours_at.get(at, [])]
            kind = edge.get("kind", "call") + (" dynamic" if edge.get("dynamic") else "")
            print(f"{at[0]}:{at[1]}\t{text(edge['caller'])} -> {text(edge['callee'])}\t{kind}\t"
                  f"ours: {'; '.join(says) or 'nothing'}", file=out)


    with open(folder / "apart.txt", "w", encoding="utf-8") as out:
        for (kind, _), edge in sorted(truth.apart.items()):
            if not is_answered(apart, kind, edge):
                print(f"{edge['caller']['path']}:{edge.get('at')}\t{text(edge['caller'])} -> {text(edge['callee'])}\t{kind}", file=out)
        for member, implementation in undispatched:
            print(f"{member[0]}:{member[1]}\t{implementation[0]}:{implementation[1]}\tinterface dispatch", file=out)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("truth", help="truth file, JSON lines")
    parser.add_argument("ours", help="edges of `orient edges --json`, `-` for standard input")
    parser.add_argument("--sites", help="call sites the oracle looked at (default: TRUTH.sites.jsonl if it is there)")
    parser.add_argument("--kinds", default="call,construct", help="kinds of truth that are asked for; others are neutral")
    parser.add_argument("--our-kinds", default="calls,constructs", help="kinds of our edges that are judged")
    parser.add_argument("--dynamic", choices=["ask", "skip", "only"], default="ask",
                        help="calls through an interface: asked for, neutral, or the only ones asked for")
    parser.add_argument("--only", default="", help="judge callers in paths that match this regular expression")
    parser.add_argument("--without", default="(?!)", help="judge no callers in paths that match this one")
    parser.add_argument("--prefix", default="", help="cut this off our paths (truth of a subfolder)")
    parser.add_argument("--out", type=Path, help="folder for false.txt, unknown.txt, missing.txt and apart.txt")
    parser.add_argument("--json", action="store_true", help="print the summary as JSON")
    return parser.parse_args()


def main():
    args = arguments()
    sites = args.sites or Path(args.truth).with_suffix(".sites.jsonl")
    sites = str(sites) if Path(sites).exists() else None
    only, without = re.compile(args.only), re.compile(args.without)
    truth = Truth(args.truth, set(args.kinds.split(",")), args.dynamic, sites,
                  lambda path: only.search(path) and not without.search(path))
    pairs, apart, dispatches = read_ours(args.ours, truth, set(args.our_kinds.split(",")), args.prefix)
    verdicts, ours, found, missing = judge(truth, pairs)
    undispatched = dispatch_found(truth, dispatches)
    summary = summarise(truth, ours, verdicts, found, missing, apart, undispatched)
    summary["other_branch"] = in_other_branch(truth, pairs, missing)
    if args.out:
        write_lists(args.out, truth, ours, verdicts, missing, apart, undispatched)
    print(json.dumps(summary, indent=1)) if args.json else show(summary)


if __name__ == "__main__":
    main()
