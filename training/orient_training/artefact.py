"""The file the product carries: writing it, and a reference reading of it in plain integers.

`crates/embed/src/model_file.rs` describes the same layout. All numbers are little-endian:

    0   magic "ORIENTEM"          8   format (u32)           12  vocabulary size V (u32)
    16  dimension D (u32)         20  counts N (u32)         24  slots of the word table S (u32, a power of two)
    28  bytes of all pieces B (u32)                          32  weight of names, 36 of the path (u32, times 256)
    40  the model's revision (u32), zeros up to 64
    count weights N × u16 | row scales V × u16 | piece costs V × u16 | slots S × u16 | piece ends V × u32
    | pieces, B bytes | rows V × D × i8
"""

import math
import struct

import numpy as np

from . import vocabulary, words
from .model import COUNT_POWER, MAX_COUNT, NAMES_WEIGHT, PATH_WEIGHT

MAGIC = b"ORIENTEM"
FORMAT = 1
REVISION = 1
SLOTS = 32768
EMPTY = 0xFFFF
# Bounds that keep every sum inside 32 bits: 1024 tokens × 16380 × 127 < 2^31.
MAX_TOKENS = 1024
MAX_SCALE = 3840
COUNT_UNIT = 256
# Length of a unit vector in the int8 form, for a dimension of one.
UNIT = 25.0


def word_hash(word: bytes) -> int:
    """FNV-1a, 32 bits."""
    value = 0x811C9DC5
    for byte in word:
        value = (value ^ byte) * 0x01000193 & 0xFFFFFFFF
    return value


def slot_of(value: int) -> int:
    """Where a hash begins to look: its upper bits are the better mixed ones."""
    return (value ^ value >> 15) & (SLOTS - 1)


def quantise(table: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rows as int8 and an integer scale each."""
    peaks = np.abs(table.astype(np.float64)).max(1)
    unit = peaks.max() / 127 / MAX_SCALE
    scales = np.clip(np.ceil(peaks / 127 / unit), 1, MAX_SCALE)
    rows = np.clip(np.rint(table / (scales * unit)[:, None]), -127, 127)
    return rows.astype(np.int8), scales.astype(np.uint16)


def write(path: str, table: np.ndarray, costs: dict[bytes, int]) -> None:
    """Writes the file."""
    rows, scales = quantise(table)
    pieces = list(costs)
    slots = np.full(SLOTS, EMPTY, np.uint16)
    for number, piece in enumerate(pieces):
        at = slot_of(word_hash(piece))
        while slots[at] != EMPTY:
            at = (at + 1) & (SLOTS - 1)
        slots[at] = number
    counts = np.rint(COUNT_UNIT * np.arange(MAX_COUNT + 1, dtype=np.float64) ** COUNT_POWER).astype(np.uint16)
    blob = b"".join(pieces)
    head = struct.pack(
        "<8s9I", MAGIC, FORMAT, len(pieces), rows.shape[1], len(counts), SLOTS, len(blob),
        round(NAMES_WEIGHT * 256), round(PATH_WEIGHT * 256), REVISION,
    )  # fmt: skip
    with open(path, "wb") as file:
        file.write(head.ljust(64, b"\0"))
        for array in (counts, scales, np.array(list(costs.values()), np.uint16), slots):
            file.write(array.astype("<u2").tobytes())
        file.write(np.cumsum([len(p) for p in pieces]).astype("<u4").tobytes())
        file.write(blob)
        file.write(rows.tobytes())


class Artefact:
    """The file, read back: what the product computes, in integers."""

    def __init__(self, path: str):
        with open(path, "rb") as file:
            data = file.read()
        head = struct.unpack_from("<8s9I", data)
        if head[0] != MAGIC or head[1] != FORMAT:
            raise SystemExit(f"{path}: not a model of format {FORMAT}")
        size, self.dimension, counts, slots, blob = head[2:7]
        at = 64

        def take(kind: str, count: int) -> np.ndarray:
            nonlocal at
            array = np.frombuffer(data, kind, count, at)
            at += array.nbytes
            return array

        self.counts, self.scales, costs = take("<u2", counts), take("<u2", size), take("<u2", size)
        take("<u2", slots)
        ends = take("<u4", size).tolist()
        text = data[at : at + blob]
        at += blob
        self.rows = take("i1", size * self.dimension).reshape(size, self.dimension)
        pieces = [text[begin:end] for begin, end in zip([0, *ends], ends)]
        self.costs = dict(zip(pieces, costs.tolist()))
        self.numbers = {piece: number for number, piece in enumerate(pieces)}
        self._cuts: dict[bytes, list[int]] = {}

    def tokens(self, text: bytes) -> list[int]:
        """The tokens of a text, in order."""
        found = []
        for word in words.split(text):
            if word not in self._cuts:
                self._cuts[word] = [self.numbers[p] for p in vocabulary.cut(word, self.costs)]
            found.extend(self._cuts[word])
        return found

    def exact_sum(self, text: bytes) -> np.ndarray:
        """The weighted sum of rows, as 32-bit integers."""
        counts: dict[int, int] = {}
        for token in self.tokens(text):
            if token in counts or len(counts) < MAX_TOKENS:
                counts[token] = counts.get(token, 0) + 1
        numbers = np.array(list(counts), np.int64)
        often = np.minimum(np.array(list(counts.values()), np.int64), MAX_COUNT)
        weights = (self.counts[often].astype(np.int64) * self.scales[numbers] + COUNT_UNIT // 2) // COUNT_UNIT
        return weights @ self.rows[numbers].astype(np.int64) if counts else np.zeros(self.dimension, np.int64)

    def sum(self, text: bytes) -> tuple[int, np.ndarray]:
        """The sum as the product keeps it: its greatest value, and all values in 127ths of that."""
        total = self.exact_sum(text)
        peak = int(np.abs(total).max())
        if peak == 0:
            return 0, np.zeros(self.dimension, np.int8)
        values = (np.abs(total) * 127 + peak // 2) // peak * np.sign(total)
        return peak, values.astype(np.int8)

    def combine(self, parts: list[tuple[tuple[int, np.ndarray], float]]) -> np.ndarray:
        """Sums times weights, as one int8 vector of unit length."""
        total = np.zeros(self.dimension, np.float64)
        for (peak, values), weight in parts:
            scale = np.float32(peak) / np.float32(127)
            total += values.astype(np.float64) * (float(np.float32(weight)) * float(scale))
        square = 0.0
        for value in total.tolist():
            square += value * value
        if square == 0.0:
            return np.zeros(self.dimension, np.int8)
        scaled = total * (UNIT * self.dimension**0.5 / math.sqrt(square))
        # Halves go away from nought, as the product rounds.
        whole = np.floor(np.abs(scaled))
        whole += np.abs(scaled) - whole >= 0.5
        return np.copysign(np.minimum(whole, 127), scaled).astype(np.int8)
