"""How a model is called, and whether what training runs agrees with what is checked."""

import inspect
from contextlib import contextmanager
from types import SimpleNamespace

import numpy as np

from tinytie.gradcheck.measure import unequal
from tinytie.gradcheck.report import failed_row
from tinytie.gradcheck.trees import Parameters, as_number


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
    copied = {n: np.array(a) for n, a in grads.items()} if isinstance(grads, dict) else grads
    return SimpleNamespace(
        raw=raw, grads=copied, loss=getattr(raw, "loss", None), masks=getattr(raw, "masks", None),
        state=getattr(raw, "state", None), embedding_paths=getattr(raw, "embedding_paths", None),
    )  # fmt: skip


def drops(model):
    """Whether the model has any dropout."""
    return any(p > 0 for p in np.atleast_1d(getattr(model, "dropout", 0.0))[:4])


def training_rows(runs, result):
    """A row for each way in which training would run something else than what was checked."""
    if not isinstance(result.grads, dict):
        return []
    whole = runs.whole_loss()
    rows = [other_loss(result, whole), other_state(result, whole)]
    rows.append(compared(runs, result, "second call", "a second call gives"))
    if takes(runs.model.loss_and_grads, "paths"):
        rows.append(compared(runs, result, "paths=False", "paths=False gives", paths=False))
    if hasattr(runs.model, "max_score_bytes"):
        with in_chunks(runs.model):
            rows.append(compared(runs, result, "chunks", "with scores in chunks there is"))
    return [row for row in rows if row is not None]


def other_loss(result, whole):
    """Where the loss of the result is not that of `loss`."""
    loss = as_number(whole[0] if isinstance(whole, tuple) else whole)
    coarse = any(np.asarray(g).dtype.itemsize < 8 for g in result.grads.values())
    if result.loss is None or np.isclose(result.loss, loss, rtol=1e-4 if coarse else 1e-9, atol=0):
        return None
    return failed_row("loss", f"the result's loss is {result.loss:.9g}, that of loss() {loss:.9g}")


def other_state(result, whole):
    """Where the state that is handed on is not that of `loss`."""
    if result.state is None or not isinstance(whole, tuple) or len(whole) != 2:
        return None
    ours, theirs = flat(result.state), flat(whole[1])
    same = len(ours) == len(theirs) and all(
        a.shape == b.shape and np.allclose(a, b, rtol=1e-4, atol=1e-9)
        for a, b in zip(ours, theirs, strict=True)
    )
    return None if same else failed_row("state", "the result's state is not that of loss()")


def flat(state):
    """All arrays inside nested tuples."""
    if isinstance(state, tuple | list):
        return [array for part in state for array in flat(part)]
    return [] if state is None else [np.asarray(state)]


def compared(runs, result, name, words, **options):
    """A row where another call gives another loss or other gradients."""
    try:
        with Parameters(runs.model.params).restored():
            again = runs.call(**options)
    except Exception as error:
        return failed_row(name, f"{words} {type(error).__name__}: {error}")
    if set(again.grads) != set(result.grads):
        return failed_row(name, f"{words} gradients of other names: {sorted(again.grads)}")
    shapes = [n for n, g in result.grads.items() if again.grads[n].shape != g.shape]
    if differs := shapes or [n for n in result.grads if other(result.grads, again.grads, n)]:
        return failed_row(name, f"{words} another gradient of {', '.join(map(str, differs))}")
    if result.loss is not None and not np.isclose(again.loss, result.loss, rtol=1e-4, atol=1e-12):
        return failed_row(name, f"{words} another loss, {again.loss:.9g} for {result.loss:.9g}")
    before = {n: np.asarray(result.raw.grads[n]) for n in result.grads}
    if differs := [n for n in before if other(result.grads, before, n)]:
        said = f"it changes the gradient of {', '.join(map(str, differs))} returned before"
        return failed_row(name, said)
    return None


def other(one, two, name):
    """Whether two gradients of one name differ by more than rounding."""
    numbers = one[name].dtype.kind == two[name].dtype.kind == "f"
    return numbers and unequal({name: one[name]}, {name: two[name]}) is not None


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
