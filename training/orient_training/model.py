"""The model: a table of rows. A text is the sum of its tokens' rows, each times a power of its count.

A row's length is its weight; nothing else is learned for a token. A function is the weighted sum of its body, its names
and its path.
"""

import torch
import torch.nn.functional as F

COUNT_POWER = 0.35
MAX_COUNT = 63
# What names and path weigh against the body where all three are there. Training learns weights of its own for fields that are
# often missing; these were fitted to the held-out pools afterwards. The optimum is flat: 2 to 3 for names, 0.3 to 0.7 for paths.
NAMES_WEIGHT = 2.2
PATH_WEIGHT = 0.5


class Model(torch.nn.Module):
    """The table, the weights of the fields, and the temperature of the loss."""

    def __init__(self, token_texts: torch.Tensor, texts: int, dimension: int, generator: torch.Generator):
        super().__init__()
        device = token_texts.device
        idf = torch.log((texts + 1) / (token_texts + 1.0)).clamp(min=0.5)
        rows = torch.randn(len(token_texts), dimension, generator=generator, device=device)
        rows *= (idf / idf.mean() / dimension**0.5)[:, None]
        self.table = torch.nn.Parameter(rows)
        self.log_scale = torch.nn.Parameter(torch.tensor(3.0, device=device))
        self.log_name = torch.nn.Parameter(torch.tensor(0.0, device=device))
        self.log_path = torch.nn.Parameter(torch.tensor(0.0, device=device))

    def sum(self, bags, rows: torch.Tensor, dropout: float = 0.0, generator=None) -> torch.Tensor:
        """The sums of some texts; with dropout, each distinct token is left out with that probability."""
        tokens, counts, offsets = bags.select(rows)
        weights = counts.clamp(max=MAX_COUNT).to(self.table.dtype) ** COUNT_POWER
        if dropout:
            weights = weights * (torch.rand(len(weights), generator=generator, device=weights.device) >= dropout)
        return F.embedding_bag(tokens, self.table, offsets, mode="sum", per_sample_weights=weights)

    def code(self, bags, rows: torch.Tensor) -> torch.Tensor:
        """Functions as they are searched for: all fields, nothing dropped, unit length."""
        total = self.sum(bags["body"], rows)
        total = total + NAMES_WEIGHT * self.sum(bags["name"], rows)
        total = total + PATH_WEIGHT * self.sum(bags["path"], rows)
        return F.normalize(total, dim=1)

    def query(self, bags, rows: torch.Tensor) -> torch.Tensor:
        """Documentation as a query, unit length."""
        return F.normalize(self.sum(bags["doc"], rows), dim=1)
