"""The translator: one matrix in one, two or three places of an encoder-decoder.

The network is written once, as a function of three matrices, E_source, E_target and E_out.
Three-way tying passes one array three times, and its gradient is the sum of the three that return.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike

from tinytie.models import inputs, sentences
from tinytie.models.base import Model
from tinytie.models.encoder_decoder import Body, TranslatorMasks, hidden_backward, hidden_forward
from tinytie.models.greedy import Translation, greedy
from tinytie.models.initial import recurrent_bound
from tinytie.models.masks import Drop
from tinytie.ops.cells import CELLS
from tinytie.ops.head import head_backward, head_forward
from tinytie.ops.softmax import scores_forward

TYINGS = {
    "none": ("E_source", "E_target", "E_out"),
    "decoder": ("E_source", "E", "E"),
    "three-way": ("E", "E", "E"),
}


class TranslatorPaths(NamedTuple):
    """The gradient that reaches the token matrices through each of their three uses."""

    encoder: np.ndarray
    decoder: np.ndarray
    output: np.ndarray


class TranslatorLossAndGrads(NamedTuple):
    loss: float  # mean nats a target token
    grads: dict[str, np.ndarray]
    embedding_paths: TranslatorPaths | None
    masks: TranslatorMasks


class Translator(Model):
    """An encoder-decoder with dot-product attention, whose three token matrices may be one.

        h_j = f(λ E_source[source_j], h_{j−1})             the encoder, from h_0 = 0
        d_t = f(λ E_target[target_t], d_{t−1})             the decoder, from d_0 = h_last
        α_t = softmax over valid j of d_t · h_j,   k_t = Σ_j α_tj h_j
        o_t = tanh(A [d_t; k_t] + a),   then P o_t + p where D ≠ H
        loss = mean of −log softmax(E_out o_t + c)[target_{t+1}], over what is not padding

    f is the cell of the language models, λ is embed_scale. h_last is the state after a row's last
    valid word, so that no padding enters it; the memory of an LSTM decoder begins empty, c_0 = 0.
    Attention: Luong, Pham and Manning 2015, global, dot scores. Tying: Press and Wolf 2017.

    source (B, S) holds the words of a sentence, target (B, T + 1) a row <bos> words <eos>, both
    followed by padding. Teacher forcing reads target[:, :-1] and predicts target[:, 1:].

    Parameters: E (V, D) where tying="three-way"; E_source and E where "decoder"; E_source,
    E_target, E_out where "none". encoder.W, .U, .b and decoder.W, .U, .b as in `RNNLM`;
    A (H, 2H), a (H,); P (D, H) and p (D,) where D ≠ H; c (V,) unless output_bias=False.

    vocab_size: an int, or (source, target). dropout: the share dropped of e on both sides and of
    o. padding_id: its rows start at zero and are frozen in every role.

    Raises ValueError or TypeError on sizes and options that do not fit together.
    """

    OPTIONS = (
        "vocab_size", "d_embed", "d_hidden", "tying", "cell", "output_bias", "embed_scale",
        "dropout", "padding_id", "bos_id", "eos_id",
    )  # fmt: skip

    def __init__(
        self, vocab_size: int | tuple[int, int], d_embed: int, d_hidden: int | None = None, *,
        tying: str = "three-way", cell: str = "gru", output_bias: bool = True,
        embed_scale: float = 1.0, dropout: float = 0.0, padding_id: int | None = None,
        bos_id: int = 1, eos_id: int = 2, dtype: DTypeLike = np.float64, rng: Any = None,
    ) -> None:  # fmt: skip
        self.tying = inputs.one_of("tying", tying, TYINGS)
        sizes = sentences.vocabulary_sizes(vocab_size, tying)
        self.source_size, self.target_size = sizes
        self.vocab_size = sizes if sizes[0] != sizes[1] else sizes[0]
        self.d_embed = inputs.positive("d_embed", d_embed)
        self.d_hidden = self.d_embed if d_hidden is None else inputs.positive("d_hidden", d_hidden)
        self.cell = inputs.one_of("cell", cell, CELLS)
        self.output_bias = inputs.flag("output_bias", output_bias)
        self.embed_scale = inputs.finite("embed_scale", embed_scale)
        self.dropout = inputs.share("dropout", dropout)
        self.padding_id = inputs.padding(padding_id, min(self.source_size, self.target_size))
        self.bos_id = sentences.special_id("bos_id", bos_id, self.target_size)
        self.eos_id = sentences.special_id("eos_id", eos_id, self.target_size)
        self.dtype = inputs.floating(dtype)
        self._draw(rng, recurrent_bound)

    @property
    def drops(self) -> TranslatorMasks:
        """Where dropout acts: on e of either side, and on o."""
        p = self.dropout
        return TranslatorMasks(Drop(p, self.d_embed), Drop(p, self.d_embed), Drop(p, self.d_hidden))

    @property
    def vocab_out(self) -> int:
        """How many words it predicts."""
        return self.target_size

    @property
    def embedding_names(self) -> tuple[str, ...]:
        """The names of the token matrices, each once."""
        return tuple(dict.fromkeys(TYINGS[self.tying]))

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """The shape of every parameter, by name."""
        V, D, H, G = self.target_size, self.d_embed, self.d_hidden, CELLS[self.cell].gates
        E = {name: (V, D) for name in self.embedding_names}
        E[TYINGS[self.tying][0]] = (self.source_size, D)
        layer = (G * H, D), (G * H, H), (G * H,)
        P, p = ((D, H), (D,)) if D != H else (None, None)
        c = (V,) if self.output_bias else None
        return E | Body(layer, layer, (H, 2 * H), (H,), P, p, c).named()

    def embeddings(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(E_source, E_target, E_out). Three-way tying is the map E -> (E, E, E): one array."""
        E_source, E_target, E_out = (self.params[name] for name in TYINGS[self.tying])
        return E_source, E_target, E_out

    def loss(self, source: np.ndarray, target: np.ndarray, *, masks: Any = None) -> float:
        """Mean of −log ŷ_t[target_{t+1}] over the targets that are not padding, in nats.

        masks as in `loss_and_grads().masks`, or None for no dropout. Raises ValueError or
        TypeError on ids and shapes that do not fit.
        """
        source, target, masks = self._checked(source, target, masks)
        room = self._evaluation_room(target[:, 1:])
        return self._forward(*self.embeddings(), source, target, masks, room)[0]

    def loss_and_grads(
        self, source: np.ndarray, target: np.ndarray, *,
        paths: bool = True, rng: Any = None, masks: Any = None, memory: np.ndarray | None = None,
    ) -> TranslatorLossAndGrads:  # fmt: skip
        """The loss, and its derivative with respect to every parameter.

        Dropout acts only where `rng` (anything that `np.random.default_rng` takes) draws its masks
        or `masks` replays them. paths=False leaves `embedding_paths` None. memory: see
        `LanguageModel.loss_and_grads`.
        """
        if rng is not None and masks is not None:
            raise ValueError("give rng to draw dropout masks or masks to replay them, not both")
        source, target, masks = self._checked(source, target, masks)
        if rng is not None:
            rng = inputs.generator(rng)
            masks = sentences.draw_masks(rng, self.drops, source, target, self.dtype)
        room = self._training_room(target[:, 1:], memory)
        loss, cache = self._forward(*self.embeddings(), source, target, masks, room)
        three, rest = self._backward(cache)
        grads = self._embedding_gradients(*three) | rest
        return TranslatorLossAndGrads(loss, grads, three if paths else None, masks)

    def logits(self, source: np.ndarray, target: np.ndarray) -> np.ndarray:
        """The scores s_t = E_out o_t + c for target[:, 1:], (B, T, V), without dropout."""
        source, target, masks = self._checked(source, target, None)
        E_source, E_target, E_out = self.embeddings()
        o, _ = self._hidden(E_source, E_target, source, target, masks)
        return scores_forward(o, E_out, self.params.get("c"))[0]

    def translate(self, source: np.ndarray, max_len: int | None = None) -> Translation:
        """Greedy decoding of source (B, S): ids (B, L) without <bos>, and attention (B, L, S).

        Each row ends at its <eos>, or after max_len words (None: 2 S + 10).
        """
        source = sentences.sentences("source", source, self.source_size, self.padding_id)
        inputs.check_params(self.params, self.shapes, self.dtype)
        valid = sentences.words(source, self.padding_id)
        limit = 2 * source.shape[1] + 10 if max_len is None else inputs.positive("max_len", max_len)
        body, cell = Body.of(self.params), CELLS[self.cell]
        return greedy(self.embeddings(), body, source, valid, cell, self, limit)

    def _hidden(self, E_source, E_target, source, target, masks):
        """The vectors o (B, T, D) that meet E_out; teacher forcing reads all words but the last."""
        body, valid = Body.of(self.params), sentences.words(source, self.padding_id)
        x, cell = target[:, :-1], CELLS[self.cell]
        scale = self.embed_scale
        return hidden_forward(E_source, E_target, body, source, x, valid, masks, cell, scale)

    def _forward(self, E_source, E_target, E_out, source, target, masks, room):
        """The whole network: loss(E_source, E_target, E_out, rest)."""
        o, hidden = self._hidden(E_source, E_target, source, target, masks)
        loss, scored = head_forward(o, E_out, self.params.get("c"), target[:, 1:], **room)
        return loss, (hidden, scored)

    def _backward(self, cache):
        """Back to the three matrices, and the gradients of the rest by name."""
        hidden, scored = cache
        do, dE_out, dc = head_backward(1.0, scored)
        dE_source, dE_target, dbody = hidden_backward(do, hidden, CELLS[self.cell])
        return TranslatorPaths(dE_source, dE_target, dE_out), dbody._replace(c=dc).named()

    def _embedding_gradients(self, dE_source, dE_target, dE_out):
        """What each token matrix collects from its uses: all of three-way tying."""
        if self.tying == "three-way":
            return {"E": dE_source + dE_target + dE_out}  # encoder, decoder and output read E
        if self.tying == "decoder":
            return {"E_source": dE_source, "E": dE_target + dE_out}  # decoder and output read E
        return {"E_source": dE_source, "E_target": dE_target, "E_out": dE_out}

    def _checked(self, source, target, masks):
        source = sentences.sentences("source", source, self.source_size, self.padding_id)
        target = sentences.targets(target, source, self.target_size, self.padding_id)
        inputs.check_params(self.params, self.shapes, self.dtype)
        masks = sentences.check_masks(masks, self.drops, source, target, self.dtype)
        return source, target, masks
