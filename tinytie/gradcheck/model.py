"""check_model: every parameter of a model, each path of its embedding, and what training runs."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from tinytie.gradcheck.diagnosis.meaning import meaning_of, numbers_of, token_ids_of
from tinytie.gradcheck.diagnosis.of_model import diagnose
from tinytie.gradcheck.measure import Options, measure, off_the_kinks
from tinytie.gradcheck.report import FAIL, Measured, Report, failed_row, unchecked, wrong_arrays
from tinytie.gradcheck.runs import Runs, training_rows
from tinytie.gradcheck.trees import Parameters, as_number, check_options, misfit
from tinytie.models.language_model import LanguageModel
from tinytie.models.translator import Translator
from tinytie.models.tying import untie_weights

WRONG_PATHS = "every gradient is right, but embedding_paths is not"
WRONG_RUNS = "these gradients are right, but what training runs is not: "


def check_model(
    model: Any, x: Any, y: Any, state: Any = None, *,
    step: float = 1e-5, rng: Any = 0, words: Sequence[str] | None = None,
) -> Report:  # fmt: skip
    """Bump every entry of `model.params`, and each of two or three equal copies of a shared E.

    x, y (B, T) integer ids, state as in `model.loss`; of a `Translator` x is the source and y the
    target, and there is no state. Calls the model's own `loss` and `loss_and_grads`, so that a
    broken subclass is caught; where the model has dropout, under one set of masks drawn once from
    `rng`, which also draws the directions taken above 10,000 entries. At a kink, a point beside it
    is checked. What training runs must give the same: `paths=False`, scores in chunks, the loss
    and the state of the result, a second call; a row is added where it does not.

    Any object will do that has `params`, `loss(x, y)`, which may return (loss, anything), and
    `loss_and_grads(x, y)`, whose result has a dict `.grads`, or is (loss, grads).
    words names the tokens in the report. On FAIL, `cause` is a key of `CAUSES`, or None where
    nothing on that list, or more than one, explains the whole of what is wrong.
    """
    check_options("central", step)
    a_model(model)
    check_words(model, words)
    runs = Runs(model, batch_of(model, x, y, state))
    result, changed = runs.first(rng)
    if changed:
        reason = f"loss_and_grads changes the parameters {', '.join(map(str, changed))}"
        return Report([unchecked(str(name), reason) for name in model.params])
    options = Options(step=step, rng=np.random.default_rng(rng))
    measured = measure_all(runs, result, options)
    beside = lambda: measure_all(runs, runs.call(), options)  # noqa: E731
    measured = off_the_kinks(Parameters(model.params), measured, beside)
    ids = token_ids_of(model, x, y)
    rows = [with_meaning(model, m.row, ids, words) for m in measured]
    wrong = any(row.verdict == FAIL for row in rows)
    trained = [] if wrong else training_rows(runs, result)
    return explained(runs, x, y, state, measured, rows, trained, words)


def explained(runs, x, y, state, measured, rows, trained, words):
    """The report of all rows, with the cause of what is wrong."""
    model, everything = runs.model, rows + trained
    failed = [m for m in measured if m.row.verdict == FAIL and m.row.name not in runs.path_names]
    if failed:
        numbers = numbers_of(model, y)
        batch = x, y, state, runs.masks
        cause, why, notes = diagnose(model, batch, failed, numbers, measured, words)
        return Report(everything, cause, why, notes, wrong_arrays(measured))
    if trained:
        said = WRONG_RUNS + "; ".join(row.reason for row in trained)
        return Report(everything, None, said)
    if any(row.verdict == FAIL for row in rows):
        return Report(everything, None, WRONG_PATHS)
    return Report(everything)


def a_model(model):
    """Raises TypeError where something is missing."""
    missing = [n for n in ("params", "loss", "loss_and_grads") if not hasattr(model, n)]
    if missing:
        raise TypeError(
            "a model is needed, such as tinytie.RNNLM(...), with params, loss and loss_and_grads; "
            f"got {model!r:.200}, which has no {' and no '.join(missing)}"
        )


def check_words(model, words):
    """A word for each row of the token matrices."""
    if words is None or not hasattr(model, "embedding_names"):
        return
    rows = max(len(model.params[name]) for name in model.embedding_names)
    if len(words) < rows:
        raise ValueError(
            f"words has {len(words)} words, but the model has {rows} ids: give one for each id"
        )


def batch_of(model, x, y, state):
    """What `model.loss` takes: a translator, and many another model, has no state."""
    if isinstance(model, Translator) and state is not None:
        raise ValueError("a translator carries no state from call to call: leave state=None")
    return (x, y) if state is None else (x, y, state)


def with_meaning(model, row, ids, words):
    """The row, with what its worst entry stands for."""
    return replace(row, meaning=meaning_of(model, row.name, row.index, ids, words))


def measure_all(runs, result, options):
    """One `Measured` for each parameter, and for each path of a shared E."""
    parameters = measure_model(lambda _: runs.loss(), runs.model.params, result.grads, options)
    return parameters + measure_paths(runs, result, options)


def measure_model(loss, params, grads, options):
    """One `Measured` for each parameter; wrong names, shapes and dtypes are wrong gradients."""
    parameters = Parameters(params)
    if not isinstance(params, dict) or set(parameters.arrays) != set(params):
        return measure(loss, parameters, parameters.gradients(grads), options)
    odd, usable = [], {}
    for name, array in params.items():
        given = np.array(grads.get(name))
        wrong = "no gradient" if name not in grads else misfit(array, given)
        if wrong:
            odd.append(Measured(failed_row(str(name), f"it has {wrong}"), given))
        usable[name] = np.zeros_like(array) if wrong else given
    unknown = [
        Measured(failed_row(str(name), "a gradient of no parameter"), np.asarray(gradient))
        for name, gradient in grads.items()
        if name not in params
    ]
    instead = {m.row.name: m for m in odd}
    measured = measure(loss, parameters, usable, options)
    return [as_given(m, instead.get(m.row.name)) for m in measured] + unknown


def as_given(m, odd):
    """A gradient of an odd shape or dtype, beside the right one."""
    return m if odd is None else odd._replace(numeric=m.numeric, bound=m.bound)


def measure_paths(runs, result, options):
    """Each path of a shared E, by bumping one of equal copies of it; nothing where none is."""
    paths = getattr(result, "embedding_paths", None)
    twin, places = equal_copies(runs.model)
    if paths is None or not places:
        return []
    runs.path_names = tuple(places)
    copy = Runs(twin, runs.batch, runs.masks)
    if reason := unlike(runs, copy):
        return [Measured(unchecked(name, reason), np.empty(0)) for name in places]
    copies = {name: twin.params[name] for name in places}
    grads = {name: np.array(paths[place]) for name, place in places.items()}
    return measure_model(lambda _: copy.loss(), copies, grads, options)


def equal_copies(model):
    """(twin, names): a copy of the model in which each use of a shared matrix has its own array.

    names: of these arrays, each with its place in `embedding_paths`; none where nothing is shared.
    """
    if isinstance(model, Translator):
        return translator_copies(model)
    if isinstance(model, LanguageModel) and model.tied:
        return untie_weights(model), {"E_in": 0, "E_out": 1}
    return model, {}


def translator_copies(model):
    """The same for the three uses of a translator's matrices."""
    roles = ("E_source", "E_target", "E_out")
    twin = type(model)(**model.config | {"tying": "none"}, rng=0)
    matrices = {role: model.params[role if role in model.params else "E"] for role in roles}
    twin.params = {n: a.copy() for n, a in (model.params | matrices).items() if n != "E"}
    return twin, {r: place for place, r in enumerate(roles) if r not in model.params}


def unlike(runs, copy):
    """Why bumping one of the twin's equal copies says nothing of this model; "" where it does."""
    try:
        loss = as_number(copy.loss())
    except Exception as error:  # a subclass may read `params` in its own way
        return f"with equal copies of E the loss stops: {type(error).__name__}, {error}"
    if np.isclose(loss, as_number(runs.loss()), rtol=1e-9, atol=0):
        return ""
    return "with equal copies of E the loss is another one, so that no path can be bumped alone"
