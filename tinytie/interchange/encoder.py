"""The names of PyTorch's `nn.TransformerEncoder`, layer by layer those of a `TransformerLM`.

Its layers agree with ours under a causal mask, batch_first=True; norm_first=True is our "pre". Its
activation="gelu" is the exact form, ours the tanh form, within 0.0005 of it: give the layer
`functools.partial(F.gelu, approximate="tanh")` instead.
"""

import re

import numpy as np

from tinytie.models.transformer_lm import TransformerLM

MODEL = TransformerLM
FIRST = "layers.0.self_attn.in_proj_weight"
OURS = {  # their name in a layer -> ours in a block
    "self_attn.in_proj_weight": "Wqkv", "self_attn.in_proj_bias": "bqkv",
    "self_attn.out_proj.weight": "Wo", "self_attn.out_proj.bias": "bo",
    "norm1.weight": "gain1", "norm1.bias": "shift1",
    "linear1.weight": "W1", "linear1.bias": "b1",
    "linear2.weight": "W2", "linear2.bias": "b2",
    "norm2.weight": "gain2", "norm2.bias": "shift2",
}  # fmt: skip
FINAL = {"norm.weight": "final.gain", "norm.bias": "final.shift"}
PARTS = "|".join(map(re.escape, OURS))
NAME = re.compile(rf"layers\.\d+\.({PARTS})|norm\.(weight|bias)")
CALLED = {"input_emb.weight": "E_in", "decoder.weight": "E_out", "decoder.bias": "c"}
IGNORED = re.compile("")


def to_names(model):
    """Name -> array."""
    layers = range(model.n_layers)
    pairs = {
        f"layers.{n}.{their}": f"block{n}.{our}" for n in layers for their, our in OURS.items()
    }
    pairs |= FINAL if model.final_norm else {}
    return {their: model.params[our].copy() for their, our in pairs.items()}


def from_names(names, letters, **options):
    """The options of a `TransformerLM`, and its parameters but for the letters.

    A bias that is not there, as with bias=False, is zero.
    """
    n_layers = sum(name.endswith("in_proj_weight") for name in names)
    d_ff, d = names["layers.0.linear1.weight"].shape
    told = {"d_model": d, "n_layers": n_layers, "d_ff": d_ff, "final_norm": "norm.weight" in names}
    if "pos" in letters:
        told |= {"positions": "learned", "max_len": len(letters["pos"])}
    options = {"positions": "none"} | told | options
    if missing := {"n_heads", "max_len"} - options.keys():
        raise ValueError(f"no array tells {' and '.join(sorted(missing))}; give it as an option")
    sizes = {"bqkv": 3 * d, "b1": d_ff}
    pairs = {
        f"layers.{n}.{their}": (n, our) for n in range(n_layers) for their, our in OURS.items()
    }
    params = {
        f"block{n}.{our}": entry(names, their, sizes.get(our, d))
        for their, (n, our) in pairs.items()
    }
    if options["final_norm"]:
        params |= {our: entry(names, their, d) for their, our in FINAL.items()}
    return options, params


def entry(names, name, size):
    """The array of this name; a bias that is not there is zeros."""
    if name not in names and name.endswith("bias"):
        return np.zeros(size, np.float32)
    return names[name]
