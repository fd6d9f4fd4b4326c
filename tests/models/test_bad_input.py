"""Each wrong argument is one sentence: what was given, what was expected, how to mend it."""

import numpy as np
import pytest

from tinytie import (
    RNNLM,
    Dropout,
    Masks,
    Translator,
    check_model,
    count_parameters,
    resize_vocabulary,
    tie_weights,
    untie_weights,
)

IDS = np.array([[1, 2, 3], [3, 4, 5]])

WRONG_OPTIONS = [
    (dict(vocab_size=1), ValueError, "vocab_size must be at least 2, got 1"),
    (dict(vocab_size=0), ValueError, "vocab_size must be at least 1, got 0"),
    (dict(vocab_size=7.0), TypeError, "vocab_size must be a whole number, got 7.0"),
    (dict(vocab_size=(7, 9)), ValueError, "(7, 9), but in a tied matrix row i stands for the same"),
    (dict(d_embed=0), ValueError, "d_embed must be at least 1, got 0"),
    (dict(d_embed="4"), TypeError, "d_embed must be a whole number, got '4'"),
    (dict(d_hidden=-1), ValueError, "d_hidden must be at least 1, got -1"),
    (dict(d_hidden=True), TypeError, "d_hidden must be a whole number, got True"),
    (dict(n_layers=0), ValueError, "n_layers must be at least 1, got 0"),
    (dict(n_layers=1.5), TypeError, "n_layers must be a whole number, got 1.5"),
    (dict(cell="GRU"), ValueError, "cell must be one of 'rnn', 'gru', 'lstm'; got 'GRU'"),
    (dict(cell=["gru"]), ValueError, "cell must be one of 'rnn', 'gru', 'lstm'; got ['gru']"),
    (dict(activation="gelu"), ValueError, "activation must be one of 'tanh', 'relu'; got 'gelu'"),
    (dict(tied="no"), TypeError, "tied must be True or False, got 'no'"),
    (dict(output_bias=None), TypeError, "output_bias must be True or False, got None"),
    (dict(projection="yes"), TypeError, "projection must be None, True or False, got 'yes'"),
    (
        dict(d_hidden=6, projection=False), ValueError,
        "d_embed is 4 but d_hidden is 6; make them equal, or leave projection=None",
    ),
    (dict(embed_scale=np.nan), ValueError, "embed_scale must be a finite number, got nan"),
    (dict(embed_scale="2"), ValueError, "embed_scale must be a finite number, got '2'"),
    (dict(dropout=1.0), ValueError, "dropout of the embedding must be in [0, 1), got 1.0"),
    (dict(dropout=None), ValueError, "dropout of the embedding must be a finite number, got None"),
    (dict(dropout=Dropout(state=-1)), ValueError, "dropout of the state must be in [0, 1), got -1"),
    (dict(dropout=Dropout(variational="no")), TypeError, "variational must be True or False"),
    (dict(dropout=(0, 0, 0, 0, 0, 0)), ValueError, "dropout has 6 parts"),
    (dict(padding_id=7), ValueError, "padding_id is 7, outside 0 … 6"),
    (dict(padding_id=-1), ValueError, "padding_id is -1, outside 0 … 6"),
    (dict(padding_id=1.0), TypeError, "padding_id must be a token id or None, got 1.0"),
    (dict(padding_id=True), TypeError, "padding_id must be a token id or None, got True"),
    (dict(dtype=int), ValueError, "dtype must be float32 or float64, got int64"),
    (dict(dtype=np.float16), ValueError, "dtype must be float32 or float64, got float16"),
    (dict(dtype="double precision"), TypeError, "dtype must be float32 or float64"),
    (dict(rng="seed"), TypeError, "rng must be None, a whole number of at least 0"),
    (dict(rng=-1), ValueError, "rng must be None, a whole number of at least 0"),
]  # fmt: skip


def idfn(value):
    return str(value)[:40] if isinstance(value, dict) else ""


@pytest.mark.parametrize(("options", "error", "words"), WRONG_OPTIONS, ids=idfn)
def test_a_wrong_option_is_one_clear_sentence(options, error, words):
    refuses(lambda: RNNLM(**({"vocab_size": 7, "d_embed": 4} | options)), error, words)


def refuses(call, error, words):
    with pytest.raises(error) as refusal:
        call()
    message = str(refusal.value)
    assert words in message
    assert "\n" not in message


def test_a_translator_refuses_as_clearly_and_is_not_tied_afterwards():
    make = lambda **options: lambda: Translator(7, 4, **options)
    refuses(make(output_bias="no"), TypeError, "output_bias must be True or False, got 'no'")
    refuses(make(rng="seed"), TypeError, "rng must be None, a whole number of at least 0")
    words = "got Translator; a Translator is built with its tying"
    for act in (tie_weights, untie_weights):
        refuses(lambda act=act: act(make(rng=0)()), TypeError, words)


def with_arrays(**params):
    model = RNNLM(7, 4, rng=0)
    model.params.update(params)
    return model


def without(name):
    model = RNNLM(7, 4, rng=0)
    del model.params[name]
    return model


def untied(E_in, E_out):
    model = RNNLM(7, 4, tied=False, rng=0)
    model.params |= {"E_in": np.zeros(E_in), "E_out": np.zeros(E_out)}
    return model


def masks(steps=3, n_layers=2):
    model = RNNLM(7, 4, n_layers=n_layers, dropout=0.5, rng=0)
    return model.loss_and_grads(IDS[:, :steps], IDS[:, :steps], rng=0).masks


MODEL = RNNLM(7, 4, n_layers=2, rng=0)
LSTM = RNNLM(7, 4, cell="lstm", rng=0)
ZEROS = np.zeros((2, 4))

WRONG_CALLS = {
    "x holds the id 9, outside 0 … 6": (ValueError, lambda: MODEL.loss(IDS + 4, IDS)),
    "x holds the id -1, outside 0 … 6": (ValueError, lambda: MODEL.loss(IDS - 2, IDS)),
    "y holds the id 7, outside 0 … 6": (ValueError, lambda: MODEL.loss_and_grads(IDS, IDS + 2)),
    "x must hold integer token ids, got dtype float64": (
        TypeError, lambda: MODEL.loss(IDS * 1.0, IDS)),
    "y must hold integer token ids, got dtype bool": (TypeError, lambda: MODEL.loss(IDS, IDS > 2)),
    "x must have shape (B, T), got (3,); one sentence is x[np.newaxis]": (
        ValueError, lambda: MODEL.logits(IDS[0])),
    "x has rows of different lengths": (ValueError, lambda: MODEL.loss([[1, 2], [3]], IDS)),
    "x has shape (0, 3): B and T must both be at least 1": (
        ValueError, lambda: MODEL.loss(IDS[:0], IDS[:0])),
    "x has shape (2, 0): B and T must both be at least 1": (
        ValueError, lambda: MODEL.loss(IDS[:, :0], IDS[:, :0])),
    "x and y must have the same shape, got (2, 3) and (2, 2)": (
        ValueError, lambda: MODEL.loss(IDS, IDS[:, :2])),
    "one entry for each of the 2 layers, as initial_state returns it; got an array": (
        ValueError, lambda: MODEL.loss(IDS, IDS, ZEROS)),
    "one entry for each of the 2 layers, as initial_state returns it; got a tuple of 1": (
        ValueError, lambda: MODEL.logits(IDS, (ZEROS,))),
    "state[1] must have shape (2, 4), got (3, 4)": (
        ValueError, lambda: MODEL.loss(IDS, IDS, (ZEROS, np.zeros((3, 4))))),
    "state[0] must be an array of real numbers: it is complex": (
        TypeError, lambda: MODEL.loss(IDS, IDS, (ZEROS * 1j, ZEROS))),
    "state[0] must be an array of real numbers: could not convert": (
        TypeError, lambda: MODEL.loss(IDS, IDS, ("a", ZEROS))),
    "state[0] must be LSTMState(h, c), as initial_state returns it; got an array of": (
        ValueError, lambda: LSTM.loss(IDS, IDS, (ZEROS,))),
    "state[0].c must have shape (2, 4), got (2, 5)": (
        ValueError, lambda: LSTM.loss(IDS, IDS, ((ZEROS, np.zeros((2, 5))),))),
    "batch_size must be at least 1, got 0": (ValueError, lambda: MODEL.initial_state(0)),
    "a model with as many layers returns; got a tuple of 2": (
        TypeError, lambda: MODEL.loss(IDS, IDS, masks=(1, 2))),
    "masks must be the Masks that loss_and_grads of a model with as many layers": (
        TypeError, lambda: MODEL.loss(IDS, IDS, masks=masks(n_layers=1))),
    "that loss_and_grads of a model with as many layers returns; got a Masks of 4": (
        TypeError, lambda: MODEL.loss(IDS, IDS, masks=masks(n_layers=3))),
    "a mask must have shape (2, 3, 4), got (2, 2, 4)": (
        ValueError, lambda: MODEL.loss(IDS, IDS, masks=masks(steps=2))),
    "a mask must be an array of real numbers": (
        TypeError, lambda: MODEL.loss(IDS, IDS, masks=Masks("a", (None,), (None, None), None))),
    "give rng to draw dropout masks or masks to replay them, not both": (
        ValueError, lambda: MODEL.loss_and_grads(IDS, IDS, rng=0, masks=masks())),
    "rng must be None": (TypeError, lambda: MODEL.loss_and_grads(IDS, IDS, rng="seed")),
    "missing ['E'], unknown []": (ValueError, lambda: without("E").loss(IDS, IDS)),
    "missing [], unknown ['E_out']": (
        ValueError, lambda: with_arrays(E_out=np.zeros((7, 4))).loss(IDS, IDS)),
    "params['E'] must be an array of float64, got list": (
        TypeError, lambda: with_arrays(E=[[0.0] * 4] * 7).loss(IDS, IDS)),
    "params['E'] must be an array of float64, got float32": (
        TypeError, lambda: with_arrays(E=np.zeros((7, 4), np.float32)).logits(IDS)),
    "params['E'] must have shape (7, 4), got (8, 4)": (
        ValueError, lambda: with_arrays(E=np.zeros((8, 4))).loss_and_grads(IDS, IDS)),
    "dtype must be float32 or float64, got int64": (ValueError, lambda: MODEL.astype(int)),
    "source must be one of 'input', 'output', 'mean'; got 'both'": (
        ValueError, lambda: tie_weights(untied((7, 4), (7, 4)), "both")),
    "E_in (7, 4) and E_out (7, 5) cannot be one matrix; build the untied model with projection": (
        ValueError, lambda: tie_weights(RNNLM(7, 4, 5, tied=False))),
    "E_in has 7 rows and E_out 9: unequal vocabularies cannot be tied, because row i": (
        ValueError, lambda: tie_weights(untied((7, 4), (9, 4)))),
    "vocab_size must be at least 2, got 1": (ValueError, lambda: resize_vocabulary(MODEL, 1)),
    "padding_id is 6, outside 0 … 4": (
        ValueError, lambda: resize_vocabulary(RNNLM(7, 4, padding_id=6), 5)),
}  # fmt: skip


@pytest.mark.parametrize("words", WRONG_CALLS)
def test_a_wrong_call_is_one_clear_sentence(words):
    error, call = WRONG_CALLS[words]
    refuses(call, error, words)


def test_a_refused_call_changes_nothing():
    model = RNNLM(7, 4, rng=0)
    kept = {name: array.copy() for name, array in model.params.items()}
    for ids in (IDS + 4, IDS * 1.0, IDS[0]):
        with pytest.raises((ValueError, TypeError)):
            model.loss_and_grads(ids, ids)
    assert all(np.array_equal(model.params[name], array) for name, array in kept.items())


def test_ids_of_every_integer_type_and_plain_lists_serve():
    expected = MODEL.loss(IDS, IDS)[0]
    for dtype in (np.int8, np.uint8, np.int32, np.uint64):
        assert MODEL.loss(IDS.astype(dtype), IDS.astype(dtype))[0] == expected
    assert MODEL.loss(IDS.tolist(), IDS.tolist())[0] == expected


@pytest.mark.parametrize("call", [count_parameters, lambda m: check_model(m, [[1, 2]], [[2, 1]])])
@pytest.mark.parametrize("what", [3, None, {"E": np.zeros((3, 2))}])
def test_what_is_no_model_is_refused_in_one_sentence(call, what):
    with pytest.raises(TypeError, match=r"a model is needed, such as tinytie.RNNLM\(...\), with"):
        call(what)
