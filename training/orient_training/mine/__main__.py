"""Mines packages: their licence is checked and recorded, documented definitions become pairs.

usage: python -m orient_training.mine --packages packages.toml --cache DIR --out mined.jsonl
           --repositories repositories.json --checkouts DIR [--only TEXT]

A package is left out if its licence is not permissive or it is one of the evaluation repositories; a pair, if its code
stands in one of them. All pairs are for training: what is held out are the common pairs marked so.
"""

import argparse
import collections
import json
import sys
import tomllib

from .. import blocklist
from . import extract, licences, registries

# So that no package drowns the others of its language.
MOST_PAIRS = 8000


def mine_package(package: registries.Package, wanted: set[str], blocked: blocklist.BlockList, tally) -> list[dict]:
    """The pairs of a package, none twice."""
    pairs, seen = [], set()
    for path, data in package.files:
        language = extract.language_of(path)
        if not language or language.name not in wanted or b"\0" in data:
            continue
        for pair in extract.pairs_of(path, data.decode("utf-8", "replace"), language):
            key = (pair["doc"], pair["code"])
            if key in seen:
                tally["seen before"] += 1
            elif blocked.blocks_code(pair["code"]):
                tally["blocked"] += 1
            else:
                seen.add(key)
                pairs.append({"lang": language.name, "pkg": package.name, "lic": package.licence, "path": path, **pair, "split": "train"})
    # Spread over the package, not its first files alone.
    return pairs[:: max(1, -(-len(pairs) // MOST_PAIRS))]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("packages", "cache", "out", "repositories", "checkouts"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("--only", default="", help="packages whose name holds this text")
    arguments = parser.parse_args()
    with open(arguments.packages, "rb") as file:
        listed = tomllib.load(file)
    blocked = blocklist.BlockList(arguments.repositories, arguments.checkouts)
    tally, by_language = collections.Counter(), collections.Counter()
    with open(arguments.out, "w", encoding="utf-8") as out:
        for entry in listed["package"]:
            for name in entry["names"]:
                if arguments.only not in name:
                    continue
                try:
                    package = registries.REGISTRIES[entry["registry"]](name, arguments.cache)
                    if blocked.blocks_package(name, package.url):
                        print(f"blocked   {package.name}", file=sys.stderr)
                    elif not licences.is_permissive(package.licence):
                        print(f"licence   {package.name}: {package.licence or 'not stated'}", file=sys.stderr)
                    else:
                        pairs = mine_package(package, set(entry["languages"]), blocked, tally)
                        by_language.update(p["lang"] for p in pairs)
                        out.writelines(json.dumps(p, ensure_ascii=False) + "\n" for p in pairs)
                        print(f"{len(pairs):6}    {package.name} ({package.licence})", file=sys.stderr)
                except (registries.Missing, KeyError, StopIteration, OSError, ValueError, EOFError) as error:
                    print(f"missing   {entry['registry']}:{name}: {error}", file=sys.stderr)
    print(dict(sorted(by_language.items())), dict(tally))


if __name__ == "__main__":
    main()
