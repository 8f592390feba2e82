"""Pairs in, one compact corpus out: cleaned, de-duplicated, blocked, split into words.

usage: python -m orient_training.prepare --out build/corpus.xz PAIRS...
           [--repositories repositories.json --checkouts DIR]

PAIRS are files of JSON lines (`.zst` is read through the `zstd` command). With `--repositories` and `--checkouts` the
block list is applied by name and by content. Code that also stands in a held-out pair is never trained on.
"""

import argparse
import collections
import hashlib
import json
import lzma
import multiprocessing
import subprocess

import numpy as np

from . import blocklist, words

# Words kept of each field. Functions have about 76, docs 15; the tail adds time and no quality.
LIMITS = {"doc": 64, "body": 190, "name": 12, "path": 12}
FIELDS = tuple(LIMITS)
MIN_DOC_WORDS = 2
MIN_BODY_WORDS = 3


def read_lines(paths: list[str]):
    """The lines of files, one pair each."""
    for path in paths:
        if path.endswith(".zst"):
            process = subprocess.Popen(["zstd", "-dcq", "--long=27", path], stdout=subprocess.PIPE)
            yield from process.stdout
            if process.wait():
                raise SystemExit(f"{path}: zstd could not read it")
        else:
            with open(path, "rb") as file:
                yield from file


def fields_of(pair: dict) -> dict[str, list[bytes]]:
    """The words of each field, cut to its limit."""
    texts = {
        "doc": pair["doc"],
        "body": pair["code"],
        "name": f"{pair['cls']} {pair['name']}",
        "path": words.path_words_text(pair["path"]),
    }
    return {f: words.split(t.encode("utf-8", "replace"))[: LIMITS[f]] for f, t in texts.items()}


def _digest(parts: list[bytes]) -> bytes:
    return hashlib.blake2b(b" ".join(parts), digest_size=8).digest()


class Corpus:
    """Collects the word lists of pairs; word numbers go by frequency once all are seen."""

    def __init__(self):
        self.numbers: dict[bytes, int] = {}
        self.streams = {f: [] for f in FIELDS}
        self.lengths = {f: [] for f in FIELDS}
        self.columns = collections.defaultdict(list)
        self.keys = {"doc": {}, "body": {}}
        self.seen: set[bytes] = set()

    def add(self, pair: dict, fields: dict[str, list[bytes]]) -> bool:
        """Takes a pair in, unless it was there before."""
        doc, body = _digest(fields["doc"]), _digest(fields["body"])
        if doc + body in self.seen:
            return False
        self.seen.add(doc + body)
        for field, found in fields.items():
            self.streams[field].extend(self.numbers.setdefault(w, len(self.numbers)) for w in found)
            self.lengths[field].append(len(found))
        # Texts that are equal share a number: they must not be each other's negatives.
        self.columns["doc_key"].append(self.keys["doc"].setdefault(doc, len(self.keys["doc"])))
        self.columns["body_key"].append(self.keys["body"].setdefault(body, len(self.keys["body"])))
        self.columns["lang"].append(pair["lang"])
        self.columns["pkg"].append(pair["pkg"])
        self.columns["eval"].append(pair["split"] == "eval")
        return True

    def save(self, path: str) -> None:
        """Writes everything as one xz file that `corpus.load` reads."""
        total = len(self.numbers)
        streams = {f: np.array(s, np.uint32) for f, s in self.streams.items()}
        counts = sum(np.bincount(s, minlength=total) for s in streams.values())
        listed = list(self.numbers)
        order = sorted(range(total), key=lambda n: (-counts[n], listed[n]))
        renumbered = np.empty(total, np.uint32)
        renumbered[order] = np.arange(total, dtype=np.uint32)
        langs, lang_of = np.unique(self.columns["lang"], return_inverse=True)
        pkgs, pkg_of = np.unique(self.columns["pkg"], return_inverse=True)
        arrays = {"lang_of": lang_of.astype(np.uint8), "pkg_of": pkg_of.astype(np.uint32)}
        arrays["eval"] = np.array(self.columns["eval"], np.uint8)
        arrays["doc_key"] = np.array(self.columns["doc_key"], np.uint32)
        arrays["body_key"] = np.array(self.columns["body_key"], np.uint32)
        for field in FIELDS:
            numbers = renumbered[streams[field]]
            # The two halves apart compress a third better than side by side.
            arrays[field + "_low"] = (numbers & 0xFFFF).astype(np.uint16)
            arrays[field + "_high"] = (numbers >> 16).astype(np.uint8)
            arrays[field + "_len"] = np.array(self.lengths[field], np.uint8)
        head = {
            "words": [listed[n].decode("latin-1") for n in order],
            "langs": langs.tolist(),
            "pkgs": pkgs.tolist(),
            "arrays": [[name, a.dtype.str, len(a)] for name, a in arrays.items()],
        }
        encoded = json.dumps(head).encode()
        with lzma.open(path, "wb", preset=4) as file:
            file.write(len(encoded).to_bytes(8, "little") + encoded)
            for array in arrays.values():
                file.write(array.tobytes())


class Judge:
    """Says of a pair whether it may be used, and splits it into words. Copied into every worker."""

    def __init__(self, paths: list[str], blocked: blocklist.BlockList | None):
        self.blocked = blocked
        self.held_out: set[int] = set()
        for line in read_lines(paths):
            if b'"eval"' in line:
                pair = json.loads(line)
                if pair["split"] == "eval":
                    self.held_out |= blocklist.windows(pair["code"])

    def __call__(self, line: bytes):
        pair = json.loads(line)
        fields = fields_of(pair)
        about = {name: pair[name] for name in ("lang", "pkg", "split")}
        return self.verdict(pair, fields), about, fields

    def verdict(self, pair: dict, fields: dict[str, list[bytes]]) -> str:
        """Why a pair is left out, or nothing."""
        if len(fields["doc"]) < MIN_DOC_WORDS or len(fields["body"]) < MIN_BODY_WORDS:
            return "too short"
        if self.blocked and self.blocked.blocks_package(pair["pkg"]):
            return "blocked by name"
        windows = blocklist.windows(pair["code"])
        if self.blocked and not self.blocked.seen.isdisjoint(windows):
            return "blocked by content"
        if pair["split"] != "eval" and not self.held_out.isdisjoint(windows):
            return "held out elsewhere"
        return ""


def _work(line: bytes):
    return _judge(line)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pairs", nargs="+")
    parser.add_argument("--out", required=True)
    parser.add_argument("--repositories")
    parser.add_argument("--checkouts")
    parser.add_argument("--workers", type=int, default=4)
    arguments = parser.parse_args()
    blocked = None
    if arguments.repositories:
        blocked = blocklist.BlockList(arguments.repositories, arguments.checkouts)
    global _judge
    _judge = Judge(arguments.pairs, blocked)
    corpus, tally = Corpus(), collections.Counter()
    with multiprocessing.get_context("fork").Pool(arguments.workers) as pool:
        for verdict, about, fields in pool.imap(_work, read_lines(arguments.pairs), chunksize=500):
            tally[verdict or ("kept" if corpus.add(about, fields) else "seen before")] += 1
    corpus.save(arguments.out)
    print(", ".join(f"{name} {count}" for name, count in sorted(tally.items())))


if __name__ == "__main__":
    main()
