"""A recurrent language model under the augmented loss of Inan et al. 2017."""

from typing import Any

import numpy as np

from tinytie.models import inputs
from tinytie.models.masks import Masks
from tinytie.models.recurrent import Rest, hidden_backward, hidden_forward
from tinytie.models.rnn_lm import RNNLM
from tinytie.ops.augmented import augmented_loss_backward, augmented_loss_forward


class AugmentedLM(RNNLM):
    """A second view of a model: the same parameters, but its loss is J = β CE + α KL(ỹ ‖ ŷ_τ).

    Train with this one; evaluate and save the model itself, where there is no augmented term and
    τ = 1. ỹ comes from the input embedding as it stands at each call, held constant: where E is
    tied, the gradient is not the total derivative, which would also follow E into ỹ. `L` gives
    another (V, any width) matrix to take ỹ from.
    """

    def __init__(
        self, model: RNNLM, alpha: float, tau: float, beta: float = 1.0, L: np.ndarray | None = None
    ) -> None:
        super().__init__(**model.config, rng=0)
        self.params = model.params  # the same dict, so that a step of one is a step of both
        self.frozen = model.frozen
        self.alpha, self.tau, self.beta = alpha, tau, beta
        self.L = L

    def _forward(
        self, E_in: np.ndarray, E_out: np.ndarray, x: np.ndarray, y: np.ndarray, state: tuple,
        masks: Masks, chunk: int | None,
    ) -> tuple[float, tuple, Any]:  # fmt: skip
        """As in RNNLM, up to the loss."""
        rest = Rest.of(self.params, self.n_layers)
        o, last, hidden = hidden_forward(
            E_in, rest, x, state, masks, self._cell(), self.embed_scale
        )
        counted = inputs.counted_targets(y, self.padding_id)
        L = E_in if self.L is None else self.L
        loss, scored = augmented_loss_forward(
            o, E_out, rest.c, y, L, self.alpha, self.tau, self.beta, counted, chunk
        )
        return loss, last, (hidden, scored)

    def _backward(self, cache: Any) -> tuple[tuple, np.ndarray, dict[str, np.ndarray]]:
        hidden, scored = cache
        do, dE_out, dc = augmented_loss_backward(1.0, scored)
        de, looked, dcells, dP, dp = hidden_backward(do, hidden, self._cell())
        return (de, looked), dE_out, Rest(dcells, dP, dp, dc).named()
