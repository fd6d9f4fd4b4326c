"""PyTorch's own modules, where they are installed: filled from here, and read back."""

import functools

import numpy as np
import pytest

from tests.interchange.test_names import ENCODERS, RECURRENT, SMALL, TOLD, V, agree, scores, x
from tests.interchange.twins import shaken
from tinytie import RNNLM, TransformerLM, from_torch, to_torch

torch = pytest.importorskip("torch")
nn = torch.nn


def filled(module, names):
    own = {name: torch.tensor(names[name]) for name in module.state_dict()}
    module.load_state_dict(own)
    return module.double().eval()


def tied_head(names):
    """An nn.Embedding and an nn.Linear that are one matrix."""
    E = nn.Parameter(torch.tensor(names["E"]))
    look, score = nn.Embedding(*E.shape), nn.Linear(*reversed(E.shape), bias="c" in names)
    look.weight = score.weight = E
    if "c" in names:
        score.bias = nn.Parameter(torch.tensor(names["c"]))
    return look, score


def state_of(**modules):
    return {f"{name}.{key}": value for name, module in modules.items()
            for key, value in module.state_dict().items()}  # fmt: skip


@pytest.mark.parametrize("options", RECURRENT.values(), ids=RECURRENT)
def test_a_recurrent_module(options):
    model = shaken(RNNLM(V, 4, rng=0, **options))
    names, kind = to_torch(model), {"rnn": nn.RNN, "gru": nn.GRU, "lstm": nn.LSTM}[model.cell]
    more = {"nonlinearity": model.activation} if model.cell == "rnn" else {}
    module = filled(kind(4, model.d_hidden, model.n_layers, batch_first=True, bias=model.bias,
                         dtype=torch.float64, **more), names)  # fmt: skip
    look, score = tied_head(names)
    with torch.no_grad():
        h, _ = module(look(torch.tensor(x)))
        o = h @ torch.tensor(names["P"]).T + torch.tensor(names["p"]) if "P" in names else h
        agree(scores(model), score(o)[0].numpy())
    theirs = state_of(encoder=look, rnn=module, decoder=score)
    letters = {name: names[name] for name in ("P", "p") if name in names}
    again = from_torch(theirs | letters, activation=model.activation)
    assert again.tied
    np.testing.assert_array_equal(scores(again), scores(model))


@pytest.mark.parametrize("options", ENCODERS.values(), ids=ENCODERS)
def test_an_encoder(options):
    model = shaken(TransformerLM(V, 4, **SMALL | options, rng=0))
    names = to_torch(model)
    f = functools.partial(nn.functional.gelu, approximate="tanh")
    layer = nn.TransformerEncoderLayer(
        4, model.n_heads, model.d_ff, 0.0, f if model.activation == "gelu" else "relu",
        batch_first=True, norm_first=model.norm == "pre", dtype=torch.float64,
    )  # fmt: skip
    last = nn.LayerNorm(4, dtype=torch.float64) if model.final_norm else None
    stack = nn.TransformerEncoder(layer, model.n_layers, last, enable_nested_tensor=False)
    module, (look, score) = filled(stack, names), tied_head(names)
    mask = nn.Transformer.generate_square_subsequent_mask(x.size, dtype=torch.float64)
    with torch.no_grad():
        e = look(torch.tensor(x))
        if "pos" in names:
            e = e + torch.tensor(names["pos"][: x.size])
        agree(scores(model), score(module(e, mask=mask))[0].numpy())
    theirs = state_of(look=look, body=module, score=score)
    called = {"look.weight": "E_in", "score.weight": "E_out", "score.bias": "c"}
    letters = {"pos": names["pos"]} if "pos" in names else {}
    told = {name: getattr(model, name) for name in TOLD}
    again = from_torch(theirs | letters, called=called, **told)
    assert again.config == model.config
    np.testing.assert_array_equal(scores(again), scores(model))
