# %% [markdown]
# # 13 When tying hurts
#
# - **Question:** which text breaks the assumption?
# - **Builds on:** lessons 09 and 10
# - **Reading:** 20 minutes
# - **Exercise:** 30 minutes
# - **Run:** 12 seconds
# - **Last line:** share 0: tied is beaten by untied True, by the repair True
#
# **Predict before you run.** In which language would one row for both jobs be a bad idea: one where
# words that *follow* alike also *are followed* alike, or one where these have nothing to do with
# each other?

# %%
import numpy as np

from tinytie import RNNLM
from tinytie.measure.perplexity import predict
from tinytie.plots.lessons import save_figure, share_of_structure
from tinytie.text.batches import Batches
from tinytie.training.optimizers import Adam
from tinytie.training.schedules import Constant
from tinytie.training.trainer import Trainer

C, EACH = 8, 5  # classes, and words in each
V = C * EACH
said = np.repeat(np.arange(C), EACH)  # (V,) the class in which a word is said
rng = np.random.default_rng(0)
order = rng.permutation(C)
follow = np.full((C, C), 0.1 / C)  # any class may follow any
for k, chance in enumerate((0.5, 0.3, 0.1)):
    follow[np.arange(C), order[(np.arange(C) + k) % C]] += chance
print(f"V = {V}; each row of follow sums to 1: {np.allclose(follow.sum(axis=1), 1)}")

# %% [markdown]
# You see a language of forty words. A class is followed mostly by three others, and says each of its
# words equally often.
#
# ## Two classes for a word
#
# A word has a class in which it is **said** and a class as which it is **heard**: the first decides
# what comes before it, the second what comes after. Where both are the same, it is the language of
# lesson 10. Here we let some words be heard as another class, drawn at random.


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
# Tied and untied with D = H = 4. Then two tries to repair the tied one with a projection,
# o = P h, so that h need not lie in the space of E: with the same width; and with E twice as wide as
# h, which has as many numbers in E as the untied model has in its two matrices.

# %%
models = {"tied": {}, "untied": {"tied": False}, "tied + P": {"projection": True}}
models["tied + P, E twice as wide"] = {"d_embed": 8}
models = {name: {"d_embed": 4, "d_hidden": 4} | options for name, options in models.items()}
for name, options in models.items():
    params = RNNLM(V, rng=0, **options).params
    print(f"{name:26} {sum(array.size for array in params.values())} parameters")

# %% [markdown]
# You see what each costs. The wide one has given back all that tying had saved.
#
# ## Why the wide one should do
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
# You see `True`: whatever the untied model can say, the wide tied one can. Whether training finds it
# is another matter.
#
# ## Forty-eight runs


# %%
def sample(P, n, rng):
    chances, ids, word = P.cumsum(axis=1), np.empty(n, int), 0
    for i, draw in enumerate(rng.random(n)):
        word = ids[i] = min(chances[word].searchsorted(draw), V - 1)
    return ids


def best(P, options, seed):
    text, unseen = (
        sample(P, 4000, np.random.default_rng(seed)),
        sample(P, 4000, np.random.default_rng(99)),
    )
    model = RNNLM(V, rng=seed, **options)
    validate = lambda model: predict(model, unseen, 100, 40).loss  # noqa: E731
    run = Trainer(model, Adam(), Constant(0.01), Batches(text, 20, 10), validate, epochs=25)
    list(run.run())
    return np.exp(min(run.valid_losses))


# %% [markdown]
# You see nothing yet: a text from a table of chances, and the training of lesson 10.

# %%
shares = (0, 0.5, 1)
found = {
    name: np.array(
        [[best(language(share), options, seed) for seed in range(4)] for share in shares]
    )
    for name, options in models.items()
}
print("perplexity on new text, mean of 4 runs:  " + "   ".join(f"share {s:3}" for s in shares))
for name, runs in found.items():  # (3 shares, 4 seeds)
    print(f"{name:40} " + "   ".join(f"{mean:9.1f}" for mean in runs.mean(axis=1)))

# %% [markdown]
# TODO
