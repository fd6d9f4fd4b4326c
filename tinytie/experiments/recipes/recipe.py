"""What a published table is made of: settings that all rows share, and the rows."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from tinytie.experiments.options import Options


@dataclass(frozen=True, kw_only=True)
class Settings(Options):
    """How every row of a recipe is trained. Part of each record, so that no two runs are mixed."""

    width: int = 200  # D = H
    layers: int = 2  # of the LSTM
    batch_size: int = 20
    steps: int = 20
    epochs: int = 13
    optimizer: str = "sgd"
    rate: float = 1.0
    decay: float = 0.5
    decay_after: int | None = 4
    max_norm: float | None = 5.0
    keep_best: bool = False
    bound: float = 0.1  # every variable starts uniform in ±bound, biases of the LSTM at zero
    penalty: float = 1 / 6.5  # λ of ½ λ ΣP² / B, in the rows with a regularized projection
    dropout: float = 0.0  # variational, on every output of a layer and on the embedding
    gamma: float = 0.0  # α = γ τ, in the rows with the augmented loss
    tau: float = 1.0


class Published(NamedTuple):
    """What the paper's table says, on the Penn Treebank; None where it says nothing."""

    parameters: int | None = None
    train: float | None = None
    valid: float | None = None
    test: float | None = None
    reproduced: tuple[float, ...] = ()  # test perplexities of others who ran it again


class Row(NamedTuple):
    """One line of the table: how it differs from the others."""

    name: str
    meaning: str
    options: dict[str, Any]  # of RNNLM
    published: Published | None = None
    regularized: bool = False
    augmented: bool = False
    budget_of: dict[str, Any] | None = None  # narrower, to have no more parameters than these make


class Recipe(NamedTuple):
    """A table, and how to make it again."""

    name: str
    source: str
    settings: Settings
    rows: Mapping[str, Row]
    default_rows: tuple[str, ...]
