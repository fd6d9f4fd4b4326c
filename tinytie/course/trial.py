"""A page is tried: its gradients against the loss, its training against the package's."""

from types import ModuleType
from typing import Any

import numpy as np

from tinytie.gradcheck import check_gradients
from tinytie.gradcheck.report import Report
from tinytie.models.rnn_lm import RNNLM
from tinytie.text.corpora import topics_corpus
from tinytie.training.optimizers import Adam

NAMES = {"E": "E", "W": "W0", "U": "U0", "b": "b0", "P": "P", "p": "p", "c": "c"}  # the package's


def english() -> str:
    """The text that comes with the package: a line to learn from, a line to be tested on."""
    corpus = topics_corpus()
    words = corpus.vocabulary.words
    return "".join(" ".join(words[i] for i in ids) + "\n" for ids in (corpus.train, corpus.test))


def module_of(source: str, path: str) -> ModuleType:
    """The page as a module. Raises what its code raises."""
    module = ModuleType("my_model")
    module.__file__ = path
    exec(compile(source, path, "exec"), module.__dict__)
    return module


def checked(page: Any, seed: int = 0) -> Report:
    """All seven gradients of the page against the finite difference of its loss."""
    rng = np.random.default_rng(seed)
    V, D, H = 7, 4, 5
    shapes = {"E": (V, D), "W": (H, D), "U": (H, H), "b": (H,), "P": (D, H), "p": (D,), "c": (V,)}
    params = {name: rng.standard_normal(shape) / 2 for name, shape in shapes.items()}
    x, y = np.array([[0, 3, 0], [5, 0, 1]]), np.array([[3, 0, 2], [0, 1, 6]])  # (B, T) = (2, 3)
    h0 = rng.standard_normal((2, H))
    _, grads, _ = page.loss_and_grads(params, x, y, h0)
    return check_gradients(lambda p: page.loss_and_grads(p, x, y, h0)[0], params, grads)


def apart(page: Any, text: str, steps: int = 30) -> float:
    """How far the losses of the page and of the package are apart, at most, from one start."""
    parts = [line.split() for line in text.splitlines()]
    words = sorted(set(parts[0]))
    ids = np.array([words.index(word) for word in parts[0][: 20 * (15 * steps + 1)]])
    params = page.fresh(len(words))
    model = RNNLM(len(words), *params["P"].shape, rng=0)
    for name, array in params.items():
        model.params[NAMES[name]] = array.copy()
    theirs, state, adam = [], None, Adam(0.005)
    for x, y in page.batches(ids):
        result = model.loss_and_grads(x, y, state, paths=False)
        adam.step(model.params, result.grads, model.frozen)
        state = result.state
        theirs.append(result.loss)
    return float(np.abs(np.array(page.epoch(params, ids, {})) - theirs).max())
