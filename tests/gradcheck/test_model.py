"""check_model: what it looks at, what it says for a person, and models broken by a subclass."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.gradcheck.cases import telling_case
from tests.planted import MODEL_BUGS, planted
from tinytie import RNNLM, Dropout, Translator, check_model, untie_weights
from tinytie.gradcheck import CAUSES, FAIL
from tinytie.gradcheck.model import as_given
from tinytie.gradcheck.report import Measured, failed_row


def broken(change):
    """A model whose gradients are changed by `change(result) -> grads`."""

    class Broken(RNNLM):
        def loss_and_grads(self, *args, **kwargs):
            result = super().loss_and_grads(*args, **kwargs)
            return result._replace(grads=change(result))

    return Broken


def failed(report):
    return [row.name for row in report.rows if row.verdict == FAIL]


@given(
    seed=st.integers(0, 2**32 - 1), size=st.sampled_from([1.0, 0.1, 0.01]),
    cell=st.sampled_from(["rnn", "gru", "lstm"]), tied=st.booleans(),
)  # fmt: skip
def test_a_right_model_never_fails(seed, size, cell, tied):
    report = check_model(*telling_case(seed, size, cell=cell, tied=tied, steps=3))
    assert report.verdict == "PASS", str(report)
    assert report.cause is None


def test_the_rows_are_the_parameters_and_both_paths_of_a_tied_matrix():
    model, *batch = telling_case()
    assert [row.name for row in check_model(model, *batch).rows] == [*model.params, "E_in", "E_out"]
    untied = untie_weights(model)
    assert [row.name for row in check_model(untied, *batch).rows] == [*untied.params]


def test_the_model_is_left_as_it_was():
    model, x, y, state = telling_case()
    before = {name: (array, array.tobytes()) for name, array in model.params.items()}
    check_model(model, x, y, state)
    assert all(model.params[name] is array for name, (array, _) in before.items())
    assert all(array.tobytes() == bits for array, bits in before.values())


def test_dropout_is_checked_under_one_set_of_masks():
    dropout = Dropout(0.3, 0.3, 0.3, 0.3)
    assert check_model(*telling_case(dropout=dropout, n_layers=2)).verdict == "PASS"


def test_relu_and_padding_are_checked():
    assert check_model(*telling_case(activation="relu")).verdict == "PASS"
    assert check_model(*telling_case(padding_id=3)).verdict == "PASS"


def test_a_float32_model_is_unchecked_and_told_what_to_do():
    report = check_model(*telling_case(dtype=np.float32))
    assert report.verdict == "UNCHECKED" and "float64 copy" in report.rows[0].reason


def test_an_unused_token_is_named_by_its_word_and_its_occurrences():
    report = check_model(
        *telling_case(make=broken(lambda r: r.grads | {"E": r.embedding_paths.output})),
        words=[f"word{i}" for i in range(9)],
    )
    row = report.rows[0]
    assert report.cause == "input path missing"
    assert f"token {row.index[0]}, the word 'word{row.index[0]}'" in row.meaning
    assert "among the inputs" in row.meaning
    text = str(report)
    for said in ("analytic", "numeric", "ratio", "entries are off", "rows", "cause: input path"):
        assert said in text


def test_a_wrong_gate_is_named():
    def wrong(result):
        dW = result.grads["W0"].copy()
        dW[5:10] *= 2
        return result.grads | {"W0": dW}

    report = check_model(*telling_case(make=broken(wrong), cell="lstm"))
    row = next(row for row in report.rows if row.name == "W0")
    assert (row.pattern, row.off) == ("rows 5, 6, 7, 8, 9", 20)
    assert "layer 0, forget gate f, unit" in row.meaning
    assert report.cause is None


class LateTargets(RNNLM):
    def loss_and_grads(self, x, y, state=None, **kwargs):
        return super().loss_and_grads(x, np.roll(y, 1, axis=1), state, **kwargs)


class LateInputs(RNNLM):
    def loss_and_grads(self, x, y, state=None, **kwargs):
        return super().loss_and_grads(np.roll(x, 1, axis=1), y, state, **kwargs)


@pytest.mark.parametrize("cell", ["rnn", "gru"])
def test_inputs_of_another_step_are_named(cell):
    report = check_model(*telling_case(make=LateInputs, cell=cell, padding_id=0))
    assert report.cause == "shifted by one step" and "in the inputs" in report.explanation


@pytest.mark.parametrize("near", [3e-5, 3e-6])
def test_a_cause_is_named_beside_a_kink_that_is_near(near):
    model, x, y, state = telling_case(make=LateTargets, activation="relu")
    E, W, U, b = (model.params[name] for name in ("E", "W0", "U0", "b0"))
    b -= W @ E[x[0, 0]] + U @ state[0][0] + b - near  # every unit that far from its kink
    assert check_model(model, x, y, state).cause == "shifted by one step"


ODD = {
    "no gradient": lambda r: {n: a for n, a in r.grads.items() if n != "W0"},
    "looks transposed": lambda r: r.grads | {"W0": r.grads["W0"].T},
    "dtype float32": lambda r: r.grads | {"W0": r.grads["W0"].astype(np.float32)},
    "dtype object": lambda r: r.grads | {"W0": r.grads["W0"].astype(object)},
    "nan": lambda r: r.grads | {"W0": r.grads["W0"] * np.nan},
}


@pytest.mark.parametrize("says", ODD)
def test_a_gradient_of_the_wrong_kind_fails_with_a_reason(says):
    report = check_model(*telling_case(make=broken(ODD[says])))
    assert failed(report) == ["W0"]
    assert says in next(row.reason for row in report.rows if row.name == "W0")
    assert report.cause == ("transposed" if "transposed" in says else None)
    assert report.cause or "cannot be compared" in report.explanation


def test_a_gradient_of_another_shape_stands_beside_the_measured_one_and_its_bound():
    row, measured = failed_row("W", "it has another shape"), np.ones((2, 3))
    m = as_given(Measured(row, measured, measured, 0.1), Measured(row, measured.T))
    assert m.analytic.shape == (3, 2) and m.numeric is measured and m.bound == 0.1


def test_matrices_that_are_all_transposed_have_one_cause_whatever_their_shapes():
    turned = lambda r: {name: a.T for name, a in r.grads.items()}  # E is not square, U0 is
    report = check_model(*telling_case(make=broken(turned)))
    assert report.cause == "transposed" and "E, W0, U0" in report.explanation
    other = lambda r: turned(r) | {"U0": 2 * r.grads["U0"]}
    assert check_model(*telling_case(make=broken(other))).cause is None


def test_a_gradient_of_no_parameter_fails():
    report = check_model(*telling_case(make=broken(lambda r: r.grads | {"Q": np.ones(2)})))
    assert failed(report) == ["Q"]


def test_a_factor_is_said_with_what_it_may_come_from():
    report = check_model(
        *telling_case(make=broken(lambda r: {n: 5 * a for n, a in r.grads.items()}), steps=7)
    )
    assert report.cause == "constant factor"
    assert "5 = H" in report.explanation


def test_a_cause_that_cannot_be_told_from_another_is_not_named():
    bug = next(bug for bug in MODEL_BUGS if bug.name == "dh_next dropped")
    with planted(bug):
        report = check_model(*telling_case(steps=2))
    assert report.cause is None
    assert "future gradient dropped; state cut inside" in report.explanation


def test_a_gradient_of_the_scores_one_row_off_is_named():
    make = broken(lambda r: r.grads | {"E": r.embedding_paths.input + one_row_off(r)})
    assert check_model(*telling_case(make=make, steps=3)).cause == "rows shifted"


def one_row_off(result):
    return np.roll(result.embedding_paths.output, 1, axis=0)


def test_a_path_far_smaller_than_the_other_is_not_passed_over():
    make = broken(lambda r: r.grads | {"E": r.embedding_paths.input - r.embedding_paths.output})
    case = telling_case(size=0.01, make=make, cell="lstm", n_layers=2, d_hidden=2, steps=3)
    report = check_model(*case)
    assert (failed(report), report.cause) == (["E"], None), str(report)


def test_rows_that_only_padding_follows_are_overwritten_with_nothing():
    make = broken(lambda r: r.grads | {"E": overwritten(*r.embedding_paths)})
    model, x, y, state = telling_case(make=make, padding_id=3)
    x[x == 8] = 7
    x[1, -1], y[1, -1], y[:, 0] = 8, 3, 1
    assert check_model(model, x, y, state).cause == "paths overwritten"


def overwritten(dE_in, dE_out):
    return np.where(dE_in.any(axis=1, keepdims=True), dE_in, dE_out)


def test_a_model_that_steps_while_it_takes_gradients_is_unchecked_and_left_as_it_was():
    class Steps(RNNLM):
        def loss_and_grads(self, *args, **kwargs):
            result = super().loss_and_grads(*args, **kwargs)
            self.params["c"] = self.params["c"] - 0.1 * result.grads["c"]
            return result

    model, *batch = telling_case(make=Steps)
    c, bits = model.params["c"], model.params["c"].tobytes()
    report = check_model(model, *batch)
    assert report.verdict == "UNCHECKED" and "changes the parameters c" in report.rows[0].reason
    assert model.params["c"] is c and c.tobytes() == bits


def test_a_loss_that_reads_other_arrays_than_the_parameters_is_said_to():
    class Remembers(RNNLM):
        def loss(self, *args, **kwargs):
            if not hasattr(self, "kept"):
                self.kept = super().loss(*args, **kwargs)
            return self.kept

    report = check_model(*telling_case(make=Remembers))
    assert (report.verdict, report.cause) == ("FAIL", None)
    assert "does not change at all with E, W0" in report.explanation


@pytest.mark.parametrize("made", [lambda r: r.loss, lambda r: (r.grads, r.loss)])
def test_a_result_of_another_form_is_refused_in_words(made):
    class Bare(RNNLM):
        def loss_and_grads(self, *args, **kwargs):
            return made(super().loss_and_grads(*args, **kwargs))

    with pytest.raises(TypeError, match=r"must return a result with a dict \.grads"):
        check_model(*telling_case(make=Bare))


def test_a_subclass_that_reads_its_matrix_itself_is_checked_but_for_the_paths():
    class Reads(RNNLM):
        def embeddings(self):
            return self.params["E"], self.params["E"]

        def loss(self, x, y, state=None):  # takes no masks, and needs none
            return super().loss(x, y, state)

    report = check_model(*telling_case(make=Reads))
    assert {row.name for row in report.rows if row.verdict == "UNCHECKED"} == {"E_in", "E_out"}
    assert "KeyError" in report.rows[-1].reason


def test_two_bugs_at_once_have_no_single_cause():
    def wrong(result):
        return result.grads | {"E": result.embedding_paths.output, "U0": -result.grads["U0"]}

    report = check_model(*telling_case(make=broken(wrong)))
    assert failed(report) == ["E", "U0"]
    assert report.cause is None


def test_wrong_paths_beside_right_gradients_fail_and_say_so():
    class Swapped(RNNLM):
        def loss_and_grads(self, *args, **kwargs):
            result = super().loss_and_grads(*args, **kwargs)
            return result._replace(embedding_paths=result.embedding_paths[::-1])

    report = check_model(*telling_case(make=Swapped))
    assert failed(report) == ["E_in", "E_out"]
    assert report.cause is None and "embedding_paths is not" in report.explanation


def test_the_report_can_be_written_as_json():
    model, *batch = telling_case(make=broken(lambda r: r.grads | {"c": r.grads["c"] * np.nan}))
    said = json.loads(json.dumps(check_model(model, *batch).as_dict(), allow_nan=False))
    assert said["verdict"] == "FAIL" and said["cause"] is None
    assert {row["name"] for row in said["rows"]} >= set(model.params)


def test_every_cause_is_said_in_words():
    assert all(words and words[0].islower() for words in CAUSES.values())


def translation(tying, make=Translator, vocab_size=9, **options):
    """(model, source, target) in which words repeat, and padding ends both."""
    model = make(vocab_size, 3, 4, tying=tying, padding_id=0, embed_scale=1.3, **options)
    rng = np.random.default_rng(0)
    for array in model.params.values():
        array[...] = 0.6 * rng.standard_normal(array.shape)
    return model, np.array([[3, 3, 4], [5, 0, 0]]), np.array([[1, 4, 4, 2], [1, 3, 2, 0]])


PATHS_OF = {"none": [], "decoder": ["E_target", "E_out"],
            "three-way": ["E_source", "E_target", "E_out"]}  # fmt: skip


@pytest.mark.parametrize("tying", PATHS_OF)
def test_a_translator_is_checked_with_each_path_of_its_shared_matrix(tying):
    sizes = (9, 7) if tying == "none" else 9
    model, *batch = translation(tying, vocab_size=sizes, dropout=0.3)
    report = check_model(model, *batch)
    assert report.verdict == "PASS", str(report)
    assert [row.name for row in report.rows] == [*model.params, *PATHS_OF[tying]]
    with pytest.raises(ValueError, match="no state"):
        check_model(model, *batch, model)


def test_a_wrong_translator_fails_and_its_token_is_counted_in_both_sentences():
    class Halved(Translator):
        def _embedding_gradients(self, dE_source, dE_target, dE_out):
            return {"E": (dE_source + dE_target + dE_out) / 2}

    class Lost(Translator):
        def _embedding_gradients(self, dE_source, dE_target, dE_out):
            return {"E": dE_target + dE_out}

    report = check_model(*translation("three-way", Halved))
    assert (failed(report), report.cause) == (["E"], "constant factor"), str(report)
    assert "n_layers" not in report.explanation  # a translator has none that may be 2
    report = check_model(*translation("three-way", Lost))
    assert (failed(report), report.cause) == (["E"], None), str(report)
    assert "in the source and" in report.rows[0].meaning
    assert "no more is tried here" in report.explanation
