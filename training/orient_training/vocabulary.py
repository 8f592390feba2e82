"""The vocabulary: one Unigram model of whole words and pieces, with integer costs.

Three quarters are the most frequent words as they are; the rest are pieces, chosen by expectation maximisation over the
words that are left. A word of the vocabulary is one token. Any other is cut where the sum of costs is least; among equals
the longer last piece wins. Costs are integers, so that training and product cut every word alike.
"""

import collections
import math

SIZE = 16384
WHOLE_WORDS = 12288
MAX_PIECE = 16
COST_SCALE = 64  # of one nat
# A byte no piece covers is skipped at this cost: dearer than any piece.
SKIP_COST = 4095
SINGLES = [bytes([c]) for c in b"abcdefghijklmnopqrstuvwxyz0123456789"]
# A word seen less often says more about its package than about how words are made.
MIN_COUNT = 3
CANDIDATES = 32768
ROUNDS = (16384, 8192, 5120, 0, 0)


def cut(word: bytes, costs: dict[bytes, int], longest: int = MAX_PIECE) -> list[bytes]:
    """The cheapest cut of a word into pieces; bytes without a piece are left out."""
    if word in costs:
        return [word]
    best = [0] * (len(word) + 1)
    start = [0] * (len(word) + 1)
    for end in range(1, len(word) + 1):
        lowest, begin = best[end - 1] + SKIP_COST, -1
        for at in range(max(0, end - longest), end):
            cost = costs.get(word[at:end])
            if cost is not None and best[at] + cost < lowest:
                lowest, begin = best[at] + cost, at
        best[end], start[end] = lowest, begin
    pieces, end = [], len(word)
    while end:
        if start[end] < 0:
            end -= 1
        else:
            pieces.append(word[start[end] : end])
            end = start[end]
    return pieces[::-1]


def _costs(counts: dict[bytes, int]) -> dict[bytes, int]:
    total = sum(counts.values())
    return {p: min(SKIP_COST - 1, max(1, round(COST_SCALE * math.log(total / c)))) for p, c in counts.items()}


def _substrings(tail: dict[bytes, int]) -> collections.Counter:
    found = collections.Counter()
    for word, count in tail.items():
        for at in range(len(word)):
            for end in range(at + 1, min(len(word), at + MAX_PIECE) + 1):
                found[word[at:end]] += count
    return found


def build(counts: dict[bytes, int]) -> dict[bytes, int]:
    """Pieces and their costs, from words and how often each occurs. The order gives the numbers."""
    usable = {w: c for w, c in counts.items() if c >= MIN_COUNT and len(w) <= MAX_PIECE}
    whole = sorted(usable, key=lambda w: (-usable[w], w))[:WHOLE_WORDS]
    fixed = dict.fromkeys([*whole, *SINGLES])
    tail = {w: c for w, c in usable.items() if w not in fixed and w.isascii() and not w.isdigit()}
    found = _substrings(tail)
    # How often a piece stands inside a word of the tail; whole words are pieces there too.
    inside = {p: found[p] + 1 for p in fixed}
    others = (p for p in found if p not in fixed and p not in tail and len(p) > 1)
    pieces = sorted(others, key=lambda p: (-found[p] * (len(p) - 1), p))[:CANDIDATES]
    usage = {p: found[p] for p in pieces}
    for number, keep in enumerate(ROUNDS):
        costs = _costs({**inside, **usage})
        used = collections.Counter()
        for word, count in tail.items():
            used.update(dict.fromkeys(cut(word, costs), count))
        ranked = sorted(usage, key=lambda p: (-used[p] * (len(p) - 1), p))
        usage = {p: used[p] + 1 for p in ranked[: max(keep, SIZE - len(fixed))]}
        inside = {p: used[p] + 1 for p in fixed}
        print(f"vocabulary round {number + 1}: {len(usage)} pieces, {sum(used.values())} in use", flush=True)
    return _costs({**inside, **usage})
