"""Reads what `prepare` wrote and turns words into tokens: for each text its distinct tokens and their counts."""

import json
import lzma

import numpy as np
import torch

from . import vocabulary
from .prepare import FIELDS


class Bags:
    """Bags of tokens of many texts, as one list of tokens, one of counts, and where each text begins."""

    def __init__(self, tokens: torch.Tensor, counts: torch.Tensor, offsets: torch.Tensor):
        self.tokens, self.counts, self.offsets = tokens, counts, offsets

    @staticmethod
    def of(texts: torch.Tensor, tokens: torch.Tensor, total: int, size: int) -> "Bags":
        """From one (text, token) for each occurrence."""
        keys, counts = torch.unique(texts * size + tokens, return_counts=True)
        lengths = torch.bincount(keys // size, minlength=total)
        offsets = torch.zeros(total + 1, dtype=torch.int64, device=keys.device)
        torch.cumsum(lengths, 0, out=offsets[1:])
        return Bags(keys % size, counts, offsets)

    def select(self, rows: torch.Tensor):
        """Tokens, counts and offsets of some texts, in that order."""
        begins = self.offsets[rows]
        lengths = self.offsets[rows + 1] - begins
        ends = torch.cumsum(lengths, 0)
        total = int(ends[-1])
        shift = torch.repeat_interleave(begins - (ends - lengths), lengths, output_size=total)
        at = torch.arange(total, device=rows.device) + shift
        return self.tokens[at], self.counts[at], ends - lengths


class Corpus:
    """All pairs, as words; `tokenise` gives them as tokens."""

    def __init__(self, path: str):
        with lzma.open(path, "rb") as file:
            head = json.loads(file.read(int.from_bytes(file.read(8), "little")))
            arrays = {n: np.frombuffer(file.read(np.dtype(t).itemsize * c), t) for n, t, c in head["arrays"]}
        self.words = [w.encode("latin-1") for w in head["words"]]
        self.langs, self.pkgs = head["langs"], head["pkgs"]
        self.lang_of, self.pkg_of = arrays["lang_of"].astype(np.int64), arrays["pkg_of"].astype(np.int64)
        self.is_eval = arrays["eval"].astype(bool)
        self.doc_key, self.body_key = arrays["doc_key"].astype(np.int64), arrays["body_key"].astype(np.int64)
        self.streams = {f: arrays[f + "_low"].astype(np.int64) | arrays[f + "_high"].astype(np.int64) << 16 for f in FIELDS}
        self.lengths = {f: arrays[f + "_len"].astype(np.int64) for f in FIELDS}

    def __len__(self) -> int:
        return len(self.lang_of)

    def train_word_counts(self) -> dict[bytes, int]:
        """How often each word occurs in the pairs that are trained on."""
        total = np.zeros(len(self.words), np.int64)
        for field in FIELDS:
            kept = np.repeat(~self.is_eval, self.lengths[field])
            total += np.bincount(self.streams[field][kept], minlength=len(self.words))
        return {w: int(c) for w, c in zip(self.words, total) if c}

    def tokenise(self, costs: dict[bytes, int], device: str) -> dict[str, Bags]:
        """The token bags of every field."""
        numbers = {piece: n for n, piece in enumerate(costs)}
        pieces = [[numbers[p] for p in vocabulary.cut(w, costs)] for w in self.words]
        lengths = torch.tensor([len(p) for p in pieces], device=device)
        flat = torch.tensor([n for p in pieces for n in p], device=device)
        begins = torch.cumsum(lengths, 0) - lengths
        bags = {}
        for field in FIELDS:
            stream = torch.from_numpy(self.streams[field]).to(device)
            texts = torch.repeat_interleave(torch.from_numpy(self.lengths[field]).to(device))
            found = lengths[stream]
            ends = torch.cumsum(found, 0)
            shift = torch.repeat_interleave(begins[stream] - (ends - found), found)
            tokens = flat[torch.arange(len(shift), device=device) + shift]
            bags[field] = Bags.of(torch.repeat_interleave(texts, found), tokens, len(self), len(costs))
        return bags
