"""One training step of the tied model, by each contender: forward, backward, clip, SGD.

Every builder takes a `Shape` and returns a function that makes one step and returns the loss before
it. All start from the same parameters and repeat the same batch, so their losses must agree.
"""

from typing import NamedTuple

import numpy as np
from transformer_steps import HEADS, torch_transformer, transformer_products

import tinytie

RATE, CLIP = 0.1, 0.25


class Shape(NamedTuple):
    """V vocabulary, H both widths, T time steps, B batch."""

    V: int
    H: int
    T: int
    B: int
    cell: str = "rnn"
    n_layers: int = 1


SHAPES = {
    "lesson": Shape(500, 32, 20, 16),
    "text": Shape(3256, 64, 35, 20),
    "ptb": Shape(10_000, 200, 20, 20),
    "wide": Shape(10_000, 650, 35, 20),
    "vocab": Shape(50_257, 256, 32, 16),
    "lstm": Shape(10_000, 200, 20, 20, "lstm", 2),
    "transformer": Shape(10_000, 256, 64, 16, "transformer", 4),
}


def problem(shape):
    """The model and the batch that every contender starts from."""
    V, H, T, _, cell, n_layers = shape
    if cell == "transformer":
        model = tinytie.TransformerLM(V, H, HEADS, n_layers, T, dtype=np.float32, rng=0)
    else:
        model = tinytie.RNNLM(V, H, cell=cell, n_layers=n_layers, dtype=np.float32, rng=0)
    rng = np.random.default_rng(1)
    x, y = rng.integers(shape.V, size=(2, shape.B, shape.T))
    return model, x, y


def numpy_step(shape):
    """tinytie, through its public methods."""
    from tinytie.training.clipping import clip_by_global_norm
    from tinytie.training.memory import keep_memory
    from tinytie.training.optimizers import SGD

    keep_memory()
    model, x, y = problem(shape)
    optimizer = SGD(RATE)

    def step():
        result = model.loss_and_grads(x, y, paths=False)
        grads, _ = clip_by_global_norm(result.grads, CLIP)
        optimizer.step(model.params, grads, {})
        return result.loss

    return step


def products_step(shape):
    """The bound: the same matrix products through NumPy, and nothing else."""
    model, x, _ = problem(shape)
    if shape.cell == "transformer":
        return transformer_products(model, model.params["E"][x.ravel()])
    E, cells = model.params["E"], range(shape.n_layers)
    W, U = model.params["W0"], model.params["U0"]
    e = E[x.ravel()]
    a = e @ W.T
    few_e, few_a = e[: shape.B], a[: shape.B]

    def step():
        for _ in cells:
            e @ W.T, a @ W, a.T @ e, a.T @ e  # the input side, forward and back; dW and dU
            for _ in range(shape.T):
                few_e @ U.T, few_a @ U  # the state side, a step at a time, forward and back
        scores = e @ E.T
        scores @ E, scores.T @ e

    return step


def torch_recurrent(model, x, y):
    """PyTorch's own fused recurrent layer: the loss as a function, and its parameters."""
    import torch
    from torch.nn import functional

    E = torch.nn.Parameter(torch.tensor(model.params["E"]))
    c = torch.nn.Parameter(torch.tensor(model.params["c"]))
    kind = {"rnn": torch.nn.RNN, "lstm": torch.nn.LSTM}[model.cell]
    body = kind(model.d_embed, model.d_hidden, model.n_layers, batch_first=True)
    for name, weight in body.named_parameters():
        ours = {"weight_ih_l": "W", "weight_hh_l": "U", "bias_ih_l": "b"}.get(name[:-1])
        value = torch.tensor(model.params[ours + name[-1]]) if ours else torch.zeros_like(weight)
        weight.data.copy_(value)
        weight.requires_grad = ours is not None  # one bias a layer

    def loss_of():
        h, _ = body(functional.embedding(x, E))
        scores = functional.linear(h, E, c)
        return functional.cross_entropy(scores.reshape(-1, len(E)), y.reshape(-1))

    return loss_of, [E, c, *(w for w in body.parameters() if w.requires_grad)]


def torch_step(shape, compiled=False):
    """PyTorch with its own layers, its own clipping and its own SGD."""
    import torch

    model, x, y = problem(shape)
    twin = torch_transformer if shape.cell == "transformer" else torch_recurrent
    loss_of, parameters = twin(model, torch.tensor(x), torch.tensor(y))
    optimizer = torch.optim.SGD(parameters, lr=RATE)
    if compiled:
        loss_of = torch.compile(loss_of)

    def step():
        optimizer.zero_grad()
        loss = loss_of()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(parameters, CLIP)
        optimizer.step()
        return loss.item()

    return step


def torch_compile_step(shape):
    """The same, through torch.compile."""
    return torch_step(shape, compiled=True)


def jax_step(shape):
    """JAX: the whole step, parameters to parameters, as one jitted function."""
    import jax
    import jax.numpy as jnp

    model, x, y = problem(shape)
    params = {name: jnp.asarray(array) for name, array in model.params.items()}
    x, y = jnp.asarray(x), jnp.asarray(y)
    cell = {"rnn": jax_rnn, "lstm": jax_lstm}[shape.cell]

    def loss_of(params):
        h = params["E"][x].swapaxes(0, 1)
        for layer in range(shape.n_layers):
            a = h @ params[f"W{layer}"].T + params[f"b{layer}"]
            h = cell(jax, jnp, a, params[f"U{layer}"])
        scores = h.swapaxes(0, 1) @ params["E"].T + params["c"]
        likely = jax.nn.log_softmax(scores)
        return -jnp.take_along_axis(likely, y[..., None], axis=-1).mean()

    @jax.jit
    def update(params):
        loss, grads = jax.value_and_grad(loss_of)(params)
        norm = jnp.sqrt(sum(jnp.vdot(g, g) for g in grads.values()))
        scale = RATE * jnp.minimum(1.0, CLIP / (norm + 1e-6))
        return loss, {name: params[name] - scale * grads[name] for name in params}

    def step():
        nonlocal params
        loss, params = update(params)
        return float(loss)

    return step


def jax_rnn(jax, jnp, a, U):
    """All steps of h_t = tanh(a_t + U h_{t−1}). a (T, B, H)."""

    def one(h, a_t):
        h = jnp.tanh(a_t + h @ U.T)
        return h, h

    return jax.lax.scan(one, jnp.zeros_like(a[0]), a)[1]


def jax_lstm(jax, jnp, a, U):
    """All steps of the LSTM. a (T, B, 4H)."""

    def one(state, a_t):
        h, c = state
        i, f, g, o = jnp.split(a_t + h @ U.T, 4, axis=-1)
        c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
        h = jax.nn.sigmoid(o) * jnp.tanh(c)
        return (h, c), h

    zeros = jnp.zeros_like(a[0][:, : U.shape[1]])
    return jax.lax.scan(one, (zeros, zeros), a)[1]


CONTENDERS = {
    "tinytie": numpy_step,
    "PyTorch eager": torch_step,
    "torch.compile": torch_compile_step,
    "JAX jit": jax_step,
    "products alone": products_step,
    "tinytie, AVX-512": numpy_step,
}
MISSING = {("JAX jit", "transformer")}  # contenders that do not have a shape
