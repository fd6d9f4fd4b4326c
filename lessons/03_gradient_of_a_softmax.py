# %% [markdown]
# # 03 What a language model is asked, and the gradient of a softmax
#
# - **Question:** why does every row move?
# - **Builds on:** lessons 01 and 02; what a logarithm is
# - **Reading:** 25 minutes, and 7 for what is headed *Further*
# - **Exercise:** 60 minutes
# - **Run:** 1 second
#
# **Predict before you run.** A model that knows nothing gives each of seven
# words the same chance. What is its loss? And in the gradient of the scores,
# how many of the seven entries are zero?

# %%
import inspect

import numpy as np

from figures import save_figure, softmax_gradient
from tinytie.ops import softmax as ops
from tinytie.ops.softmax import cross_entropy_forward, softmax

words = ["the", "cat", "dog", "sat", "ran", "on", "mat"]
sentence = np.array([0, 1, 3, 5, 0, 6])  # w_1 … w_6: the cat sat on the mat
x, y = sentence[:-1], sentence[1:]  # (N,) each: y_t = w_{t+1}
for t in range(5):
    print(f"seen so far: {' '.join(words[i] for i in x[: t + 1]):18} asked for: {words[y[t]]}")

# %% [markdown]
# You see five questions for six words: after the last word there is no answer.
# At every place the model gets the **true** words so far, not its own guesses;
# this is called teacher forcing.
#
# ## The number that is reported
#
# The chain rule of probability splits a sentence into these questions:
#
#     p(w_2 … w_6 | w_1) = p(w_2 | w_1) · p(w_3 | w_1 w_2) · … · p(w_6 | w_1 … w_5) = Π ŷ_t[y_t]
#
# (p(a | b) is the probability of a where b is known; Π multiplies over all t;
# ŷ_t[y_t] is what the model gave to the word that came.) A logarithm makes a
# sum of the product, and a minus makes it something to push down. The loss is
# the mean of −log ŷ_t[y_t] over the places, also called **cross-entropy**.
# Logarithms are natural, and its unit is then the **nat**. Its exponential is
# the **perplexity**: a model with perplexity 5 is as unsure as someone who
# guesses among five equal words.

# %% tags=["answer"]
s = np.zeros((5, 7))  # (N, V): a model that knows nothing
loss, _ = cross_entropy_forward(s, y)
print(f"loss {loss:.4f} nats, ln 7 = {np.log(7):.4f}, perplexity {np.exp(loss):.4f}")

# %% [markdown]
# You see ln V and V: always the first thing to look at in a new model.
#
# *A muddled sentence:* many texts write the sentence as Π ŷ_i[w_i], and the
# loss as −log ŷ_t[w_{t+1}]. These are off by one against each other. It
# matters: here is a model that knows our sentence.

# %%
knows = np.zeros((5, 7))  # (N, V)
knows[np.arange(5), y] = 3.0
right, _ = cross_entropy_forward(knows, y)
shifted, _ = cross_entropy_forward(knows, x)  # asks for the word that it has just seen
print(f"asked for w_(t+1): {right:.4f} nats, asked for w_t: {shifted:.4f} nats")

# %% [markdown]
# You see a good model turned into one that is worse than knowing nothing
# (1.9459). Our rule: y_t = w_{t+1}, and the product above is over ŷ_t[y_t].
#
# ## The gradient
#
# One place, target y. With ŷ_y = exp(s_y) / Σ_j exp(s_j), the loss −log ŷ_y is
# −s_y + log Σ_j exp(s_j). Take the derivative by s_i: the first part gives −1
# at i = y, and nothing elsewhere; the second gives, by the chain rule of log,
# exp(s_i) / Σ_j exp(s_j), which is ŷ_i. So
#
#     ds = ŷ − onehot(y),   and with a mean over N places   ds = (ŷ − onehot(y)) / N

# %% tags=["answer"]
rng = np.random.default_rng(3)
scores = rng.normal(size=(5, 7))  # (N, V)
ds = softmax(scores)  # (N, V)
ds[np.arange(5), y] -= 1
ds /= 5
for word, slope in zip(words, ds[0], strict=True):
    print(f"{word:4} {slope:7.4f}")

# %% [markdown]
# You see one negative entry, at the target `cat`, and six positive ones; none
# is zero. The target's score is asked to rise and **every** other score to
# fall, for no probability is exactly 0.

# %%
print("each row sums to zero:", np.allclose(ds.sum(axis=1), 0, atol=1e-15))
value, cache = cross_entropy_forward(scores, y)
print("equals the package's: ", np.allclose(ds, ops.cross_entropy_backward(1.0, cache), atol=1e-15))
print(inspect.getsource(ops.cross_entropy_backward))

# %% [markdown]
# You see `True` twice. Rows sum to zero, since a constant added to all scores
# changes no probability. (Use that when you write a softmax: take the largest
# score away first, and exp never overflows.) The package's backward is one
# line; `weights` is 1/N for each place.
#
# ## Is it true? Bump a score

# %%
up, down = scores.copy(), scores.copy()  # (N, V) each
up[0, 2] += 1e-5  # the score of 'dog' where 'cat' is right
down[0, 2] -= 1e-5
above, below = cross_entropy_forward(up, y)[0], cross_entropy_forward(down, y)[0]
print(f"finite difference {(above - below) / 2e-5:.6f}, formula {ds[0, 2]:.6f}")

# %% [markdown]
# You see the same number: `dog` was no one's target, and its score still moves
# the loss.
#
# ## Further: a mistake that trains all the same
#
# Libraries differ in what their loss takes: scores, or probabilities. Give
# probabilities to one that takes scores, and the softmax is applied twice. The
# model then can never be sure.

# %%
certain = np.zeros((1, 7))  # (N, V): as sure as can be that 'cat' follows
certain[0, 1] = 50.0
once, _ = cross_entropy_forward(certain, np.array([1]))
twice, _ = cross_entropy_forward(softmax(certain), np.array([1]))
print(f"softmax once: {once:.4f} nats, softmax twice: {twice:.4f} nats")

# %% [markdown]
# You see 0 and 1.1654 = −ln(exp(1) / (exp(1) + 6)): the second softmax sees
# one 1 and six 0s, and no training can bring the loss below that. Nothing
# crashes; you would find it only if you knew what to expect.
#
# ## Why every row of E moves
#
# The score of word i is row i of E times h. So row i gets the gradient ds_i h,
# and h gets what comes back from all rows, Σ_i ds_i E[i]. Over N places, h (N,
# D) and ds (N, V), the places add:
#
#     s = h Eᵀ        dE = dsᵀ h   (V, D)        dh = ds E   (N, D)
#
# No ds_i is zero, so no row of dE is: the lookup's gradient was sparse, this
# one is **dense**.

# %%
h = np.array([0.5, -1.0, 0.25, 1.0])  # (D,)
dE = np.outer(ds[0], h)  # (V, D): row i is ds_i h
print(f"rows that move: {np.any(dE != 0, axis=1).sum()} of 7, though one word was the target")

# %% [markdown]
# You see 7 of 7.
#
# ## Further: the first loss of a tied model
#
# A lookup table is often filled with normal numbers of standard deviation 1.
# Tied, the same numbers make the scores. What does the first loss say, with V
# = 1000 words and rows 64 wide? (`softmax_loss_forward` does both steps,
# scores and cross-entropy.)


# %%
def first_loss(std):
    rng = np.random.default_rng(7)
    E = rng.normal(scale=std, size=(1000, 64))  # (V, D)
    h = np.tanh(rng.normal(size=(200, 64)))  # (N, D): states of a recurrent cell lie in −1 … 1
    targets = rng.integers(1000, size=200)  # (N,)
    return ops.softmax_loss_forward(h, E, None, targets)[0]


scales = np.array([0.01, 0.03, 0.1, 0.3, 1.0, 3.0])
losses = np.array([first_loss(std) for std in scales])
for std, first in zip(scales, losses, strict=True):
    print(f"standard deviation {std:4.2f}: first loss {first:6.2f} nats")

# %% [markdown]
# You see ln 1000 = 6.91 for small numbers, and far more for large ones: the
# model begins by being sure of nonsense. So our models start E small
# (`tinytie/models/initial.py`).
#
# ## The picture

# %%
figure = softmax_gradient(softmax(scores[0]), words, "cat")
print(save_figure(figure, "03_gradient_of_a_softmax"))
big, small = losses[4], losses[0]
print(f"first loss: {big:.1f} nats with E of size 1, and {small:.2f} = ln 1000 with E of size 0.01")

# %% [markdown]
# You see seven probabilities on the left; on the right 1 is taken away at the
# target, one bar hangs below zero, and six stand above it.
#
# ## What you can now say
#
# ds = (ŷ − onehot(y)) / N. Each place asks one score to rise and all others to
# fall, so each row of the output matrix moves, at every step.
#
# **The usual misconception:** "only the target's row learns." **The cure:**
# look at the bars: the others are small, and there are thousands of them;
# together they weigh as much as the target, for the sum is zero.
#
# ## Exercise
#
# Open `lessons/exercises/03_gradient_of_a_softmax.py` and run
# `tinytie exercise 3`: cut a text into questions and answers, write the
# gradient, and find the mistake in a loss that looks right.
#
# **Then read** `tinytie/ops/softmax.py`, the textbook, and
# `tinytie/ops/head.py`, what models run: the same numbers with a single array
# of N × V.
#
# **The last line of the run** should be
#
#     first loss: 17.4 nats with E of size 1, and 6.91 = ln 1000 with E of size 0.01
