#!/usr/bin/env python3
"""How often edges of each confidence and rule are right, over several repositories.

    calibration.py FOLDER OURS [--below 85]

FOLDER holds NAME.jsonl truth files, OURS our edges under the same names. `exact` edges should be right in 99 of 100
cases, `probable` ones in 90, `approximate` ones in 75; rows under `--below` percent with at least ten judged edges are marked.
"""

import argparse
from collections import Counter, defaultdict
from pathlib import Path

import compare


def verdicts(truth_path, ours_path):
    sites = truth_path.with_suffix(".sites.jsonl")
    truth = compare.Truth(str(truth_path), {"call", "construct"}, "ask",
                          str(sites) if sites.exists() else None, lambda path: True)
    pairs, _, _ = compare.read_ours(str(ours_path), truth, {"calls", "constructs"}, "")
    found, ours, _, _ = compare.judge(truth, pairs)
    for key, verdict in found.items():
        yield ours[key], verdict


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("truth", type=Path)
    parser.add_argument("ours", type=Path)
    parser.add_argument("--below", type=float, default=85)
    args = parser.parse_args()
    by_confidence, by_rule, worst = defaultdict(Counter), defaultdict(Counter), defaultdict(Counter)
    for ours in sorted(args.ours.glob("*.jsonl")):
        truth = args.truth / ours.name
        if not truth.exists():
            continue
        for edge, verdict in verdicts(truth, ours):
            by_confidence[edge["confidence"]][verdict] += 1
            by_rule[edge["confidence"], edge["rule"]][verdict] += 1
            if verdict == "false":
                worst[edge["confidence"], edge["rule"]][ours.stem] += 1
    show("confidence", {(word, ""): row for word, row in by_confidence.items()}, args.below, {})
    show("confidence and rule", by_rule, args.below, worst)


def show(title, rows, below, worst):
    print(f"\nby {title:<30} {'right':>7} {'false':>7} {'unjudged':>9} {'precision':>10}")
    for words, row in sorted(rows.items()):
        judged = row["right"] + row["false"]
        precision = compare.share(row["right"], judged)
        mark = "  <" if precision is not None and judged >= 10 and 100 * precision < below else ""
        where = ", ".join(f"{name} {count}" for name, count in worst.get(words, Counter()).most_common(3))
        print(f"   {' '.join(words):<30} {row['right']:>7} {row['false']:>7} "
              f"{row['unknown'] + row['neutral'] + row['unwritten']:>9} {compare.percent(precision):>10}{mark}  {where}")


if __name__ == "__main__":
    main()
