"""Trains the table on pairs: symmetric contrastive loss over large batches, from scratch."""

import dataclasses
import math

import numpy as np
import torch
import torch.nn.functional as F

from .model import Model


@dataclasses.dataclass(frozen=True)
class Recipe:
    """Everything that decides the result, beside the data."""

    seed: int = 1
    dimension: int = 256
    epochs: int = 12
    batch: int = 16384
    block: int = 128  # pairs of one package side by side: the hard negatives
    rate: float = 0.003
    betas: tuple[float, float] = (0.9, 0.98)
    decay: float = 0.3  # of weights: rare rows shrink towards nothing
    code_dropout: float = 0.2
    query_dropout: float = 0.1
    field_chance: float = 0.7
    side_loss: float = 0.2
    average: float = 0.98  # moving average of the table that is exported; 0 turns it off
    balance: float = 0.3  # thin languages are shown up to `most_repeats` times in an epoch
    most_repeats: int = 2
    question_chance: float = 0.2


# How people open a question. Added to documentation now and then, so that the table learns to weigh these words lightly.
OPENINGS = [
    "how does", "how do", "how is", "how are", "how to", "how can i", "where is", "where are", "where does", "where do we",
    "what is", "what does", "what are", "what happens when", "which function", "which file", "why does", "when is", "find the",
    "show me", "code that", "code for", "function that", "the function which", "class that", "implementation of",
    "logic for", "explain how", "explain the", "where is the code that", "what handles", "who calls", "definition of",
    "how we", "where we", "method to", "the way", "find where", "what code", "how and where",
]  # fmt: skip


def epoch_order(corpus, rows: np.ndarray, recipe: Recipe, random) -> np.ndarray:
    """The order of an epoch: blocks of one package, what is left over by language, all blocks shuffled."""
    sizes = np.bincount(corpus.lang_of[rows], minlength=len(corpus.langs)).astype(float)
    wanted = np.minimum((sizes.max() / np.maximum(sizes, 1)) ** recipe.balance, recipe.most_repeats)
    wanted = wanted[corpus.lang_of[rows]]
    repeats = (wanted + random.random(len(rows))).astype(np.int64)
    rows = np.repeat(rows, repeats)
    rows = rows[np.lexsort((random.random(len(rows)), corpus.pkg_of[rows]))]
    blocks, rest = [], []
    edges = np.flatnonzero(np.diff(corpus.pkg_of[rows])) + 1
    for package in np.split(rows, edges):
        whole = len(package) // recipe.block * recipe.block
        blocks.extend(package[:whole].reshape(-1, recipe.block))
        rest.append(package[whole:])
    rest = np.concatenate(rest)
    rest = rest[np.lexsort((random.random(len(rest)), corpus.lang_of[rest]))]
    blocks.extend(rest[: len(rest) // recipe.block * recipe.block].reshape(-1, recipe.block))
    order = np.concatenate([blocks[b] for b in random.permutation(len(blocks))])
    return order[: len(order) // recipe.batch * recipe.batch]


def contrast(left: torch.Tensor, right: torch.Tensor, scale: torch.Tensor, same: torch.Tensor) -> torch.Tensor:
    """Symmetric InfoNCE; pairs that are the same in truth are no negatives."""
    logits = (left @ right.T * scale).masked_fill(same, -torch.inf)
    own = (left * right).sum(1) * scale
    return ((torch.logsumexp(logits, 1) + torch.logsumexp(logits, 0)) / 2 - own).mean()


class Step:
    """The loss of one batch."""

    def __init__(self, corpus, bags, openings, model: Model, recipe: Recipe, generator: torch.Generator):
        self.bags, self.openings, self.model = bags, openings, model
        self.recipe, self.generator = recipe, generator
        device = model.table.device
        self.doc_key = torch.from_numpy(corpus.doc_key).to(device)
        self.body_key = torch.from_numpy(corpus.body_key).to(device)
        self.off_diagonal = ~torch.eye(recipe.batch, dtype=torch.bool, device=device)

    def _chance(self, count: int, chance: float) -> torch.Tensor:
        drawn = torch.rand(count, generator=self.generator, device=self.model.table.device)
        return (drawn < chance).float()[:, None]

    def loss(self, rows: torch.Tensor) -> torch.Tensor:
        recipe, model, bags, random = self.recipe, self.model, self.bags, self.generator
        body = model.sum(bags["body"], rows, recipe.code_dropout, random)
        name = model.log_name.exp() * model.sum(bags["name"], rows, recipe.code_dropout, random)
        path = model.log_path.exp() * model.sum(bags["path"], rows, recipe.code_dropout, random)
        doc = model.sum(bags["doc"], rows, recipe.query_dropout, random)
        if recipe.question_chance:
            count = len(self.openings.offsets) - 1
            chosen = torch.randint(count, (len(rows),), generator=random, device=rows.device)
            doc = doc + self._chance(len(rows), recipe.question_chance) * model.sum(self.openings, chosen)
        code = body + self._chance(len(rows), recipe.field_chance) * name
        code = code + self._chance(len(rows), recipe.field_chance) * path
        doc, code, body, name_path, name = (
            F.normalize(v, dim=1) for v in (doc, code, body, name + path, name)
        )
        same = self.doc_key[rows][:, None] == self.doc_key[rows][None, :]
        same |= self.body_key[rows][:, None] == self.body_key[rows][None, :]
        same &= self.off_diagonal
        scale = model.log_scale.exp()
        side = contrast(doc, name_path, scale, same) + contrast(name, body, scale, same)
        return contrast(doc, code, scale, same) + recipe.side_loss * side


def train(corpus, bags, openings, size: int, recipe: Recipe, device: str, log=print) -> Model:
    """A trained model; the same data, recipe and device give the same one."""
    random = np.random.default_rng(recipe.seed)
    generator = torch.Generator(device).manual_seed(recipe.seed)
    rows = np.flatnonzero(~corpus.is_eval)
    token_texts = torch.bincount(bags["body"].tokens, minlength=size) + torch.bincount(bags["doc"].tokens, minlength=size)
    model = Model(token_texts, 2 * len(corpus), recipe.dimension, generator)
    averaged = model.table.detach().clone()
    optimiser = torch.optim.AdamW(model.parameters(), recipe.rate, recipe.betas, weight_decay=recipe.decay)
    step = Step(corpus, bags, openings, model, recipe, generator)
    orders = [epoch_order(corpus, rows, recipe, random) for _ in range(recipe.epochs)]
    batches = torch.from_numpy(np.concatenate(orders)).to(device).split(recipe.batch)
    for number, batch in enumerate(batches):
        done = number / len(batches)
        for group in optimiser.param_groups:
            group["lr"] = recipe.rate * min(1.0, (number + 1) / 20) * 0.5 * (1 + math.cos(math.pi * done))
        loss = step.loss(batch)
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        optimiser.step()
        averaged.lerp_(model.table.detach(), 1 - recipe.average if number > 20 else 1.0)
        if number % 50 == 0 or number + 1 == len(batches):
            log(f"  step {number + 1}/{len(batches)} loss {loss.item():.4f} scale {model.log_scale.exp().item():.1f} "
                f"name {model.log_name.exp().item():.2f} path {model.log_path.exp().item():.2f}")  # fmt: skip
    model.table.data.copy_(averaged)
    return model
