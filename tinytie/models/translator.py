"""The translator: one matrix in one, two or three places of an encoder-decoder.

The network is written once, as a function of three matrices, E_source, E_target and E_out.
Three-way tying passes one array three times, and its gradient is the sum of the three that return.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike

from tinytie.models import inputs, sentences
from tinytie.models.base import Model
from tinytie.models.encoder_decoder import EncoderDecoder, TranslatorMasks
from tinytie.models.greedy import Translation, greedy
from tinytie.models.initial import recurrent_bound
from tinytie.models.masks import Drop
from tinytie.ops.cells import CELLS
from tinytie.ops.embedding import embedding_backward, embedding_forward
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
    loss: float  # mean nats per target token
    grads: dict[str, np.ndarray]
    embedding_paths: TranslatorPaths | None
    masks: TranslatorMasks


class Translator(Model):
    """An encoder-decoder with dot-product attention, whose three token matrices may be one.

        o = body(λ E_source[source], λ E_target[target])       see `EncoderDecoder`
        loss = mean of −log softmax(E_out o_t + c)[target_{t+1}], over what is not padding

    λ is embed_scale. Attention: Luong, Pham and Manning 2015, global, dot scores. Tying: Press and
    Wolf 2017.

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
        self.body = EncoderDecoder(self.cell, self.d_embed, self.d_hidden)
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
        E = {name: (self.target_size, self.d_embed) for name in self.embedding_names}
        E[TYINGS[self.tying][0]] = (self.source_size, self.d_embed)
        c = {"c": (self.target_size,)} if self.output_bias else {}
        return E | self.body.shapes | c

    def embeddings(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(E_source, E_target, E_out). Three-way tying is the map E -> (E, E, E): one array."""
        E_source, E_target, E_out = (self.params[name] for name in TYINGS[self.tying])
        return E_source, E_target, E_out

    def loss(self, source: np.ndarray, target: np.ndarray, *, masks: Any = None) -> float:
        """Mean of −log ŷ_t[target_{t+1}] over the targets that are not padding, in nats.

        masks as in `loss_and_grads().masks`, or None for no dropout. Raises ValueError or
        TypeError on ids and shapes that do not fit.
        """
        source, x, y, valid, masks = self._checked(source, target, masks)
        o, c = self._vectors(source, x, valid, masks), self.params.get("c")
        return head_forward(o, self.embeddings()[2], c, y, **self._evaluation_room(y))[0]

    def loss_and_grads(
        self, source: np.ndarray, target: np.ndarray, *,
        paths: bool = True, rng: Any = None, masks: Any = None, memory: np.ndarray | None = None,
    ) -> TranslatorLossAndGrads:  # fmt: skip
        """The loss, and its derivative with respect to every parameter.

        Dropout acts only where `rng` (anything that `np.random.default_rng` takes) draws its masks
        or `masks` replays them. paths=False leaves `embedding_paths` None. memory: see
        `LanguageModel.loss_and_grads`.
        """
        source, x, y, valid, masks = self._checked(source, target, masks, rng)
        E_source, E_target, E_out = self.embeddings()  # three-way: the same array, three times
        c, room, scale = self.params.get("c"), self._training_room(y, memory), self.embed_scale

        e, looked_up = embedding_forward(source, E_source, scale)
        h, start, encoded = self.body.encode(e, self.params, valid, masks.source)
        e, looked_back = embedding_forward(x, E_target, scale)
        o, _, decoded = self.body.decode(e, self.params, start, h, valid, masks)
        loss, scored = head_forward(o, E_out, c, y, **room)

        do, dE_out, dc = head_backward(1.0, scored)  # every row
        de, dstart, dh, ddecoder = self.body.decode_backward(do, decoded)
        dE_target = embedding_backward(de, looked_back)  # the rows of the words translated so far
        de, dencoder = self.body.encode_backward(dh, dstart, encoded)
        dE_source = embedding_backward(de, looked_up)  # the rows of the sentence read

        three = TranslatorPaths(dE_source, dE_target, dE_out)
        rest = dencoder | ddecoder | ({} if c is None else {"c": dc})
        grads = self._embedding_gradients(*three) | {n: rest[n] for n in self.shapes if n in rest}
        return TranslatorLossAndGrads(loss, grads, three if paths else None, masks)

    def logits(self, source: np.ndarray, target: np.ndarray) -> np.ndarray:
        """The scores s_t = E_out o_t + c for target[:, 1:], (B, T, V), without dropout."""
        source, x, _, valid, masks = self._checked(source, target, None)
        o = self._vectors(source, x, valid, masks)
        return scores_forward(o, self.embeddings()[2], self.params.get("c"))[0]

    def translate(self, source: np.ndarray, max_len: int | None = None) -> Translation:
        """Greedy decoding of source (B, S): ids (B, L) without <bos>, and attention (B, L, S).

        Each row ends at its <eos>, or after max_len words (None: 2 S + 10).
        """
        source = sentences.sentences("source", source, self.source_size, self.padding_id)
        inputs.check_params(self.params, self.shapes, self.dtype)
        limit = 2 * source.shape[1] + 10 if max_len is None else inputs.positive("max_len", max_len)
        return greedy(self, source, sentences.words(source, self.padding_id), limit)

    def _vectors(self, source, x, valid, masks):
        """The vectors o (B, T, D) that meet E_out."""
        E_source, E_target, _ = self.embeddings()
        e, _ = embedding_forward(source, E_source, self.embed_scale)
        h, start, _ = self.body.encode(e, self.params, valid, masks.source)
        e, _ = embedding_forward(x, E_target, self.embed_scale)
        return self.body.decode(e, self.params, start, h, valid, masks)[0]

    def _embedding_gradients(self, dE_source, dE_target, dE_out):
        """What each token matrix collects from its uses: all of three-way tying."""
        if self.tying == "three-way":
            return {"E": dE_source + dE_target + dE_out}  # encoder, decoder and output read E
        if self.tying == "decoder":
            return {"E_source": dE_source, "E": dE_target + dE_out}  # decoder and output read E
        return {"E_source": dE_source, "E_target": dE_target, "E_out": dE_out}

    def _checked(self, source, target, masks, rng=None):
        """source, the words read and the words to predict, which of source count, the masks."""
        if rng is not None and masks is not None:
            raise ValueError("give rng to draw dropout masks or masks to replay them, not both")
        source = sentences.sentences("source", source, self.source_size, self.padding_id)
        target = sentences.targets(target, source, self.target_size, self.padding_id)
        inputs.check_params(self.params, self.shapes, self.dtype)
        x, y = target[:, :-1], target[:, 1:]  # teacher forcing reads all words but the last
        if rng is not None:
            masks = sentences.draw_masks(inputs.generator(rng), self.drops, source, x, self.dtype)
        else:
            masks = sentences.check_masks(masks, self.drops, source, x, self.dtype)
        return source, x, y, sentences.words(source, self.padding_id), masks
