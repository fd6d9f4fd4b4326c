"""Starting from vectors: which rows move, what is frozen, and what is said aloud."""

import math

import numpy as np
import pytest

from tinytie import RNNLM, check_model
from tinytie.ops.cells import CELLS
from tinytie.text.pretrained import with_vectors
from tinytie.text.vectors import Vectors, read_vectors

V, D = 60, 4
FOUND = np.arange(V) % 3 != 0


def vectors(size=1.0, width=D):
    rows = size * np.random.default_rng(0).standard_normal((V, width)) * FOUND[:, None]
    return Vectors(rows, FOUND, 400, 0)


@pytest.mark.parametrize("d_hidden", [4, 6])
@pytest.mark.parametrize(("tied", "name"), [(True, "E"), (False, "E_in")])
def test_found_words_get_their_vector_and_the_rest_keeps_its_row(tied, name, d_hidden):
    model = RNNLM(V, D, d_hidden, tied=tied, rng=0)
    kept = {key: array.copy() for key, array in model.params.items()}
    other = with_vectors(model, vectors()).model
    assert np.array_equal(other.params[name][FOUND], vectors().rows[FOUND])
    assert np.array_equal(other.params[name][~FOUND], kept[name][~FOUND])
    rest = model.params.keys() - {name}
    assert all(np.array_equal(other.params[key], kept[key]) for key in rest)
    assert all(np.array_equal(model.params[key], array) for key, array in kept.items())


def test_fine_tuning_freezes_nothing():
    model, message = with_vectors(RNNLM(V, D, rng=0), vectors())
    assert model.frozen == {}
    assert "E is fine-tuned" in message
    assert "40 of 60 words found (66.7%) among 400 vectors of width 4" in message


def test_frozen_and_tied_says_aloud_that_the_output_is_frozen_too():
    model, message = with_vectors(RNNLM(V, D, rng=0), vectors(), frozen=True)
    assert np.array_equal(model.frozen["E"], np.flatnonzero(FOUND))
    assert "the output embedding of these words is frozen too" in message


def test_frozen_and_untied_leaves_the_output_free():
    model, message = with_vectors(RNNLM(V, D, tied=False, rng=0), vectors(), frozen=True)
    assert model.frozen.keys() == {"E_in"}
    assert "frozen in E_in; E_out still learns" in message


def test_the_gradient_of_a_frozen_model_is_still_the_derivative():
    model, _ = with_vectors(RNNLM(V, D, 5, cell="gru", rng=0), vectors(), frozen=True)
    x, y = np.random.default_rng(0).integers(V, size=(2, 3, 4))
    assert model.loss_and_grads(x, y).grads["E"][model.frozen["E"]].any()
    assert check_model(model, x, y).verdict == "PASS"


def test_the_padding_row_stays_zero_and_frozen():
    model, _ = with_vectors(RNNLM(V, D, padding_id=1, rng=0), vectors(), frozen=True)
    assert FOUND[1]
    assert not model.params["E"][1].any()
    assert 1 in model.frozen["E"]


@pytest.mark.parametrize("cell", CELLS)
def test_long_vectors_blow_up_the_first_loss_of_a_tied_model_unless_rescaled(cell):
    model = RNNLM(V, D, cell=cell, n_layers=2, rng=0)
    x, y = np.random.default_rng(0).integers(V, size=(2, 8, 12))
    plain, message = with_vectors(model, vectors(size=20))
    rescaled, _ = with_vectors(model, vectors(size=20), rescale=True)
    assert abs(rescaled.loss(x, y)[0] / math.log(V) - 1) < 0.05
    assert plain.loss(x, y)[0] > 1.2 * math.log(V)
    assert "rescale=True" in message


def test_rescaling_keeps_every_angle_and_every_ratio_of_lengths():
    other = with_vectors(RNNLM(V, D, rng=0), vectors(), rescale=True).model
    new, old = other.params["E"][FOUND], vectors().rows[FOUND]
    factor = np.linalg.norm(new) / np.linalg.norm(old)
    np.testing.assert_allclose(new, factor * old, rtol=1e-12)


def test_the_rows_take_the_dtype_of_the_model():
    model = with_vectors(RNNLM(V, D, dtype=np.float32, rng=0), vectors()).model
    assert model.params["E"].dtype == np.float32


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (vectors(width=5), r"5 wide, but E is 4 wide; build the model with d_embed=5"),
        (
            Vectors(np.zeros((7, D)), np.ones(7, bool), 7, 0),
            "looked up for 7 words, but E has 60 rows",
        ),
        (
            Vectors(np.zeros((V, D)), np.zeros(V, bool), 7, 0),
            "no word of the vocabulary has a vector",
        ),
        (vectors(size=1e39), "too large for float32"),
    ],
)
def test_vectors_that_do_not_fit_are_refused(given, words):
    with pytest.raises(ValueError, match=words):
        with_vectors(RNNLM(V, D, dtype=np.float32, rng=0), given)


def test_from_file_to_model(tmp_path):
    path = tmp_path / "glove.txt"
    path.write_text("cat 1 2 3 4\ndog 5 6 7 8\n")
    words = ["<unk>", "<eos>", "cat"]
    model, message = with_vectors(RNNLM(3, 4, rng=0), read_vectors(path, words))
    assert model.params["E"][2].tolist() == [1, 2, 3, 4]
    assert message.startswith("1 of 3 words found (33.3%) among 2 vectors of width 4.")
