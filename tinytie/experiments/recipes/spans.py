"""Does the augmented loss lead the output embedding into the span of the input embedding?

J = β τ² V KL(ỹ ‖ ŷ_τ) + (1 − β) CE. By the theory of Inan et al. 2017 (section 4), minimizing the
divergence at a high temperature makes E_out h equal L u, which takes span(E_out) = span(L). Their
experiment measures how far the two untied matrices' spans are apart as β goes from 0 to 1.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from tinytie.experiments.options import Options
from tinytie.experiments.recipes.augmented_lm import AugmentedLM
from tinytie.experiments.recipes.run import stream_trainer
from tinytie.measure.neighbours import unit_rows
from tinytie.measure.perplexity import perplexity
from tinytie.measure.subspace import projection_residual, subspace_distance
from tinytie.models.rnn_lm import RNNLM
from tinytie.text.corpora import Corpus

BETAS = (0.0, 0.01, 0.1, 0.3, 1.0)


class Spans(NamedTuple):
    """What one β leads to."""

    beta: float
    distance: float  # between the two spans, in [0, 1]
    residual: float  # the share of E_out outside the span of E_in, in [0, 1]
    valid: float  # perplexity


@dataclass(frozen=True, kw_only=True)
class Scale(Options):
    """The size of the experiment: much smaller than the paper's, with Adam instead of SGD."""

    width: int = 48
    layers: int = 1
    epochs: int = 4
    rate: float = 5e-3
    decay: float = 1.0
    max_norm: float | None = None
    batch_size: int = 20
    steps: int = 35
    tau: float = 10.0


def spans_by_beta(corpus: Corpus, scale: Scale, betas: Iterable[float] = BETAS) -> Iterator[Spans]:
    """One model for each β, each from the same initial values.

    The rows of E_in are kept at length 1, and no model has an output bias.
    """
    return (one_beta(corpus, beta, scale) for beta in betas)


def one_beta(corpus, beta, scale):
    """Train an untied model under J, and measure its spans."""
    V = len(corpus.vocabulary)
    model = RNNLM(
        V, scale.width, cell="lstm", n_layers=scale.layers, tied=False, output_bias=False,
        dtype=np.float32, rng=scale.seed,
    )  # fmt: skip
    view = AugmentedLM(model, alpha=beta * scale.tau**2 * V, tau=scale.tau, beta=1 - beta)
    trainer = stream_trainer(view, model, corpus, scale, None)
    E_in, E_out = model.params["E_in"], model.params["E_out"]
    E_in[...] = unit_rows(E_in)
    events = trainer.run()
    while not trainer.finished:
        next(events)
        E_in[...] = unit_rows(E_in)
    return Spans(
        beta, subspace_distance(E_in, E_out), projection_residual(E_in, E_out),
        perplexity(trainer.valid_losses[-1]),
    )  # fmt: skip
