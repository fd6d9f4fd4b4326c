"""check_model: every parameter of a language model, and each path of its embedding."""

from typing import Any

import numpy as np

from tinytie.gradcheck.check import check_gradients
from tinytie.gradcheck.report import Report
from tinytie.models.language_model import LanguageModel
from tinytie.models.tying import untie_weights


def check_model(model: LanguageModel, x: np.ndarray, y: np.ndarray, state: Any = None) -> Report:
    """Bump every entry of `model.params`, and each of two equal copies of a tied E.

    x, y (B, T) integer ids, state as in `model.loss`. Calls the model's own `loss` and
    `loss_and_grads`; where the model has dropout, under one set of masks drawn once.
    """
    result = model.loss_and_grads(x, y, state, rng=0)
    masks = result.masks
    report = check_gradients(
        lambda _: model.loss(x, y, state, masks=masks)[0], model.params, result.grads
    )
    if not model.tied or result.embedding_paths is None:
        return report
    twin = untie_weights(model)
    copies = {"E_in": twin.params["E_in"], "E_out": twin.params["E_out"]}
    paths = dict(zip(copies, result.embedding_paths, strict=True))
    both = check_gradients(lambda _: twin.loss(x, y, state, masks=masks)[0], copies, paths)
    return Report(report.rows + both.rows)
