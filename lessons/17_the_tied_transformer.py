# %% [markdown]
# # 17 The tied Transformer
#
# - **Question:** same head, other body?
# - **Builds on:** lessons 03 and 04
# - **Reading:** 25 minutes, and 27 for what is headed *Further*
# - **Exercise:** 45 minutes
# - **Run:** 3 seconds
#
# **Predict before you run.** A recurrent model reads `the cat sat on`, word by
# word. We throw the recurrent cell away and put a Transformer in its place.
# Which lines of dE = dE_in + dE_out must change? And if the last word of the
# sentence is replaced, which predictions change?

# %% tags=["answer"]
import inspect

import numpy as np

from figures import save_figure, where_attention_looks
from tinytie import RNNLM, TransformerLM, check_gradients, check_model
from tinytie.models.language_model import LanguageModel
from tinytie.ops.attention import attention_backward, attention_forward, multi_head_forward
from tinytie.ops.layernorm import layernorm_backward, layernorm_forward
from tinytie.ops.positions import sinusoids
from tinytie.ops.softmax import softmax_loss_forward
from tinytie.training.optimizers import Adam

page = inspect.getsource(LanguageModel.loss_and_grads)
print(page.partition('"""\n')[2])
same = RNNLM.loss_and_grads is TransformerLM.loss_and_grads
print("both models run these very lines:", same)

# %% [markdown]
# You see a whole training step, the sum of lesson 04 in it, and `True`. What
# stands on top of h, the model's **head**, does not ask how h was made by its
# **body**:
#
#     h = body(E_in[x])        s = E_out h        dE = dE_in + dE_out
#
# No line changes. So the rest of this lesson is about the body, and about one
# number, √d. (The width of a row, so far D, is written d where Transformers
# are meant, as in their papers.)
#
# ## Attention: a lookup with soft answers
#
# Each place asks a **query** q. Each place offers a **key** k and a **value**
# v: three products of the place's row, each with a matrix of its own. Place t
# gets a weighted mean of the values; the weights are a softmax of the scores
# q_t · k_j, where q and k are d_k wide.
#
#     A = softmax(q kᵀ / √d_k + mask)        o = A v
#
# The mask is 0 where j <= t and −∞ where j > t: a place must not read the word
# it is asked for. Several such lookups side by side, each with its own part of
# q, k and v, are the *heads* of attention (another use of that word).

# %%
rng = np.random.default_rng(17)
q, k, v = rng.normal(size=(3, 1, 1, 4, 8))  # (B, heads, T, d_k) each: 1 sentence, 1 head, 4 words
o, attended = attention_forward(q, k, v)  # (B, heads, T, d_k)
print(attended.A[0, 0].round(2))  # (T, T): row t says where place t looks
print("each row sums to one:", np.allclose(attended.A.sum(axis=-1), 1))

# %% [markdown]
# You see a triangle. The first place can look only at itself; the last one
# looks at all four. The zeros are exact: exp(−∞) is 0.
#
# Why / √d_k? A dot product of d_k terms of size 1 has a standard deviation of
# √d_k. Without the division a wide head starts almost one-hot, where a softmax
# has no slope.
#
# ## A block, and nobody reads ahead
#
# A **block** of a Transformer is four lines; all but the first work on each
# place alone.
#
#     z  = e + attention(e)            the sum keeps what was there (a *residual* sum)
#     z′ = norm(z)                     each row: take its mean away, divide by its spread
#     f  = z′ + W2 relu(W1 z′)         the *feed-forward*: two products, wide in the middle
#     h  = norm(f)
#
# (Biases left out. A norm also has a gain and a shift for each column.) Places
# meet in attention alone, so its mask decides who can read whom.

# %% tags=["answer"]
small = TransformerLM(9, 8, 2, 1, 6, rng=1)  # V = 9, d = 8, 2 heads, 1 block, at most 6 places
x = rng.integers(9, size=(2, 6))  # (B, T)
other = np.where(np.arange(6) == 4, (x + 1) % 9, x)  # another word in the fifth place
moved = np.any(small.logits(x)[0] != small.logits(other)[0], axis=(0, 2))  # (T,)
print("predictions that change, place by place:", moved.astype(int))

# %% [markdown]
# You see four 0s and two 1s: only the changed place and what comes after it.
#
# ## Further: the way back through attention and a norm
#
# From o = A v, as from any product: dA = do vᵀ and dv = Aᵀ do. The weights are
# a softmax, and move with the scores s by ∂A_j/∂s_i = A_j (1 − A_i) where i =
# j, and −A_j A_i elsewhere. So, row by row,
#
#     ds_i = Σ_j dA_j ∂A_j/∂s_i = A_i (dA_i − Σ_j A_j dA_j)
#     dq = ds k / √d_k,  dk = dsᵀ q / √d_k          as s = q kᵀ / √d_k is a product
#
# (A masked place has A_i = 0, and so ds_i = 0.) A norm takes x to x̂ = (x − μ)
# / σ. An entry acts in three ways, by itself, through the mean μ and through
# the spread σ, with ∂μ/∂x_i = 1/d and ∂σ/∂x_i = x̂_i / d. So
#
#     dx_i = (dx̂_i − mean of dx̂ − x̂_i · mean of (dx̂ ∘ x̂)) / σ

# %%
do = rng.normal(size=o.shape)
weight = attended.A
dA = do @ v.swapaxes(-1, -2)
dscores = weight * (dA - np.sum(weight * dA, axis=-1, keepdims=True)) / np.sqrt(8)
by_hand = (dscores @ k, dscores.swapaxes(-1, -2) @ q, weight.swapaxes(-1, -2) @ do)
same_way = all(map(np.allclose, by_hand, attention_backward(do, attended)))
row, drow = rng.normal(size=(2, 1, 8))  # (N, d) each
normed, kept = layernorm_forward(row, np.ones(8), np.zeros(8))
dx = drow - drow.mean() - normed * np.mean(drow * normed)
dx /= np.sqrt(row.var() + 1e-5)
print("attention:", same_way, " norm:", np.allclose(dx, layernorm_backward(drow, kept)[0]))

# %% [markdown]
# You see `True` twice: what is left of both is products, and sums over what
# was used more than once.
#
# ## Further: nobody knows the order, either
#
# A recurrent cell feels order: it reads one word after the other. A weighted
# mean does not. Put two earlier words in each other's place, with and without
# the vectors that say *where* a word stands.

# %%
swapped = x[:, [1, 0, 2, 3, 4, 5]]  # (B, T)
at_end = np.abs(small.logits(x)[0] - small.logits(swapped)[0])[:, -1].max()
blind = TransformerLM(9, 8, 2, 1, 6, rng=1)
blind.params["pos"][...] = 0
blind_at_end = np.abs(blind.logits(x)[0] - blind.logits(swapped)[0])[:, -1].max()
print(f"with positions the last scores move: {at_end > 1e-6}, without: {blind_at_end > 1e-12}")

# %% [markdown]
# You see `True` and `False`. So a Transformer adds a position to each
# looked-up row, e_t = E[x_t] + pos_t, and this is where √d comes in. First the
# gradient.
#
# ## The gradient: checked whole

# %%
y = rng.integers(9, size=(2, 6))  # (B, T)
report = check_model(small, x, y)
print(f"{len(report.rows)} rows, all {report.verdict}; among them ", end="")
print(", ".join(row.name for row in report.rows if row.name.startswith("E")))

# %% [markdown]
# You see PASS for the total derivative of E and for both partials, as in
# lesson 06, though the path from the lookup to the loss now leads through
# attention, two residual sums and two norms.
#
# ## Further: does it look where it should?
#
# A game that needs the past: three words, drawn at random, said again and
# again, `a b c a b c a b c`. The first three can only be guessed; from then on
# the answer stands in the text.


# %%
def game(rows, rng):
    text = np.tile(rng.integers(10, size=(rows, 3)), (1, 3))  # (B, 9): V = 10
    return text[:, :-1], text[:, 1:]


player, dealer = TransformerLM(10, 32, 1, 1, 8, rng=0), np.random.default_rng(3)
optimizer = Adam(rate=0.02)
for _ in range(250):
    result = player.loss_and_grads(*game(32, dealer), paths=False)
    optimizer.step(player.params, result.grads, player.frozen)

# %% [markdown]
# You see nothing yet. What can be reached? Of eight questions the first two
# are pure guesses among ten words, ln 10 each, and six can be known: 2 ln 10 /
# 8 = 0.576 nats.

# %%
asked, answers = game(500, np.random.default_rng(4))  # (B, T) each
print(f"loss {player.loss(asked, answers)[0]:.1f} nats, at best {2 * np.log(10) / 8:.1f}")
p = player.params
e = p["E"][asked] + p["pos"]  # (B, T, d): rows and their positions
weights = [p[f"block0.{name}"] for name in ("Wqkv", "bqkv", "Wo", "bo")]
_, cache = multi_head_forward(e, *weights, n_heads=1)
A = cache.attended.A[:, 0].mean(axis=0)  # (T, T), the mean over the sentences
right = [A[t, (t + 1) % 3 : t + 1 : 3].sum() for t in range(2, 8)]
print("most weight is on a place where the answer stands:", min(right) > 0.5)

# %% [markdown]
# You see the best loss, and `True`. Nobody told the model where to look: the
# gradient found it.
#
# ## Further: √d: on which side, and why
#
# Vaswani et al. (2017) add fixed positions, made of sines and cosines, and
# multiply the looked-up rows by √d; the scores they leave alone. Here is what
# each side needs. Take rows of length about 1, their usual start, and h after
# a layer norm: length √d.

# %%
V, d = 1000, 64
E = rng.normal(scale=d**-0.5, size=(V, d))  # (V, d): rows of length about 1
place = np.linalg.norm(sinusoids(50, d), axis=1).mean()
for scale in (1.0, np.sqrt(d)):
    row = scale * np.linalg.norm(E, axis=1).mean()
    print(f"input times {scale:g}: a row is {row:.1f} long, its position {place:.1f}")
h, _ = layernorm_forward(rng.normal(size=(500, d)), np.ones(d), np.zeros(d))  # (N, d)
targets = rng.integers(V, size=500)  # (N,)
for scale in (1.0, np.sqrt(d)):
    first, _ = softmax_loss_forward(h, scale * E, None, targets)
    print(f"scores times {scale:g}: first loss {first:.1f} nats, ln V {np.log(V):.1f}")

# %% [markdown]
# You see it: as an **input**, a row of length 1 drowns beside a position of
# length √(d/2) (d/2 pairs of a sine and a cosine, and sin² + cos² = 1); √d
# lifts it above. As **scores**, the same rows are right as they are: √d there
# makes a model that is sure of nonsense. One matrix, two jobs, two sizes: the
# factor belongs to the lookup alone.
#
# With learned positions, which start as small as the rows, there is nothing to
# drown in; GPT-2 has no such factor. Our models take `embed_scale`, 1 where
# you say nothing.
#
# ## Further: the factor has a gradient
#
# e = √d · E[x], so dE_in carries the factor too, and dE_out does not. A factor
# that is forgotten on one side only is an error that trains: here are three
# claims for one model.

# %%
scaled = TransformerLM(9, 8, 2, 1, 6, positions="sinusoidal", embed_scale=np.sqrt(8), rng=1)
(dE_in, dE_out), root = scaled.loss_and_grads(x, y).embedding_paths, np.sqrt(8)
rules = {"dE_in / √d + dE_out": dE_in / root + dE_out}  # the factor forgotten
rules |= {"dE_in + √d dE_out": dE_in + root * dE_out, "dE_in + dE_out": dE_in + dE_out}
for rule, claim in rules.items():
    of_E = {"E": scaled.params["E"]}
    verdict = check_gradients(lambda _: scaled.loss(x, y)[0], of_E, {"E": claim}).verdict
    print(f"{rule:20} {verdict}")

# %% [markdown]
# You see one PASS.
#
# ## The picture, and where the parameters are
#
# A model of 1,000 words, width 128, 4 heads, 2 blocks, a feed-forward four
# times as wide, learned positions for 64 places, no output bias, no final
# norm.

# %%
model = TransformerLM(1000, 128, 4, 2, 64, rng=0)
kinds = {"Wqkv": "attention", "bqkv": "attention", "Wo": "attention", "bo": "attention"}
kinds |= dict.fromkeys(("W1", "b1", "W2", "b2"), "feed-forward")
kinds |= dict.fromkeys(("gain1", "shift1", "gain2", "shift2"), "norms")
parts = dict.fromkeys(("E", "pos", "attention", "feed-forward", "norms"), 0)
for name, array in model.params.items():
    parts[kinds.get(name.rpartition(".")[2], name)] += array.size
print(", ".join(f"{part} {size:,}" for part, size in parts.items()))
figure = where_attention_looks(A)
print(save_figure(figure, "17_the_tied_transformer"))

# %% [markdown]
# You see dark places three and six steps before the word that is asked for,
# and nothing above the diagonal. And in the line above it: the body is three
# quarters of that model, the token matrix one quarter.

# %%
total = sum(parts.values())
print(f"tied {total:,} parameters, untied {total + parts['E']:,}")

# %% [markdown]
# You see that the second matrix would cost 128,000.
#
# ## What you can now say
#
# The head of a tied model is the same over any body: s = E h, and dE = dE_in +
# dE_out. What the body changes is the size that each side likes: √d stands on
# the lookup, and in the gradient of the lookup, and nowhere else.
#
# **The usual misconception:** "tied means that both sides see the same
# numbers, so √d must be on both or on none." **The cure:** the matrix is
# shared, what is done with its rows is not. Print the length of a row beside
# its position, and the first loss beside ln V.
#
# ## Exercise
#
# Open `lessons/exercises/17_the_tied_transformer.py` and run
# `tinytie exercise 17`: write the causal weights, then the gradient of a tied
# matrix whose lookup is scaled.
#
# **Then read** `tinytie/ops/attention.py` and
# `tinytie/models/transformer_block.py`: attention with its gradient, and two
# residual sums. Then `tinytie/models/body.py` and, as the shortest body,
# `tinytie/models/feedforward_lm.py`.
#
# **The last line of the run** should be
#
#     tied 532,736 parameters, untied 660,736
