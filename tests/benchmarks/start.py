"""How fast a tied model learns from several starts of E, each with the same numbers drawn.

    python tests/benchmarks/start.py [--body rnn lstm transformer] [--width 64 128] [--seeds 3]
        [--epochs 2] [--text FILE --words 60000] [--spread 0.05 0.1 ...] [--json FILE]

For each body and width a table: the first loss over ln V at its worst seed, and the validation
perplexity after the last epoch, as a geometric mean over the seeds beside the ratio to the first
start (medians of the pairs with the same seed). A start is a spread of E (uniform in ±spread), with
or without a forget bias of 1 in an LSTM, and the factor on the rows looked up.
"""

import argparse
import json
import math
import tempfile
from pathlib import Path
from statistics import fmean, median
from typing import NamedTuple

import numpy as np

import tinytie
from tinytie.measure.perplexity import predict
from tinytie.text.batches import Batches
from tinytie.text.corpora import file_corpus, topics_corpus
from tinytie.training.optimizers import Adam
from tinytie.training.schedules import Constant
from tinytie.training.trainer import Trainer

B, T, RATE, CLIP, DROPOUT = 10, 20, 2e-3, 1.0, 0.2


class Start(NamedTuple):
    """spread None: the package's own."""

    spread: float | None = None
    forget: float = 0.0  # bias of an LSTM's forget gate
    scale: float = 1.0  # embed_scale

    def __str__(self):
        spread = "the default" if self.spread is None else f"±{self.spread:.3g}"
        forget = f", forget {self.forget:g}" if self.forget else ""
        return spread + forget + (f", scale {self.scale:.3g}" if self.scale != 1 else "")


def starts_of(body, width, spreads):
    """A small one to compare with, the spreads, and two with one more change; then the default."""
    small = 2 / width if body == "transformer" else 1 / (2 * math.sqrt(width))
    starts = [Start(spread) for spread in (small, *spreads)]
    if body == "lstm":
        starts += [Start(small, forget=1.0), Start(0.2, forget=1.0)]
    return [*starts, Start(small, scale=math.sqrt(width)), Start()]


def model_of(body, width, vocab_size, start, seed):
    """A tied model whose E, with its positions, is the seed's own, stretched to the spread."""
    options = {"embed_scale": start.scale, "dropout": DROPOUT, "dtype": np.float32, "rng": seed}
    if body == "transformer":
        model = tinytie.TransformerLM(vocab_size, width, 4, 2, T, **options)
    else:
        model = tinytie.RNNLM(vocab_size, width, cell=body, **options)
    if start.spread is not None:
        factor = start.spread / np.abs(model.params["E"]).max()
        for name in {"E", "pos"} & model.params.keys():
            model.params[name] *= factor
    if start.forget:
        model.params["b0"][width : 2 * width] = start.forget  # gates i f g o
    return model


def learned(model, corpus, epochs, seed):
    """The first loss on the training text over ln V, and the last validation perplexity."""
    first = predict(model, corpus.train[:5000]).loss / math.log(len(corpus.vocabulary))
    trainer = Trainer(
        model, Adam(RATE), Constant(RATE), Batches(corpus.train, B, T),
        lambda model: predict(model, corpus.valid).loss, epochs=epochs, max_norm=CLIP, rng=seed,
    )  # fmt: skip
    for _ in trainer.run():
        pass
    return first, math.exp(trainer.valid_losses[-1])


def measured(body, width, corpus, args):
    """The rows of one table."""
    rows, base = [], None
    for start in starts_of(body, width, args.spread):
        runs = []
        for seed in range(args.seeds):
            model = model_of(body, width, len(corpus.vocabulary), start, seed)
            runs.append(learned(model, corpus, args.epochs, seed))
        firsts, perplexities = zip(*runs, strict=True)
        base = base or perplexities
        ratio = median(p / q for p, q in zip(perplexities, base, strict=True))
        mean = math.exp(fmean(map(math.log, perplexities)))
        first = max(firsts, key=lambda first: abs(first - 1))
        rows.append({"start": str(start), "first": first, "perplexity": mean, "ratio": ratio})
        print(f"| {start} | {first:.3f} | {mean:.1f} | {ratio:.3f} |", flush=True)
    return rows


def corpus_of(args):
    """The embedded English, or the first words of a file."""
    if args.text is None:
        return topics_corpus()
    words = args.text.read_text(encoding="utf-8").splitlines(keepends=True)
    ends = np.cumsum([len(line.split()) for line in words])
    with tempfile.TemporaryDirectory() as folder:
        part = Path(folder) / args.text.name
        part.write_text("".join(words[: int(np.searchsorted(ends, args.words))]), encoding="utf-8")
        return file_corpus(part)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--body", nargs="+", default=["rnn", "lstm", "transformer"])
    parser.add_argument("--width", nargs="+", type=int, default=[64, 128])
    parser.add_argument("--spread", nargs="+", type=float, default=[0.05, 0.1, 0.2, 0.3, 0.5])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--text", type=Path)
    parser.add_argument("--words", type=int, default=60_000)
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    corpus, found = corpus_of(args), {}
    for body in args.body:
        for width in args.width:
            print(f"\n{body}, D = {width}, V = {len(corpus.vocabulary):,}, {len(corpus.train):,} "
                  f"tokens, {args.epochs} epochs, {args.seeds} seeds\n")  # fmt: skip
            print("| start of E | first loss / ln V | perplexity | ratio |")
            print("| --- | ---: | ---: | ---: |", flush=True)
            found[f"{body} {width}"] = measured(body, width, corpus, args)
    if args.json:
        args.json.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
