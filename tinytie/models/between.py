"""Between tied and untied: language models whose head has parameters of its own.

`JointLM` maps both sides of a score through a layer each, `MixtureLM` mixes several softmaxes. The
other ties between one matrix and two are options of `RNNLM`: a projection, or two widths.
"""

from abc import abstractmethod
from typing import Any

import numpy as np

from tinytie.models import inputs
from tinytie.models.language_model import EmbeddingPaths, LossAndGrads
from tinytie.models.rnn_lm import RNNLM
from tinytie.ops.activations import tanh_backward, tanh_forward
from tinytie.ops.embedding import embedding_backward, embedding_forward
from tinytie.ops.joint import joint_backward, joint_forward, layer_forward
from tinytie.ops.linear import linear_backward, linear_forward
from tinytie.ops.mixture import (
    mixture_backward,
    mixture_forward,
    mixture_log_probabilities,
)
from tinytie.ops.softmax import cross_entropy_backward, cross_entropy_forward


class RicherHeadLM(RNNLM):
    """A tied recurrent model with D = H. `loss` and `loss_and_grads` are as of `LanguageModel`."""

    @property
    @abstractmethod
    def head_shapes(self) -> dict[str, tuple[int, ...]]:
        """The shapes of the head's own parameters."""

    @abstractmethod
    def head_forward(self, o: np.ndarray, E: np.ndarray, y: np.ndarray, counted: Any) -> Any:
        """The loss of o (B, T, D) against E and the targets, and the cache."""

    @abstractmethod
    def head_backward(self, cache: Any) -> tuple[np.ndarray, np.ndarray, dict[str, np.ndarray]]:
        """do, dE, and the gradients of the head's own parameters."""

    @property
    def shapes(self):
        """Those of an RNNLM, and the head's."""
        return super().shapes | self.head_shapes

    def memory_for(self, n_targets):
        """None: this head borrows no memory."""

    def loss_and_grads(self, x, y, state=None, *, paths=True, rng=None, masks=None, memory=None):
        """The page on the wall once more, with a head that has parameters."""
        x, y, state, masks = self._checked(x, y, state, masks, rng)
        E_in, E_out = self.embeddings()

        e, looked = embedding_forward(x, E_in, self.embed_scale)
        o, state, kept = self.body.forward(e, self.params, state, masks)
        loss, scored = self.head_forward(o, E_out, y, inputs.counted_targets(y, self.padding_id))

        do, dE_out, dhead = self.head_backward(scored)
        de, drest = self.body.backward(do, kept)
        dE_in = embedding_backward(de, looked)

        grads = {"E": dE_in + dE_out} if self.tied else {"E_in": dE_in, "E_out": dE_out}
        return LossAndGrads(
            loss, grads | drest | dhead, state, EmbeddingPaths(dE_in, dE_out), masks
        )

    def loss(self, x, y, state=None, *, masks=None):
        """As of `LanguageModel`, with all scores at once."""
        x, y, state, masks = self._checked(x, y, state, masks)
        o, state = self._vectors(x, state, masks)
        counted = inputs.counted_targets(y, self.padding_id)
        return self.head_forward(o, self.embeddings()[1], y, counted)[0], state


class JointLM(RicherHeadLM):
    """s = tanh(N h + n) · tanh(M E_i + m) + c, all of width D: Pappas et al. 2018."""

    HEAD = ("M", "m", "N", "n", "c")

    @property
    def head_shapes(self):
        """M and N (D, D), m and n (D,)."""
        D = self.d_embed
        return {"M": (D, D), "m": (D,), "N": (D, D), "n": (D,)}

    def head_forward(self, o, E, y, counted):
        """Both maps, the scores, the cross-entropy."""
        s, scored = self._joint(o, E)
        loss, compared = cross_entropy_forward(s, y, counted)
        return loss, (scored, compared)

    def _scores(self, o):
        return self._joint(o, self.embeddings()[1])[0]

    def mapped_words(self) -> np.ndarray:
        """E′ (V, D), the matrix that the scores are made with."""
        return layer_forward(self.embeddings()[1], self.params["M"], self.params["m"])[0]

    def _joint(self, o, E):
        return joint_forward(o, E, *(self.params.get(name) for name in self.HEAD))

    def head_backward(self, cache):
        """The same in reverse."""
        scored, compared = cache
        do, dE, *dhead = joint_backward(cross_entropy_backward(1.0, compared), scored)
        named = zip(self.HEAD, dhead, strict=True)
        return do, dE, {name: d for name, d in named if d is not None}


class MixtureLM(RicherHeadLM):
    """p = Σ_k π_k softmax(E h_k + c), h_k = tanh(K_k o + k_k), π = softmax(A o): Yang et al. 2018.

    `logits` are log p.
    """

    softmaxes = 3

    @property
    def head_shapes(self):
        """K (K·D, D) and k (K·D,) make the states; A (K, D) weighs them."""
        K, D = self.softmaxes, self.d_embed
        return {"K": (K * D, D), "k": (K * D,), "A": (K, D)}

    def head_forward(self, o, E, y, counted):
        """K states and their weights from each o, then the mixture."""
        h, prior, caches = self._states(o)
        loss, mixed = mixture_forward(h, prior, E, self.params.get("c"), y, counted)
        return loss, (*caches, mixed)

    def _scores(self, o):
        h, prior, _ = self._states(o)
        return mixture_log_probabilities(h, prior, self.embeddings()[1], self.params.get("c"))

    def _states(self, o):
        """The states (..., K, D), the scores of each (..., K), and the caches of the layers."""
        a, made = linear_forward(o, self.params["K"], self.params["k"])
        h, bent = tanh_forward(a)
        prior, weighed = linear_forward(o, self.params["A"])
        shape = (*o.shape[:-1], self.softmaxes, self.d_embed)
        return h.reshape(shape), prior, (made, bent, weighed)

    def head_backward(self, cache):
        """The same in reverse; o made both the states and their weights, so its gradients add."""
        made, bent, weighed, mixed = cache
        dh, dprior, dE, dc = mixture_backward(1.0, mixed)
        da = tanh_backward(dh.reshape(bent.h.shape), bent)
        do_states, dK, dk = linear_backward(da, made)
        do_prior, dA, _ = linear_backward(dprior, weighed)
        dhead = {"K": dK, "k": dk, "A": dA} | ({} if dc is None else {"c": dc})
        return do_states + do_prior, dE, dhead
