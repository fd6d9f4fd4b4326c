"""The recurrent body: its parameters by name, its state, its masks and its padding."""

import math

import numpy as np
import pytest

from tests.models.cases import EVERYWHERE, arrays, case, every_cell, every_tie
from tinytie import RNNLM, Dropout, LSTMState


@pytest.mark.parametrize(("cell", "gates"), [("rnn", 1), ("gru", 3), ("lstm", 4)])
def test_names_and_shapes_are_those_of_the_equations(cell, gates):
    V, D, H = 11, 4, 6
    model = RNNLM(V, D, H, cell=cell, n_layers=2, rng=0)
    assert {name: array.shape for name, array in model.params.items()} == {
        "E": (V, D),
        "W0": (gates * H, D), "U0": (gates * H, H), "b0": (gates * H,),
        "W1": (gates * H, H), "U1": (gates * H, H), "b1": (gates * H,),
        "P": (D, H), "p": (D,), "c": (V,),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("tied", "d_hidden", "projection", "has_P", "width_out"),
    [
        (True, 4, None, False, 4), (True, None, None, False, 4), (True, 4, True, True, 4),
        (True, 6, None, True, 4), (True, 3, None, True, 4), (False, 4, None, False, 4),
        (False, 6, None, False, 6), (False, 6, True, True, 4), (False, 4, True, True, 4),
    ],
)  # fmt: skip
def test_widths_decide_the_projection(tied, d_hidden, projection, has_P, width_out):
    shapes = RNNLM(9, 4, d_hidden, tied=tied, projection=projection, output_bias=False).shapes
    assert ("P" in shapes, "p" in shapes, "c" in shapes) == (has_P, has_P, False)
    matrices = {"E": (9, 4)} if tied else {"E_in": (9, 4), "E_out": (9, width_out)}
    assert {name: shape for name, shape in shapes.items() if name.startswith("E")} == matrices


@every_cell
def test_the_state_is_a_tuple_with_one_entry_a_layer(cell):
    model, x, y, given = case(cell=cell, n_layers=2)
    for state in (model.initial_state(3), model.loss(x, y)[1], model.logits(x)[1]):
        assert type(state) is tuple
        assert len(state) == 2
        assert all(isinstance(s, LSTMState) == (cell == "lstm") for s in state)
        assert all(a.shape == (3, 5) for a in arrays(state))
    lists = [[p.tolist() for p in s] if isinstance(s, tuple) else s.tolist() for s in given]
    assert model.loss(x, y, lists)[0] == model.loss(x, y, given)[0]
    assert model.context is None


def test_one_mask_serves_all_steps_where_variational():
    for variational, steps in [(True, 1), (False, 5)]:
        dropout = EVERYWHERE._replace(variational=variational)
        model, *batch = case(n_layers=2, dropout=dropout)
        masks = model.loss_and_grads(*batch, rng=0).masks
        assert [m.shape for m in arrays(masks)] == [(3, steps, 4)] + 4 * [(3, steps, 5)]


def test_masks_hold_zero_and_the_inverse_of_the_kept_share():
    model = RNNLM(9, 200, n_layers=2, dropout=Dropout(0.2, 0.25, 0.5, 0.6), rng=0)
    x = np.zeros((4, 20), int)
    masks = arrays(model.loss_and_grads(x, x, rng=0).masks)
    for mask, p in zip(masks, [0.2, 0.25, 0.5, 0.5, 0.6], strict=True):
        assert np.allclose(np.unique(mask), [0, 1 / (1 - p)])
        assert abs(mask.mean() - 1) < 0.05


@pytest.mark.parametrize("place", ["embedding", "layers", "state", "output"])
@every_cell
def test_each_place_drops_alone(cell, place):
    model, *batch = case(cell=cell, n_layers=2, dropout=Dropout(**{place: 0.5}))
    result = model.loss_and_grads(*batch, rng=1)
    assert result.loss != model.loss(*batch)[0]
    assert len(arrays(result.masks)) == len(arrays((getattr(result.masks, place),))) > 0


def test_a_single_share_drops_embeddings_layers_and_output_but_not_the_state():
    assert RNNLM(9, 4, dropout=0.3, rng=0).dropout == Dropout(0.3, 0.3, 0.0, 0.3)


@every_tie
def test_padding_targets_carry_no_loss_and_a_batch_of_them_is_refused(tied):
    model, x, y, state = case(padding_id=8, tied=tied)
    y[:, 3:] = 8
    shorter = model.loss(x[:, :3], y[:, :3], state)[0]
    assert math.isclose(model.loss(x, y, state)[0], shorter, rel_tol=1e-13)
    for call in (model.loss, model.loss_and_grads):
        with pytest.raises(ValueError, match="every target is the padding id 8"):
            call(x, np.full_like(y, 8), state)
