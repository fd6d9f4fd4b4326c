"""A recurrent language model under the augmented loss of Inan et al. 2017."""

from functools import partial

import numpy as np

from tinytie.models.rnn_lm import RNNLM
from tinytie.ops.activations import Pair
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
        self.mix = {"alpha": alpha, "tau": tau, "beta": beta}
        self.L = L

    @property
    def head(self) -> Pair:
        """The augmented loss in place of the cross-entropy."""
        L = self.embeddings()[0] if self.L is None else self.L
        return Pair(partial(augmented_loss_forward, L=L, **self.mix), augmented_loss_backward)
