"""How a model is called, and whether what training runs agrees with what is checked."""

import inspect
from contextlib import contextmanager
from types import SimpleNamespace

import numpy as np

from tinytie.gradcheck.ladder import slope_along
from tinytie.gradcheck.measure import unequal
from tinytie.gradcheck.report import failed_row
from tinytie.gradcheck.trees import Parameters, as_number, leaves_of, rebuilt, said
from tinytie.gradcheck.verdict import SHARP
from tinytie.models.translator import Translator


class Runs:
    """A model on one batch, under one set of dropout masks."""

    def __init__(self, model, batch, masks=None):
        self.model, self.batch, self.masks = model, batch, masks
        self.path_names = ()

    @property
    def kept(self):
        """The masks, where there are any."""
        return {} if self.masks is None else {"masks": self.masks}

    def whole_loss(self):
        """The model's own loss, and whatever else it returns."""
        return self.model.loss(*self.batch, **self.kept)

    def loss(self):
        """The model's own loss, without the state."""
        given = self.whole_loss()
        return given[0] if isinstance(given, tuple) else given

    def call(self, **options):
        """The result of `loss_and_grads`, its gradients copied."""
        return as_result(self.model.loss_and_grads(*self.batch, **self.kept, **options))

    def first(self, rng):
        """(result, names of parameters that the call changed), and keeps the masks it drew."""
        drawn = {"rng": rng} if drops(self.model) else {}
        before = {name: array.tobytes() for name, array in named(self.model).items()}
        with Parameters(self.model.params).restored():
            result = as_result(self.model.loss_and_grads(*self.batch, **drawn))
            now = named(self.model)
            changed = [n for n, b in before.items() if n not in now or now[n].tobytes() != b]
        self.masks = result.masks if drawn else None
        return result, changed


def named(model):
    """The parameters by name."""
    return Parameters(model.params).arrays


def as_result(given):
    """A result with .loss and .grads, of which the arrays are copies; (loss, grads) is one too."""
    raw = given
    if type(given) is tuple and len(given) == 2 and isinstance(given[1], dict):
        raw = SimpleNamespace(loss=given[0], grads=given[1])
    grads = getattr(raw, "grads", None)
    if not isinstance(grads, dict | list | tuple):
        raise TypeError(
            "loss_and_grads must return a result with a dict .grads, or (loss, grads); got "
            f"{type(given).__name__}"
        )
    others = ("loss", "masks", "state", "embedding_paths")
    found = {name: getattr(raw, name, None) for name in others}
    return SimpleNamespace(raw=raw, grads=copied(grads), **found)


def copied(tree):
    """The same containers, with copies of what they hold."""
    if tree is None:
        return None
    if isinstance(tree, dict | list | tuple):
        return rebuilt(tree, {path: copied(leaf) for path, leaf in leaves_of(tree)})
    return np.array(tree)


def drops(model):
    """Whether the model has any dropout."""
    return any(p > 0 for p in np.atleast_1d(getattr(model, "dropout", 0.0))[:4])


def training_rows(runs, result):
    """A row for each way in which training would run something else than what was checked."""
    model, whole = runs.model, runs.whole_loss()
    rows = [other_loss(result, whole), other_state(result, whole)]
    rows.append(compared(runs, result, "second call", "a second call gives"))
    if takes(model.loss_and_grads, "paths"):
        rows.append(compared(runs, result, "paths=False", "paths=False gives", paths=False))
    if takes(model.loss_and_grads, "memory") and hasattr(model, "memory_for"):
        y = runs.batch[1][:, 1:] if isinstance(model, Translator) else runs.batch[1]
        if (lent := model.memory_for(np.size(y))) is not None:
            lent.fill(np.nan)  # as good as anything that a step before left there
        rows.append(compared(runs, result, "memory", "with memory lent there is", memory=lent))
    if hasattr(model, "max_score_bytes"):
        with in_chunks(model):
            rows.append(compared(runs, result, "chunks", "with scores in chunks there is"))
    rows += with_the_state(runs, result)
    return [row for row in rows if row is not None]


def with_the_state(runs, result):
    """A row where the gradients are wrong once the state of a first batch is handed on."""
    if len(runs.batch) > 2 or not flat(result.state):
        return []
    later = Runs(runs.model, (*runs.batch, result.state), runs.masks)
    parameters, wrong, rng = Parameters(runs.model.params), [], np.random.default_rng(0)
    grads, value = parameters.gradients(later.call().grads), as_number(later.loss())
    for name, array in parameters.arrays.items():
        v = rng.standard_normal(array.shape)
        v /= np.linalg.norm(v) or 1.0
        slope = slope_along(later.loss, array, value, v)
        given, size = float(np.vdot(grads[name], v)), float(np.linalg.norm(grads[name]))
        if array.dtype == float and not slope.kink and not slope.admits(given, SHARP * size):
            wrong.append(name)
    said = f"with the state handed on, the gradient of {', '.join(map(str, wrong))} is wrong"
    return [failed_row("state handed on", said)] if wrong else []


def other_loss(result, whole):
    """Where the loss of the result is not that of `loss`."""
    loss = as_number(whole[0] if isinstance(whole, tuple) else whole)
    if result.loss is None or np.isclose(result.loss, loss, rtol=share_of(result), atol=0):
        return None
    return failed_row("loss", f"the result's loss is {result.loss:.9g}, that of loss() {loss:.9g}")


def share_of(result):
    """What rounding may do to a loss or a state, as a share of it."""
    coarse = any(g.dtype.itemsize < 8 for g in by_name(result.grads).values())
    return 1e-4 if coarse else 1e-9


def other_state(result, whole):
    """Where the state that is handed on is not that of `loss`."""
    if result.state is None or not isinstance(whole, tuple) or len(whole) != 2:
        return None
    if same_state(result.state, whole[1], share_of(result)):
        return None
    return failed_row("state", "the result's state is not that of loss()")


def same_state(one, two, share):
    """Whether two states are the same but for rounding."""
    ours, theirs = flat(one), flat(two)
    return len(ours) == len(theirs) and all(
        a.shape == b.shape and np.allclose(a, b, rtol=share, atol=share)
        for a, b in zip(ours, theirs, strict=True)
    )


def flat(state):
    """All arrays inside nested tuples."""
    return [np.asarray(leaf) for _, leaf in leaves_of(state) if leaf is not None]


def by_name(grads):
    """Every gradient, flat, by the name that a report has for it."""
    plain = isinstance(grads, dict) and not any(
        isinstance(g, dict | list | tuple) for g in grads.values()
    )
    return {
        path[0] if plain else said("params", path): np.asarray(leaf)
        for path, leaf in leaves_of(grads)
        if leaf is not None
    }


def compared(runs, result, name, words, **options):
    """A row where another call gives another loss, another state or other gradients."""
    try:
        with Parameters(runs.model.params).restored():
            again = runs.call(**options)
    except Exception as error:
        return failed_row(name, f"{words} {type(error).__name__}: {error}")
    ours, theirs = by_name(result.grads), by_name(again.grads)
    if set(theirs) != set(ours):
        return failed_row(name, f"{words} gradients of other names: {sorted(map(str, theirs))}")
    if differs := differing(ours, theirs):
        return failed_row(name, f"{words} another gradient of {differs}")
    share = share_of(result)
    if result.loss is not None and not np.isclose(again.loss, result.loss, rtol=share, atol=1e-12):
        return failed_row(name, f"{words} another loss, {again.loss:.9g} for {result.loss:.9g}")
    if not same_state(again.state, result.state, share):
        return failed_row(name, f"{words} another state to hand on")
    if differs := differing(ours, by_name(result.raw.grads)):
        return failed_row(name, f"it changes the gradient of {differs} returned before")
    return None


def differing(one, two):
    """The names, in words, of gradients that differ by more than rounding; "" where none does."""
    return ", ".join(str(name) for name in one if other(one[name], two[name]))


def other(one, two):
    """Whether two gradients differ by more than rounding."""
    if one.shape != two.shape:
        return True
    numbers = one.dtype.kind == two.dtype.kind == "f"
    return numbers and unequal({"": one}, {"": two}) is not None


def takes(function, name):
    """Whether a function has a parameter of this name, or takes any."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return False
    return any(p.name == name or p.kind is p.VAR_KEYWORD for p in parameters)


@contextmanager
def in_chunks(model):
    """The scores of three tokens at a time, whatever the memory."""
    own, before = "max_score_bytes" in vars(model), model.max_score_bytes
    row = max(len(array) for array in named(model).values()) * 8
    try:
        model.max_score_bytes = 3 * row
        yield
    finally:
        if own:
            model.max_score_bytes = before
        else:
            del model.max_score_bytes
