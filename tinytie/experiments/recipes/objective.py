"""What the recipes minimize: the loss summed over time, and what they add to it."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from tinytie.measure.paths import Band, PathRow, path_rows
from tinytie.models.language_model import LossAndGrads
from tinytie.models.masks import Masks, draw_masks
from tinytie.models.rnn_lm import RNNLM


class PathRecorder:
    """Measures both paths of the embedding once every so many steps."""

    def __init__(self, every: int, bands: Sequence[Band]) -> None:
        self.every, self.bands = every, bands
        self.step = 0
        self.rows: list[PathRow] = []

    @property
    def due(self) -> bool:
        """Whether the next step is measured."""
        return self.step % self.every == 0

    def note(self, paths: Any) -> None:
        """One more step, with its paths where it was due."""
        if paths is not None:
            self.rows += path_rows(self.step, paths, self.bands)
        self.step += 1


class Objective:
    """T · loss + ½ λ ΣP² / B: the sum over the steps, the mean over the rows, and a penalty on P.

    This is a model to the trainer: its gradients are those of the objective, while its loss is
    the model's own, in nats a token, so that perplexity never holds the factor or the penalty.
    Press and Wolf 2017 take λ = 1/6.5, on P alone and not on p. share_masks: the mask of a layer's
    output is also the one of its state (Inan et al. 2017).
    """

    def __init__(
        self, model: RNNLM, penalty: float = 0.0, share_masks: bool = False,
        recorder: PathRecorder | None = None,
    ) -> None:  # fmt: skip
        self.model, self.penalty, self.share_masks = model, penalty, share_masks
        self.recorder = recorder

    @property
    def params(self) -> dict[str, np.ndarray]:
        """The model's own."""
        return self.model.params

    @property
    def frozen(self) -> dict[str, Any]:
        """The model's own."""
        return self.model.frozen

    def memory_for(self, n_targets: int) -> np.ndarray | None:
        """The model's own."""
        return self.model.memory_for(n_targets)

    def loss_and_grads(
        self, x: np.ndarray, y: np.ndarray, state: Any = None, *,
        paths: bool = False, rng: Any = None, memory: np.ndarray | None = None,
    ) -> LossAndGrads:  # fmt: skip
        """As in the model, but for the gradients. x, y (B, T)."""
        B, T = x.shape
        dropped: dict[str, Any] = {"rng": rng}
        if self.share_masks:
            drawn = draw_masks(
                self.model.body.drops, np.random.default_rng(rng), (B, T), self.model.dtype
            )
            dropped = {"masks": shared(drawn)}
        paths = paths or (self.recorder is not None and self.recorder.due)
        result = self.model.loss_and_grads(x, y, state, paths=paths, memory=memory, **dropped)
        if self.recorder is not None:
            self.recorder.note(result.embedding_paths)
        for gradient in result.grads.values():
            gradient *= T  # in place, as in clipping: new arrays took a twentieth of a step
        if self.penalty:
            result.grads["P"] += self.penalty / B * self.params["P"]
        return result._replace(embedding_paths=None)  # they are the model's, not the objective's


def shared(masks: Masks) -> Masks:
    """The mask of each layer's output, also for its state."""
    return masks._replace(state=(*masks.layers, masks.output))
