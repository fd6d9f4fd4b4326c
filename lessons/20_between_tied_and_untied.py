# %% [markdown]
# # 20 Between tied and untied
#
# - **Question:** what lies between the two, at one budget?
# - **Builds on:** lessons 13, 14 and 19
# - **Reading:** 25 minutes
# - **Exercise:** 45 minutes
# - **Run:** 20 seconds
#
# **Predict before you run.** Two matrices cost much, one may be too few. Six models get the same
# number of parameters: two matrices; two of different widths; one; one with a projection; one with
# a small network on each side of the scores; one with three softmaxes. Which of them wins? By how
# much?

# %%
import numpy as np

from figures import family_of_ties, save_figure
from tinytie import RNNLM, check_gradients
from tinytie.experiments.options import widest
from tinytie.measure.bottleneck import share_that_passes
from tinytie.measure.perplexity import predict
from tinytie.models.between import JointLM, MixtureLM
from tinytie.ops.joint import joint_backward, joint_forward
from tinytie.ops.mixture import mixture_backward, mixture_forward, mixture_log_probabilities
from tinytie.text.batches import Batches
from tinytie.text.classes import ClassLanguage
from tinytie.training.optimizers import Adam
from tinytie.training.schedules import Constant
from tinytie.training.trainer import Trainer

rng = np.random.default_rng(0)
V, D, N = 7, 3, 5
E, h, y = rng.normal(size=(V, D)), rng.normal(size=(N, D)), rng.integers(V, size=N)

# %% [markdown]
# You see nothing yet. Two of the six you know: untied, and tied (the *identity* between E_in and
# E_out). A third is lesson 14's projection, s = E (P h + p). A fourth needs no new line of code
# either: an untied model whose E_in is narrow and whose E_out is wide. Chung and others (2021)
# found the width better spent at the output.
#
# ## The joint map
#
# Pappas, Miculicich and Henderson (2018): let each side of a score go through a layer, and let all
# words share it.
#
#     s = h′ E′ᵀ + c,     E′ = tanh(E Mᵀ + m),     h′ = tanh(h Nᵀ + n)
#
# What the scores see is not E but a bent copy of it, made anew at each step: D² more parameters,
# and not V D.

# %%
weights = {"M": rng.normal(size=(4, D)), "m": rng.normal(size=4)}  # to a joint width of 4
weights |= {"N": rng.normal(size=(4, D)), "n": rng.normal(size=4)}
s, kept = joint_forward(h, E, *weights.values())
ds = rng.normal(size=s.shape)  # what comes back from the loss
_, dE, *dweights, _ = joint_backward(ds, kept)
told = check_gradients(
    lambda p: float(np.sum(ds * joint_forward(h, p["E"], p["M"], p["m"], p["N"], p["n"])[0])),
    {"E": E, **weights},
    {"E": dE, **dict(zip(weights, dweights, strict=True))},
)
print(f"scores {s.shape}, gradients of E, M, m, N, n: {told.verdict}")

# %% [markdown]
# You see a third path to E in such a model: lookup, and scores through M. It is still one `+`.
#
# ## A mixture of softmaxes
#
# Yang and others (2018): the logarithms of all predictions of a model, one row a context, make a
# matrix. With one softmax its rank is at most D + 1, however large V is: log ŷ = E h + c, less a
# constant a row. A language need not be so simple. So take K states, each with a softmax, and mix:
#
#     p = Σ_k π_k softmax(E h_k + c),     π = softmax(a)

# %%
K, contexts, many = 3, 60, 40
big = 3 * rng.normal(size=(many, D))  # E of 40 words
states, a = 3 * rng.normal(size=(contexts, K, D)), rng.normal(size=(contexts, K))
one = mixture_log_probabilities(states[:, :1], a[:, :1], big, None)  # (60, 40)
mixed = mixture_log_probabilities(states, a, big, None)
ranks = [np.linalg.matrix_rank(log_p, tol=1e-6) for log_p in (one, mixed)]
print(f"D = {D}: rank of log p with one softmax {ranks[0]}, with {K} softmaxes {ranks[1]}")

# %% [markdown]
# You see the bound, and that the mixture is not held by it. Its gradient is worth knowing by heart.
# With r_k = π_k ŷ_k[y] / p[y], the share that state k has in the target's probability,
#
#     ∂loss/∂a_k = π_k − r_k,      ∂loss/∂s_k = r_k (ŷ_k − onehot(y))
#
# what was expected of a state less what it did; and lesson 03's gradient, weighed by what it did.

# %%
small = {"h": rng.normal(size=(N, K, D)), "a": rng.normal(size=(N, K)), "E": E}
loss, saved = mixture_forward(small["h"], small["a"], E, None, y)
grads = dict(zip(small, mixture_backward(1.0, saved), strict=False))
checked = check_gradients(
    lambda p: mixture_forward(p["h"], p["a"], p["E"], None, y)[0], small, grads
)
print(f"mixture: loss {loss:.4f} nats, gradients of h, a, E: {checked.verdict}")

# %% [markdown]
# You see both formulas confirmed.
#
# ## Six models, one budget
#
# A language of 201 words. Each model gets as much width as the budget of the untied one allows.

# %%
language = ClassLanguage.make(n_classes=20, words_each=15, rng=0)
words = len(language.words)
family = {
    "untied": lambda D, **more: RNNLM(words, D, tied=False, **more),
    "untied, narrow E_in": lambda D, **more: RNNLM(words, D, 4 * D, tied=False, **more),
    "identity": lambda D, **more: RNNLM(words, D, **more),
    "projection, H = 2D": lambda D, **more: RNNLM(words, D, 2 * D, **more),
    "joint map": lambda D, **more: JointLM(words, D, **more),
    "mixture of 3": lambda D, **more: MixtureLM(words, D, **more),
}

# %% [markdown]
# You see six models as functions of their width.


# %%
def size(name, D):
    return sum(array.size for array in family[name](D, rng=0).params.values())


budget = size("untied", 10)
widths = {name: widest(lambda D, name=name: size(name, D), budget) for name in family}
for name, width in widths.items():
    print(f"{name:20} width {width:2}, {size(name, width):5,} of {budget:,} parameters")

# %% [markdown]
# You see what sharing buys: nearly twice the width. The narrow E_in buys width for E_out.


# %%
def train(name, seed):
    text = Batches(language.sample(8000, np.random.default_rng(seed)), 20, 10)
    unseen = language.sample(3000, np.random.default_rng(99))
    validate = lambda model: predict(model, unseen, 100, 30).loss  # noqa: E731
    model = family[name](widths[name], rng=seed, dtype=np.float32)
    run = Trainer(model, Adam(), Constant(0.01), text, validate, epochs=20)
    list(run.run())
    return model, np.exp(min(run.valid_losses))


# %% [markdown]
# You see the training of lesson 10, with the best epoch kept.

# %% tags=["answer"]
trained = {name: [train(name, seed) for seed in range(3)] for name in family}
found = {name: np.array([value for _, value in runs]) for name, runs in trained.items()}
for name, values in found.items():
    print(f"{name:20} perplexity on new text {values.mean():.1f}, worst seed {values.max():.1f}")
print(f"no model can go below {np.exp(language.entropy()):.1f}")

# %% [markdown]
# You see that one matrix beats two here at the same budget: what it saves goes into width. What a
# projection or the joint map add is paid with width again, and costs all of that gain. The mixture
# ends lowest. It also starts slowest (train for 8 epochs, and it comes last), and it takes the
# softmax three times. All of them are far from the language's own perplexity.
#
# ## The picture

# %%
figure = family_of_ties(found, widths)
print(save_figure(figure, "20_between_tied_and_untied"))

# %% [markdown]
# You see the same as bars, from the best of three seeds to the worst. Where bars overlap, three
# seeds do not tell the two apart.
#
# ## What passes the head
#
# One thing none of them changes. The scores' gradient ds has V numbers a place; what goes back into
# the network is dh = ds E, D numbers. The part of ds outside the space of E's columns is multiplied
# by zero. How much of |ds|² is left? (Godey and Artzi, 2026, call it a gradient bottleneck.)

# %%
x, target = Batches(language.sample(4000, np.random.default_rng(7)), 20, 10)[0]
passing = {}
for name in ("untied", "identity"):
    fresh, (model, _) = family[name](widths[name], rng=5), trained[name][0]
    passing[name] = [
        share_that_passes(one.logits(x)[0], target, one.embeddings()[1]) for one in (fresh, model)
    ]
    before, after = passing[name]
    print(f"{name:9} D/V {widths[name] / words:.3f}; passes {before:.3f} before, {after:.3f} after")

# %% [markdown]
# You see about D/V: no more than D directions drawn at random would let through, before training
# and after it. It does not follow that so much of the learning is lost: dh is the exact gradient,
# and no change of h could do what the rest asks for. It does follow what width is for.
#
# ## In one line

# %%
best, rest = min(found, key=lambda name: found[name].mean()), found["untied"].mean()
print(f"best {best} {found[best].mean():.1f}, untied {rest:.1f}")

# %% [markdown]
# You see the best member beside the one that shares nothing.
#
# ## What you can now say
#
# Tied and untied are two ends of a family, and each member is a place where parameters are spent:
# on a second matrix, on width, on a map that all words share, on more softmaxes. Which is best is a
# question for a text and a budget; at equal budget the differences are smaller than the names
# suggest.
#
# **The usual misconception:** "more freedom at the output is better." **The cure:** one budget.
# Freedom is paid for with width.
#
# ## Exercise
#
# Open `lessons/exercises/20_between_tied_and_untied.py` and run `tinytie exercise 20`: write the
# mixture's backward, and the share of a gradient that passes the head.
#
# **Then read** `tinytie/ops/mixture.py`, `tinytie/ops/joint.py` and `tinytie/models/between.py`:
# pairs once more, and a page with a head that has parameters. `tinytie study between` asks the same
# on English. Sources, also of adaptive inputs and softmaxes: [BIBLIOGRAPHY](BIBLIOGRAPHY.md).
#
# **The last line of the run** should be
#
#     best mixture of 3 70.3, untied 76.8
