"""What leaves training beside the table: its rotation, and the vectors that hold the product to it."""

import numpy as np

from .artefact import Artefact

# Texts that reach every rule of splitting and cutting. All of them are made up.
SAMPLES = [
    "",
    "   \t\n ++ -- == !",
    "the",
    "where are retries handled",
    "how does the HTTP server parse JSON request bodies?",
    "parseJSONObject HTTPServer getURLs userIDs APIs XMLHttpRequest ABCsx ABs Bs",
    "snake_case_name kebab-case-name SCREAMING_SNAKE_CASE dotted.path.name::scoped",
    "utf8 x86_64 sha256sum 0xDEADbeef 1234567890 3.14159 v2beta10",
    "naïve Übermut Ωmega caf\u00e9s жизнь 東京 “quoted” — dash… → arrow © 2020 ±5°",
    "a" * 40 + " " + "b" * 41 + " " + "Q" * 40 + " " + "7" * 45,
    "kubectl microservices deserializers unmarshalling tokenisation quaternion zzyzx qwxzj",
    "xmlhttprequest filesystemwatcher bytebuffer hashmapentry asyncgeneratorfunction",
    "aaa bbb aaa ccc aaa bbb " * 40,
    "fn load(path: &Path) -> Result<Config, Error> {\n    let text = fs::read_to_string(path)?;\n    toml::from_str(&text)\n}",
    "def total(items):\n    \"\"\"Sum of prices, tax included.\"\"\"\n    return sum(i.price * (1 + i.tax) for i in items)",
    "export async function fetchUser(id: string): Promise<User | null> { const r = await get(`/users/${id}`); return r.ok ? r.json() : null; }",
    "static int ring_push(struct ring *r, const void *item) { if (r->head - r->tail == r->size) return -ENOSPC; }",
    "public sealed class OrderRepository : IRepository<Order> { public Task<Order?> FindAsync(Guid id) => _db.Orders.FindAsync(id); }",
    "src/http/client/retry_policy",
    "RetryPolicy nextDelay shouldRetry maxAttempts",
    " ".join(f"word{chr(97 + i % 26)}{chr(97 + i // 26 % 26)}{chr(97 + i // 676)}" for i in range(1400)),
]  # fmt: skip


def rotated(table: np.ndarray, seed: int) -> np.ndarray:
    """The table turned by random signs and a Hadamard matrix.

    No product of vectors changes, but what a vector says is spread evenly over its dimensions, which is what one bit for
    each dimension needs. Sums and differences only, so that every machine gets the same.
    """
    size = table.shape[1]
    if size & (size - 1):
        return table
    signs = np.where(np.random.default_rng(seed).random(size) < 0.5, -1.0, 1.0)
    turned = table.astype(np.float64) * signs
    half = 1
    while half < size:
        pairs = turned.reshape(len(table), -1, 2, half)
        turned = np.stack([pairs[:, :, 0] + pairs[:, :, 1], pairs[:, :, 0] - pairs[:, :, 1]], 2).reshape(len(table), size)
        half *= 2
    return turned / size**0.5


def write_vectors(path: str, model: Artefact) -> None:
    """For each sample a line: text, tokens, peak of the sum, values of the sum, and the unit vector, apart by tabs."""
    with open(path, "w", encoding="utf-8", newline="\n") as file:
        for sample in SAMPLES:
            data = sample.encode()
            peak, values = model.sum(data)
            unit = model.combine([((peak, values), 1.0)])
            tokens = " ".join(map(str, model.tokens(data)))
            text = sample.replace("\\", "\\\\").replace("\n", "\\n").replace("\t", "\\t")
            file.write("\t".join([text, tokens, str(peak), values.tobytes().hex(), unit.tobytes().hex()]) + "\n")
        fields = [model.sum(t.encode()) for t in SAMPLES[-8:-5]]
        mixed = model.combine(list(zip(fields, (1.0, 3.0, 4.0))))
        file.write("\t".join(["(body, names and path: the three samples from the eighth last, weights 1, 3, 4)", "", "", "", mixed.tobytes().hex()]) + "\n")
