"""The names of PyTorch's `nn.RNN`, `nn.GRU` and `nn.LSTM`.

    weight_ih_l{l} = W{l},   weight_hh_l{l} = U{l},   bias_ih_l{l} + bias_hh_l{l} = b{l}

The gates stand in the same order, r z n and i f g o. Only the GRU differs: there PyTorch has
n = tanh(W_n e + b_in + r ∘ (U_n h + b_hn)), and we have no b_hn inside r ∘ (…).
"""

import re

import numpy as np

from tinytie.models.rnn_lm import RNNLM
from tinytie.ops.cells import CELLS

MODEL = RNNLM
FIRST = "weight_ih_l0"
NAME = re.compile(r"(weight|bias)_(ih|hh|hr)_l\d+(_reverse)?")
CALLED = {"encoder.weight": "E_in", "decoder.weight": "E_out", "decoder.bias": "c"}
IGNORED = re.compile("")
BEYOND = {  # what our model has no place for, by what its names hold
    "_reverse": "it reads backwards too (bidirectional=True), and would see the word to predict",
    "weight_hr_": "its state is projected (proj_size), which no cell here does",
}


def to_names(model):
    """Name -> array. bias_hh is zero, for one bias is enough; without W, weight_ih is one."""
    names = {}
    for layer in range(model.n_layers):
        W = model.params.get(f"W{layer}", np.eye(model.d_hidden, dtype=model.dtype))
        names[f"weight_ih_l{layer}"] = W.copy()
        names[f"weight_hh_l{layer}"] = model.params[f"U{layer}"].copy()
        if model.bias:
            names[f"bias_ih_l{layer}"] = model.params[f"b{layer}"].copy()
            names[f"bias_hh_l{layer}"] = np.zeros_like(model.params[f"b{layer}"])
    return names


def from_names(names, letters, nearest=False, **options):
    """The options of an `RNNLM`, and its parameters but for the letters.

    nearest carries a GRU's b_hn as nearly as can be.
    """
    for sign, reason in BEYOND.items():
        if found := [name for name in names if sign in name]:
            raise ValueError(f"{found[0]} cannot be carried over: {reason}")
    rows, H = names["weight_hh_l0"].shape
    cells = {cell.gates: name for name, cell in CELLS.items()}
    if rows % H or rows // H not in cells:
        raise ValueError(f"weight_hh_l0 {(rows, H)} should be (G·H, H), with G one of {[*cells]}")
    n_layers = sum(name.startswith("weight_ih") for name in names)
    told = {
        "d_embed": names[FIRST].shape[1], "d_hidden": H, "cell": cells[rows // H],
        "n_layers": n_layers, "bias": "bias_ih_l0" in names, "projection": "P" in letters,
    }  # fmt: skip
    params = {}
    for layer in range(n_layers):
        params[f"W{layer}"] = names[f"weight_ih_l{layer}"]
        params[f"U{layer}"] = names[f"weight_hh_l{layer}"]
        if told["bias"]:
            both = names[f"bias_ih_l{layer}"], names[f"bias_hh_l{layer}"]
            gru = told["cell"] == "gru"
            params[f"b{layer}"] = gru_bias(*both, layer, nearest) if gru else both[0] + both[1]
    return told | options, params


def gru_bias(b_ih, b_hh, layer, nearest):
    """One bias. b_hn counts r times in PyTorch, 0 < r < 1, and here all the time or never."""
    H = len(b_hh) // 3
    b_hn = b_hh[2 * H :]
    if b_hn.any() and not nearest:
        raise ValueError(
            f"bias_hh_l{layer} holds a b_hn, up to {np.abs(b_hn).max():.3g}, which PyTorch "
            "multiplies by the reset gate and this GRU has not; nearest=True puts half of it "
            f"outside, which moves no n by more than {np.abs(b_hn).max() / 2:.3g} a step"
        )
    return b_ih + np.concatenate([b_hh[: 2 * H], b_hn / 2])
