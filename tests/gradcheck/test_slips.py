"""Mistakes of people's answers are named, and what else is said about a wrong gradient."""

import numpy as np
import pytest

from tests.gradcheck.cases import telling_case
from tests.gradcheck.slips import CAUSES, MAKES, token_by_token
from tests.planted import MODEL_BUGS, planted
from tinytie import RNNLM, check_gradients, check_model
from tinytie.plots.gradcheck import wrong_entries


@pytest.mark.parametrize("options", [{}, {"tied": False}, {"projection": True}, {"padding_id": 0}])
@pytest.mark.parametrize("slip", CAUSES)
def test_a_slip_of_the_pen_is_named(slip, options):
    model, *batch = telling_case(seed=2, make=MAKES[slip], d_hidden=4, embed_scale=1.3, **options)
    right = token_by_token(model, *batch[:2], batch[2][0], "")
    for name, gradient in RNNLM.loss_and_grads(model, *batch).grads.items():
        np.testing.assert_allclose(right[name], gradient, atol=1e-14)
    report = check_model(model, *batch)
    assert (report.verdict, report.cause) == ("FAIL", CAUSES[slip]), str(report)


def test_the_wrong_part_of_a_matrix_is_said_with_its_words():
    lost = next(bug for bug in MODEL_BUGS if bug.name == "assignment")
    with planted(lost):
        report = check_model(*telling_case(seed=1), words=[f"w{i}" for i in range(9)])
    text = str(report)
    assert "E: the wrong part is the lookup's" in text and "times among the inputs" in text
    assert "E: wrong in" in text and "the word 'w" in text


class TwoSteps(RNNLM):
    """U without step 3, and b with step 1 twice: no cause of the list."""

    def loss_and_grads(self, *args, **options):
        result = super().loss_and_grads(*args, **options)
        parts = {t: self.step_parts(t, *args) for t in (1, 3)}
        U, b = result.grads["U0"] - parts[3]["U0"], result.grads["b0"] + parts[1]["b0"]
        return result._replace(grads=result.grads | {"U0": U, "b0": b})

    def step_parts(self, step, x, y, state):
        h = state[0]
        das = token_by_token(self, x, y, h, "no sum")["b0"].reshape(len(x), x.shape[1], -1)[:, ::-1]
        E, W, U, b = (self.params[n] for n in ("E", "W0", "U0", "b0"))
        for t in range(step):
            h = np.tanh(E[x[:, t]] @ W.T + h @ U.T + b)
        return {"U0": das[:, step].T @ h, "b0": das[:, step].sum(axis=0)}


def test_the_wrong_steps_are_said_and_a_picture_can_be_drawn():
    report = check_model(*telling_case(seed=1, make=TwoSteps))
    assert report.cause is None
    text = str(report)
    assert "U0: counts step 3 " in text and "b0: counts step 1 2 times" in text, text
    figure = wrong_entries(report)
    assert len(figure.axes) >= 2 and "U0" in figure.axes[0].get_title()


def test_several_mistakes_at_once_are_told_one_by_one():
    def wrong(model, *args, **options):
        result = RNNLM.loss_and_grads(model, *args, **options)
        changed = {"E": result.embedding_paths.output, "U0": -result.grads["U0"]}
        return result._replace(grads=result.grads | changed) if options.get("paths", 1) else result

    make = type("Two", (RNNLM,), {"loss_and_grads": wrong})
    text = str(check_model(*telling_case(make=make)))
    assert "E alone: input path missing" in text and "U0 alone: wrong sign" in text


def test_there_is_no_picture_of_what_passes():
    a = np.array([1.0, 2.0])
    report = check_gradients(lambda p: float(np.sum(p["a"] ** 2)), {"a": a}, {"a": 2 * a})
    with pytest.raises(ValueError, match="nothing is wrong"):
        wrong_entries(report)
