"""The options of a training run, and what is built from them: model, optimizer, trainer."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from tinytie.measure.perplexity import predict
from tinytie.models.language_model import LanguageModel
from tinytie.models.rnn_lm import RNNLM
from tinytie.models.transformer_lm import TransformerLM
from tinytie.text.batches import Batches
from tinytie.text.corpora import Corpus
from tinytie.training.optimizers import Adam
from tinytie.training.schedules import Decay
from tinytie.training.trainer import Trainer


@dataclass(frozen=True)
class Options:
    """One recipe for every arm of a comparison; the defaults suit a text of 50,000 words.

    Adam at `rate`, which from epoch `decay_after` on shrinks by `decay` each epoch; the gradient
    clipped at norm `max_norm`; stopped `patience` epochs after the best validation loss.
    """

    model: str = "rnn"
    cell: str = "rnn"
    width: int = 64  # of the embedding and of the hidden layers
    layers: int = 1
    heads: int = 4  # of a Transformer; its width is a multiple of them
    dropout: float = 0.2
    batch_size: int = 10
    steps: int = 20
    epochs: int = 12
    rate: float = 2e-3
    decay_after: int = 5
    decay: float = 0.7
    max_norm: float = 1.0
    patience: int = 3


def build_rnn(options, vocab_size, tied, width, rng):
    """A recurrent language model."""
    return RNNLM(
        vocab_size, width, cell=options.cell, n_layers=options.layers, tied=tied,
        dropout=options.dropout, dtype=np.float32, rng=rng,
    )  # fmt: skip


def build_transformer(options, vocab_size, tied, width, rng):
    """A Transformer that looks back on as many steps as it is trained on."""
    return TransformerLM(
        vocab_size, width, options.heads, options.layers, options.steps, tied=tied,
        dropout=options.dropout, dtype=np.float32, rng=rng,
    )  # fmt: skip


BUILDERS: dict[str, Callable[..., LanguageModel]] = {
    "rnn": build_rnn,
    "transformer": build_transformer,
}


def width_step(options: Options) -> int:
    """Every width of such a model is a multiple of this."""
    return options.heads if options.model == "transformer" else 1


def build_model(
    options: Options, vocab_size: int, tied: bool, width: int | None = None, rng: Any = None
) -> LanguageModel:
    """A new float32 model of the kind `options.model`. width None is the options' own."""
    build = BUILDERS[options.model]
    return build(options, vocab_size, tied, options.width if width is None else width, rng)


def build_trainer(options: Options, corpus: Corpus, model: LanguageModel, rng: Any) -> Trainer:
    """A trainer of this model on the corpus; rng draws dropout masks."""
    return Trainer(
        model,
        Adam(options.rate),
        Decay(options.rate, options.decay_after, options.decay),
        Batches(corpus.train, options.batch_size, options.steps),
        partial(stream_loss, stream=corpus.valid),
        epochs=options.epochs,
        patience=options.patience,
        max_norm=options.max_norm,
        rng=rng,
    )


def stream_loss(model, stream):
    """Nats a token over the whole stream, the state carried all along."""
    return predict(model, stream).loss
