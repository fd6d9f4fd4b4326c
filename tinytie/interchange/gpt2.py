"""The names of a GPT-2 checkpoint: a tied, pre-norm `TransformerLM` with gelu and a final norm.

Its matrices stand the other way round, y = x A + b, so each is the transposed of ours.
Source: Radford et al. 2019; the names are those of the released files.
"""

import re

import numpy as np

from tinytie.models.transformer_lm import TransformerLM

MODEL = TransformerLM
LOOKUP, SCORES, POSITIONS = "wte.weight", "lm_head.weight", "wpe.weight"
OURS = {  # their name in a layer -> ours in a block
    "attn.c_attn.weight": "Wqkv", "attn.c_attn.bias": "bqkv",
    "attn.c_proj.weight": "Wo", "attn.c_proj.bias": "bo",
    "ln_1.weight": "gain1", "ln_1.bias": "shift1",
    "mlp.c_fc.weight": "W1", "mlp.c_fc.bias": "b1",
    "mlp.c_proj.weight": "W2", "mlp.c_proj.bias": "b2",
    "ln_2.weight": "gain2", "ln_2.bias": "shift2",
}  # fmt: skip
FINAL = {"ln_f.weight": "final.gain", "ln_f.bias": "final.shift"}
FIRST = "h.0.attn.c_attn.weight"
PARTS = "|".join(map(re.escape, OURS))
NAME = re.compile(rf"wpe\.weight|h\.\d+\.({PARTS})|ln_f\.(weight|bias)")
CALLED = {LOOKUP: "E_in", SCORES: "E_out"}
IGNORED = re.compile(r"h\.\d+\.attn\.(masked_)?bias")  # the causal mask, in older files
WRITTEN = "transformer."  # before all names but that of the scores
KIND = {
    "norm": "pre", "final_norm": True, "positions": "learned", "activation": "gelu",
    "output_bias": False, "embed_scale": 1.0,
}  # fmt: skip
HEAD_WIDTH = 64  # of every released size


def to_names(model):
    """Name -> array. Raises ValueError where the model is of another kind."""
    if wrong := [f"{n}={getattr(model, n)!r}" for n in KIND if getattr(model, n) != KIND[n]]:
        raise ValueError(f"GPT-2 has no {', '.join(wrong)}; it has {KIND}")
    E_in, E_out = model.embeddings()
    names = {WRITTEN + LOOKUP: E_in.copy()}
    names |= {
        WRITTEN + their: turned(their, model.params[our]).copy()
        for their, our in pairs(model.n_layers).items()
    }
    return names if model.tied else names | {SCORES: E_out.copy()}


def pairs(n_layers):
    """Their name -> ours, but for the token matrices."""
    layers = range(n_layers)
    blocks = {f"h.{n}.{their}": f"block{n}.{our}" for n in layers for their, our in OURS.items()}
    return {POSITIONS: "pos"} | blocks | FINAL


def turned(name, array):
    """The matrices of a layer are transposed; E, positions and vectors are as they are."""
    return array.T if name.startswith("h.") and array.ndim == 2 else array


def from_names(names, letters, **options):
    """The options of a `TransformerLM`, and its parameters but for the letters.

    n_heads is d / 64 unless said otherwise, as in every released size.
    """
    n_layers = sum(name.endswith("attn.c_attn.weight") for name in names)
    params = {
        our: np.ascontiguousarray(turned(their, names[their]))
        for their, our in pairs(n_layers).items()
    }
    (max_len, d), d_ff = params["pos"].shape, len(params["block0.b1"])
    told = KIND | {"d_model": d, "n_layers": n_layers, "max_len": max_len, "d_ff": d_ff}
    if "n_heads" not in options:
        if d % HEAD_WIDTH:
            raise ValueError(
                f"its width {d} is no multiple of {HEAD_WIDTH}, the width of a head in every "
                "released size: say how many heads it has"
            )
        told["n_heads"] = d // HEAD_WIDTH
    return told | options, params
