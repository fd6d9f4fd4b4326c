"""The recipes against the published constants, and one step against a few lines of their own."""

import numpy as np
import pytest

from tinytie.experiments.recipes.inan import INAN
from tinytie.experiments.recipes.objective import Objective, shared
from tinytie.experiments.recipes.press_wolf import PRESS_WOLF
from tinytie.experiments.recipes.run import build_model, build_trainer
from tinytie.measure.parameters import count_parameters
from tinytie.measure.perplexity import predict
from tinytie.models.masks import draw_masks
from tinytie.text.batches import Batches
from tinytie.text.corpora import Corpus
from tinytie.training.optimizers import SGD
from tinytie.training.trainer import Epoch

TABLE = PRESS_WOLF.rows
SMALL = PRESS_WOLF.settings.changed(width=4, batch_size=2, steps=3)
IDS = np.random.default_rng(0).integers(7, size=40)
TOY = Corpus("toy", None, "space", IDS, IDS[:17], IDS[:20])  # no words are needed here


@pytest.mark.parametrize(
    "row, published",
    [("base", 4_651_600), ("wt", 2_651_600), ("pr", 4_691_800), ("wt+pr", 2_691_800)],
)
def test_the_number_of_parameters_is_the_published_one(row, published):
    model = build_model(TABLE[row], 10_000, PRESS_WOLF.settings)
    assert count_parameters(model)["total"] == TABLE[row].published.parameters == published
    assert {array.dtype for array in model.params.values()} == {np.dtype(np.float32)}


def test_the_row_of_equal_budget_is_the_widest_untied_one_below_the_tied():
    model = build_model(TABLE["budget"], 10_000, PRESS_WOLF.settings)
    assert (model.d_embed, model.tied) == (120, False)

    def untied(d):
        return 2 * 10_000 * d + 2 * (8 * d * d + 4 * d) + 10_000

    assert count_parameters(model)["total"] == untied(120) < 2_651_600 < untied(121)


def test_every_variable_starts_uniform_in_a_tenth_but_for_the_biases_of_the_cells():
    params = build_model(TABLE["wt+pr"], 500, PRESS_WOLF.settings).params
    for name, array in params.items():
        if name.startswith("b"):
            assert not array.any()
        else:
            assert np.abs(array).max() <= 0.1 and array.std() == pytest.approx(
                0.1 / 3**0.5, rel=0.2
            )
    assert {"c", "p", "P"} <= params.keys()


def test_the_rate_is_one_for_five_epochs_and_then_halves():
    trainer = build_trainer(TABLE["wt"], build_model(TABLE["wt"], 7, SMALL), TOY, SMALL)
    rates = [event.rate for event in trainer.run() if isinstance(event, Epoch)]
    assert rates == [1.0] * 5 + [0.5**k for k in range(1, 9)]


def sigmoid(a):
    return 1 / (1 + np.exp(-a))


def objective_by_hand(w, x, y, E_in, E_out):
    """Σ_t −log ŷ, averaged over the rows, plus ½ ΣP² / (6.5 B); two LSTM layers from zero."""
    (B, T), H = x.shape, w["U0"].shape[1]
    h, c, total = np.zeros((2, B, H)), np.zeros((2, B, H)), 0.0
    for t in range(T):
        below = w[E_in][x[:, t]]
        for layer in (0, 1):
            a = below @ w[f"W{layer}"].T + h[layer] @ w[f"U{layer}"].T + w[f"b{layer}"]
            i, f, g, o = np.split(a, 4, axis=1)
            c[layer] = sigmoid(f) * c[layer] + sigmoid(i) * np.tanh(g)
            below = h[layer] = sigmoid(o) * np.tanh(c[layer])
        if "P" in w:
            below = below @ w["P"].T + w["p"]
        s = below @ w[E_out].T + w["c"]
        total += (np.log(np.exp(s).sum(axis=1)) - s[np.arange(B), y[:, t]]).sum() / B
    return total + (np.sum(w["P"] ** 2) / 2 / (6.5 * B) if "P" in w else 0.0)


def gradient_by_hand(w, *rest):
    """Central differences of the above, entry by entry."""
    gradient = {name: np.empty_like(array) for name, array in w.items()}
    for name, array in w.items():
        for index in np.ndindex(array.shape):
            kept, sides = array[index], []
            for step in (1e-5, -1e-5):
                array[index] = kept + step
                sides.append(objective_by_hand(w, *rest))
            array[index] = kept
            gradient[name][index] = (sides[0] - sides[1]) / 2e-5
    return gradient


@pytest.mark.parametrize("max_norm", [5.0, 0.2], ids=["not clipped", "clipped"])
@pytest.mark.parametrize("name", ["base", "wt", "pr", "wt+pr"])
def test_one_step_equals_the_step_by_hand(name, max_norm):
    row, settings = TABLE[name], SMALL.changed(max_norm=max_norm, bound=0.5)
    model = build_model(row, 7, settings)
    before = {name: array.astype(np.float64) for name, array in model.params.items()}
    x, y = Batches(TOY.train, 2, 3)[0]
    sides = ("E", "E") if model.tied else ("E_in", "E_out")
    gradient = gradient_by_hand(before, x, y, *sides)
    norm = np.sqrt(sum(np.sum(g**2) for g in gradient.values()))  # a tied matrix counts once
    assert 0.2 < norm < 5

    trainer = build_trainer(row, model, TOY, settings)
    assert trainer.step().norm == pytest.approx(norm, rel=1e-4)
    for key, array in model.params.items():
        expected = before[key] - min(1.0, max_norm / norm) * gradient[key]
        np.testing.assert_allclose(array, expected, atol=2e-6, err_msg=key)


def test_the_training_loss_is_nats_a_token_without_factor_and_penalty():
    row = TABLE["wt+pr"]
    model = build_model(row, 7, SMALL)
    x, y = Batches(TOY.train, 2, 3)[0]
    loss, _ = model.loss(x, y)
    step = build_trainer(row, model, TOY, SMALL).step()
    assert step.loss == pytest.approx(loss, rel=1e-6)


def test_only_the_rows_that_say_so_are_penalized_and_never_p():
    model = build_model(TABLE["pr"], 7, SMALL)
    x, y = Batches(TOY.train, 2, 3)[0]
    plain = Objective(model).loss_and_grads(x, y).grads
    penalized = Objective(model, penalty=6.0).loss_and_grads(x, y).grads
    np.testing.assert_allclose(penalized["P"] - plain["P"], 3.0 * model.params["P"], rtol=1e-4)
    assert all((penalized[name] == plain[name]).all() for name in plain if name != "P")


def test_validation_drops_what_fills_no_batch_and_the_test_text_is_read_whole():
    model = build_model(TABLE["wt"], 7, SMALL)
    trainer = build_trainer(TABLE["wt"], model, TOY, SMALL)
    state, losses = None, []
    for start in (0, 3):  # 17 ids: two rows of 8, and (8 − 1) // 3 = 2 batches
        rows = TOY.valid[:16].reshape(2, 8)
        x, y = rows[:, start : start + 3], rows[:, start + 1 : start + 4]
        loss, state = model.loss(x, y, state)
        losses.append(loss)
    assert trainer.valid_loss(model) == pytest.approx(np.mean(losses))
    assert predict(model, TOY.test).tokens == len(TOY.test) - 1


def test_the_mask_of_a_layers_output_is_also_that_of_its_state():
    settings = INAN.settings.changed(width=4, batch_size=2, steps=3)
    model = build_model(INAN.rows["re"], 7, settings)
    drawn = draw_masks(model.body.drops, np.random.default_rng(0), (2, 3), model.dtype)
    masks = shared(drawn)
    assert masks.state[0] is masks.layers[0] and masks.state[1] is masks.output
    assert [mask.shape for mask in masks.state] == [(2, 1, 4)] * 2
    result = Objective(model, share_masks=True).loss_and_grads(*Batches(TOY.train, 2, 3)[0], rng=1)
    assert result.masks.state[0] is not None


@pytest.mark.parametrize("name", INAN.rows)
def test_a_step_of_inan_moves_every_parameter(name):
    settings = INAN.settings.changed(width=4, batch_size=2, steps=3)
    model = build_model(INAN.rows[name], 7, settings)
    before = {key: array.copy() for key, array in model.params.items()}
    trainer = build_trainer(INAN.rows[name], model, TOY, settings)
    for _ in range(3):
        trainer.step()
    assert all((model.params[key] != before[key]).any() for key in before)
    assert ("c" in before) == (not INAN.rows[name].options["tied"])


def test_alpha_is_gamma_times_tau():
    settings = INAN.settings.changed(width=4, batch_size=2, steps=3, gamma=0.5, tau=8.0)
    trainer = build_trainer(
        INAN.rows["al"], build_model(INAN.rows["al"], 7, settings), TOY, settings
    )
    assert trainer.model.model.mix == {"alpha": 4.0, "tau": 8.0, "beta": 1.0}
    assert isinstance(trainer.optimizer, SGD)
