"""The numbers behind the figures: error against step, and the residual of E beside both paths."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from tinytie.gradcheck.numeric import numeric_gradient
from tinytie.models.language_model import LanguageModel
from tinytie.models.tying import untie_weights

STEPS = 10.0 ** -np.arange(1, 12.5, 0.5)


class Residual(NamedTuple):
    """What is wrong with dE, beside the two paths that it must be the sum of. Each (V, D)."""

    residual: np.ndarray  # numeric − analytic
    input: np.ndarray  # the numeric gradient through the lookup
    output: np.ndarray  # the numeric gradient through the scores


def embedding_residual(
    model: LanguageModel, x: np.ndarray, y: np.ndarray, state: Any = None
) -> Residual:
    """The residual of a tied model's dE without dropout, and both paths, all by differences."""
    if not model.tied:
        raise ValueError("the residual beside both paths is of a tied E; this model is untied")
    twin = untie_weights(model)
    loss = lambda: twin.loss(x, y, state)[0]  # noqa: E731
    paths = [numeric_gradient(loss, twin.params[name]) for name in ("E_in", "E_out")]
    analytic = model.loss_and_grads(x, y, state).grads["E"]
    return Residual(paths[0] + paths[1] - analytic, *paths)


def errors_by_step(
    loss: Callable[[], float], array: np.ndarray, analytic: np.ndarray, steps: Any = STEPS
) -> dict[str, np.ndarray]:
    """max|numeric − analytic| / max|analytic| for each step, by the kind of difference."""
    errors: dict[str, list] = {"forward": [], "central": [], "extrapolated (h, h/2)": []}
    value, scale = loss(), np.abs(analytic).max()
    for step in steps:
        central, half = (numeric_gradient(loss, array, h) for h in (step, step / 2))
        forward = forward_gradient(loss, array, value, step)
        for kind, numeric in zip(errors, (forward, central, (4 * half - central) / 3), strict=True):
            errors[kind].append(np.abs(numeric - analytic).max() / scale)
    return {kind: np.array(found) for kind, found in errors.items()}


def forward_gradient(loss, array, value, step):
    """(f(a + h) − f(a)) / h for every entry."""
    gradient = np.empty(array.shape)
    for index in np.ndindex(array.shape):
        kept = array[index]
        array[index] = kept + step
        gradient[index] = (loss() - value) / step
        array[index] = kept
    return gradient
