# %% [markdown]
# # 14 Different widths
#
# - **Question:** how do D ≠ H and pretrained vectors fit?
# - **Builds on:** lessons 04, 08 and 10
# - **Reading:** 25 minutes, and 15 for what is headed *Further*
# - **Exercise:** 40 minutes
# - **Run:** 15 seconds
#
# **Predict before you run.** Rows of E are 3 wide, states h are 5 wide. Both
# jobs of E must work. Which shape must a matrix between them have? How many
# rows of E does that matrix change?

# %%
import tempfile
from pathlib import Path

import numpy as np

from figures import perplexity_by_width, save_figure
from tinytie import RNNLM, check_gradients, check_model, count_parameters
from tinytie.measure.perplexity import perplexity, predict
from tinytie.ops.linear import linear_backward, linear_forward
from tinytie.ops.softmax import softmax_loss_backward, softmax_loss_forward
from tinytie.text.batches import Batches
from tinytie.text.classes import ClassLanguage
from tinytie.text.pretrained import with_vectors
from tinytie.text.vectors import read_vectors
from tinytie.training.optimizers import Adam
from tinytie.training.schedules import Constant
from tinytie.training.trainer import Trainer

try:
    RNNLM(7, d_embed=3, d_hidden=5, tied=True, projection=False)
except ValueError as error:
    print(error)

# %% [markdown]
# You see the refusal, and the remedy. A score is the dot product of h with a
# row; 5 numbers do not meet 3. An untied model has no such trouble: its E_out
# is simply 5 wide.
#
# ## A projection from H down (or up) to D
#
#     o_t = P h_t + p        P (D, H), p (D,)
#     s_t = E o_t + c
#
# Prose and formulas often swap the letters of P. Ask for the shape: what comes
# out stands first, and what comes out must be as wide as a row of E. So P is
# (D, H).

# %% tags=["answer"]
rng = np.random.default_rng(14)
h, y = rng.normal(size=(2, 4, 5)), rng.integers(7, size=(2, 4))  # (B, T, H), (B, T)
E, P, p = rng.normal(size=(7, 3)), rng.normal(size=(3, 5)), rng.normal(size=3)  # (V, D) (D, H) (D,)
o, projected = linear_forward(h, P, p)  # (B, T, D)
loss, scored = softmax_loss_forward(o, E, None, y)
do, dE_out, _ = softmax_loss_backward(1.0, scored)  # (B, T, D), (V, D)
dh, dP, dp = linear_backward(do, projected)  # (B, T, H), (D, H), (D,)
print(f"h {h.shape} -> o {o.shape}; do {do.shape} -> dh {dh.shape}, dP {dP.shape}, dp {dp.shape}")
print(f"dE_out {dE_out.shape} is made of rows o, as wide as E; no row of E was changed")

# %% [markdown]
# You see one more linear layer, and its gradients. Nothing else is new: dE =
# dE_in + dE_out, where dE_out meets o instead of h. Checked in a whole model:

# %%
model = RNNLM(7, d_embed=3, d_hidden=5, tied=True, rng=1)  # P is there on its own: D ≠ H
x = rng.integers(7, size=(2, 4))  # (B, T)
report = check_model(model, x, y)
print(", ".join(f"{row.name} {row.verdict}" for row in report.rows))

# %% [markdown]
# You see every parameter pass, P and p among them.
#
# ## What a narrow E can no longer say
#
# Without p, the scores are E P h: as if there were an output matrix E P, (V,
# H). It has V · H entries, but is made of V · D + D · H numbers. ALBERT calls
# this a factorized embedding.

# %%
product = E @ P  # (V, H)
print(f"E P is {product.shape}, its rank is {np.linalg.matrix_rank(product)}")
wide, narrow = 30_000 * 4096, 30_000 * 128 + 128 * 4096
print(f"V = 30,000, H = 4,096: {wide:,} numbers; through D = 128: {narrow:,}")

# %% [markdown]
# You see rank 3, not 5: that is what is saved, and that is what is lost.
#
# ## Further: projection regularization
#
# Press & Wolf add a penalty on P: the loss becomes L + ½ λ ΣP². Here, at last,
# is a gradient with a regularization term: λP beside dP. p is not penalized, E
# is not, and perplexity is counted without the penalty.

# %%
strength = 0.15
grads = model.loss_and_grads(x, y).grads
penalized = {"dP": grads["P"], "dP + λP": grads["P"] + strength * model.params["P"]}
of_P = {"P": model.params["P"]}


def objective(_):
    return model.loss(x, y)[0] + strength / 2 * np.sum(model.params["P"] ** 2)


for rule, claim in penalized.items():
    print(f"{rule:8} {check_gradients(objective, of_P, {'P': claim}).verdict}")

# %% [markdown]
# You see that the gradient must be that of what is minimized.
#
# ## How wide should E be?
#
# A made-up language of ten word classes, 201 words, whose best perplexity is
# known. H is 32 everywhere, D goes from 2 to 64, each width tied (with P where
# D ≠ 32) and untied (without P).

# %%
language = ClassLanguage.make(10, 20, rng=14)
text, valid = language.sample(20_000, rng), language.sample(8_000, rng)
V, floor = len(language.words), perplexity(language.entropy())
print(f"{V} words, {len(text):,} to learn from, no model can go below perplexity {floor:.1f}")


def unseen(model):
    return predict(model, valid, batch_size=20).loss


def trained(model, text, rows, epochs):
    batches = Batches(text, rows, 20)
    trainer = Trainer(model, Adam(), Constant(0.005), batches, unseen, epochs=epochs)
    for _ in trainer.run():
        pass
    return perplexity(min(trainer.valid_losses))


# %% [markdown]
# You see the floor. The function trains a model and gives the best perplexity
# on text that it was not trained on.

# %%
widths = [2, 4, 8, 16, 32, 64]
results = {"tied": [], "untied": []}
for D in widths:
    print(f"D = {D:2}: parameters and perplexity", end="")
    for name, found in results.items():
        candidate = RNNLM(V, D, 32, tied=name == "tied", rng=0)
        size = count_parameters(candidate)["total"]
        found.append((size, trained(candidate, text, 20, 6)))
        print(f"   {name} {size:6,} {found[-1][1]:5.1f}", end="")
    print()

# %% [markdown]
# You see two things. At equal D the tied model is always the smaller one, and
# where E is narrow that costs it: both of its jobs go through D numbers, where
# the untied model keeps an E_out of width 32. At equal **parameters** look
# again: tied with D = 32 beside untied with D = 4. One run each, and little
# between them; lesson 13 has texts that decide.
#
# ## The picture

# %%
figure = perplexity_by_width(widths, results, floor)
print(save_figure(figure, "14_different_widths"))

# %% [markdown]
# You see the same points twice: against D the tied curve begins far above and
# meets the other at D = 32; against parameters the points come together. Each
# is one run, so a difference of one point may be luck.
#
# ## Further: vectors that come with their own width
#
# The other reason for D ≠ H: rows that somebody else trained. GloVe vectors
# are 50, 100, 200 or 300 wide, and that is then D. The files are text: a word
# and its numbers on a line. We invent one here, for nine words in ten, of
# vectors that know the classes a little.

# %%
centers = rng.normal(size=(11, 16))  # one for each class, and one for the end of a line
invented = centers[language.class_of] + 0.3 * rng.normal(size=(V, 16))  # (V, D)
known = [(w, row) for w, row in zip(language.words, invented, strict=True) if rng.random() < 0.9]
lines = [" ".join([word, *(f"{number:.4f}" for number in row)]) for word, row in known]
with tempfile.TemporaryDirectory() as folder:
    file = Path(folder, "vectors.txt")
    file.write_text("\n".join(lines), encoding="utf-8")
    vectors = read_vectors(file, language.words)
print(vectors)

# %% [markdown]
# You see how many words were found. The others keep the rows that they were
# drawn with.
#
# Two questions must be answered. May the rows move? **Frozen** rows stay;
# **fine-tuned** rows go on learning. And are they of the right size? A tied E
# makes the scores too (lesson 03).

# %%
short = text[:3_000]  # little text, where a good start counts
first_x, first_y = Batches(short, 10, 20)[0]
starts = {}
for name, options in {"as they are": {}, "rescaled": {"rescale": True}}.items():
    starts[name] = with_vectors(RNNLM(V, 16, 32, rng=0), vectors, **options).model
    first = starts[name].loss(first_x, first_y)[0]
    print(f"vectors {name}: first loss {first:.2f} nats, ln V = {np.log(V):.2f}")

# %% [markdown]
# You see the larger rows leave ln V before anything was learned, and one
# factor bring them back.
#
# Now three models on the little text: rows drawn at random, pretrained and
# frozen, pretrained and fine-tuned.

# %%
drawn = RNNLM(V, 16, 32, rng=0)
frozen, message = with_vectors(drawn, vectors, frozen=True)
tuned, _ = with_vectors(drawn, vectors)
before = frozen.params["E"].copy()  # (V, D)
three = {"drawn": drawn, "frozen": frozen, "fine-tuned": tuned}
best = {name: trained(one, short, 10, 30) for name, one in three.items()}
moved = (frozen.params["E"] != before).any(axis=1)  # (V,)
print(f"frozen: {moved[vectors.found].sum()} of {vectors.found.sum()} found rows moved, ", end="")
print(f"and {moved[~vectors.found].sum()} of the {np.sum(~vectors.found)} others")
print(message.split(". ")[-2])

# %% [markdown]
# You see what freezing means where E is tied: one row, two jobs, both frozen.
# Whoever wants a frozen input beside an output that learns needs two matrices.
# (The 25 others all moved: the scores reach every row.)

# %%
said = ", ".join(f"{name} {value:.1f}" for name, value in best.items())
print(f"best perplexity on 3,000 words: {said}")

# %% [markdown]
# You see that a start that knows something is worth much where text is short.
# (These vectors were invented to know it; what real ones know of your text,
# only a run can say.)
#
# ## What you can now say
#
# P (D, H) stands between h and the scores wherever D ≠ H; it costs D · H
# numbers and bounds the rank. Pretrained rows fix D. Frozen is said of a row,
# and a tied row has two jobs.
#
# **The usual misconception:** "tying needs nhid equal to emsize." **The
# cure:** it needs a vector as wide as a row; P makes one out of any h.
#
# ## Exercise
#
# Open `lessons/exercises/14_different_widths.py` and run
# `tinytie exercise 14`: the gradients of a penalized projection, then a
# clipped step that leaves the frozen rows alone. (A gradient is *clipped* when
# it is scaled down to a largest norm. Rows that stay must not shorten the
# others' step, so the norm is that of what moves.)
#
# **Then read** `tinytie/models/rnn_lm.py` and `tinytie/text/pretrained.py`:
# where P stands, and how vectors from a file become rows.
#
# **The last line of the run** should be
#
#     best perplexity on 3,000 words: drawn 48.0, frozen 39.2, fine-tuned 38.1
