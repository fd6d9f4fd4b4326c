"""`tinytie evaluate`: the perplexity of a text, or the probability of a sentence word by word."""

import argparse
import math

import numpy as np

from tinytie.cli.files import file_name
from tinytie.cli.loading import MODEL, Loaded, load_for_text
from tinytie.cli.table import table
from tinytie.measure.perplexity import predict, word_probabilities
from tinytie.printable import printable
from tinytie.text.files import read_text
from tinytie.text.tokenizers import UNK

HELP = "the perplexity of a text under a saved model, or the probability of a sentence"
EXAMPLE = "tinytie evaluate model.safetensors --sentence 'the value of the name'"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", type=file_name, metavar="MODEL", help=MODEL)
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--text", type=file_name, metavar="FILE", help="a UTF-8 file: its perplexity")
    what.add_argument(
        "--sentence", metavar="WORDS", help="one sentence: its probability by the chain rule"
    )


def run(args: argparse.Namespace) -> tuple[dict, int]:
    loaded = load_for_text(args.model)
    if args.text is not None:
        return evaluate_text(loaded, read_text(args.text)), 0
    return evaluate_sentence(loaded, args.sentence), 0


def evaluate_text(loaded: Loaded, text: str) -> dict:
    """Perplexity over the whole text, every token but the first predicted once."""
    ids = loaded.reader.encode(text)
    unknown = float(np.mean(ids == loaded.reader.unknown))
    prediction = predict(loaded.model, ids)
    if not math.isfinite(prediction.loss):
        raise ValueError("the loss of this text overflows: numbers of the model are too large")
    print(
        f"perplexity {prediction.perplexity:.2f}  ({prediction.loss:.4f} nats a token over "
        f"{prediction.tokens:,} predicted tokens; {unknown:.1%} of the text is {UNK})"
    )
    return {
        "perplexity": prediction.perplexity,
        "loss": prediction.loss,
        "tokens": prediction.tokens,
        "unknown": unknown,
    }


def evaluate_sentence(loaded: Loaded, sentence: str) -> dict:
    """P(w_1 … w_n) = Π P(w_t | w_1 … w_{t−1}), after the end of a text; of words, with <eos>."""
    reader = loaded.reader
    if not len(reader.begin(sentence)):
        raise ValueError("the sentence is empty: there is no word to predict")
    ids = np.append(reader.start, reader.encode(sentence))
    words = [reader.words[i] for i in ids[1:]]
    probabilities = word_probabilities(loaded.model, ids)
    nats = -np.log(probabilities)
    rows = [
        [printable(piece), f"{p:.2e}", f"{cost:.3f}", f"{total:.3f}"]
        for piece, p, cost, total in zip(
            reader.pieces(sentence), probabilities, nats, nats.cumsum(), strict=True
        )
    ]
    print(table(["word", "P(word | before)", "-log P", "sum"], rows))
    total = float(nats.sum())
    print(
        f"the sentence: P = exp(-{total:.3f}) = {math.exp(-total):.3g}, "
        f"perplexity {math.exp(total / len(words)):.2f} over {len(words)} tokens"
    )
    return {
        "words": words,
        "probabilities": probabilities.tolist(),
        "log_probability": -total,
        "perplexity": math.exp(total / len(words)),
    }
