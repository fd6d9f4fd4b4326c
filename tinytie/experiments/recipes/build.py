"""From a row and its settings to a trainer that is ready to run."""

from bisect import bisect_right

import numpy as np

from tinytie.experiments.recipes.augmented_lm import AugmentedLM
from tinytie.experiments.recipes.objective import Objective, PathRecorder
from tinytie.experiments.recipes.recipe import Row, Settings
from tinytie.measure.parameters import count_parameters
from tinytie.measure.perplexity import predict_pieces
from tinytie.models.masks import Dropout
from tinytie.models.rnn_lm import RNNLM
from tinytie.text.batches import Batches
from tinytie.text.corpora import Corpus
from tinytie.training.optimizers import SGD
from tinytie.training.schedules import Decay
from tinytie.training.trainer import Trainer


def build_model(row: Row, vocab_size: int, settings: Settings) -> RNNLM:
    """The row's model in float32, with the paper's initial values drawn from the seed."""
    width = settings.width
    if row.budget_of is not None:
        width = narrower(row, vocab_size, settings)
    model = sized(row.options, vocab_size, width, settings)
    rng = np.random.default_rng(settings.seed)
    for name, array in model.params.items():
        bias_of_cell = name.startswith("b")
        array[...] = 0 if bias_of_cell else rng.uniform(-1, 1, array.shape) * settings.bound
    return model


def sized(options, vocab_size, width, settings):
    """An LSTM language model of this width."""
    p = settings.dropout
    return RNNLM(
        vocab_size, width, cell="lstm", n_layers=settings.layers, dtype=np.float32, rng=0,
        dropout=Dropout(p, p, 0.0, p, variational=True), **options,
    )  # fmt: skip


def narrower(row, vocab_size, settings):
    """The largest width at which the row has no more parameters than `budget_of` has."""

    def count(width, options=row.options):
        return count_parameters(sized(options, vocab_size, width, settings))["total"]

    budget = count(settings.width, row.budget_of)
    return max(1, bisect_right(range(1, settings.width + 1), budget, key=count))


def build_trainer(
    row: Row, model: RNNLM, corpus: Corpus, settings: Settings, recorder: PathRecorder | None = None
) -> Trainer:
    """The row's objective on the corpus, cut into B rows and T steps; validation likewise."""
    penalty = settings.penalty if row.regularized else 0.0
    view = model
    if row.augmented:
        view = AugmentedLM(model, settings.gamma * settings.tau, settings.tau)
    objective = Objective(view, penalty, settings.dropout > 0, recorder)
    train, valid = (
        Batches(stream, settings.batch_size, settings.steps)
        for stream in (corpus.train, corpus.valid)
    )
    return Trainer(
        objective, SGD(settings.rate), Decay(settings.rate, settings.decay_after, settings.decay),
        train, lambda _: predict_pieces(model, valid).loss, epochs=settings.epochs,
        max_norm=settings.max_norm, rng=np.random.default_rng([settings.seed, 1]),
    )  # fmt: skip
