# %% [markdown]
# # 18 From here to a framework
#
# - **Question:** where do frameworks hide the `+`?
# - **Builds on:** lessons 04 and 06
# - **Reading:** 25 minutes, and 28 for what is headed *Further*
# - **Exercise:** 40 minutes
# - **Run:** 1 second
#
# **Predict before you run.** Below, one step of lesson 04 is written in four ways. Each gives dE.
# Then each is asked for dE a second time, from the same forward. Which of the four give the same
# numbers again?

# %%
import numpy as np

from figures import asked_again, save_figure
from tinytie.ops.embedding import embedding_backward, embedding_forward
from tinytie.ops.linear import linear_backward, linear_forward
from tinytie.ops.softmax import (
    cross_entropy_backward,
    cross_entropy_forward,
    softmax_loss_backward,
    softmax_loss_forward,
)
from tinytie.training.optimizers import Adam

rng = np.random.default_rng(18)
E, W = rng.normal(size=(7, 4)), rng.normal(size=(4, 4))  # (V, D), (H, D) with H = D
x, y = np.array([[0, 1, 0]]), np.array([[1, 0, 6]])  # (B, T): `the` occurs twice
print(f"E {E.shape}, W {W.shape}; e = E[x], h = tanh(W e), s = E h, loss = −log softmax(s)[y]")

# %% [markdown]
# You see the network of lesson 04: E has two uses, and inside the first one `the` has two places.
#
# ## One: pairs of functions
#
# What this course did. The forward returns what the backward needs, the backward returns gradients,
# and whoever uses E twice adds.


# %%
def by_pairs():
    e, looked = embedding_forward(x, E)
    a, multiplied = linear_forward(e, W)
    h = np.tanh(a)  # (B, T, H)
    _, scored = softmax_loss_forward(h, E, None, y)
    dh, dE_out, _ = softmax_loss_backward(1.0, scored)
    de, _, _ = linear_backward((1 - h * h) * dh, multiplied)
    return embedding_backward(de, looked) + dE_out  # here


dE = by_pairs()  # (V, D)
print(f"dE {dE.shape}, its norm is {np.linalg.norm(dE):.4f}")

# %% [markdown]
# You see the right dE (lesson 04 has checked it). The `+` stands in the last line, for all to see,
# and so can be forgotten.
#
# ## Further: two: pullbacks
#
# Each function returns its value and a **function** that turns the gradient of the value into those
# of the arguments. What is kept is kept by Python, in the closure.


# %%
def lookup(x, E):
    def pullback(de):
        dE = np.zeros_like(E)
        np.add.at(dE, x, de)
        return dE

    return E[x], pullback


def squash(a):
    h = np.tanh(a)
    return h, lambda dh: (1 - h * h) * dh


# %% [markdown]
# You see nothing yet: forward and backward of an operation now stand inside each other.


# %%
def multiply(x, W):
    return x @ W.T, lambda dy: (dy @ W, np.einsum("btv,btd->vd", dy, x))


def cross_entropy(s, y):
    loss, cache = cross_entropy_forward(s, y)
    return loss, lambda dloss: cross_entropy_backward(dloss, cache)


e, back_to_rows = lookup(x, E)  # (B, T, D)
a, back_to_e = multiply(e, W)  # (B, T, H)
h, back_to_a = squash(a)
s, back_to_h = multiply(h, E)  # (B, T, V): E once more
_, back_to_s = cross_entropy(s, y)

# %% [markdown]
# You see the forward alone. The backward calls the pullbacks from the last to the first.


# %%
def by_pullbacks():
    dh, dE_out = back_to_h(back_to_s(1.0))
    de, _ = back_to_e(back_to_a(dh))
    return back_to_rows(de) + dE_out  # here


print("the same dE:", np.allclose(by_pullbacks(), dE))
kept = [type(cell.cell_contents).__name__ for cell in back_to_h.__closure__]
print(f"what one pullback keeps: {kept}, and no names for the caller")

# %% [markdown]
# You see the same dE. Two arrays are kept, but you cannot ask which; a cache with names can be
# printed. Libraries of this form build the pullback of the whole from those of its parts, and where
# one variable went to two places, *they* write the `+`.
#
# ## Three: layer objects with `self.grad`
#
# A parameter carries its own gradient; a layer keeps what its forward saw.


# %%
class Parameter:
    def __init__(self, value):
        self.value, self.grad = value, np.zeros_like(value)


class Lookup:
    def __init__(self, table):
        self.table = table

    def forward(self, x):
        self.x = x
        return self.table.value[x]

    def backward(self, de):
        np.add.at(self.table.grad, self.x, de)  # here


# %% [markdown]
# You see no return in the backward: what it finds is put away in the parameter.


# %%
class Product:
    def __init__(self, weight):
        self.weight = weight

    def forward(self, x):
        self.x = x
        return x @ self.weight.value.T

    def backward(self, dy):
        self.weight.grad += np.einsum("btv,btd->vd", dy, self.x)  # and here
        return dy @ self.weight.value


# %% [markdown]
# You see `+=`, for a weight cannot know whether it has been used elsewhere.

# %%
table, matrix = Parameter(E), Parameter(W)
reader, inner, scorer = Lookup(table), Product(matrix), Product(table)  # tied: one table, twice
h_layer = np.tanh(inner.forward(reader.forward(x)))  # (B, T, H)
_, back_to_scores = cross_entropy(scorer.forward(h_layer), y)


def by_layers():
    dh = scorer.backward(back_to_scores(1.0))
    reader.backward(inner.backward((1 - h_layer**2) * dh))
    return table.grad.copy()


print("the same dE:", np.allclose(by_layers(), dE))

# %% [markdown]
# You see the same dE, and no line that adds two paths: both are inside `table.grad`, and nobody can
# ask for one of them. That is where such frameworks hide the `+`: in **accumulation**.
#
# A layer that keeps its input has one more habit. Use it twice, and it remembers the second time.

# %%
twice = Product(Parameter(W))
one, two = rng.normal(size=(2, 1, 3, 4))  # (B, T, D) each: the layer is used for both
twice.forward(one)
twice.forward(two)
dy = np.ones((1, 3, 4))  # (B, T, H)
twice.backward(dy)
for use, given in (("first", one), ("second", two)):
    _, right = multiply(given, W)[1](dy)  # (H, D)
    print(f"it is the gradient of the {use} use:", np.allclose(twice.weight.grad, right))

# %% [markdown]
# You see that the first use is gone. (Frameworks keep one record a *call*, not one a layer.)
#
# ## Further: four: into a buffer that is handed in
#
# As in C: whoever calls owns the memory, and every operation adds into it.


# %%
def lookup_into(dE, de, x):
    np.add.at(dE, x, de)  # here


def multiply_into(dW, dy, x, W):
    dW += np.einsum("btv,btd->vd", dy, x)  # and here
    return dy @ W


buffers = {"E": np.zeros_like(E), "W": np.zeros_like(W)}


# %% [markdown]
# You see buffers of zeros, made once, for all steps to come.


# %%
def by_buffers():
    dh = multiply_into(buffers["E"], back_to_s(1.0), h, E)
    de = multiply_into(buffers["W"], back_to_a(dh), e, W)
    lookup_into(buffers["E"], de, x)
    return buffers["E"].copy()


print("the same dE:", np.allclose(by_buffers(), dE))

# %% [markdown]
# You see the fourth equal. It is the fastest form: nothing is allocated, and the array of E's size
# is written once. Our own models do the same in one place, where nobody asks for the paths
# (`tinytie/models/language_model.py`, the line with `dE_out[tokens] += rows`).
#
# ## Asked again

# %% tags=["answer"]
forms = {"pairs": by_pairs, "pullbacks": by_pullbacks, "layers": by_layers, "buffers": by_buffers}
norms = {name: [np.linalg.norm(dE)] for name in forms}  # the first call is done
for name, form in forms.items():
    for _ in range(3):
        norms[name].append(np.linalg.norm(form()))
    times = norms[name][1] / norms[name][0]
    print(f"{name:9} asked a second time: {times:.1f} times the first answer")

# %% [markdown]
# You see 1 and 1, 2 and 2. Accumulation is what makes tying work without a visible `+`; the price
# is that somebody must zero the gradient, and that forgetting it is silent: this is what
# `zero_grad` is for, and why our operations have nothing to zero.
#
# ## The picture

# %%
figure = asked_again(norms)
print(save_figure(figure, "18_from_here_to_a_framework"))

# %% [markdown]
# You see two flat lines and two that climb.
#
# | form | where the `+` is | what it hides | silent mistake |
# | --- | --- | --- | --- |
# | pairs | in the model, in sight | nothing | a path forgotten |
# | pullbacks | in the model, or in the library | what is kept | memory held by a closure |
# | layers | in `grad +=` | both paths | not zeroed; `=` for `+=`; one layer, two calls |
# | buffers | in every operation | who wrote what | not zeroed; zeroed between two paths |
#
# ## Further: `=` for `+=`
#
# The classical slip in all accumulating forms, and what it leaves:


# %%
class Overwriting(Product):
    def backward(self, dy):
        self.weight.grad = np.einsum("btv,btd->vd", dy, self.x)  # = for +=
        return dy @ self.weight.value


slip = Parameter(E)
slip.grad += 1.0  # what another use, walked through before, had sent
last = Overwriting(slip)
last.forward(h)
last.backward(back_to_s(1.0))
_, its_own = multiply(h, E)[1](back_to_s(1.0))  # (V, D)
print("what the other use had sent is still there:", np.allclose(slip.grad - its_own, 1))

# %% [markdown]
# You see `False`: one path is lost, and training goes on. A finite difference (lesson 05) sees it
# in any of the four forms; it does not ask how you wrote it.
#
# ## Further: two sentences that are left
#
# *"P projects from H to D, so its shape is (H, D)."* Prose and formula swap the letters here.
# o = P h with h of width H makes D numbers, so P is (D, H) (lesson 14). With D = H both fit:

# %%
square = rng.normal(size=(4, 4))  # (D, H), D = H
swapped = np.abs(h @ square.T - h @ square).max()
print(f"the wrong one of two square P moves o by up to {swapped:.2f}, and no shape complains")

# %% [markdown]
# You see why our tests keep all sizes different.
#
# *"Tying always helps."* Take the tied model without a body: h = e, so the scores are E Eᵀ. That
# matrix is symmetric: `cat` scores as high after `the` as `the` after `cat`. And since
# sᵢᵢ + sⱼⱼ − 2 sᵢⱼ = ‖eᵢ − eⱼ‖² is never negative, a word expects itself at least as much as its
# neighbours, on the mean. In a text that goes round, 0 1 2 3 4 5 0 1 …, the word before, the word
# itself and the word after thus compete, and no E brings the loss below ln 3 = 1.10. A body,
# h = W e, is free of all that; so is a second matrix.


# %%
def after_training(body):
    rng = np.random.default_rng(2)
    arrays, optimizer = {"E": rng.normal(size=(6, 4)), "W": np.eye(4)}, Adam(0.05)
    for _ in range(400):
        e, looked = embedding_forward(np.arange(6), arrays["E"])
        h, multiplied = linear_forward(e, arrays["W"])
        loss, scored = softmax_loss_forward(h, arrays["E"], None, (np.arange(6) + 1) % 6)
        dh, dE_out, _ = softmax_loss_backward(1.0, scored)
        de, dW, _ = linear_backward(dh, multiplied)
        grads = {"E": embedding_backward(de, looked) + dE_out, "W": dW}
        optimizer.step(arrays, grads, {} if body else {"W": True})
    return loss


# %% [markdown]
# You see the whole course in one function: a lookup, a product, scores, and one `+`.

# %%
without, with_body = after_training(body=False), after_training(body=True)
print(f"tied without a body: {without:.2f} nats, with a body: {with_body:.2f}")

# %% [markdown]
# You see it stuck above ln 3, and 0: here a body undoes what tying without one does. That is one
# text of six words. Models of word2vec's kind have no body, and there tying hurts (Press & Wolf
# 2017); and in lesson 13 it costs something with a body too.
#
# ## What you can now say
#
# The sum over uses is a fact of the chain rule; where it is written is a matter of taste. In pairs
# it stands in the model; in pullbacks, in whoever composes; in layers and buffers, in `+=`.
#
# **The usual misconception:** "frameworks know about weight tying." **The cure:** they know that an
# array was used twice. So do you.
#
# ## Exercise
#
# Open `lessons/exercises/18_from_here_to_a_framework.py` and run `tinytie exercise 18`: rewrite a
# layer as a pullback, then put the number to five sentences that you will read again.
#
# Who came first, what frameworks do by default, and what to read: [BIBLIOGRAPHY](BIBLIOGRAPHY.md).
#
# **Then read** `tinytie/ops/registry.py`: the list of all operations; then `lessons/FRAMEWORKS.md`,
# the names that your framework has for the arrays of ours.
#
# **The last line of the run** should be
#
#     tied without a body: 1.52 nats, with a body: 0.00
