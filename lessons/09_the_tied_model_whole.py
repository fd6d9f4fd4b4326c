# %% [markdown]
# # 09 The tied model, whole
#
# - **Question:** do all parameters pass together?
# - **Builds on:** lessons 04, 05 and 08
# - **Reading:** 25 minutes, and 14 for what is headed *Further*
# - **Exercise:** 75 minutes
# - **Run:** 3 seconds
#
# **Predict before you run.** A model has E, W, U, b, P, p and c. Somebody
# forgets `dh_next` in the recurrence, and nothing else. Which of the seven
# gradients are wrong?

# %%
import itertools
import os
import tempfile
from functools import partial

import numpy as np

from figures import errors_by_parameter, save_figure
from tinytie import RNNLM, check_gradients
from tinytie.ops.cells import CELLS, State
from tinytie.ops.embedding import embedding_backward, embedding_forward
from tinytie.ops.linear import as_rows, linear_backward, linear_forward
from tinytie.ops.recurrence import recurrence_backward, recurrence_forward
from tinytie.ops.softmax import softmax_loss_backward, softmax_loss_forward

rnn_forward = partial(recurrence_forward, CELLS["rnn"])
rnn_backward = partial(recurrence_backward, CELLS["rnn"])
B, T, V, D, H = 2, 3, 7, 4, 5
rng = np.random.default_rng(9)
shapes = {"E": (V, D), "W": (H, D), "U": (H, H), "b": (H,), "P": (D, H), "p": (D,), "c": (V,)}
params = {name: rng.normal(size=shape) / 2 for name, shape in shapes.items()}
h0 = rng.normal(size=(1, H))  # what every sentence starts from
x, y = np.array([[0, 3, 0], [5, 0, 1]]), np.array([[3, 0, 2], [0, 1, 6]])  # (B, T) each
print(f"{len(params)} arrays, {sum(array.size for array in params.values())} numbers")

# %% [markdown]
# You see 109 numbers, each of which must get the right derivative. All five
# sizes differ, no bias and no state is zero, and word 0 occurs three times:
# this is a batch in which things happen.
#
# ## Four lines forward, four lines back
#
# Here D ≠ H, so a projection takes h to the width of E: o = h Pᵀ + p, one more
# product with a bias, as in the cell of lesson 07. Everything else you have
# met.


# %%
def forward(E_in, E_out, rest, x=x, y=y):
    start = np.repeat(h0, len(x), axis=0)  # (B, H)
    e, looked = embedding_forward(x, E_in)  # (B, T, D)
    (h, _), stepped = rnn_forward(e, State(start), rest["W"], rest["U"], rest["b"])  # (B, T, H)
    o, projected = linear_forward(h, rest["P"], rest["p"])  # (B, T, D)
    loss, scored = softmax_loss_forward(o, E_out, rest["c"], y)
    return loss, (looked, stepped, projected, scored)


# %% [markdown]
# You see nothing yet: two functions. Here is the other one, from the last line
# to the first. Two of its lines can be exchanged, so that we can break them
# later.


# %%
def backward(cache, lookup=embedding_backward, steps=rnn_backward):
    looked, stepped, projected, scored = cache
    do, dE_out, dc = softmax_loss_backward(1.0, scored)
    dh, dP, dp = linear_backward(do, projected)
    de, _, dW, dU, db = steps((dh, None), stepped)
    dE_in = lookup(de, looked)
    rest = {"W": dW, "U": dU, "b": db, "P": dP, "p": dp, "c": dc}
    return dE_in, dE_out, rest


def tied(paths):
    dE_in, dE_out, rest = paths
    return {"E": dE_in + dE_out} | rest  # the two paths of E: all of weight tying


# %% [markdown]
# You see nothing again. Now the question of the lesson.
#
# ## All seven

# %%
loss, cache = forward(params["E"], params["E"], params)
grads = tied(backward(cache))
report = check_gradients(lambda p: forward(p["E"], p["E"], p)[0], params, grads)
for row in report.rows:
    print(f"d{row.name:2} {shapes[row.name]!s:7} {row.verdict}")
print(f"together: {report.verdict}")

# %% [markdown]
# You see seven PASS. None of the four backwards knows of the others, and none
# of tying: each is right by itself, and the chain rule needs no more.
#
# ## Further: it is the package's model

# %%
model = RNNLM(V, D, H, tied=True, rng=0)
model.params |= {"W0": params["W"], "U0": params["U"], "b0": params["b"]}
model.params |= {name: params[name] for name in "EPpc"}
theirs = model.loss_and_grads(x, y, (np.repeat(h0, B, axis=0),))
layer = {"W": "W0", "U": "U0", "b": "b0"}  # the package numbers its layers
same = [np.allclose(grads[name], theirs.grads[layer.get(name, name)]) for name in params]
print(f"same loss: {np.isclose(loss, theirs.loss)}, same gradients: {all(same)}")

# %% [markdown]
# You see that these two pages are `tinytie.RNNLM`.
#
# ## Break one line
#
# Now forget `dh_next`, and give the two uses of E names of their own, so that
# the check can tell them apart.


# %%
def forgetful(d_out, cache):
    (dh, _), (projected, h_prev, kept, *_) = d_out, cache
    h = np.stack([step.h for step in kept], axis=1)  # (B, T, H)
    da = (1 - h * h) * dh  # what comes back from step t + 1 is not there
    de, dW, db = linear_backward(da, projected)
    return de, None, dW, as_rows(da).T @ as_rows(h_prev), db


# %% [markdown]
# You see the recurrence's backward without its loop. To check it:

# %%
twin = {"E_out": params["E"].copy()} | {name: params[name] for name in "cPpWUb"}
twin |= {"E_in": params["E"].copy()}  # in the order in which the backward gets there


def check_of(x, y, **broken):
    def whole(p):
        return forward(p["E_in"], p["E_out"], p, x, y)

    dE_in, dE_out, rest = backward(whole(twin)[1], **broken)
    grads = {"E_in": dE_in, "E_out": dE_out} | rest
    return check_gradients(lambda p: whole(p)[0], twin, grads).rows


# %% [markdown]
# You see nothing yet. Say your prediction aloud.

# %% tags=["answer"]
whole, broken = check_of(x, y), check_of(x, y, steps=forgetful)
print("wrong: " + ", ".join(row.name for row in broken if row.verdict == "FAIL"))
print("right: " + ", ".join(row.name for row in broken if row.verdict == "PASS"))

# %% [markdown]
# You see a line through the model. What lies between the loss and the bug is
# right; the bug's own line is wrong, and all that it hands its gradient to.
# (So is E, in the tied model: half of it.) To find a bug, walk back from the
# loss to the first wrong gradient.
#
# ## The picture

# %%
right_errors = {row.name: row.error for row in whole}
wrong_errors = {row.name: row.error for row in broken}
figure = errors_by_parameter(right_errors, wrong_errors)
print(save_figure(figure, "09_the_tied_model_whole"))

# %% [markdown]
# You see ten orders of magnitude between right and wrong. There is no "nearly
# right".
#
# ## Further: where you check decides
#
# The same broken model, on other batches:

# %%
repeats = np.array([[0, 0]])  # one sentence, B = 1
for name, inputs, targets in (
    ("one step of time", x[:, :1], y[:, :1]),
    ("three steps", x, y),
    ("two steps", repeats, repeats),
):
    verdicts = {row.verdict for row in check_of(inputs, targets, steps=forgetful)}
    print(f"dh_next forgotten, {name}: {'FAIL' if 'FAIL' in verdicts else 'PASS'}")

# %% [markdown]
# You see it pass where T = 1. So a test should draw many batches, also odd
# ones, and not one that somebody thought of. Let the computer look.
#
# ## Further: find a batch that fails, then the smallest
#
# Another bug, an old friend: `dE[x] += de`. Is it seen in a sentence of random
# words?


# %%
def lossy(de, looked):
    dE = np.zeros_like(params["E"])
    dE[looked.x] += de
    return dE


def fails(sentence):
    ids = np.array([sentence])
    rows = check_of(ids[:, :-1], ids[:, 1:], lookup=lossy)
    return any(row.verdict == "FAIL" for row in rows)


drawn = rng.integers(V, size=9).tolist()
print(f"{drawn} fails: {fails(drawn)}")

# %% [markdown]
# You see a sentence that fails, and no reason. Nine words hide it. So look
# through all sentences, the shortest first, and among equally long ones in
# order.

# %%
every = (list(s) for n in range(2, 5) for s in itertools.product(range(V), repeat=n))
smallest = next(sentence for sentence in every if fails(sentence))
print(f"the smallest sentence that fails is {smallest}; [0, 1, 0] fails: {fails([0, 1, 0])}")

# %% [markdown]
# You see a failure that explains itself: word 0 is looked up twice. (The last
# 0 is only a target, which is why `[0, 1, 0]` passes.)
#
# Looking through all sentences is slow where they are long. A tool for tests
# from properties, such as Hypothesis, draws at random until something fails
# and then **shrinks** it: fewer words, smaller words, as long as it still
# fails. The tests of this package are written so.

# %%
os.environ.setdefault("HYPOTHESIS_STORAGE_DIRECTORY", f"{tempfile.gettempdir()}/hypothesis")
try:  # its notes go into the line above's folder, not into yours
    from hypothesis import find, settings, strategies
except ImportError:
    print("Hypothesis is not installed; pip install hypothesis, and run this lesson again")
else:
    sentences = strategies.lists(strategies.integers(0, V - 1), min_size=2, max_size=9)
    calm = settings(derandomize=True, database=None, deadline=None)
    found = find(sentences, fails, settings=calm)
    print(f"Hypothesis finds {smallest} too: {found == smallest}")

# %% [markdown]
# You see the same sentence, found among 47 million.
#
# ## What you can now say
#
# A model passes as a whole because each of its operations passes alone and the
# sums stand in sight. If it fails, the first wrong gradient behind the loss
# shows the line, and the smallest failing batch shows the reason.
#
# **The usual misconception:** "dE is wrong, so the bug is in the embedding."
# **The cure:** E_in is the last to be told, and every mistake before it
# arrives there. Read the report from the loss.
#
# ## Exercise
#
# Open `lessons/exercises/09_the_tied_model_whole.py` and run
# `tinytie exercise 9`: say which line may be broken, write what shrinks a
# failing sentence, and assemble the whole model from its functions. Then run
# `tinytie my-model`: it puts **your own** functions of lessons 02, 03, 07, 08
# and 09 on one page, `my_model.py`, and checks all seven gradients. Where you
# have skipped an exercise, the reference function stands in its place, and it
# says so.
#
# **Then read** `tinytie/models/rnn_lm.py` and `tests/ops/test_gradients.py`:
# the model of this lesson, and the one test that checks every operation.
#
# **The last line of the run** should be
#
#     Hypothesis finds [0, 0, 0] too: True
