#!/usr/bin/env python3
"""Fits the likelihood of a hit, and reports how far it holds.

    python3 evals/calibrate.py --orient target/release/orient --directory PACKAGES

Asks our own questions in their packages, and each question once in another package, where it has no answer. A logistic model
predicts whether a hit shares a line with a passage of the answer. The report is by cross-validation: every package is predicted by
a model that has not seen it. The printed coefficients, of a model of all packages, belong into crates/rank/src/likelihood.rs.
"""

import argparse
import json
import math
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

HERE = Path(__file__).parent
LIMIT = 10
# Ridge penalty: features are of the order of one.
RIDGE = 1.0
# How much a question in a foreign package counts: most of what people ask about exists.
FOREIGN = 0.2


def packages():
    return tomllib.loads((HERE / "packages.toml").read_text())["package"]


def questions(name):
    lines = (HERE / "questions" / f"{name}.jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines if line.strip()]


def covers(hit, path, passages):
    return any(
        passage["path"] == path and hit["start_line"] <= passage["end_line"] and passage["start_line"] <= hit["end_line"]
        for passage in passages
    )


def ask(orient, tree, store, query):
    words = [orient, "search", "--json", "--explain", "--limit", str(LIMIT), "--store", store, "--", query]
    done = subprocess.run(words, cwd=tree, capture_output=True, text=True)
    if not done.stdout:
        sys.exit(f"{' '.join(words)} in {tree}: {done.stderr}")
    return json.loads(done.stdout)["data"]["hits"]


def examples(orient, directory):
    """Yields (package, question, category, hits) with hits as (features, relevant)."""
    listed = packages()
    for at, package in enumerate(listed):
        root = Path(directory) / package["name"]
        part = package.get("directory", "")
        prefix = f"{part}/" if part else ""
        other = questions(listed[(at + 1) % len(listed)]["name"])
        own = [(question, question["relevant"]) for question in questions(package["name"])]
        foreign = [({**question, "category": "foreign"}, []) for question in other if question["category"] not in ("exact", "negative")]
        with tempfile.TemporaryDirectory() as store:
            for question, passages in own + foreign:
                hits = []
                for hit in ask(orient, root / part, store, question["query"]):
                    features = [one["value"] for one in hit["evidence"]]
                    hits.append((features, covers(hit, prefix + hit["path"], passages)))
                yield package["name"], question["query"], question["category"], hits
        print(package["name"], file=sys.stderr)


def solve(matrix, vector):
    """Gaussian elimination with pivots."""
    size = len(vector)
    rows = [list(row) + [value] for row, value in zip(matrix, vector)]
    for column in range(size):
        pivot = max(range(column, size), key=lambda row: abs(rows[row][column]))
        rows[column], rows[pivot] = rows[pivot], rows[column]
        for row in range(column + 1, size):
            factor = rows[row][column] / rows[column][column]
            for at in range(column, size + 1):
                rows[row][at] -= factor * rows[column][at]
    result = [0.0] * size
    for row in reversed(range(size)):
        rest = sum(rows[row][at] * result[at] for at in range(row + 1, size))
        result[row] = (rows[row][size] - rest) / rows[row][row]
    return result


def predict(model, features):
    return 1 / (1 + math.exp(-(model[0] + sum(weight * feature for weight, feature in zip(model[1:], features)))))


def fit(data):
    """Newton's method on the penalised likelihood."""
    size = len(data[0][0]) + 1
    model = [0.0] * size
    for _ in range(25):
        gradient = [-RIDGE * weight if at else 0.0 for at, weight in enumerate(model)]
        hessian = [[RIDGE if row == column and row else 0.0 for column in range(size)] for row in range(size)]
        for features, relevant, count in data:
            inputs = [1.0, *features]
            likelihood = predict(model, features)
            spread = count * likelihood * (1 - likelihood)
            for row in range(size):
                gradient[row] += count * (relevant - likelihood) * inputs[row]
                for column in range(size):
                    hessian[row][column] += spread * inputs[row] * inputs[column]
        step = solve(hessian, gradient)
        model = [weight + change for weight, change in zip(model, step)]
        if max(abs(change) for change in step) < 1e-6:
            break
    return model


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--orient", required=True, help="the program")
    options.add_argument("--directory", required=True, help="where `cargo xtask eval --fetch` put the packages")
    options.add_argument("--keep", help="write or reuse the asked questions in this file")
    options = options.parse_args()
    orient = str(Path(options.orient).resolve())
    if options.keep and Path(options.keep).exists():
        asked = json.loads(Path(options.keep).read_text())
    else:
        asked = list(examples(orient, options.directory))
        if options.keep:
            Path(options.keep).write_text(json.dumps(asked))
    names = sorted({package for package, *_ in asked})
    count = lambda category: FOREIGN if category == "foreign" else 1.0
    rows = {
        name: [(*hit, count(category)) for package, _, category, hits in asked if package == name for hit in hits] for name in names
    }
    models = {name: fit([row for other in names if other != name for row in rows[other]]) for name in names}

    predicted = [(predict(models[name], features), relevant, count) for name in names for features, relevant, count in rows[name]]
    everything = sum(count for *_, count in predicted)
    print("| predicted | hits | mean prediction | relevant |\n|---|---:|---:|---:|")
    edges = [0, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9, 1.0001]
    error = 0.0
    for low, high in zip(edges, edges[1:]):
        inside = [row for row in predicted if low <= row[0] < high]
        if inside:
            whole = sum(count for *_, count in inside)
            mean = sum(likelihood * count for likelihood, _, count in inside) / whole
            share = sum(relevant * count for _, relevant, count in inside) / whole
            error += abs(mean - share) * whole / everything
            print(f"| {low:.2f} to {min(high, 1):.2f} | {len(inside)} | {mean:.3f} | {share:.3f} |")
    print(f"\nexpected calibration error {error:.4f}, {len(predicted)} hits\n")

    model = fit([row for name in names for row in rows[name]])
    print(f"\nINTERCEPT {model[0]:.3f}\nCOEFFICIENTS [{', '.join(f'{weight:.3f}' for weight in model[1:])}]")


if __name__ == "__main__":
    main()
