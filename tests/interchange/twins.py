"""The modules of PyTorch and GPT-2 again, each from its documented equations alone.

Nothing of the package is used here, nor any framework: arrays by name and the vectors (T, …) of one
sentence in, vectors out. What agrees with these agrees with the modules; where PyTorch is there,
`test_pytorch.py` asks it too.
"""

import math

import numpy as np


def sigmoid(a):
    return 1 / (1 + np.exp(-a))


def recurrent(names, x, kind, activation=np.tanh):
    """nn.RNN, nn.GRU or nn.LSTM over x (T, D), as its documentation states them. (T, H)"""
    layers = sum(name.startswith("weight_ih") for name in names)
    for l in range(layers):  # noqa: E741
        W_i, W_h = names[f"weight_ih_l{l}"], names[f"weight_hh_l{l}"]
        none = np.zeros(len(W_i))
        b_i, b_h = names.get(f"bias_ih_l{l}", none), names.get(f"bias_hh_l{l}", none)
        h = c = np.zeros(W_h.shape[1])
        out = []
        for x_t in x:
            i, s = W_i @ x_t + b_i, W_h @ h + b_h
            if kind == "rnn":
                h = activation(i + s)
            elif kind == "gru":
                (i_r, i_z, i_n), (s_r, s_z, s_n) = np.split(i, 3), np.split(s, 3)
                z = sigmoid(i_z + s_z)
                h = (1 - z) * np.tanh(i_n + sigmoid(i_r + s_r) * s_n) + z * h
            else:
                a, f, g, o = np.split(i + s, 4)
                c = sigmoid(f) * c + sigmoid(a) * np.tanh(g)
                h = sigmoid(o) * np.tanh(c)
            out.append(h)
        x = np.array(out)
    return x


def norm(x, gain, shift):
    centered = x - x.mean(-1, keepdims=True)
    return centered / np.sqrt((centered**2).mean(-1, keepdims=True) + 1e-5) * gain + shift


def attention(qkv, heads):
    """Causal, one head after the other. (T, 3d) -> (T, d)"""
    T, d = len(qkv), qkv.shape[1] // 3
    q, k, v = np.split(qkv, 3, axis=1)
    out = []
    for n in range(heads):
        columns = slice(n * d // heads, (n + 1) * d // heads)
        s = q[:, columns] @ k[:, columns].T / math.sqrt(d / heads)
        s = np.exp(np.where(np.tri(T, dtype=bool), s, -np.inf))
        out.append(s / s.sum(axis=1, keepdims=True) @ v[:, columns])
    return np.concatenate(out, axis=1)


def gelu(a):
    return a / 2 * (1 + np.tanh(math.sqrt(2 / math.pi) * (a + 0.044715 * a**3)))


def relu(a):
    return np.maximum(a, 0)


def encoder(names, x, heads, norm_first, f):
    """nn.TransformerEncoder over x (T, d), with a causal mask."""
    for l in range(sum(name.endswith("in_proj_weight") for name in names)):  # noqa: E741
        p = {name.removeprefix(f"layers.{l}."): names[name] for name in names}

        def linear(x, name, p=p):
            return x @ p[f"{name}weight"].T + p[f"{name}bias"]

        def attend(x, linear=linear):
            return linear(attention(linear(x, "self_attn.in_proj_"), heads), "self_attn.out_proj.")

        def feed(x, linear=linear):
            return linear(f(linear(x, "linear1.")), "linear2.")

        def norm1(x, p=p):
            return norm(x, p["norm1.weight"], p["norm1.bias"])

        def norm2(x, p=p):
            return norm(x, p["norm2.weight"], p["norm2.bias"])

        if norm_first:
            x = x + attend(norm1(x))
            x = x + feed(norm2(x))
        else:
            x = norm1(x + attend(x))
            x = norm2(x + feed(x))
    return norm(x, names["norm.weight"], names["norm.bias"]) if "norm.weight" in names else x


def gpt2(names, ids, heads):
    """The scores (T, V) of GPT-2; its matrices are (in, out)."""
    E = names["wte.weight"]
    x = E[ids] + names["wpe.weight"][: len(ids)]
    for l in range(sum(name.endswith("c_attn.weight") for name in names)):  # noqa: E741
        p = {name.removeprefix(f"h.{l}."): names[name] for name in names}

        def conv(x, name, p=p):
            return x @ p[f"{name}.weight"] + p[f"{name}.bias"]

        n = norm(x, p["ln_1.weight"], p["ln_1.bias"])
        x = x + conv(attention(conv(n, "attn.c_attn"), heads), "attn.c_proj")
        n = norm(x, p["ln_2.weight"], p["ln_2.bias"])
        x = x + conv(gelu(conv(n, "mlp.c_fc")), "mlp.c_proj")
    return norm(x, names["ln_f.weight"], names["ln_f.bias"]) @ E.T


def shaken(model):
    """The model with every parameter drawn, so that no bias is zero."""
    rng = np.random.default_rng(0)
    for array in model.params.values():
        array[...] = 0.6 * rng.standard_normal(array.shape)
    return model
