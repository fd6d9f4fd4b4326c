"""check_model: every parameter of a model, and each path of its embedding."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from tinytie.gradcheck import inputs
from tinytie.gradcheck.arrays import Measured
from tinytie.gradcheck.batches import arguments_of, equal_copies, targets_of, token_ids_of
from tinytie.gradcheck.check import measure
from tinytie.gradcheck.meaning import meaning_of
from tinytie.gradcheck.model_diagnosis import diagnose
from tinytie.gradcheck.numeric import restored
from tinytie.gradcheck.report import FAIL, Report
from tinytie.gradcheck.rows import failed_row, unchecked
from tinytie.models.inputs import a_model
from tinytie.models.language_model import LanguageModel
from tinytie.models.translator import Translator


def check_model(
    model: LanguageModel | Translator, x: np.ndarray, y: np.ndarray, state: Any = None, *,
    step: float = 1e-5, rng: Any = 0, words: Sequence[str] | None = None,
) -> Report:  # fmt: skip
    """Bump every entry of `model.params`, and each of two or three equal copies of a shared E.

    x, y (B, T) integer ids, state as in `model.loss`; of a `Translator` x is the source and y the
    target, and there is no state. Calls the model's own `loss` and
    `loss_and_grads`, so that a broken subclass is caught; where the model has dropout, under one
    set of masks drawn once from `rng`, which also draws the directions taken above 10,000 entries.
    words names the tokens in the report. On FAIL, `cause` is a key of `CAUSES`, or None where
    nothing on that list, or more than one, explains the whole of what is wrong.
    """
    inputs.check_options("central", step)
    a_model(model, "params", "loss", "loss_and_grads")
    batch = arguments_of(model, x, y, state)
    result, changed = called(model, batch, {"rng": rng} if drops(model) else {})
    if changed:
        reason = f"loss_and_grads changes the parameters {', '.join(changed)}"
        return Report([unchecked(name, reason) for name in model.params])
    masks = getattr(result, "masks", None) if drops(model) else None
    loss = lambda _: own_loss(model, batch, masks)  # noqa: E731
    grads = {name: np.array(gradient) for name, gradient in result.grads.items()}
    measured = measure_model(loss, model.params, grads, step, rng)
    paths = measure_paths(model, result, batch, masks, step, rng)
    rows = [with_meaning(model, m.row, x, y, words) for m in measured + paths]
    failed = [m for m in measured if m.row.verdict == FAIL]
    if failed:
        return Report(rows, *diagnose(model, x, y, state, masks, failed, numbers_of(model, y)))
    if any(m.row.verdict == FAIL for m in paths):
        return Report(rows, None, "every gradient is right, but embedding_paths is not")
    return Report(rows)


def called(model, batch, options):
    """The result of `loss_and_grads`, and the names of parameters that it changed, restored."""
    before = {name: array.tobytes() for name, array in model.params.items()}
    with restored(model.params):
        result = model.loss_and_grads(*batch, **options)
        after = model.params
        changed = [n for n, bits in before.items() if n not in after or after[n].tobytes() != bits]
    if not isinstance(getattr(result, "grads", None), dict):
        got = type(result).__name__
        raise TypeError(f"loss_and_grads must return a result with a dict .grads, got {got}")
    return result, changed


def with_meaning(model, row, x, y, words):
    """The row, with what its worst entry stands for."""
    ids = token_ids_of(model, row.name, x, y)
    return replace(row, meaning=meaning_of(model, row.name, row.index, ids, words))


def own_loss(model, batch, masks):
    """The model's own loss, without the state."""
    given = model.loss(*batch, **({} if masks is None else {"masks": masks}))
    return given[0] if isinstance(given, tuple) else given


def drops(model):
    """Whether the model has any dropout."""
    return any(p > 0 for p in np.atleast_1d(getattr(model, "dropout", 0.0))[:4])


def measure_model(loss, params, grads, step, rng):
    """One `Measured` for each parameter; wrong names, shapes and dtypes are wrong gradients."""
    inputs.check_params(params)
    odd, usable = [], {}
    for name, array in params.items():
        wrong = (
            "no gradient" if name not in grads else inputs.misfit(array, np.asarray(grads[name]))
        )
        if wrong:
            odd.append(Measured(failed_row(name, f"it has {wrong}"), np.asarray(grads.get(name))))
        usable[name] = np.zeros_like(array) if wrong else np.asarray(grads[name])
    unknown = [Measured(failed_row(name, "a gradient of no parameter"), np.asarray(grads[name]))
               for name in grads if name not in params]  # fmt: skip
    instead = {m.row.name: m for m in odd}
    measured = measure(loss, params, usable, "central", step, rng)
    return [as_given(m, instead.get(m.row.name)) for m in measured] + unknown


def as_given(m, odd):
    """A gradient of an odd shape or dtype, beside the right one."""
    return m if odd is None else odd._replace(numeric=m.numeric, bound=m.bound)


def measure_paths(model, result, batch, masks, step, rng):
    """Each path of a shared E, by bumping one of equal copies of it; nothing where none is."""
    paths = getattr(result, "embedding_paths", None)
    twin, names = equal_copies(model)
    if paths is None or not names:
        return []
    if reason := unlike(model, twin, batch, masks):
        return [Measured(unchecked(name, reason), np.empty(0)) for name in names]
    copies = {name: twin.params[name] for name in names}
    grads = {name: np.array(paths[place]) for name, place in names.items()}
    return measure_model(lambda _: own_loss(twin, batch, masks), copies, grads, step, rng)


def unlike(model, twin, batch, masks):
    """Why bumping one of the twin's equal copies says nothing of this model; "" where it does."""
    try:
        loss = inputs.as_number(own_loss(twin, batch, masks))
    except Exception as error:  # a subclass may read `params` in its own way
        return f"with equal copies of E the loss stops: {type(error).__name__}, {error}"
    if np.isclose(loss, inputs.as_number(own_loss(model, batch, masks)), rtol=1e-9, atol=0):
        return ""
    return "with equal copies of E the loss is another one, so that no path can be bumped alone"


def numbers_of(model, y):
    """Numbers that a constant factor may come from."""
    targets = targets_of(model, y)
    batch, steps = targets.shape
    numbers = {"B": batch, "T": steps, "N = B·T": batch * steps}
    numbers["V"] = getattr(model, "target_size", model.vocab_size)
    for letter, name in (("D", "d_embed"), ("H", "d_hidden"), ("d", "d_model")):
        if hasattr(model, name):
            numbers[letter] = getattr(model, name)
    numbers |= {name: getattr(model, name, 1) for name in ("embed_scale", "n_layers")}
    if model.padding_id is not None:
        numbers["the share of targets that count"] = float(np.mean(targets != model.padding_id))
    return numbers
