"""Save and load: what comes back, what goes wrong elsewhere, and what a file may claim."""

import hashlib
import json
import math
import os
import stat
import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tinytie
from tinytie import RNNLM, CheckpointError, Dropout, LSTMState
from tinytie.files.rebuild import MODELS
from tinytie.files.safetensors import read_arrays, write_arrays

WORDS = ["the", "cat", "sat", "café", "\x1b[31m", "\ud800", ""]
IDS = np.array([[1, 2, 3], [3, 3, 0]])

fuzz = settings(max_examples=10 * settings().max_examples)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "model.safetensors"


def small(**options):
    return RNNLM(**({"vocab_size": 7, "d_embed": 3, "d_hidden": 4, "rng": 0} | options))


def parts_of(path):
    """The header of a checkpoint with its metadata read, and its data."""
    content = path.read_bytes()
    length = int.from_bytes(content[:8], "little")
    return json.loads(content[8 : 8 + length]), content[8 + length :]


def sign(path, header, data):
    """Write a file whose digest is right, whatever else is wrong with it."""
    header["__metadata__"] = {"sha256": "0" * 64} | header["__metadata__"]
    header["__metadata__"]["sha256"] = "0" * 64
    ordered = {"__metadata__": header.pop("__metadata__")} | header
    text = json.dumps(ordered, separators=(",", ":")).encode()
    content = len(text).to_bytes(8, "little") + text + data
    digest = hashlib.sha256(content).hexdigest().encode()
    path.write_bytes(content.replace(b'"sha256":"' + b"0" * 64, b'"sha256":"' + digest, 1))


def forge(path, **changes):
    """Change fields of the metadata, and sign the file again."""
    header, data = parts_of(path)
    for name, value in changes.items():
        raw = name in ("format", "version", "model")
        header["__metadata__"][name] = value if raw else json.dumps(value)
    sign(path, header, data)


def refused(path, match):
    with pytest.raises(CheckpointError, match=match) as caught:
        tinytie.load(path)
    assert str(caught.value).startswith(str(path))
    return caught.value


def assert_same_model(a, b):
    assert type(a) is type(b) and a.config == b.config
    assert list(a.params) == list(b.params)
    for name in a.params:
        assert a.params[name].dtype == b.params[name].dtype
        assert np.array_equal(a.params[name], b.params[name])
    assert a.frozen.keys() == b.frozen.keys()
    assert all(np.array_equal(a.frozen[name], b.frozen[name]) for name in a.frozen)


def assert_same(a, b):
    """Equal values, dtypes and nesting."""
    assert type(a) is type(b)
    if isinstance(a, dict):
        assert list(a) == list(b)
        a, b = list(a.values()), list(b.values())
    if isinstance(a, list | tuple):
        assert len(a) == len(b)
        for x, y in zip(a, b, strict=True):
            assert_same(x, y)
    elif isinstance(a, np.ndarray | np.generic):
        assert a.dtype == b.dtype and a.shape == b.shape and np.array_equal(a, b)
    else:
        assert a == b or (math.isnan(a) and math.isnan(b))


@pytest.mark.parametrize("tied", [True, False])
@pytest.mark.parametrize("cell", ["rnn", "gru", "lstm"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_model_comes_back_as_it_was(path, cell, tied, dtype):
    model = small(
        cell=cell, tied=tied, dtype=dtype, n_layers=2, padding_id=0, projection=True,
        embed_scale=1.7, dropout=Dropout(0.1, 0.2, 0.3, 0.4, variational=True),
    )  # fmt: skip
    model.frozen["W0"] = True
    tinytie.save(path, model)
    found = tinytie.load(path)
    assert_same_model(found, model)
    assert found.loss(IDS, IDS)[0] == model.loss(IDS, IDS)[0]


def test_the_same_model_is_the_same_file(tmp_path):
    for name in "ab":
        tinytie.save(tmp_path / name, small(), training={"step": 3})
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_saving_changes_nothing_in_the_model(path):
    model, same = small(), small()
    tinytie.save(path, model)
    assert_same_model(model, same)


def test_vocabulary_and_tokenizer_come_back(path):
    tinytie.save(path, small(), vocabulary=WORDS, tokenizer="words")
    found = tinytie.load_checkpoint(path)
    assert (found.vocabulary, found.tokenizer, found.training) == (WORDS, "words", None)


@pytest.mark.parametrize("kind", ["PCG64", "MT19937", "Philox", "SFC64"])
def test_a_generator_goes_on_where_it_was(path, kind):
    rng = np.random.Generator(getattr(np.random, kind)(5))
    rng.random(3)
    tinytie.save(path, small(), training={"rng": rng.bit_generator.state})
    other = np.random.Generator(getattr(np.random, kind)(0))
    other.bit_generator.state = tinytie.load_checkpoint(path).training["rng"]
    assert np.array_equal(rng.random(5), other.random(5))


def test_the_state_of_a_training_comes_back(path):
    training = {
        "optimizer": {"step": 12, "m": {"E": np.ones((7, 3)), "block0.W": np.zeros(2)}},
        "state": (LSTMState(np.ones((2, 4)), np.zeros((2, 4))), np.ones((2, 4), np.float32)),
        "best": [math.inf, -math.inf, math.nan, -0.0, 0.1, 5e-324],
        "big": 2**127 + 1,
        "of numpy": [np.float32(0.1), np.int64(3), np.bool_(True), np.array(7)],
        "empty": [{}, [], (), "", np.empty((0, 3))],
        "$tuple": {"$array": "x", "a/b": np.ones(1), "a": {"b": np.zeros(1)}, "a~1b": np.ones(2)},
        "none": None,
        "yes": True,
    }
    tinytie.save(path, small(), training=training)
    assert_same(tinytie.load_checkpoint(path).training, training)


json_values = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=3)
    | st.integers(0, 9).map(np.arange)
    | st.integers(0, 9).map(np.float32)
)
nested = st.recursive(
    json_values,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.lists(inner, max_size=3).map(tuple)
        | st.builds(LSTMState, inner, inner)
        | st.dictionaries(st.sampled_from(["a", "b", "a/b", "~", "$array", ""]), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(training=st.dictionaries(st.text(max_size=3), nested, max_size=3))
def test_any_nested_value_comes_back(tmp_path_factory, training):
    path = tmp_path_factory.getbasetemp() / "nested.safetensors"
    tinytie.save(path, small(), training=training)
    assert_same(tinytie.load_checkpoint(path).training, training)


# --- what goes wrong elsewhere


@pytest.mark.parametrize("order", [1, -1])
def test_loading_never_breaks_the_alias(path, order):
    model = small(d_hidden=3)
    with open(path, "wb") as file:  # the same tensors, in another order
        tinytie.save(path, model)
        metadata = parts_of(path)[0]["__metadata__"]
        write_arrays(file, dict([*model.params.items()][::order]), metadata)
    header, data = parts_of(path)
    sign(path, header, data)
    found = tinytie.load(path)
    E_in, E_out = found.embeddings()
    assert E_in is E_out is found.params["E"]
    found.params["E"][2] += 1  # one array: both the lookup and the scores see it
    twin = tinytie.untie_weights(found)
    assert np.array_equal(found.logits(IDS)[0], twin.logits(IDS)[0])


def test_a_tied_matrix_is_stored_once(path, tmp_path):
    tied, untied = small(vocab_size=500, d_hidden=3), small(vocab_size=500, d_hidden=3, tied=False)
    tinytie.save(path, tied)
    tinytie.save(tmp_path / "untied", untied)
    one_matrix = tied.params["E"].nbytes
    assert sum(a.nbytes for a in read_arrays(path)[0].values()) + one_matrix == sum(
        a.nbytes for a in read_arrays(tmp_path / "untied")[0].values()
    )
    assert (
        one_matrix < path.stat().st_size < (tmp_path / "untied").stat().st_size - one_matrix + 200
    )


def test_the_tie_is_recorded_beside_the_matrix(path):
    tinytie.save(path, small())
    metadata = parts_of(path)[0]["__metadata__"]
    assert metadata["tied"] == "true"
    assert json.loads(metadata["roles"]) == {"E": ["input", "output"]}
    tinytie.save(path, small(tied=False))
    metadata = parts_of(path)[0]["__metadata__"]
    assert metadata["tied"] == "false"
    assert json.loads(metadata["roles"]) == {"E_in": ["input"], "E_out": ["output"]}


@pytest.mark.parametrize("lost", ["E_in", "E_out", "U0", "c"])
def test_a_partial_file_never_leaves_an_array_stale(path, lost):
    model = small(tied=False)
    tinytie.save(path, model)
    metadata = parts_of(path)[0]["__metadata__"]
    with open(path, "wb") as file:
        write_arrays(file, {n: a for n, a in model.params.items() if n != lost}, metadata)
    header, data = parts_of(path)
    sign(path, header, data)
    assert refused(path, "missing").tensor == lost


def test_a_tied_file_never_fills_half_of_an_untied_model(path):
    tinytie.save(path, small(d_hidden=3))
    config = json.loads(parts_of(path)[0]["__metadata__"]["config"])
    forge(path, config=config | {"tied": False})
    assert refused(path, "untie_weights").tensor == "E_in"


def test_an_untied_file_never_fills_a_tied_model_with_one_of_two(path):
    tinytie.save(path, small(d_hidden=3, tied=False))
    config = json.loads(parts_of(path)[0]["__metadata__"]["config"])
    forge(path, config=config | {"tied": True})
    assert refused(path, "tie_weights").tensor == "E"


def test_tied_to_untied_and_back_is_an_act_of_its_own(path):
    model = small()
    tinytie.save(path, model)
    tinytie.save(path, tinytie.untie_weights(tinytie.load(path)))
    found = tinytie.load(path)
    assert not found.tied and set(found.params) >= {"E_in", "E_out"}
    tinytie.save(path, tinytie.tie_weights(found))
    assert_same_model(tinytie.load(path), model)


@pytest.mark.parametrize("record", [{"tied": False}, {"roles": {"E": ["input"]}}, {"roles": None}])
def test_a_record_of_the_tie_that_is_not_true_is_refused(path, record):
    tinytie.save(path, small())
    forge(path, **record)
    refused(path, "record of the tie")


# --- what must not be saved


def spoil(model, name, value):
    model.params[name] = value
    return model


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("E", np.full((7, 3), np.nan), "tensor 'E': holds numbers that are not finite"),
        ("U0", np.full((4, 4), np.inf), "tensor 'U0': holds numbers that are not finite"),
        ("b0", np.zeros(5), r"params\['b0'\] must have shape \(4,\), got \(5,\)"),
        ("c", np.zeros(7, np.float32), r"params\['c'\] must be an array of float64"),
        ("P", [[0.0]], r"params\['P'\] must be an array of float64, got list"),
        ("Z", np.zeros(1), r"unknown \['Z'\]"),
    ],
)
def test_a_good_file_is_never_overwritten_with_a_bad_one(path, name, value, said):
    tinytie.save(path, small())
    before = path.read_bytes()
    with pytest.raises(CheckpointError, match=said) as caught:
        tinytie.save(path, spoil(small(), name, value))
    assert caught.value.path == str(path)
    assert os.listdir(path.parent) == [path.name] and path.read_bytes() == before


def test_one_array_under_two_names_is_not_saved_twice(path):
    model = small(d_hidden=3, tied=False)
    model.params["E_out"] = model.params["E_in"]
    with pytest.raises(CheckpointError, match=r"E_in and E_out are one array.*tie_weights"):
        tinytie.save(path, model)


looped: dict = {}
looped["again"] = looped


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"vocabulary": ["a"]}, "the vocabulary has 1 words, the model 7"),
        ({"vocabulary": [*"abcdef", "a"]}, "a word occurs twice"),
        ({"vocabulary": "abcdefg"}, "must be a list of strings"),
        ({"vocabulary": [1, 2, 3, 4, 5, 6, 7]}, "must be a list of strings"),
        ({"tokenizer": 3}, "the tokenizer must be the name"),
        ({"training": [1]}, "training must be a dict"),
        ({"training": {"a": {"b": {1}}}}, "training/a/b is a set, which has no JSON"),
        ({"training": {"a": [0, object()]}}, "training/a/1 is a object"),
        ({"training": {1: 2}}, "training has the key 1; JSON needs strings"),
        ({"training": {"a": np.array(["x"])}}, "tensor 'training/a': dtype <U1"),
        ({"training": {"m": {"E": np.array([np.inf])}}}, "tensor 'training/m/E': holds numbers"),
        ({"training": {"d": Dropout()}}, "training/d is a Dropout, which has no JSON"),
        ({"training": looped}, "contains itself"),
    ],
)
def test_what_has_no_place_in_a_file_is_refused_by_name(path, given, said):
    with pytest.raises(CheckpointError, match=said):
        tinytie.save(path, small(), **given)
    assert not path.exists()


@pytest.mark.parametrize(
    "frozen", [{"Z": True}, {"E": np.array([7])}, {"E": [-1]}, {"E": np.array([[1]])}, {"E": False}]
)
def test_frozen_rows_that_do_not_exist_are_refused(path, frozen):
    model = small()
    model.frozen = frozen
    with pytest.raises(CheckpointError, match="frozen"):
        tinytie.save(path, model)


def test_a_class_that_could_not_be_loaded_is_not_saved(path):
    class Homemade(RNNLM):
        pass

    with pytest.raises(CheckpointError, match="cannot save a Homemade, only RNNLM"):
        tinytie.save(path, Homemade(7, 3))


# --- what a file may claim


def test_a_file_from_elsewhere_is_said_to_be_one(path):
    with open(path, "wb") as file:
        write_arrays(file, {"weight": np.zeros((2, 2))}, {"format": "pt"})
    refused(path, "no checkpoint of tinytie: its metadata say nothing of a model")


def test_a_file_of_a_later_format_is_said_to_be_one(path):
    tinytie.save(path, small())
    forge(path, format="tinytie checkpoint 2")
    refused(path, "its format is 'tinytie checkpoint 2', this version of tinytie reads")


def test_a_missing_file_is_an_os_error(tmp_path):
    with pytest.raises(FileNotFoundError):
        tinytie.load(tmp_path / "nothing")


CONFIG = json.loads(json.dumps(small().config))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"vocab_size": 10**15}, r"tensor 'E': is float64 of shape \(7, 3\), but the config"),
        ({"d_hidden": 10**12}, "of shape"),
        ({"d_embed": 2**62}, "of shape"),
        ({"n_layers": 10**12}, "n_layers is 1000000000000, but it holds 7 tensors"),
        ({"n_layers": 2}, "tensor 'W1': missing"),
        ({"n_layers": 0}, "its config makes no RNNLM: n_layers must be at least 1"),
        ({"cell": "lstm"}, "tensor 'W0': is float64 of shape"),
        ({"cell": ["gru"]}, "its config makes no RNNLM"),
        ({"cell": {"a": 1}}, "its config makes no RNNLM"),
        ({"embed_scale": "2"}, "its config makes no RNNLM: embed_scale"),
        ({"embed_scale": 10**400}, "its config makes no RNNLM"),
        ({"dropout": [2, 2]}, "its config makes no RNNLM"),
        ({"dtype": "float32"}, "but the config makes it 'float32'"),
        ({"dtype": "f8,f8"}, "its dtype is 'f8,f8'"),
        ({"dtype": None}, "its dtype is None"),
        ({"output_bias": False}, "tensor 'c': it has no place"),
        ({"tied": "yes"}, "tied must be True or False"),
        ({"more": 1}, "does not hold the options"),
    ],
)
def test_a_config_that_does_not_fit_the_arrays_is_refused(path, change, said):
    tinytie.save(path, small())
    forge(path, config=CONFIG | change)
    refused(path, said)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"config": None}, "does not hold the options"),
        ({"config": {}}, "does not hold the options"),
        ({"model": "os.system"}, "its model is 'os.system', none of RNNLM"),
        ({"more": 1}, "its metadata lack, or should not have, .'more'"),
        ({"vocabulary": ["a"] * 7}, "a word occurs twice"),
        ({"vocabulary": 7}, "must be a list of strings"),
        ({"tokenizer": [1]}, "the tokenizer must be"),
        ({"frozen": {"E": [9]}}, "tensor 'E': its frozen rows"),
        ({"frozen": None}, "frozen must map names"),
        ({"training": 3}, "training must be a dict"),
        ({"training": {"m": {"$array": "E"}}}, "one tensor is used in two places"),
        ({"training": {"m": {"$array": "nowhere"}}}, "tensor 'nowhere': missing"),
        ({"training": {"m": {"$array": 1}}}, "no value of this format"),
        ({"training": {"m": {"$pickle": "x"}}}, "no value of this format"),
        ({"training": {"m": {"$float": "1"}}}, "no value of this format"),
        ({"training": {"m": {"$LSTMState": [1]}}}, "no value of this format"),
        ({"training": {"$array": "E", "x": 1}}, "stands among other names"),
    ],
)
def test_metadata_that_make_no_sense_are_refused(path, change, said):
    tinytie.save(path, small())
    forge(path, **change)
    refused(path, said)


@pytest.mark.parametrize("text", ["{", '{"a":1,"a":1}', "[" * 10**5, "[NaN]", ""])
@pytest.mark.parametrize("field", ["config", "training"])
def test_metadata_that_are_no_json_are_refused(path, field, text):
    tinytie.save(path, small())
    header, data = parts_of(path)
    header["__metadata__"][field] = text
    sign(path, header, data)
    refused(path, f"metadata '{field}' is not valid JSON")


@pytest.mark.parametrize("field", ["config", "frozen", "vocabulary", "training"])
@pytest.mark.parametrize("depth", [2000, 5000, 100_000])
def test_nesting_without_end_is_the_one_error(path, field, depth):
    tinytie.save(path, small())
    header, data = parts_of(path)
    header["__metadata__"][field] = '{"a":' + "[" * depth + "]" * depth + "}"
    sign(path, header, data)
    refused(path, "nested too deeply|not valid JSON|config|frozen|vocabulary")


def test_a_signed_file_with_a_nan_is_refused(path):
    tinytie.save(path, small())
    header, data = parts_of(path)
    start = header["U0"]["data_offsets"][0]
    sign(path, header, data[:start] + np.float64(np.nan).tobytes() + data[start + 8 :])
    assert refused(path, "not finite").tensor == "U0"


def test_a_tensor_without_a_place_is_refused(path):
    tinytie.save(path, small())
    header, data = parts_of(path)
    header["extra"] = {"dtype": "U8", "shape": [1], "data_offsets": [len(data), len(data) + 1]}
    sign(path, header, data + b"\0")
    assert refused(path, "no place in the checkpoint").tensor == "extra"


options = st.integers() | st.booleans() | st.none() | st.text(max_size=4) | st.floats()
options |= st.lists(options, max_size=5)


@fuzz
@given(change=st.dictionaries(st.sampled_from(list(CONFIG)), options, min_size=1, max_size=3))
def test_any_config_loads_or_is_the_one_error(tmp_path_factory, change):
    path = tmp_path_factory.getbasetemp() / "config.safetensors"
    tinytie.save(path, small())
    forge(path, config=CONFIG | change)
    try:
        tinytie.load(path)
    except CheckpointError as error:
        assert str(error).startswith(str(path))


def test_loading_takes_memory_in_proportion_to_the_file(path):
    tinytie.save(path, small(vocab_size=20_000, d_embed=40))
    size = path.stat().st_size
    tracemalloc.start()
    tinytie.load(path)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert size > 6e6 and peak < 4 * size


# --- the file in its folder


def test_the_previous_file_is_kept(path):
    for seed in range(3):
        tinytie.save(path, small(rng=seed))
    previous = path.with_name(path.name + ".previous")
    assert_same_model(tinytie.load(path), small(rng=2))
    assert_same_model(tinytie.load(previous), small(rng=1))
    assert sorted(os.listdir(path.parent)) == [path.name, previous.name]


def test_a_file_has_ordinary_permissions(path):
    old = os.umask(0o027)
    try:
        tinytie.save(path, small())
    finally:
        os.umask(old)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_a_symbolic_link_stays_one(tmp_path):
    (tmp_path / "there").mkdir()
    link, there = tmp_path / "link", tmp_path / "there" / "model"
    link.symlink_to(there)
    tinytie.save(link, small())
    tinytie.save(link, small(rng=1))
    assert link.is_symlink() and not there.is_symlink()
    assert_same_model(tinytie.load(there), small(rng=1))
    assert sorted(os.listdir(tmp_path)) == ["link", "there"]


def test_a_name_in_the_working_folder_needs_no_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    tinytie.save("model", small())
    assert os.listdir() == ["model"]


def test_a_folder_or_a_device_is_never_replaced(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(IsADirectoryError, match="a file is needed"):
        tinytie.save(tmp_path, small())
    with pytest.raises(OSError, match="a file is needed"):
        tinytie.save(tmp_path / "pipe", small())


def test_a_folder_that_is_not_there_is_one_sentence_with_the_path(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"No such file or directory: .*nowhere/model'$"):
        tinytie.save(tmp_path / "nowhere" / "model", small())


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_cannot_be_written_is_one_sentence_with_the_path(tmp_path):
    tmp_path.chmod(0o500)
    with pytest.raises(PermissionError, match=r"Permission denied: .*model'$"):
        tinytie.save(tmp_path / "model", small())
    tmp_path.chmod(0o700)


@pytest.mark.parametrize("name", MODELS)
def test_every_registered_class_is_under_its_own_name(name):
    assert MODELS[name].__name__ == name
