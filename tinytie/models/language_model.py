"""What every language model of the package shares: one network, two embedding matrices.

The network is written once, as a function of E_in and E_out. An untied model passes two arrays; a
tied model passes the same array twice, and its gradient is the sum of the two that come back.
"""

from abc import abstractmethod
from typing import Any, NamedTuple

import numpy as np

from tinytie.models import inputs
from tinytie.models.base import Model
from tinytie.ops.embedding import embedding_backward, embedding_backward_rows


class EmbeddingPaths(NamedTuple):
    """The gradient that reaches the embedding through the lookup, and through the scores."""

    input: np.ndarray
    output: np.ndarray


class LossAndGrads(NamedTuple):
    loss: float  # mean nats a token
    grads: dict[str, np.ndarray]
    state: Any
    embedding_paths: EmbeddingPaths | None
    masks: Any


class LanguageModel(Model):
    """What is done with a network. A subclass sets these attributes and writes the network."""

    vocab_size: int
    tied: bool

    @abstractmethod
    def initial_state(self, batch_size: int) -> Any:
        """The state before the first token, zeros; None where the model keeps none."""

    @abstractmethod
    def _forward(self, E_in, E_out, x, y, state, masks, chunk):
        """loss, state after the last step, cache. chunk: see `softmax_loss_forward`."""

    @abstractmethod
    def _backward(self, cache):
        """(de, the lookup's cache), dE_out, and a dict of the gradients of all the rest."""

    @abstractmethod
    def _logits(self, E_in, E_out, x, state):
        """The scores (B, T, V), and the state after the last step."""

    @abstractmethod
    def _state(self, state, batch_size):
        """The state to start from: a copy of the given one, checked, or zeros for None."""

    @abstractmethod
    def _draw_masks(self, rng, batch, steps):
        """New dropout masks for one call."""

    @abstractmethod
    def _check_masks(self, masks, batch, steps):
        """The masks to replay, checked; for None, masks that drop nothing."""

    @property
    def embedding_names(self) -> tuple[str, ...]:
        """The names of the token matrices."""
        return ("E",) if self.tied else ("E_in", "E_out")

    def embeddings(self) -> tuple[np.ndarray, np.ndarray]:
        """(E_in, E_out). Tying is the diagonal map E -> (E, E): one array, passed twice."""
        if self.tied:
            return self.params["E"], self.params["E"]
        return self.params["E_in"], self.params["E_out"]

    def loss(
        self, x: np.ndarray, y: np.ndarray, state: Any = None, *, masks: Any = None
    ) -> tuple[float, Any]:
        """Mean of −log ŷ_t[y_t] in nats a token, and the state after the last step.

        x, y (B, T) integer ids; state as returned by an earlier call, or None for zeros; masks as
        in `loss_and_grads().masks`, or None for no dropout. Raises ValueError or TypeError on ids,
        shapes or states that do not fit. Holds no array of scores as large as N × V.
        """
        x, y, state, masks = self._checked(x, y, state, masks)
        chunk = self._evaluation_chunk(self.vocab_size)
        loss, state, _ = self._forward(*self.embeddings(), x, y, state, masks, chunk)
        return loss, state

    def loss_and_grads(
        self, x: np.ndarray, y: np.ndarray, state: Any = None, *,
        paths: bool = True, rng: Any = None, masks: Any = None,
    ) -> LossAndGrads:  # fmt: skip
        """The loss, and its derivative with respect to every parameter.

        x, y and state as in `loss`. Dropout acts only where `rng` (anything that
        `np.random.default_rng` takes) draws its masks or `masks` replays them. paths=False leaves
        `embedding_paths` None and saves an array of E's size.
        """
        if rng is not None and masks is not None:
            raise ValueError("give rng to draw dropout masks or masks to replay them, not both")
        x, y, state, masks = self._checked(x, y, state, masks)
        if rng is not None:
            masks = self._draw_masks(inputs.generator(rng), *x.shape)
        chunk = self._training_chunk(x.size, self.vocab_size)
        loss, state, cache = self._forward(*self.embeddings(), x, y, state, masks, chunk)
        (de, looked), dE_out, grads = self._backward(cache)
        matrices, both = self._embedding_gradients(de, looked, dE_out, paths)
        return LossAndGrads(loss, matrices | grads, state, both, masks)

    def _embedding_gradients(self, de, looked, dE_out, paths):
        """The gradients of the token matrices, and both paths where they are asked for."""
        if self.tied and not paths:
            tokens, rows = embedding_backward_rows(de, looked)
            dE_out[tokens] += rows  # the same sum as below, in the rows that were looked up
            return {"E": dE_out}, None
        dE_in = embedding_backward(de, looked)
        both = EmbeddingPaths(dE_in, dE_out) if paths else None
        if self.tied:
            return {"E": dE_in + dE_out}, both  # the two paths of E: all of weight tying
        return {"E_in": dE_in, "E_out": dE_out}, both

    @property
    def context(self) -> int | None:
        """How many tokens a prediction can look back on; None where there is no such bound."""
        return None

    def start(self, batch_size: int) -> Any:
        """What the model remembers before the first token: the first memory of `step`."""
        return self.initial_state(batch_size)

    def step(self, ids: np.ndarray, memory: Any) -> tuple[np.ndarray, Any]:
        """Read one token of each row: the scores of the next, (B, V), and the memory after it.

        ids (B,) integers; memory from `start` or the step before, left as it is. Token by token
        these are the scores of `logits` over the whole text, without reading it again. Raises
        ValueError where more than `context` tokens would be remembered.
        """
        x = inputs.next_tokens(ids, self.vocab_size)
        inputs.check_params(self.params, self.shapes, self.dtype)
        scores, memory = self._step(*self.embeddings(), x, memory)
        return scores[:, 0], memory

    def _step(self, E_in, E_out, x, memory):
        """The scores of x (B, 1), and the memory after it; here the memory is the state."""
        return self._logits(E_in, E_out, x, self._state(memory, len(x)))

    def logits(self, x: np.ndarray, state: Any = None) -> tuple[np.ndarray, Any]:
        """The scores s_t = E o_t + c, (B, T, V), and the state after the last step."""
        x = inputs.token_ids("x", x, self.vocab_size)
        inputs.check_params(self.params, self.shapes, self.dtype)
        return self._logits(*self.embeddings(), x, self._state(state, len(x)))

    def _checked(self, x, y, state, masks):
        x = inputs.token_ids("x", x, self.vocab_size)
        y = inputs.targets(y, x, self.vocab_size)
        inputs.check_params(self.params, self.shapes, self.dtype)
        return x, y, self._state(state, len(x)), self._check_masks(masks, *x.shape)
