"""Documentation to code on held-out packages: MRR@10 and recall@10 in pools of 1,000 of one language, and the MRR@10 in
pools of one package each. Languages with at least 300 held-out pairs count; all pairs of a smaller language are one pool.
"""

import numpy as np
import torch

POOL = 1000
MIN_LANGUAGE = 300
MIN_PACKAGE = 20
SEED = 1


def pools_of(corpus) -> tuple[list, list]:
    """(language, rows) of each pool: those of a language, and those of a package."""
    random = np.random.default_rng(SEED)
    mixed, single = [], []
    for number, name in enumerate(corpus.langs):
        rows = np.flatnonzero(corpus.is_eval & (corpus.lang_of == number))
        if len(rows) < MIN_LANGUAGE:
            continue
        shuffled = random.permutation(rows)
        for at in range(0, max(1, len(rows) // POOL)):
            mixed.append((name, shuffled[at * POOL : (at + 1) * POOL]))
        for package in np.unique(corpus.pkg_of[rows]):
            inside = rows[corpus.pkg_of[rows] == package]
            if len(inside) >= MIN_PACKAGE:
                single.append((name, random.permutation(inside)[:POOL]))
    return mixed, single


def ranks(scores: torch.Tensor, doc_key: torch.Tensor, body_key: torch.Tensor) -> torch.Tensor:
    """The place of each query's own code; equal docs and equal codes are right as well."""
    right = (doc_key[:, None] == doc_key[None, :]) | (body_key[:, None] == body_key[None, :])
    own = scores.masked_fill(~right, -torch.inf).amax(1, keepdim=True)
    return 1 + ((scores > own) & ~right).sum(1)


def _mean_by_language(pools, score) -> dict[str, tuple[float, float]]:
    places: dict[str, list] = {}
    for language, rows in pools:
        places.setdefault(language, []).append(score(rows))
    result = {}
    for language, found in places.items():
        rank = torch.cat(found).double()
        hit = rank <= 10
        result[language] = (float((hit / rank).mean()), float(hit.double().mean()))
    return result


def evaluate(corpus, similarity, device: str) -> dict:
    """Figures by language and their means; `similarity(rows)` gives the scores of a pool, queries by codes."""
    doc_key, body_key = (torch.from_numpy(k).to(device) for k in (corpus.doc_key, corpus.body_key))

    def score(rows):
        rows = torch.from_numpy(rows).to(device)
        return ranks(similarity(rows), doc_key[rows], body_key[rows])

    mixed, single = pools_of(corpus)
    by_pool, by_package = _mean_by_language(mixed, score), _mean_by_language(single, score)
    languages = {
        name: {"mrr": m, "recall": r, "package_mrr": by_package.get(name, (float("nan"),))[0]}
        for name, (m, r) in by_pool.items()
    }
    mean = {
        "mrr": float(np.mean([v["mrr"] for v in languages.values()])),
        "recall": float(np.mean([v["recall"] for v in languages.values()])),
        "package_mrr": float(np.nanmean([v["package_mrr"] for v in languages.values()])),
    }
    return {"mean": mean, "languages": languages}


def of_model(corpus, bags, model, device: str) -> dict:
    """Figures of a model."""
    with torch.no_grad():
        return evaluate(corpus, lambda rows: model.query(bags, rows) @ model.code(bags, rows).T, device)


def bm25(corpus, bags, device: str) -> dict:
    """Figures of BM25 on body, names and path, to compare with."""
    size = int(max(int(b.tokens.max()) for b in bags.values())) + 1

    def similarity(rows):
        total = torch.zeros(len(rows), size, device=device)
        for field in ("body", "name", "path"):
            total += _dense(bags[field], rows, size)
        present = total > 0
        idf = torch.log1p((len(rows) - present.sum(0) + 0.5) / (present.sum(0) + 0.5))
        length = total.sum(1, keepdim=True)
        weight = idf * total * 2.2 / (total + 1.2 * (0.25 + 0.75 * length / length.mean()))
        return _dense(bags["doc"], rows, size).clamp(max=1) @ weight.T

    return evaluate(corpus, similarity, device)


def _dense(bags, rows, size):
    tokens, counts, offsets = bags.select(rows)
    ends = torch.cat([offsets[1:], torch.tensor([len(tokens)], device=rows.device)])
    owner = torch.repeat_interleave(ends - offsets)
    dense = torch.zeros(len(rows), size, device=rows.device)
    dense[owner, tokens] = counts.float()
    return dense


def report(name: str, figures: dict) -> str:
    """Figures as a table."""
    lines = [f"{name:<24} MRR@10   R@10  package"]
    for label, row in [*figures["languages"].items(), ("mean", figures["mean"])]:
        lines.append(f"  {label:<22} {row['mrr']:.4f} {row['recall']:.4f}  {row['package_mrr']:.4f}")
    return "\n".join(lines)
