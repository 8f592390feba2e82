"""What must never be trained on: the repositories the product is evaluated with.

A repository is blocked by its name, and its code by content: every window of five lines that say something is hashed,
and a mined pair that has one of those windows is dropped, wherever it was found.
"""

import hashlib
import json
import os

WINDOW = 5
SKIPPED_FOLDERS = {".git", "node_modules"}


def windows(code: str) -> set[int]:
    """Hashes of all runs of five lines, white space squeezed, lines of punctuation left out."""
    lines = [" ".join(line.split()) for line in code.splitlines()]
    lines = [line for line in lines if sum(map(str.isalnum, line)) >= 4]
    return {
        int.from_bytes(hashlib.blake2b("\n".join(lines[i : i + WINDOW]).encode(), digest_size=8).digest(), "little")
        for i in range(len(lines) - WINDOW + 1)
    }


class BlockList:
    """Names and code windows of the evaluation repositories."""

    def __init__(self, repositories: str, checkouts: str):
        with open(repositories, encoding="utf-8") as file:
            entries = json.load(file)
        self.names = {e["repo"].lower() for e in entries} | {e["github"].split("/")[1].lower() for e in entries}
        self.urls = {e["github"].lower() for e in entries}
        self.seen: set[int] = set()
        missing = []
        for entry in entries:
            root = os.path.join(checkouts, entry["repo"])
            if not os.path.isdir(root):
                missing.append(root)
                continue
            for folder, folders, files in os.walk(root):
                folders[:] = sorted(f for f in folders if f not in SKIPPED_FOLDERS)
                for name in sorted(files):
                    self.seen |= _windows_of_file(os.path.join(folder, name))
        if missing:
            raise SystemExit("not checked out, so it cannot be blocked:\n  " + "\n  ".join(missing))

    def blocks_package(self, name: str, url: str = "") -> bool:
        """Whether a package is one of the repositories, by its name or by the address of its source."""
        plain = name.split(":")[-1].split("/")[-1].lower()
        return plain in self.names or any(u in url.lower() for u in self.urls)

    def blocks_code(self, code: str) -> bool:
        """Whether a piece of code also stands in one of the repositories."""
        return not self.seen.isdisjoint(windows(code))


def _windows_of_file(path: str) -> set[int]:
    if os.path.islink(path) or os.path.getsize(path) > 2_000_000:
        return set()
    with open(path, "rb") as file:
        data = file.read()
    return set() if b"\0" in data else windows(data.decode("utf-8", "replace"))
