# %% [markdown]
# # 13 When tying hurts
#
# - **Question:** which text breaks the assumption?
# - **Builds on:** lessons 09 and 10
# - **Reading:** 25 minutes, and 6 for what is headed *Further*
# - **Exercise:** 45 minutes
# - **Run:** 30 seconds
#
# **Predict before you run.** In which language would one row for both jobs be a bad idea: one where
# words that *follow* alike also *are followed* alike, or one where these have nothing to do with
# each other?

# %%
import numpy as np

from figures import save_figure, share_of_structure
from tinytie import RNNLM
from tinytie.measure.perplexity import predict
from tinytie.text.batches import Batches
from tinytie.training.optimizers import Adam
from tinytie.training.schedules import Constant
from tinytie.training.trainer import Trainer

C, EACH = 10, 6  # classes, and words in each
V = C * EACH
said = np.repeat(np.arange(C), EACH)  # (V,) the class in which a word is said
rng = np.random.default_rng(0)
order = rng.permutation(C)
follow = np.full((C, C), 0.1 / C)  # any class may follow any
for k, chance in enumerate((0.5, 0.3, 0.1)):
    follow[np.arange(C), order[(np.arange(C) + k) % C]] += chance
print(f"V = {V}; each row of follow sums to 1: {np.allclose(follow.sum(axis=1), 1)}")

# %% [markdown]
# You see a language of sixty words. A class is followed mostly by three others, and says each of
# its words equally often.
#
# ## Two classes for a word
#
# A word has a class in which it is **said** and a class in which it is
# **heard**: the first decides what comes before it, the second what comes
# after. Where both are the same, it is the language of lesson 10. Here we let
# some words be heard as another class, drawn at random. (P is now a table of
# chances, row i those of each word after word i. The projection, below, is a P
# of its own.)


# %%
def language(share):
    heard, draw = said.copy(), np.random.default_rng(1)
    moved = draw.permutation(V)[: round((1 - share) * V)]  # all but this share of the words
    heard[moved] = heard[draw.permutation(moved)]
    return follow[heard][:, said] / EACH  # (V, V): the chance of each next word, given this one


def entropy(P):  # every word is equally frequent here, so the mean over words is the rate
    return -np.mean(np.sum(P * np.log(P), axis=1))


for share in (1, 0.5, 0):
    P = language(share)
    print(f"share {share}: floor {np.exp(entropy(P)):.2f}, all words equally frequent ", end="")
    print(np.allclose(P.sum(axis=0), 1))

# %% [markdown]
# You see the same floor for all: these languages are equally hard. They differ only in how far a
# word's two sides go together, from all words (share 1) to none but by chance (share 0).
#
# ## Four models
#
# Tied and untied with D = H = 4, which is narrow for ten classes. Then two tries to repair the tied
# one with a projection, o = P h, so that h need not lie in the space of E: with the same width; and
# with E twice as wide as h, which has as many numbers in E as the untied model has in its two
# matrices.

# %%
models = {"tied": {}, "untied": {"tied": False}, "tied + P": {"projection": True}}
models["tied + P, wide E"] = {"d_embed": 8}
models = {name: {"d_embed": 4, "d_hidden": 4} | options for name, options in models.items()}
for name, options in models.items():
    params = RNNLM(V, rng=0, **options).params
    print(f"{name:26} {sum(array.size for array in params.values())} parameters")

# %% [markdown]
# You see what each costs. The wide one has given back all that tying had saved.
#
# ## Further: why the wide one should do
#
# A tied model that is twice as wide *contains* the untied one. Put E_in into the left half of E and
# E_out into the right; let W read the left half alone, and P write into the right half alone.

# %%
untied = RNNLM(V, 4, 4, tied=False, rng=1)
wide = RNNLM(V, 8, 4, tied=True, rng=2)
E_in, E_out = untied.params["E_in"], untied.params["E_out"]
wide.params["E"] = np.hstack([E_in, E_out])  # (V, 8)
wide.params["W0"] = np.hstack([untied.params["W0"], np.zeros((4, 4))])  # (4, 8)
wide.params["P"] = np.vstack([np.zeros((4, 4)), np.eye(4)])  # (8, 4)
wide.params |= {name: untied.params[name] for name in ("U0", "b0", "c")}
x = rng.integers(V, size=(2, 9))  # (B, T)
print("the same scores:", np.allclose(wide.logits(x)[0], untied.logits(x)[0]))

# %% [markdown]
# You see `True`: whatever the untied model can say, the wide tied one can. Whether training finds
# it is another matter.
#
# ## Sixty runs


# %%
def sample(P, n, rng):
    chances, ids, word = P.cumsum(axis=1), np.empty(n, int), 0
    for i, draw in enumerate(rng.random(n)):
        word = ids[i] = min(chances[word].searchsorted(draw), V - 1)
    return ids


# %% [markdown]
# You see nothing yet: a text from a table of chances.


# %%
def best(P, options, seed):
    text = Batches(sample(P, 12_000, np.random.default_rng(seed)), 20, 10)
    unseen = sample(P, 4000, np.random.default_rng(99))
    validate = lambda model: predict(model, unseen, 100, 40).loss  # noqa: E731
    model = RNNLM(V, rng=seed, **options)
    run = Trainer(model, Adam(), Constant(0.01), text, validate, epochs=10)
    list(run.run())
    return np.exp(min(run.valid_losses))


# %% [markdown]
# You see nothing again: the training of lesson 10. Now three languages, four models, five texts
# each.

# %% tags=["answer"]
shares, seeds = (0, 0.5, 1), range(5)
found = {name: np.zeros((3, 5)) for name in models}  # (3 shares, 5 seeds) each
for name, options in models.items():
    for i, share in enumerate(shares):
        found[name][i] = [best(language(share), options, seed) for seed in seeds]
heads = "   ".join(f"share {share:<7}" for share in shares)
print(f"perplexity on new text: median (worst)  {heads}".rstrip())
for name, runs in found.items():
    middle, worst = np.median(runs, axis=1), runs.max(axis=1)
    cells = (f"{m:.1f} ({w:.1f})" for m, w in zip(middle, worst, strict=True))
    print(f"{name:38} " + "   ".join(f"{cell:13}" for cell in cells).rstrip())

# %% [markdown]
# You see the untied model hardly care for the share: each of its matrices has
# one job. The tied one does well where all words go the same way on both sides,
# and worse where half of them do not; between half and all these runs show no
# difference. A row of four numbers must now say two things. Look at the worst
# run as well: at share 0 one of the tied runs found less than the others.
#
# The wide E with a projection takes back a part of the cost at share 0, and
# still stays behind: "it contains the untied model" was a promise about what
# can be said, not about what is found in ten epochs. P of the same width gains
# little, and where the assumption holds it costs.
#
# ## The picture

# %%
figure = share_of_structure(shares, found, np.exp(entropy(language(1))))
print(save_figure(figure, "13_when_tying_hurts"))

# %% [markdown]
# You see the tied line come down to the others only on the right. The lines are
# means, the bars the best and the worst of five texts; a mean of five can hang
# on one run, which is why the table has medians.
#
# ## Further: in one line

# %%
worse = {name: np.median(runs[0]) / np.median(found["untied"][0]) for name, runs in found.items()}
named = [f"{name} {ratio:.2f}" for name, ratio in worse.items() if name != "untied"]
print(f"share 0, over untied: {', '.join(named)}")

# %% [markdown]
# You see what tying cost here, and how much of it the projections gave back.
#
# This is a narrow model: even at share 1 the tied one is not ahead. In lesson
# 10 the rows were four times as wide and the text was short, and tying won. On
# English nobody knows the share, so measure: same width, same budget, several
# seeds.
#
# ## What you can now say
#
# One row for both jobs assumes that what comes before a word and what comes after it have to do
# with each other: the distributional hypothesis, as Bertolotti and Cazzola (2024) put it, who
# find that tying is to be advised only where it holds. Where it does not, a tied model needs more
# width to say the same; with a projection and enough width it can, at the price of what tying had
# saved. Can one tell from a text, before training? In part: [STUDIES](STUDIES.md).
#
# **The usual misconception:** "tying always helps." **The cure:** a text in which it does not, with
# the floor in the picture: the loss is not the text's difficulty, for that is the same everywhere.
#
# ## Exercise
#
# Open `lessons/exercises/13_when_tying_hurts.py` and run `tinytie exercise 13`: find the floor of a
# text with frequent and rare words, then build the tied model that contains an untied one. (How
# frequent is each word in the long run? If its chance at one place is π_j, at the next place it is
# Σ_i π_i P_ij. Start from equal chances and go on, π ← π P, until nothing changes.)
#
# **Then read** `tinytie/text/classes.py`: an invented language, and its entropy.
#
# **The last line of the run** should be
#
#     share 0, over untied: tied 1.09, tied + P 1.09, tied + P, wide E 1.05
