"""check_model: what training runs, the kinks it is moved off, and models of any kind."""

import numpy as np
import pytest

from tests.gradcheck.cases import telling_case
from tinytie import RNNLM, check_model


class Broken(RNNLM):
    """Right where the check asks for both paths, and wrong elsewhere, as a subclass says."""

    def loss_and_grads(self, *args, **options):
        return self.broken(super().loss_and_grads(*args, **options), **options)


def wrong_grads(result, name="E"):
    return result._replace(grads=result.grads | {name: 2 * result.grads[name]})


class WithoutPaths(Broken):
    def broken(self, result, paths=True, **_):
        return result if paths else wrong_grads(result)


class OtherLoss(Broken):
    def broken(self, result, **_):
        return result._replace(loss=result.loss * 10)


class LostState(Broken):
    def broken(self, result, **_):
        return result._replace(state=tuple(0 * part for part in result.state))


class Second(Broken):
    calls = 0

    def broken(self, result, **_):
        self.calls += 1
        return result if self.calls == 1 else wrong_grads(result, "W0")


class Accumulates(Broken):
    def broken(self, result, **_):
        if not hasattr(self, "total"):
            self.total = {name: np.zeros_like(g) for name, g in result.grads.items()}
        for name, g in result.grads.items():
            self.total[name] += g
        return result._replace(grads=self.total)


class InChunks(Broken):
    def broken(self, result, **_):
        return result if self.max_score_bytes > 1000 else wrong_grads(result, "c")


@pytest.mark.parametrize(
    ("make", "row", "says"),
    [
        (WithoutPaths, "paths=False", "another gradient of E"),
        (OtherLoss, "loss", "the result's loss is"),
        (LostState, "state", "is not that of loss()"),
        (Second, "second call", "another gradient of W0"),
        (Accumulates, "second call", "another gradient of E"),
        (InChunks, "chunks", "another gradient of c"),
    ],
)
def test_a_model_that_trains_on_something_else_fails_and_says_what(make, row, says):
    model, *batch = telling_case(make=make)
    report = check_model(model, *batch)
    assert report.verdict == "FAIL" and report.cause is None, str(report)
    found = {r.name: r.reason for r in report.rows if r.verdict == "FAIL"}
    assert says in found[row], found
    assert "what training runs is not" in report.explanation
    assert "max_score_bytes" not in vars(model)


@pytest.mark.parametrize("options", [{"dropout": 0.3}, {"dtype": np.float32}, {"padding_id": 3}])
def test_what_training_runs_is_right_in_every_kind_of_model(options):
    assert check_model(*telling_case(**options)).verdict != "FAIL"


@pytest.mark.parametrize("seed", range(12))
def test_a_model_on_its_kinks_is_checked_beside_them(seed):
    model = RNNLM(9, 4, 5, activation="relu", padding_id=0, rng=seed)
    x, y = np.random.default_rng(seed).integers(9, size=(2, 3, 5))
    x[:, 0] = 0
    before = {name: array.tobytes() for name, array in model.params.items()}
    report = check_model(model, x, y)
    assert report.verdict != "FAIL", str(report)
    assert report or seed in UNLUCKY, str(report)
    assert before == {name: array.tobytes() for name, array in model.params.items()}


UNLUCKY = ()


class Regression:
    """Any object will do: no ids, no state, a pair as its result."""

    def __init__(self, scale=1.0):
        self.params = {"w": np.array([0.5, -0.3, 0.2])}
        self.scale = scale

    def loss(self, x, y):
        return float(np.sum((x @ self.params["w"] - y) ** 2))

    def loss_and_grads(self, x, y):
        r = x @ self.params["w"] - y
        return float(r @ r), {"w": self.scale * 2 * x.T @ r}


def test_any_object_with_parameters_a_loss_and_gradients_is_checked():
    x, y = np.random.default_rng(0).standard_normal((5, 4)).T[:3].T, np.arange(5.0)
    assert check_model(Regression(), x, y)
    report = check_model(Regression(-1.0), x, y)
    assert (report.verdict, report.cause) == ("FAIL", "wrong sign"), str(report)
    with pytest.raises(TypeError, match="params, loss and loss_and_grads"):
        check_model(object(), x, y)


def test_words_must_be_enough_for_all_ids():
    with pytest.raises(ValueError, match="words has 2 words, but the model has 9 ids"):
        check_model(*telling_case(), words=["a", "b"])
