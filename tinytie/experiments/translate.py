"""The comparison of translators: one joint vocabulary, and the same translator under each tying.

The arms differ in nothing but the number of token matrices: same text, same batches in the same
order, same widths, same optimizer.
"""

import hashlib
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from tinytie.experiments.engine import Job, Run
from tinytie.experiments.options import Options
from tinytie.experiments.record import model_and_time, run_record
from tinytie.measure.perplexity import perplexity
from tinytie.measure.translation import (
    TranslationScore,
    score_translations,
    translate_texts,
    translation_loss,
)
from tinytie.models.language_model import LossAndGrads
from tinytie.models.translator import TYINGS, Translator
from tinytie.text.bpe import BPE, PAD, shared_subwords
from tinytie.text.numbers import number_pairs
from tinytie.text.pairs import Encoded, PairBatches, PairTexts, encode_pairs
from tinytie.training.trainer import Trainer


@dataclass(frozen=True, kw_only=True)
class TranslationOptions(Options):
    """The defaults suit numbers in words; the rate falls in the second half of the epochs.

    Lookups are scaled by √width, so that the cells are moved from the start.
    """

    merges: int = 200  # at most; V is 259 more
    width: int = 128
    hidden: int | None = None  # H; None is D
    cell: str = "lstm"
    batch_size: int = 32
    epochs: int = 10
    rate: float = 0.005


FOR_FILES = TranslationOptions(
    merges=4000, width=256, dropout=0.3, epochs=12, batch_size=64, rate=0.001
)  # for some ten thousand sentences


class Prepared(NamedTuple):
    """The text as subwords of one joint vocabulary."""

    texts: PairTexts
    bpe: BPE
    train: list[Encoded]
    valid: list[Encoded]
    shared: float  # the share of the subwords in use that both languages use


def number_texts(seed: int = 0, train: int = 5000, held_out: int = 500) -> PairTexts:
    """Numbers in words, English to French; no number is in two of the parts."""
    pairs = number_pairs(train + 2 * held_out, seed)
    return PairTexts(pairs[:train], pairs[train : train + held_out], pairs[train + held_out :])


def prepare(texts: PairTexts, merges: int) -> Prepared:
    """Learn the subwords from both sides of the training pairs, and encode."""
    bpe = BPE.learn((text for pair in texts.train for text in pair), merges)
    train, valid = encode_pairs(texts.train, bpe), encode_pairs(texts.valid, bpe)
    shared = shared_subwords([pair.source for pair in train], [pair.target for pair in train])
    return Prepared(texts, bpe, train, valid, shared)


class TeacherForced(PairBatches):
    """Pair batches as the trainer takes them: x is (source, target), y the words to predict."""

    def __getitem__(self, i):
        source, target = super().__getitem__(i)
        y = target[:, 1:]
        return (source, target), y[y != PAD]  # the trainer weighs a batch by their number


class ForTrainer(NamedTuple):
    """A translator as the trainer sees a model: no state is carried from batch to batch."""

    translator: Translator

    @property
    def params(self):
        return self.translator.params

    @property
    def frozen(self):
        return self.translator.frozen

    def loss_and_grads(self, x, y, state, **options):
        found = self.translator.loss_and_grads(*x, **options)
        return LossAndGrads(found.loss, found.grads, None, None, found.masks)

    def memory_for(self, n_targets):
        """None: batches of sentences differ in length."""


@dataclass(kw_only=True)
class TranslationJob(Job):
    """A translator under one tying, its label. It finds the `TranslationScore`."""

    options: TranslationOptions
    data: Prepared

    def build(self) -> tuple[Translator, Trainer]:
        """A new translator in float32, and all that trains it."""
        options, data = self.options, self.data
        weights, masks = np.random.default_rng(options.seed).spawn(2)
        model = Translator(
            data.bpe.vocab_size, options.width, options.hidden, tying=self.label,
            cell=options.cell, embed_scale=math.sqrt(options.width), dropout=options.dropout,
            padding_id=PAD, dtype=np.float32, rng=weights,
        )  # fmt: skip
        view: Any = ForTrainer(model)
        batches = TeacherForced(data.train, options.batch_size, options.seed)
        valid_loss = lambda _: translation_loss(model, data.valid)  # noqa: E731
        return model, options.trainer(view, batches, valid_loss, masks)

    def measure(self, model: Translator, trainer: Trainer) -> TranslationScore:
        """Translate the test pairs and compare."""
        test = self.data.texts.test
        translations = translate_texts(model, self.data.bpe, [source for source, _ in test])
        return score_translations(translations, test)

    def identity(self) -> dict[str, Any]:
        """Options and text."""
        text = json.dumps(self.data.texts).encode()
        return super().identity() | {"text": hashlib.sha256(text).hexdigest()}

    def conclude(self, run: Run, trainer: Trainer) -> None:
        """The model, and its trainer too, so that a finished run is only judged again."""
        self.write(run.model, self.training(trainer) if self.path else None)


def jobs_of(
    options: TranslationOptions, data: Prepared, folder: Path, resume: bool = False
) -> list[TranslationJob]:
    """Every tying, in the order of TYINGS, each with a checkpoint in the folder."""
    return [
        TranslationJob(
            label=tying, options=options, data=data, resume=resume,
            path=folder / f"{tying}.safetensors",
        )
        for tying in TYINGS
    ]  # fmt: skip


def record_of(options: TranslationOptions, data: Prepared, runs: Sequence[Run]) -> dict[str, Any]:
    """The comparison as JSON values: options, seed, environment, the text, a row for each tying."""
    return run_record(options.asdict(), [options.seed]) | {
        "task": "translate",
        "pairs": {part: len(pairs) for part, pairs in data.texts._asdict().items()},
        "vocabulary": data.bpe.vocab_size,
        "shared_subwords": data.shared,
        "arms": [arm_record(run) for run in runs],
    }


def arm_record(run):
    """One row of the table."""
    return {"tying": run.model.tying} | model_and_time([run]) | {
        "valid_perplexity": perplexity(run.valid_loss),
        "exact_match": run.found.exact,
        "bleu": run.found.bleu,
    }  # fmt: skip
