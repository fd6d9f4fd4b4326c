"""Families of functions with their gradients, by hand: what checkers of gradients are tried on.

Each takes a generator and the size of the parameters, and gives (loss, params, grads) with
loss(params) -> float and grads(params) -> dict.
"""

import numpy as np

FAMILIES = {}


def family(make):
    """A function on the list, by its name."""
    FAMILIES[make.__name__] = make
    return make


def elementwise(name, f, slope, positive=False):
    """Σ r f(W) with random r: the whole of many a mistake."""

    def make(rng, size):
        r, W = rng.standard_normal((2, 4, 3))
        W = size * (0.5 + np.abs(W)) if positive else size * W
        return (
            lambda p: float(np.sum(r * f(p["W"]))),
            {"W": W},
            lambda p: {"W": r * slope(p["W"])},
        )

    make.__name__ = name
    return family(make)


def sigmoid(a):
    return 1 / (1 + np.exp(-a))


C = np.sqrt(2 / np.pi)
gelu_t = lambda a: np.tanh(C * (a + 0.044715 * a**3))
elementwise("quadratic", lambda a: a * a, lambda a: 2 * a)
elementwise("cubic", lambda a: a**3, lambda a: 3 * a**2)
elementwise("exponential", np.exp, np.exp)
elementwise("logarithm", np.log, lambda a: 1 / a, positive=True)
elementwise("square root", np.sqrt, lambda a: 0.5 / np.sqrt(a), positive=True)
elementwise("reciprocal", lambda a: 1 / a, lambda a: -1 / a**2, positive=True)
elementwise("tanh", np.tanh, lambda a: 1 - np.tanh(a) ** 2)
elementwise("sigmoid", sigmoid, lambda a: sigmoid(a) * (1 - sigmoid(a)))
elementwise("softplus", lambda a: np.logaddexp(0, a), sigmoid)
elementwise("sine", lambda a: np.sin(5 * a), lambda a: 5 * np.cos(5 * a))
elementwise("relu", lambda a: np.maximum(a, 0), lambda a: 1.0 * (a > 0))
elementwise("leaky relu", lambda a: np.where(a > 0, a, 0.1 * a), lambda a: np.where(a > 0, 1, 0.1))
elementwise("absolute value", np.abs, np.sign)
elementwise("clip", lambda a: np.clip(a, -0.5, 0.5), lambda a: 1.0 * (np.abs(a) < 0.5))
elementwise(
    "huber", lambda a: np.where(np.abs(a) < 0.3, a * a / 2, 0.3 * (np.abs(a) - 0.15)),
    lambda a: np.clip(a, -0.3, 0.3),
)  # fmt: skip
elementwise(
    "gelu", lambda a: 0.5 * a * (1 + gelu_t(a)),
    lambda a: 0.5 * (1 + gelu_t(a))
    + 0.5 * a * (1 - gelu_t(a) ** 2) * C * (1 + 3 * 0.044715 * a**2),
)  # fmt: skip


def softmax(s):
    e = np.exp(s - s.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def log_sum_exp(s):
    top = s.max(axis=-1)
    return top + np.log(np.exp(s - top[..., None]).sum(axis=-1))


def layer(rng, size, out=4):
    """x (6, 3), W (out, 3), b (out,)"""
    x = rng.standard_normal((6, 3))
    W, b = size * rng.standard_normal((out, 3)), size * rng.standard_normal(out)
    return x, {"W": W, "b": b}


def through_layer(x, da):
    return {"W": da.T @ x, "b": da.sum(axis=0)}


@family
def cross_entropy(rng, size):
    x, params = layer(rng, size)
    y = rng.integers(4, size=6)
    a = lambda p: x @ p["W"].T + p["b"]
    loss = lambda p: float(np.mean(log_sum_exp(a(p)) - a(p)[np.arange(6), y]))
    return loss, params, lambda p: through_layer(x, (softmax(a(p)) - np.eye(4)[y]) / 6)


@family
def logistic_regression(rng, size):
    x, params = layer(rng, size, 1)
    y = rng.integers(2, size=(6, 1))
    a = lambda p: x @ p["W"].T + p["b"]
    loss = lambda p: float(np.mean(np.logaddexp(0, a(p)) - y * a(p)))
    return loss, params, lambda p: through_layer(x, (sigmoid(a(p)) - y) / 6)


@family
def hinge(rng, size):
    x, params = layer(rng, size, 1)
    y = 2.0 * rng.integers(2, size=(6, 1)) - 1
    a = lambda p: x @ p["W"].T + p["b"]
    loss = lambda p: float(np.mean(np.maximum(0, 1 - y * a(p))))
    return loss, params, lambda p: through_layer(x, -y * (y * a(p) < 1) / 6)


@family
def least_squares(rng, size):
    x, params = layer(rng, size)
    y = rng.standard_normal((6, 4))
    a = lambda p: x @ p["W"].T + p["b"] - y
    return lambda p: float(np.sum(a(p) ** 2)), params, lambda p: through_layer(x, 2 * a(p))


@family
def poisson(rng, size):
    x, params = layer(rng, size, 1)
    y = rng.integers(5, size=(6, 1))
    a = lambda p: x @ p["W"].T + p["b"]
    loss = lambda p: float(np.sum(np.exp(a(p)) - y * a(p)))
    return loss, params, lambda p: through_layer(x, np.exp(a(p)) - y)


@family
def gaussian_likelihood(rng, size):
    y = rng.standard_normal(8)
    params = {"mean": np.array(size * 0.7), "log variance": np.array(size * -0.4)}
    square = lambda p: (y - p["mean"]) ** 2 * np.exp(-p["log variance"])
    loss = lambda p: float(0.5 * np.sum(p["log variance"] + square(p)))
    grads = lambda p: {
        "mean": np.array(-np.sum(y - p["mean"]) * np.exp(-p["log variance"])),
        "log variance": np.array(0.5 * np.sum(1 - square(p))),
    }
    return loss, params, grads


@family
def student_t(rng, size):
    y, m = rng.standard_normal((2, 5))
    r = lambda p: p["m"] - y
    loss = lambda p: float(np.sum(2.5 * np.log(1 + r(p) ** 2 / 4)))
    return loss, {"m": size * m}, lambda p: {"m": 2.5 * 2 * r(p) / (4 + r(p) ** 2)}


@family
def two_relu_layers(rng, size):
    x, params = layer(rng, size)
    r = rng.standard_normal((6, 5))
    params |= {"V": size * rng.standard_normal((5, 4)), "c": size * rng.standard_normal(5)}
    a = lambda p: x @ p["W"].T + p["b"]
    s = lambda p: np.maximum(a(p), 0) @ p["V"].T + p["c"]

    def grads(p):
        ds = r * (s(p) > 0)
        above = {"V": ds.T @ np.maximum(a(p), 0), "c": ds.sum(axis=0)}
        return above | through_layer(x, (ds @ p["V"]) * (a(p) > 0))

    return lambda p: float(np.sum(r * np.maximum(s(p), 0))), params, grads


@family
def layer_norm(rng, size):
    R, Z = rng.standard_normal((2, 3, 5))

    def normal(Z):
        Z = Z - Z.mean(axis=1, keepdims=True)
        s = np.sqrt((Z * Z).mean(axis=1, keepdims=True) + 1e-5)
        return Z / s, s

    def grads(p):
        z, s = normal(p["Z"])
        return {"Z": (R - R.mean(1, keepdims=True) - z * (R * z).mean(1, keepdims=True)) / s}

    return lambda p: float(np.sum(R * normal(p["Z"])[0])), {"Z": size * Z}, grads


@family
def cosine(rng, size):
    u, v = rng.standard_normal((2, 5))
    n = np.linalg.norm
    cos = lambda p: p["u"] @ p["v"] / n(p["u"]) / n(p["v"])
    one = lambda a, b, c: b / n(a) / n(b) - c * a / n(a) ** 2
    return (
        lambda p: float(cos(p)),
        {"u": size * u, "v": size * v},
        lambda p: {"u": one(p["u"], p["v"], cos(p)), "v": one(p["v"], p["u"], cos(p))},
    )


@family
def norm(rng, size):
    a = size * rng.standard_normal(6)
    n = np.linalg.norm
    return lambda p: float(n(p["a"])), {"a": a}, lambda p: {"a": p["a"] / n(p["a"])}


@family
def product(rng, size):
    a = size * (0.5 + rng.random(5))
    return lambda p: float(np.prod(p["a"])), {"a": a}, lambda p: {"a": np.prod(p["a"]) / p["a"]}


@family
def rosenbrock(rng, size):
    a = size * rng.standard_normal(5)

    def loss(p):
        a = p["a"]
        return float(np.sum(100 * (a[1:] - a[:-1] ** 2) ** 2 + (1 - a[:-1]) ** 2))

    def grads(p):
        a, g = p["a"], np.zeros(5)
        gap = a[1:] - a[:-1] ** 2
        g[1:] = 200 * gap
        g[:-1] += -400 * gap * a[:-1] - 2 * (1 - a[:-1])
        return {"a": g}

    return loss, {"a": a}, grads


def positive_definite(rng, size):
    M = rng.standard_normal((4, 4))
    return size * (M @ M.T + np.eye(4))


@family
def log_determinant(rng, size):
    A = positive_definite(rng, size)
    loss = lambda p: float(np.linalg.slogdet(p["A"])[1])
    return loss, {"A": A}, lambda p: {"A": np.linalg.inv(p["A"]).T}


@family
def quadratic_form_of_an_inverse(rng, size):
    A, y = positive_definite(rng, size), rng.standard_normal(4)

    def grads(p):
        u, v = np.linalg.solve(p["A"], y), np.linalg.solve(p["A"].T, y)
        return {"A": -np.outer(v, u)}

    return lambda p: float(y @ np.linalg.solve(p["A"], y)), {"A": A}, grads


@family
def gaussian_process(rng, size):
    x, y = np.sort(rng.random(12)), rng.standard_normal(12)
    D = (x[:, None] - x) ** 2
    params = {"log width": np.array(-1.0), "log noise": np.array(np.log(1e-3 * size))}
    K = lambda p: np.exp(-D / 2 * np.exp(-2 * p["log width"]))
    S = lambda p: K(p) + np.exp(p["log noise"]) * np.eye(12)

    def loss(p):
        return float(0.5 * y @ np.linalg.solve(S(p), y) + 0.5 * np.linalg.slogdet(S(p))[1])

    def grads(p):
        inverse = np.linalg.inv(S(p))
        G = 0.5 * (inverse - np.outer(inverse @ y, inverse @ y))
        width = np.sum(G * K(p) * D) * np.exp(-2 * p["log width"])
        noise = np.trace(G) * np.exp(p["log noise"])
        return {"log width": np.array(width), "log noise": np.array(noise)}

    return loss, params, grads


@family
def lookup(rng, size):
    x, R = np.array([3, 1, 3, 3, 0]), rng.standard_normal((5, 3))
    E = size * rng.standard_normal((6, 3))

    def grads(p):
        dE = np.zeros((6, 3))
        np.add.at(dE, x, R * (1 - np.tanh(p["E"][x]) ** 2))
        return {"E": dE}

    return lambda p: float(np.sum(R * np.tanh(p["E"][x]))), {"E": E}, grads


@family
def tied(rng, size):
    x, y = np.array([3, 1, 3, 0]), np.array([1, 3, 0, 4])
    E = size * rng.standard_normal((6, 3))
    s = lambda p: np.tanh(p["E"][x]) @ p["E"].T
    loss = lambda p: float(np.mean(log_sum_exp(s(p)) - s(p)[np.arange(4), y]))

    def grads(p):
        h, ds = np.tanh(p["E"][x]), (softmax(s(p)) - np.eye(6)[y]) / 4
        dE = ds.T @ h
        np.add.at(dE, x, (ds @ p["E"]) * (1 - h * h))
        return {"E": dE}

    return loss, {"E": E}, grads


@family
def attention(rng, size):
    q, k, v, R = rng.standard_normal((4, 4, 3))
    w = lambda p: softmax(p["q"] @ p["k"].T / np.sqrt(3))

    def grads(p):
        dw = R @ p["v"].T
        ds = w(p) * (dw - (dw * w(p)).sum(axis=1, keepdims=True)) / np.sqrt(3)
        return {"q": ds @ p["k"], "k": ds.T @ p["q"], "v": w(p).T @ R}

    params = {"q": size * q, "k": size * k, "v": size * v}
    return lambda p: float(np.sum(R * (w(p) @ p["v"]))), params, grads


@family
def max_pool(rng, size):
    a, r = size * rng.standard_normal((4, 3)), rng.standard_normal(4)

    def grads(p):
        return {"a": r[:, None] * (p["a"] == p["a"].max(axis=1, keepdims=True))}

    return lambda p: float(np.sum(r * p["a"].max(axis=1))), {"a": a}, grads


@family
def convolution(rng, size):
    x, R, k = rng.standard_normal(12), rng.standard_normal(10), size * rng.standard_normal(3)
    out = lambda p: np.tanh(np.correlate(x, p["k"], "valid"))
    loss = lambda p: float(np.sum(R * out(p)))
    return loss, {"k": k}, lambda p: {"k": np.correlate(x, R * (1 - out(p) ** 2), "valid")}


@family
def recurrence(rng, size):
    e, r = rng.standard_normal((5, 3)), rng.standard_normal((5, 3))

    def states(p):
        h = [np.full(3, 0.3)]
        for t in range(5):
            h.append(np.tanh(p["W"] @ e[t] + p["U"] @ h[-1]))
        return np.array(h)

    def grads(p):
        h, dh = states(p), np.zeros(3)
        dW, dU = np.zeros((2, 3, 3))
        for t in reversed(range(5)):
            da = (dh + r[t]) * (1 - h[t + 1] ** 2)
            dW += np.outer(da, e[t])
            dU += np.outer(da, h[t])
            dh = p["U"].T @ da
        return {"W": dW, "U": dU}

    W, U = size * rng.standard_normal((2, 3, 3))
    return lambda p: float(np.sum(r * states(p)[1:])), {"W": W, "U": U}, grads


def scaled(name, factor, offset):
    """The tanh layer with another size of the loss."""

    def make(rng, size):
        x, params = layer(rng, size)
        r = rng.standard_normal((6, 4))
        h = lambda p: np.tanh(x @ p["W"].T + p["b"])
        loss = lambda p: float(factor * np.sum(r * h(p)) + offset)
        return loss, params, lambda p: through_layer(x, factor * r * (1 - h(p) ** 2))

    make.__name__ = name
    return family(make)


scaled("a tiny loss", 1e-9, 0.0)
scaled("a huge loss", 1e9, 0.0)
scaled("an offset", 1.0, 1e6)


@family
def entries_of_all_sizes(rng, size):
    a, r = size * rng.standard_normal(8), 10.0 ** -np.arange(8)
    return lambda p: float(r @ np.sin(p["a"])), {"a": a}, lambda p: {"a": r * np.cos(p["a"])}


@family
def a_solver(rng, size):
    """x = cos(a x) by iteration until it moves by less than 1e-9; the gradient is implicit."""
    r, a = rng.standard_normal((2, 4))

    def solved(a):
        x = np.full(4, 0.5)
        while True:
            new = np.cos(a * x)
            if np.abs(new - x).max() < 1e-9:
                return new
            x = new

    def grads(p):
        x = solved(p["a"])
        return {"a": -r * x * np.sin(p["a"] * x) / (1 + p["a"] * np.sin(p["a"] * x))}

    return lambda p: float(r @ solved(p["a"])), {"a": 0.8 * min(size, 1.0) * np.tanh(a)}, grads


def mistakes(rng, grads):
    """Wrong gradients, by what is wrong with them."""
    name = max(grads, key=lambda n: grads[n].size)
    g = grads[name]
    index = np.unravel_index(np.abs(g).argmax(), g.shape)
    small = np.unravel_index(np.where(g == 0, np.inf, np.abs(g)).argmin(), g.shape)

    def one(change, where=index):
        wrong = g.copy()
        wrong[where] = change(wrong[where])
        return grads | {name: wrong}

    yield "sign", {n: -a for n, a in grads.items()}
    yield "doubled", grads | {name: 2 * g}
    yield "off by 1e-3", {n: 1.001 * a for n, a in grads.items()}
    yield "off by 1e-4", {n: 1.0001 * a for n, a in grads.items()}
    yield "zero", grads | {name: 0 * g}
    yield "one entry lost", one(lambda v: 0 * v)
    yield "one entry off by 1 %", one(lambda v: 1.01 * v)
    if g.size > 1 and np.abs(g[small]) < 0.99 * np.abs(g[index]):
        yield "the smallest entry with the wrong sign", one(lambda v: -v, small)
        yield "rolled", grads | {name: np.roll(g, 1)}
    if g.ndim == 2 and g.shape[0] == g.shape[1] and not np.allclose(g, g.T):
        yield "transposed", grads | {name: g.T.copy()}


SIZES = (1.0, 0.1, 0.01)


def cases(seeds=1):
    """(family, size, loss, params, grads(params), mistakes) of all families at three sizes."""
    for number, (name, make) in enumerate(FAMILIES.items()):
        for size in SIZES:
            for seed in range(seeds):
                rng = np.random.default_rng([number, seed])
                with np.errstate(all="ignore"):
                    loss, params, grads = make(rng, size)
                    given = grads(params)
                    right = {n: np.asarray(given[n], float) for n in params}
                yield name, size, loss, params, right, list(mistakes(rng, right))
