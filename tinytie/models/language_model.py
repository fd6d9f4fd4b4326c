"""Every language model of the package: one network, a function of two embedding matrices.

    loss(E_in, E_out, rest)

An untied model passes two arrays. A tied model passes the same array twice, and its gradient is
the sum of the two that come back. What stands between lookup and scores is the `Body`.
"""

from typing import Any, NamedTuple

import numpy as np

from tinytie.models import inputs
from tinytie.models.base import Model
from tinytie.models.body import Body
from tinytie.models.masks import check_masks, draw_masks, no_masks
from tinytie.ops.activations import Pair
from tinytie.ops.embedding import embedding_forward, embedding_rows_backward
from tinytie.ops.head import head_backward, head_forward
from tinytie.ops.softmax import scores_forward


class EmbeddingPaths(NamedTuple):
    """The gradient that reaches the embedding through the lookup, and through the scores."""

    input: np.ndarray
    output: np.ndarray


class LossAndGrads(NamedTuple):
    loss: float  # mean nats per token
    grads: dict[str, np.ndarray]
    state: Any
    embedding_paths: EmbeddingPaths | None
    masks: Any


class LanguageModel(Model):
    """Lookup, body, scores and loss, forward and backward.

    A subclass keeps its own options as attributes, `_options` those that all have in common; then
    `_assemble` takes its body.
    """

    vocab_size: Any  # one size, or (V_in, V_out) where they differ
    body: Body

    def loss_and_grads(
        self, x: np.ndarray, y: np.ndarray, state: Any = None, *,
        paths: bool = True, rng: Any = None, masks: Any = None, memory: np.ndarray | None = None,
    ) -> LossAndGrads:  # fmt: skip
        """The loss, and its derivative with respect to every parameter.

        x, y and state as in `loss`. Dropout acts only where `rng` (anything that
        `np.random.default_rng` takes) draws its masks or `masks` replays them. paths=False leaves
        `embedding_paths` None and saves two arrays of E's size. memory (N, V), lent by whoever
        runs the loop, holds the scores in place of a new array at each step.
        """
        x, y, state, masks = self._checked(x, y, state, masks, rng)
        E_in, E_out = self.embeddings()  # tied: the same array, twice
        c, room = self.params.get("c"), self._training_room(y, memory)

        e, looked = embedding_forward(x, E_in, self.embed_scale)  # e_t = E_inᵀ x_t
        o, state, kept = self.body.forward(e, self.params, state, masks)  # vectors to vectors
        loss, scored = self.head.forward(o, E_out, c, y, **room)  # −log softmax(E_out o_t + c)[y_t]

        do, dE_out, dc = self.head.backward(1.0, scored)  # path 2: every row of E
        de, drest = self.body.backward(do, kept)
        dE_in = embedding_rows_backward(de, looked)  # path 1: the rows looked up
        if paths or not self.tied:
            dE_in = dE_in.dense()

        # all of weight tying: one matrix, used twice, collects both gradients
        grads = {"E": dE_in + dE_out} if self.tied else {"E_in": dE_in, "E_out": dE_out}
        grads |= drest | ({} if c is None else {"c": dc})
        both = EmbeddingPaths(dE_in, dE_out) if paths else None
        return LossAndGrads(loss, grads, state, both, masks)

    def loss(
        self, x: np.ndarray, y: np.ndarray, state: Any = None, *, masks: Any = None
    ) -> tuple[float, Any]:
        """Mean of −log ŷ_t[y_t] in nats per token, and the state after the last step.

        x, y (B, T) integer ids; state as returned by an earlier call, or None for zeros; masks as
        in `loss_and_grads().masks`, or None for no dropout. Raises ValueError or TypeError on ids,
        shapes or states that do not fit. Holds no array of scores as large as N × V.
        """
        x, y, state, masks = self._checked(x, y, state, masks)
        (_, E_out), c = self.embeddings(), self.params.get("c")
        o, state = self._vectors(x, state, masks)
        loss, _ = self.head.forward(o, E_out, c, y, **self._evaluation_room(y))
        return loss, state

    def logits(self, x: np.ndarray, state: Any = None) -> tuple[np.ndarray, Any]:
        """The scores s_t = E o_t + c, (B, T, V), and the state after the last step."""
        x = inputs.token_ids("x", x, self.vocab_in)
        inputs.check_params(self.params, self.shapes, self.dtype)
        o, state = self._vectors(x, self._state(state, len(x)), no_masks(self.body.drops))
        return self._scores(o), state

    @property
    def head(self) -> Pair:
        """The loss of o against E_out and the targets, and its backward."""
        return Pair(head_forward, head_backward)

    @property
    def embedding_names(self) -> tuple[str, ...]:
        """The names of the token matrices."""
        return ("E",) if self.tied else ("E_in", "E_out")

    def embeddings(self) -> tuple[np.ndarray, np.ndarray]:
        """(E_in, E_out). Tying is the diagonal map E -> (E, E): one array, passed twice."""
        if self.tied:
            return self.params["E"], self.params["E"]
        return self.params["E_in"], self.params["E_out"]

    @property
    def vocab_in(self) -> int:
        """How many words it reads."""
        return self.vocab_size[0] if isinstance(self.vocab_size, tuple) else self.vocab_size

    @property
    def vocab_out(self) -> int:
        """How many words it predicts."""
        return self.vocab_size[1] if isinstance(self.vocab_size, tuple) else self.vocab_size

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """The shape of every parameter, by name."""
        E = {"E": (self.vocab_in, self.body.d_in)}
        if not self.tied:
            E = {"E_in": E["E"], "E_out": (self.vocab_out, self.body.d_out)}
        return E | self.body.shapes | ({"c": (self.vocab_out,)} if self.output_bias else {})

    def initial_state(self, batch_size: int) -> Any:
        """The state before the first token, zeros; None where the model keeps none."""
        return self.body.initial_state(inputs.positive("batch_size", batch_size), self.dtype)

    @property
    def context(self) -> int | None:
        """How many tokens a prediction can look back on; None where there is no such bound."""
        return self.body.context

    def start(self, batch_size: int) -> Any:
        """What the model remembers before the first token: the first memory of `step`."""
        return self.body.start(inputs.positive("batch_size", batch_size), self.dtype)

    def step(self, ids: np.ndarray, memory: Any) -> tuple[np.ndarray, Any]:
        """Read one token of each row: the scores of the next, (B, V), and the memory after it.

        ids (B,) integers; memory from `start` or the step before, left as it is. Token by token
        these are the scores of `logits` over the whole text, without reading it again. Raises
        ValueError where more than `context` tokens would be remembered.
        """
        x = inputs.next_tokens(ids, self.vocab_in)
        inputs.check_params(self.params, self.shapes, self.dtype)
        e, _ = embedding_forward(x, self.embeddings()[0], self.embed_scale)
        o, memory = self.body.step(e, self.params, memory)
        return self._scores(o)[:, 0], memory

    def _vectors(self, x, state, masks):
        """The vectors o (B, T, width of E_out) that meet the scores, and the state after them."""
        e, _ = embedding_forward(x, self.embeddings()[0], self.embed_scale)
        o, state, _ = self.body.forward(e, self.params, state, masks)
        return o, state

    def _scores(self, o):
        return scores_forward(o, self.embeddings()[1], self.params.get("c"))[0]

    def _state(self, state, batch_size):
        return self.body.checked_state(state, batch_size, self.dtype)

    def _options(self, vocab_size, tied, output_bias, embed_scale, padding_id, dtype):
        """What every language model may be told, checked."""
        self.tied = inputs.flag("tied", tied)
        self.vocab_size = inputs.vocabulary_sizes(vocab_size, self.tied)
        self.output_bias = inputs.flag("output_bias", output_bias)
        self.embed_scale = inputs.finite("embed_scale", embed_scale)
        self.padding_id = inputs.padding(padding_id, min(self.vocab_in, self.vocab_out))
        self.dtype = inputs.floating(dtype)

    def _widths(self, d_embed, d_hidden, projection):
        """The widths of e and h, and whether a projection leads from h back to the width of e."""
        self.d_embed = inputs.positive("d_embed", d_embed)
        self.d_hidden = self.d_embed if d_hidden is None else inputs.positive("d_hidden", d_hidden)
        self.projection = has_projection(self.tied, projection, self.d_embed, self.d_hidden)

    def _assemble(self, body, rng, spread):
        """The last line of a subclass's constructor: its body, and the first values."""
        self.body = body
        self._draw(rng, spread)

    def _checked(self, x, y, state, masks, rng=None):
        """x, y, the state to start from, and the masks: drawn, replayed or none."""
        if rng is not None and masks is not None:
            raise ValueError("give rng to draw dropout masks or masks to replay them, not both")
        x = inputs.token_ids("x", x, self.vocab_in)
        y = inputs.targets(y, x, self.vocab_out)
        inputs.check_params(self.params, self.shapes, self.dtype)
        if rng is not None:
            masks = draw_masks(self.body.drops, inputs.generator(rng), x.shape, self.dtype)
        else:
            masks = check_masks(masks, self.body.drops, x.shape, self.dtype)
        return x, y, self._state(state, len(x)), masks


def has_projection(tied, projection, d_embed, d_hidden):
    """Whether there is a P: automatic (None) where a tied E is not as wide as h."""
    if projection is not None and not isinstance(projection, bool | np.bool_):
        raise TypeError(f"projection must be None, True or False, got {projection!r}")
    if not tied or d_embed == d_hidden:
        return bool(projection)
    if projection is not None and not projection:
        raise ValueError(
            f"one matrix cannot serve both sides: d_embed is {d_embed} but d_hidden is {d_hidden}; "
            "make them equal, or leave projection=None for a projection from one to the other"
        )
    return True
