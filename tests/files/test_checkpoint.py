"""Save and load: what comes back, what must not be saved, and what a file may claim."""

import hashlib
import json
import math
import os
import stat
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tinytie
from tinytie import RNNLM, CheckpointError, Dropout, LSTMState, TransformerLM, Translator
from tinytie.files.safetensors import write_arrays
from tinytie.measure.perplexity import predict
from tinytie.text.batches import Batches
from tinytie.training.optimizers import Adam
from tinytie.training.schedules import Constant
from tinytie.training.trainer import Trainer

OLD = Path(__file__).parent / "old"
WORDS = ["the", "cat", "sat", "café", "\x1b[31m", "\ud800", ""]
IDS = np.array([[1, 2, 3], [3, 3, 0]])


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
    metadata = {"sha256": "0" * 64} | header.pop("__metadata__") | {"sha256": "0" * 64}
    text = json.dumps({"__metadata__": metadata} | header, separators=(",", ":")).encode()
    content = len(text).to_bytes(8, "little") + text + data
    digest = hashlib.sha256(content).hexdigest().encode()
    path.write_bytes(content.replace(b'"sha256":"' + b"0" * 64, b'"sha256":"' + digest, 1))


def forge(path, **changes):
    """Change fields of the metadata, to a text or to the JSON of a value, and sign the file."""
    header, data = parts_of(path)
    for name, value in changes.items():
        header["__metadata__"][name] = value if isinstance(value, str) else json.dumps(value)
    sign(path, header, data)


def refused(path, match):
    with pytest.raises(CheckpointError, match=match) as caught:
        tinytie.load(path)
    assert str(caught.value).startswith(str(path))
    return caught.value


def assert_same(a, b):
    """Equal values, dtypes and nesting; of models, also equal kinds and options."""
    assert type(a) is type(b)
    if hasattr(a, "params"):
        a, b = ((m.config, m.params, m.frozen) for m in (a, b))
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


# --- what comes back

ALL = {"dropout": Dropout(0.1, 0.2, 0.3, 0.4, variational=True), "padding_id": 0, "rng": 1}
KINDS = {
    **{
        f"{cell} {tied=} {dtype}": small(cell=cell, tied=tied, dtype=dtype, n_layers=2, **ALL)
        for cell in ("rnn", "gru", "lstm") for tied in (True, False)
        for dtype in ("float32", "float64")
    },
    **{
        f"transformer {tied=}": TransformerLM(7, 4, 2, 2, 6, tied=tied, final_norm=tied, rng=1)
        for tied in (True, False)
    },
    **{
        f"translator {tying}": Translator(sizes, 3, 4, tying=tying, padding_id=0, rng=1)
        for tying, sizes in {"none": (7, 6), "decoder": (7, 6), "three-way": 7}.items()
    },
}  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_a_model_of_any_kind_comes_back_as_it_was_each_matrix_once(path, kind):
    model = KINDS[kind]
    model.frozen["c" if "c" in model.params else "pos"] = True
    words = [f"w{i}" for i in range(7)]
    words = words if isinstance(model.vocab_size, int) else [words, words[:6]]
    tinytie.save(path, model, vocabulary=words, tokenizer="words")
    first = path.read_bytes()
    found = tinytie.load_checkpoint(path)
    assert_same(found.model, model)
    assert (found.vocabulary, found.tokenizer, found.training) == (words, "words", None)
    header, data = parts_of(path)
    assert header.keys() - {"__metadata__"} >= model.params.keys()
    assert sum(array.nbytes for array in model.params.values()) <= len(data)
    given = (IDS, IDS[:, 1:]) if "translator" in kind else (IDS,)
    assert_same(found.model.logits(*given), model.logits(*given))
    tinytie.save(path, found.model, vocabulary=words, tokenizer="words")
    assert path.read_bytes() == first


def test_the_tie_is_recorded_and_to_change_it_is_an_act_of_its_own(path):
    model = small()
    for change, tied, roles in (
        (lambda same: same, True, {"E": ["input", "output"]}),
        (tinytie.untie_weights, False, {"E_in": ["input"], "E_out": ["output"]}),
        (tinytie.tie_weights, True, {"E": ["input", "output"]}),
    ):
        model = change(model)
        tinytie.save(path, model)
        metadata = parts_of(path)[0]["__metadata__"]
        assert json.loads(metadata["tied"]) is tied and json.loads(metadata["roles"]) == roles
        model = tinytie.load(path)
        E_in, E_out = model.embeddings()
        assert (E_in is E_out) is tied
    assert_same(model, small())


def test_the_state_of_a_training_comes_back(path):
    training = {
        "optimizer": {"step": 12, "m": {"E": np.ones((7, 3)), "block0.W": np.zeros(2)}},
        "state": (LSTMState(np.ones((2, 4)), np.zeros((2, 4))), np.ones((2, 4), np.float16)),
        "best": [math.inf, -math.inf, math.nan, -0.0, 0.1, 5e-324],
        "big": 2**127 + 1,
        "rng": [kind(5).state for kind in (np.random.PCG64, np.random.MT19937, np.random.Philox)],
        "of numpy": [np.float32(0.1), np.int64(3), np.bool_(True), np.array(7)],
        "empty": [{}, [], (), "", np.empty((0, 3))],
        "$tuple": {"$array": "x", "a/b": np.ones(1), "a": {"b": np.zeros(1)}, "a~1b": np.ones(2)},
        "none": None,
        "yes": True,
    }
    tinytie.save(path, small(), training=training, vocabulary=WORDS)
    found = tinytie.load_checkpoint(path)
    assert_same(found.training, training)
    assert found.vocabulary == WORDS


leaves = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3)
leaves |= st.integers(0, 9).map(np.arange) | st.integers(0, 9).map(np.float32)
nested = st.recursive(
    leaves,
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


# --- files that were written by the first version


@pytest.mark.parametrize("old", sorted(OLD.iterdir()), ids=lambda old: old.stem)
def test_an_old_file_gives_the_scores_that_were_computed_when_it_was_written(old):
    found = tinytie.load_checkpoint(old)
    logits = found.model.logits(*found.training["given"])
    logits = logits[0] if isinstance(logits, tuple) else logits
    tolerance = 8 * np.finfo(logits.dtype).eps  # another machine may sum in another order
    np.testing.assert_allclose(logits, found.training["logits"], tolerance, tolerance)


def test_an_old_training_goes_on_to_the_end_that_it_had():
    """Stopped after 8 steps of 10: weights, moments of Adam, dropout's generator, carried state."""
    model, _, _, kept = tinytie.load_checkpoint(OLD / "lstm-tied-stopped.safetensors")
    stream = kept["stream"]
    trainer = Trainer(
        model, Adam(0.01), Constant(0.01), Batches(stream, 2, 5),
        lambda model: predict(model, stream[:20]).loss, epochs=2, max_norm=1.0,
    )  # fmt: skip
    trainer.restore(kept["trainer"])
    assert 0 < trainer.position < len(trainer.batches)
    list(trainer.run())
    np.testing.assert_allclose(trainer.valid_losses, kept["losses"], rtol=1e-5)
    for name, array in kept["finished"].items():
        np.testing.assert_allclose(model.params[name], array, rtol=1e-4, atol=1e-6)


# --- what must not be saved

looped: dict = {}
looped["again"] = looped


def with_params(**params):
    model = small()
    model.params |= params
    return {"model": model}


def with_frozen(frozen):
    model = small()
    model.frozen = frozen
    return {"model": model}


class Homemade(RNNLM):
    """Of a class that no loader knows."""


twins = small(d_hidden=3, tied=False)
twins.params["E_out"] = twins.params["E_in"]

BAD = [
    (with_params(E=np.full((7, 3), np.nan)), "tensor 'E': holds numbers that are not finite"),
    (with_params(U0=np.full((4, 4), np.inf)), "tensor 'U0': holds numbers that are not finite"),
    (with_params(b0=np.zeros(5)), r"'b0': is float64 of shape \(5,\), but .* shape \(4,\)"),
    (with_params(c=np.zeros(7, np.float32)), "'c': is float32 of .* makes it float64"),
    (with_params(P=[[0.0]]), "'P': is None"),
    (with_params(Z=np.zeros(1)), "'Z': it has no place"),
    ({"model": twins}, "E_in and E_out are one array.*tie_weights"),
    ({"model": Homemade(7, 3)}, "cannot save a Homemade, only RNNLM"),
    *[
        (with_frozen(frozen), "frozen")
        for frozen in ({"Z": True}, {"E": np.array([7])}, {"E": [-1]}, {"E": np.array([[1]])},
                       {"E": False}, {"E": np.array([])}, {"E": [True]}, [1])
    ],
    ({"vocabulary": ["a"]}, "the vocabulary has 1 words, the model 7"),
    ({"vocabulary": [*"abcdef", "a"]}, "a word occurs twice"),
    ({"vocabulary": "abcdefg"}, "must be a list of strings"),
    ({"vocabulary": [1, 2, 3, 4, 5, 6, 7]}, "must be a list of strings"),
    ({"model": KINDS["translator none"], "vocabulary": WORDS}, "needs 2 vocabularies"),
    ({"tokenizer": 3}, "the tokenizer must be the name"),
    ({"training": [1]}, "training must be a dict"),
    ({"training": {"a": {"b": {1}}}}, "training/a/b is a set, which has no JSON"),
    ({"training": {"a": [0, object()]}}, "training/a/1 is a object"),
    ({"training": {1: 2}}, "training has the key 1; JSON needs strings"),
    ({"training": {"a": np.array(["x"])}}, "tensor 'training/a': dtype <U1"),
    ({"training": {"m": {"E": np.array([np.inf])}}}, "tensor 'training/m/E': holds numbers"),
    ({"training": {"d": Dropout()}}, "training/d is a Dropout, which has no JSON"),
    ({"training": looped}, "contains itself"),
]  # fmt: skip


@pytest.mark.parametrize(("given", "said"), BAD)
def test_a_good_file_is_never_overwritten_with_a_bad_one(path, given, said):
    tinytie.save(path, small())
    before = path.read_bytes()
    with pytest.raises(CheckpointError, match=said) as caught:
        tinytie.save(path, **{"model": small()} | given)
    assert caught.value.path == str(path)
    assert os.listdir(path.parent) == [path.name] and path.read_bytes() == before


# --- what a file may claim

CONFIG = json.loads(json.dumps(small().config))
CLAIMS = [
    ({"vocab_size": 10**15}, "but the config makes it"),
    ({"d_embed": 2**62}, "but the config makes it"),
    ({"n_layers": 10**12}, "n_layers is 1000000000000, but it holds 7 tensors"),
    ({"n_layers": 2}, "tensor 'W1': missing"),
    ({"n_layers": 0}, "its config makes no RNNLM: n_layers must be at least 1"),
    ({"d_hidden": 5}, "tensor 'W0': is float64 of shape"),
    ({"cell": "lstm"}, "tensor 'W0': is float64 of shape"),
    ({"cell": ["gru"]}, "its config makes no RNNLM"),
    ({"embed_scale": 10**400}, "its config makes no RNNLM"),
    ({"dropout": [2, 2]}, "its config makes no RNNLM"),
    ({"dtype": "float32"}, "but the config makes it float32"),
    ({"dtype": "f8,f8"}, "no dict of options with a dtype"),
    ({"output_bias": False}, "tensor 'c': it has no place"),
    ({"tied": "yes"}, "tied must be True or False"),
    ({"tied": False}, "tensor 'E_in': missing; .*untie_weights"),
    ({"more": 1}, "its config makes no RNNLM: .*'more'"),
    ({"rng": 1}, "its config makes no RNNLM: .*'rng'"),
]
DEEP = ['{"a":' + "[" * depth + "]" * depth + "}" for depth in (2000, 5000, 100_000)]
SAYINGS = [
    *[({"config": CONFIG | change}, said) for change, said in CLAIMS],
    ({"format": "tinytie checkpoint 2"}, "its format is 'tinytie checkpoint 2', this version"),
    ({"format": "pt"}, "no checkpoint of tinytie: its metadata say nothing of a model"),
    ({"config": None}, "no dict of options"),
    ({"config": {}}, "no dict of options"),
    ({"model": "os.system"}, "its model is 'os.system', none of RNNLM"),
    ({"more": 1}, "its metadata lack, or should not have, .'more'"),
    ({"tied": False}, "its metadata 'tied' do not fit"),
    ({"roles": {"E": ["input"]}}, "its metadata 'roles' do not fit"),
    ({"roles": None}, "its metadata 'roles' do not fit"),
    ({"vocabulary": ["a"] * 7}, "a word occurs twice"),
    ({"vocabulary": 7}, "must be a list of strings"),
    ({"tokenizer": [1]}, "the tokenizer must be"),
    ({"frozen": {"E": [9]}}, "tensor 'E': its frozen rows"),
    ({"frozen": None}, "frozen must map names"),
    ({"training": 3}, "training must be a dict"),
    *[
        ({"training": training}, "its metadata 'training' do not fit|training must be a dict")
        for training in (
            {"m": {"$array": "E"}}, {"m": {"$array": "nowhere"}}, {"m": {"$array": "training/m"}},
            {"m": {"$array": 1}}, {"m": {"$pickle": "x"}}, {"m": {"$float": "1"}},
            {"m": {"$LSTMState": [1]}}, {"m": {"$array": "E", "x": 1}}, {"$scalar": "E"},
            {"m": {"$dict": {"a": 1}}}, {"m": {"$float": "nan", "x": 1}},
        )
    ],
    *[
        ({field: text}, f"metadata '{field}' is not valid JSON|nested too deeply|config|vocabulary")
        for field in ("config", "frozen", "vocabulary", "training")
        for text in ("{", '{"a":1,"a":1}', "[" * 10**5, "[NaN]", "", *DEEP)
    ],
]  # fmt: skip


@pytest.mark.parametrize(("change", "said"), SAYINGS)
def test_metadata_that_are_not_true_are_refused(path, change, said):
    tinytie.save(path, small())
    forge(path, **change)
    refused(path, said)


@pytest.mark.parametrize("name", small(tied=False).params)
def test_a_signed_file_with_one_array_lost_spoilt_renamed_or_doubled_is_refused(path, name):
    model = small(tied=False)
    tinytie.save(path, model)
    header, data = parts_of(path)
    start = header[name]["data_offsets"][0]
    sign(path, dict(header), data[:start] + np.float64(np.nan).tobytes() + data[start + 8 :])
    assert refused(path, "not finite").tensor == name
    others = {other: array for other, array in model.params.items() if other != name}
    for arrays in (others, others | {"else": model.params[name]}):
        with open(path, "wb") as file:
            write_arrays(file, arrays, header["__metadata__"])
        sign(path, *parts_of(path))
        assert refused(path, "missing").tensor == name
    with open(path, "wb") as file:
        write_arrays(file, model.params | {"else": model.params[name]}, header["__metadata__"])
    sign(path, *parts_of(path))
    assert refused(path, "no place in the checkpoint").tensor == "else"


options = st.integers() | st.booleans() | st.none() | st.text(max_size=4) | st.floats()
options |= st.lists(options, max_size=5)


@settings(max_examples=10 * settings().max_examples)
@given(change=st.dictionaries(st.sampled_from(list(CONFIG)), options, min_size=1, max_size=3))
def test_any_config_loads_or_is_the_one_error(tmp_path_factory, change):
    path = tmp_path_factory.getbasetemp() / "config.safetensors"
    tinytie.save(path, small())
    forge(path, config=CONFIG | change)
    try:
        tinytie.load(path)
    except CheckpointError as error:
        assert str(error).startswith(str(path))


def test_an_option_that_an_older_version_did_not_have_takes_its_default(path):
    tinytie.save(path, small())
    forge(path, config={name: CONFIG[name] for name in CONFIG if name != "activation"})
    assert_same(tinytie.load(path), small())


def test_loading_takes_memory_in_proportion_to_the_file(path):
    tinytie.save(path, small(vocab_size=20_000, d_embed=40))
    size = path.stat().st_size
    for load in (tinytie.load, lambda path: refused(path, "'training' do not fit")):
        tracemalloc.start()
        load(path)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert size > 6e6 and peak < 2.5 * size
        forge(path, training={"copies": [{"$array": "E"}] * 100})


# --- the file in its folder


def test_a_symbolic_link_stays_one_and_files_have_ordinary_permissions(tmp_path, monkeypatch):
    (tmp_path / "there").mkdir()
    there = tmp_path / "there" / "model"
    monkeypatch.chdir(tmp_path)
    os.symlink(there, "link")
    umask = os.umask(0o027)
    try:
        for seed in range(3):
            tinytie.save("link", small(rng=seed))
    finally:
        os.umask(umask)
    assert os.path.islink("link") and not there.is_symlink()
    for seed, found in enumerate([there.with_name("model.previous"), there], start=1):
        assert_same(tinytie.load(found), small(rng=seed))
        assert stat.S_IMODE(found.stat().st_mode) == 0o640
    assert sorted(os.listdir()) == ["link", "there"] and len(os.listdir("there")) == 2


def test_where_no_file_can_be_it_is_one_sentence_with_the_path(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(IsADirectoryError, match="a file is needed"):
        tinytie.save(tmp_path, small())
    with pytest.raises(OSError, match=r"a file is needed: .*pipe'$"):
        tinytie.save(tmp_path / "pipe", small())
    with pytest.raises(FileNotFoundError, match=r"No such file or directory: .*nowhere/model'$"):
        tinytie.save(tmp_path / "nowhere" / "model", small())
    with pytest.raises(FileNotFoundError, match="nothing"):
        tinytie.load(tmp_path / "nothing")
    if os.geteuid():  # root may write anywhere
        tmp_path.chmod(0o500)
        with pytest.raises(PermissionError, match=r"Permission denied: .*model'$"):
            tinytie.save(tmp_path / "model", small())
        tmp_path.chmod(0o700)
