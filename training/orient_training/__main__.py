"""From a corpus to the artefact, in one command: vocabulary, training, quantisation, evaluation, export.

usage: python -m orient_training --corpus build/corpus.xz --out build [--set seed=2 ...]

Writes `orient-embed.bin`, `figures.json` and `vectors.txt` into OUT. The same corpus and recipe on the same kind of GPU
give the same bytes.
"""

import argparse
import dataclasses
import hashlib
import json
import os
import time

# cuBLAS is deterministic only with a fixed workspace; it reads this when it starts.
os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")

import numpy as np
import torch

from . import artefact, evaluate, export, vocabulary, words
from .corpus import Bags, Corpus
from .train import OPENINGS, Recipe, train


def recipe_from(settings: list[str]) -> Recipe:
    """The default recipe with some values set."""
    kinds = {f.name: type(f.default) for f in dataclasses.fields(Recipe)}
    chosen = {}
    for setting in settings:
        name, _, value = setting.partition("=")
        if name not in kinds:
            raise SystemExit(f"no such setting: {name}; there are {', '.join(kinds)}")
        chosen[name] = kinds[name](value)
    return Recipe(**chosen)


def opening_bags(costs: dict[bytes, int], device: str) -> Bags:
    """The openings of questions as bags."""
    numbers = {piece: n for n, piece in enumerate(costs)}
    found = [(t, numbers[p]) for t, o in enumerate(OPENINGS) for w in words.split(o.encode()) for p in vocabulary.cut(w, costs)]
    texts, tokens = (torch.tensor(column, device=device) for column in zip(*found))
    return Bags.of(texts, tokens, len(OPENINGS), len(costs))


def quantised(model):
    """The model with the rows the artefact will hold."""
    rows, scales = artefact.quantise(model.table.detach().cpu().numpy())
    table = torch.from_numpy(rows.astype(np.float32) * scales[:, None])
    model.table.data.copy_(table.to(model.table.device))
    return model


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE")
    arguments = parser.parse_args()
    recipe = recipe_from(arguments.set)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.use_deterministic_algorithms(True)
    torch.backends.cuda.matmul.allow_tf32 = True
    os.makedirs(arguments.out, exist_ok=True)
    started = time.monotonic()

    def say(text: str) -> None:
        print(f"[{time.monotonic() - started:6.1f} s] {text}", flush=True)

    corpus = Corpus(arguments.corpus)
    say(f"{len(corpus)} pairs, {int(corpus.is_eval.sum())} of them held out; {len(corpus.words)} words; {recipe}")
    costs = vocabulary.build(corpus.train_word_counts())
    bags = corpus.tokenise(costs, device)
    say("tokens are ready")
    model = train(corpus, bags, opening_bags(costs, device), len(costs), recipe, device, say)
    before = evaluate.of_model(corpus, bags, model, device)
    path = os.path.join(arguments.out, "orient-embed.bin")
    table = export.rotated(model.table.detach().cpu().numpy(), recipe.seed)
    artefact.write(path, table, costs)
    export.write_vectors(os.path.join(arguments.out, "vectors.txt"), artefact.Artefact(path))
    figures = evaluate.of_model(corpus, bags, quantised(model), device)
    with open(path, "rb") as file:
        digest = hashlib.sha256(file.read()).hexdigest()
    say(evaluate.report("int8", figures))
    say(f"before quantisation: {before['mean']}")
    say(f"{path}: {os.path.getsize(path)} bytes, sha256 {digest}")
    with open(os.path.join(arguments.out, "figures.json"), "w", encoding="utf-8") as file:
        json.dump({"int8": figures, "float": before, "sha256": digest, "recipe": dataclasses.asdict(recipe)}, file, indent=1)


if __name__ == "__main__":
    main()
