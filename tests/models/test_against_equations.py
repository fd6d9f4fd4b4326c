"""The whole forward pass beside the equations, one number at a time, without NumPy.

A gradient check cannot see a wrong loss: here loss, scores and state are computed a second way.
"""

import math

import numpy as np
import pytest
from hypothesis import given

from tests.models.cases import arrays, recurrent
from tests.models.test_translator import PAD, SOURCE, TARGET, H, drawn


def sigma(a):
    return 1 / (1 + math.exp(-a))


def product(M, v):
    """M v, with rows of M."""
    return [sum(m * a for m, a in zip(row, v, strict=True)) for row in M]


def rnn(e, h, W, U, b, activation):
    f = {"tanh": math.tanh, "relu": lambda a: max(a, 0.0)}[activation]
    a = zip(product(W, e), product(U, h), b, strict=True)
    h = [f(sum(terms)) for terms in a]
    return h, h


def gru(e, h, W, U, b, _):
    """r, z, n = tanh(W_n e + b_n + r (U_n h)), h' = (1 − z) n + z h."""
    H, a, u = len(h), product(W, e), product(U, h)
    new = []
    for i in range(H):
        r = sigma(a[i] + b[i] + u[i])
        z = sigma(a[H + i] + b[H + i] + u[H + i])
        n = math.tanh(a[2 * H + i] + b[2 * H + i] + r * u[2 * H + i])
        new.append((1 - z) * n + z * h[i])
    return new, new


def lstm(e, state, W, U, b, _):
    """i, f, g, o; c' = f c + i g, h' = o tanh(c')."""
    h, c = state
    H, a = len(h), [sum(t) for t in zip(product(W, e), product(U, h), b, strict=True)]
    c = [sigma(a[H + k]) * c[k] + sigma(a[k]) * math.tanh(a[2 * H + k]) for k in range(H)]
    h = [sigma(a[3 * H + k]) * math.tanh(c[k]) for k in range(H)]
    return h, (h, c)


STEPS = {"rnn": rnn, "gru": gru, "lstm": lstm}


def affine(M, v, b):
    """M v + b."""
    return [a + bias for a, bias in zip(product(M, v), b, strict=True)]


def scores_of(model, x, state):
    """The scores after each word of one sentence, and the last state."""
    params = {name: array.tolist() for name, array in model.params.items()}
    E_in, E_out = (params[n] for n in (2 * model.embedding_names)[:2])
    step = STEPS[model.cell]
    state, scores = list(state), []
    for token in x:
        h = [model.embed_scale * value for value in E_in[token]]
        for layer in range(model.n_layers):
            weights = (params[f"{name}{layer}"] for name in "WUb")
            h, state[layer] = step(h, state[layer], *weights, model.activation)
        if "P" in params:
            h = affine(params["P"], h, params["p"])
        scores.append(affine(E_out, h, params.get("c", [0.0] * model.vocab_size)))
    return scores, state


def row_of(state, row):
    """One sentence's state, as lists."""
    return [
        tuple(a[row].tolist() for a in s) if isinstance(s, tuple) else s[row].tolist()
        for s in state
    ]


@given(recurrent())
def test_scores_loss_and_state_are_those_of_the_equations(drawn):
    model, x, y, state = drawn
    logits, after = model.logits(x, state)
    total = 0.0
    for row in range(len(x)):
        scores, last = scores_of(model, x[row], row_of(state, row))
        np.testing.assert_allclose(logits[row], scores, rtol=1e-10, atol=1e-12)
        for mine, theirs in zip(arrays(after), flat(last), strict=True):
            np.testing.assert_allclose(mine[row], theirs, rtol=1e-10, atol=1e-12)
        for s, target in zip(scores, y[row], strict=True):
            total += math.log(sum(math.exp(a - max(s)) for a in s)) + max(s) - s[target]
    assert math.isclose(model.loss(x, y, state)[0], total / y.size, rel_tol=1e-11)
    assert math.isclose(model.loss_and_grads(x, y, state).loss, total / y.size, rel_tol=1e-11)


def flat(state):
    """The lists of numbers of every layer."""
    return [part for s in state for part in (s if isinstance(s, tuple) else (s,))]


def translator_scores(model, source, target):
    """The scores after each word of target, for one sentence without its padding."""
    params = {name: array.tolist() for name, array in model.params.items()}
    E, step, zero = params["E"], STEPS[model.cell], [0.0] * H
    read = lambda word: [model.embed_scale * value for value in E[word]]
    begin = lambda h: (h, zero) if model.cell == "lstm" else h  # an empty memory, c_0 = 0
    layer = lambda side: [params[f"{side}.{name}"] for name in "WUb"]
    state, states = begin(zero), []
    for word in source:
        h, state = step(read(word), state, *layer("encoder"), "tanh")
        states.append(h)
    state, scores = begin(states[-1]), []
    for word in target:
        d, state = step(read(word), state, *layer("decoder"), "tanh")
        asked = [math.exp(s) for s in product(states, d)]
        k = [sum(a * h[i] for a, h in zip(asked, states, strict=True)) / sum(asked)
             for i in range(H)]  # fmt: skip
        o = [math.tanh(s) for s in affine(params["A"], d + k, params["a"])]
        scores.append(affine(E, affine(params["P"], o, params["p"]), params["c"]))
    return scores


@pytest.mark.parametrize("cell", STEPS)
def test_a_translators_scores_are_those_of_the_equations(cell):
    model = drawn(cell=cell)
    logits = model.logits(SOURCE, TARGET)
    for mine, source, target in zip(logits, SOURCE, TARGET, strict=True):
        expected = translator_scores(model, source[source != PAD], target[target != PAD])
        n = min(len(expected), len(mine))  # nothing is predicted after the last word
        np.testing.assert_allclose(mine[:n], expected[:n], rtol=1e-10, atol=1e-12)
