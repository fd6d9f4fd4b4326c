"""How well a model predicts a text: its perplexity, and the probability of each word."""

import math
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np

from tinytie.models.language_model import LanguageModel
from tinytie.ops.softmax import softmax


class Prediction(NamedTuple):
    nats: float  # the total of −log ŷ over the predicted tokens
    tokens: int

    @property
    def loss(self) -> float:
        """Nats a token."""
        return self.nats / self.tokens

    @property
    def perplexity(self) -> float:
        """exp(loss): as unsure as a fair choice among this many words; inf where that overflows."""
        return perplexity(self.loss)


def perplexity(loss: float) -> float:
    """exp of a loss in nats per token, inf where that overflows."""
    return math.inf if loss >= 700 else math.exp(loss)


def predict(
    model: LanguageModel, stream: np.ndarray, steps: int = 256, batch_size: int = 1
) -> Prediction:
    """−Σ log ŷ_t[y_t] over a stream of ids, with the state carried from one end to the other.

    Every token but the first is predicted exactly once, given all tokens before it; `steps` at a
    time only bounds the memory. With batch_size B > 1 the stream is cut into B rows, which start
    from a zero state and so cost a little, and at most B − 1 tokens are left over; it is faster.
    A model of bounded `context` has no state: it reads each piece of that many steps afresh.
    Raises ValueError on a stream of fewer than two tokens a row.
    """
    steps = min(steps, model.context or steps)
    return predict_pieces(model, windows(stream, steps, batch_size))


def predict_pieces(
    model: LanguageModel, pieces: Iterable[tuple[np.ndarray, np.ndarray]]
) -> Prediction:
    """The same over (x, y) pieces (B, T), each of which goes on where the one before ended.

    nats is inf or nan where numbers of the model are so large that the loss overflows.
    """
    nats, tokens, state = 0.0, 0, None
    for x, y in pieces:
        with np.errstate(over="ignore", invalid="ignore"):  # the loss shows it
            loss, state = model.loss(x, y, state)
        nats += loss * y.size
        tokens += y.size
    return Prediction(nats, tokens)


def windows(
    stream: np.ndarray, steps: int, batch_size: int = 1
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """(x, y) pieces of at most `steps` steps, the last one shorter, that cover whole rows."""
    length = len(stream) // batch_size
    if length < 2:
        raise ValueError(
            f"a text of {len(stream)} tokens has nothing to predict in {batch_size} "
            f"row{'s' * (batch_size > 1)}: each row takes at least two"
        )
    rows = stream[: batch_size * length].reshape(batch_size, length)
    x, y = rows[:, :-1], rows[:, 1:]
    return ((x[:, i : i + steps], y[:, i : i + steps]) for i in range(0, length - 1, steps))


def word_probabilities(model: LanguageModel, ids: np.ndarray) -> np.ndarray:
    """P(w_t | w_1 … w_{t−1}) of every id after the first. ids (n,) -> (n − 1,) floats.

    By the chain rule their product is the probability of ids[1:], given ids[0].
    """
    ids = np.asarray(ids)
    logits, _ = model.logits(ids[np.newaxis, :-1])
    y_hat = softmax(logits[0].astype(np.float64))
    return y_hat[np.arange(len(y_hat)), ids[1:]]
