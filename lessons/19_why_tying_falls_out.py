# %% [markdown]
# # 19 Why tying falls out of the loss
#
# - **Question:** what does an augmented loss push E_out towards?
# - **Builds on:** lessons 03, 11 and 12
# - **Reading:** 25 minutes
# - **Exercise:** 40 minutes
# - **Run:** 8 seconds
#
# **Predict before you run.** An untied model is told, for each target, not only "this word" but
# also "and a little of the words whose rows in E_in are near". Nobody tells it to tie. Where will
# the columns of E_out go, seen from those of E_in?

# %%
import numpy as np

from figures import save_figure, spans_over_training
from tinytie import RNNLM, check_gradients
from tinytie.experiments.recipes.augmented_lm import AugmentedLM
from tinytie.measure.neighbours import unit_rows
from tinytie.measure.subspace import chance_distance, subspace_distance
from tinytie.ops.augmented import divergence_backward, divergence_forward
from tinytie.ops.softmax import cross_entropy_forward, softmax
from tinytie.text.batches import Batches
from tinytie.text.classes import ClassLanguage
from tinytie.training.optimizers import Adam

rng = np.random.default_rng(0)
L = np.array([[2, 0], [1.8, 0.6], [0, 2], [-2, 0]])  # (V, D) = (4, 2): four words as rows
words = ["cat", "dog", "tree", "of"]
y = np.array([0])  # the target is cat

# %% [markdown]
# You see nothing yet: four words, `cat` and `dog` near each other. The idea of this lesson is that
# of Inan, Khosravi and Socher (2017), who found tying at the same time as Press and Wolf.
#
# ## A target that forgives
#
# The cross-entropy knows one right word; `dog` for `cat` costs as much as `of` for `cat`. So add
# soft targets. Take the target's row, u = L[y], and let every word have a share by its dot product
# with u:
#
#     ỹ = softmax(L u / τ)

# %%
for tau in (0.5, 2, 20):
    y_tilde = softmax(L[y] @ L.T / tau)[0]  # (V,)
    shares = "  ".join(f"{word} {share:.2f}" for word, share in zip(words, y_tilde, strict=True))
    print(f"τ = {tau:4}: {shares}")

# %% [markdown]
# You see what the temperature τ does: a low one says "the nearest words, nothing else", a high one
# "all words, nearly alike". Between them, `dog` gets a share and `of` hardly any.
#
# ## The loss
#
# The model says ŷ_τ = softmax(s / τ) with its scores s = E_out h, and is asked to say ỹ as well:
#
#     J = CE + α KL(ỹ ‖ ŷ_τ),      KL = Σ ỹ (log ỹ − log ŷ_τ)
#
# ỹ is held constant, although it is made from L. The derivative of one term by the scores looks
# like lesson 03's, with one factor more, because s was divided by τ:
#
#     ∂KL/∂s  =  (ŷ_τ − ỹ) / τ

# %%
s, s_tilde, tau = rng.normal(size=(3, 4)), rng.normal(size=(3, 4)), 2.0  # (N, V) each
loss, cache = divergence_forward(s, s_tilde, tau)
ds = divergence_backward(1.0, cache)
told = check_gradients(lambda p: divergence_forward(p["s"], s_tilde, tau)[0], {"s": s}, {"s": ds})
print(f"KL {loss:.4f} nats; its gradient: {told.verdict}; each row sums to 0:", end=" ")
print(np.allclose(ds.sum(axis=1), 0))

# %% [markdown]
# You see that the factor 1/τ is right. Whoever forgets it trains with another α.
#
# ## A high temperature
#
# For a high τ, exp(s/τ) is nearly 1 + s/τ, and ŷ_τ is nearly 1/V + (s − mean s)/(τV). The same of
# ỹ, with s̃ = L u. Their difference over τ:
#
#     (ŷ_τ − ỹ) / τ   →   ((s − mean s) − (s̃ − mean s̃)) / (τ² V)

# %%
centred = (s - s_tilde) - (s - s_tilde).mean(axis=1, keepdims=True)
for tau_now in (1, 10, 100):
    exact = divergence_backward(1.0, divergence_forward(s, s_tilde, tau_now)[1]) * len(s)
    off = np.abs(exact - centred / (tau_now**2 * 4)).max() / np.abs(exact).max()
    print(f"τ = {tau_now:3}: the limit is off by {off:.3f} of the largest entry")

# %% [markdown]
# You see the limit come true, with an error that falls as 1/τ. And the limit is a plain thing: the
# divergence pulls the scores E_out h to L u, but for a constant. If E_out h = L u for every place
# of the text, then what the columns of E_out make is what the columns of L make: **both matrices
# span the same space.** With L = E_in, the way from there to E_out = E_in is only a matrix that
# mixes columns, which the body can hold as well. So tie. That is the theory; it holds for a high
# τ, for the divergence alone, and where the divergence gets near 0. Does a model do it?
#
# ## Four epochs
#
# Take an untied model, and measure how far the two spaces are apart: 0 for one and the same, 1 for
# right angles. (Rows of E_in are kept at length 1, as in the paper; J = τ² V KL has the limit
# above without its small factor.)

# %%
language = ClassLanguage.make(n_classes=10, words_each=20, rng=0)
V, D = len(language.words), 16
text = Batches(language.sample(6000, np.random.default_rng(0)), 20, 10)
print(f"V = {V}, D = {D}, {len(text)} batches")

# %% [markdown]
# You see the language of lesson 11, with a little more text.


# %%
def distances(seed, tau, beta, epochs=6):
    """The distance after each epoch; β of the divergence, 1 − β of the cross-entropy."""
    model, adam = RNNLM(V, D, cell="lstm", tied=False, output_bias=False, rng=seed), Adam(0.01)
    view = AugmentedLM(model, alpha=beta * tau**2 * V, tau=tau, beta=1 - beta)
    E_in, E_out, found = *model.embeddings(), []
    for _ in range(epochs):
        for x, target in text:
            adam.step(model.params, view.loss_and_grads(x, target).grads, {})
            E_in[...] = unit_rows(E_in)
        found.append(subspace_distance(E_in, E_out))
    return found


# %% [markdown]
# You see nothing yet: the loop of lesson 10, with the augmented loss. (The state starts at zero in
# each batch, to keep the page short.)

# %% tags=["answer"]
betas = {"cross-entropy alone": 0.0, "half and half": 0.5, "divergence alone": 1.0}
seeds = range(3)
apart = {
    name: np.array([distances(seed, 10, beta) for seed in seeds]) for name, beta in betas.items()
}  # (3 seeds, 6 epochs) each
chance = chance_distance(V, D, D)  # of two random spaces of 16 directions among 201
for name, found in apart.items():
    first, *_, last = found.mean(axis=0)
    print(f"{name:20} after epoch 1: {first:.2f}, after epoch 6: {last:.2f}")
print(f"two random spaces: {chance:.2f}")

# %% [markdown]
# You see the theory at work: with the cross-entropy alone the two spaces stay about as far apart as
# chance puts them; with the divergence they come nearer from epoch to epoch, and half of each will
# do. They do not become one: six epochs do not bring the divergence to 0, and no loss asks for
# equal *lengths* of what lies in the space.
#
# ## What τ does

# %%
by_tau = {tau_now: distances(0, tau_now, 1.0)[-1] for tau_now in (1, 3, 10, 30)}
print("divergence alone: " + ", ".join(f"τ = {t}: {found:.2f}" for t, found in by_tau.items()))

# %% [markdown]
# You see that here τ hardly matters for the distance. What the theory needs a high τ for is the
# plain limit; the pull towards the same space is there at τ = 1 as well. What τ changes is what is
# asked for: near 0 the divergence asks for the target alone, as the cross-entropy does.
#
# ## The picture

# %%
figure = spans_over_training(apart, chance)
print(save_figure(figure, "19_why_tying_falls_out"))

# %% [markdown]
# You see one line stay near the dotted one and two lines fall. The bands are the lowest and highest
# of three seeds.
#
# ## Softmax twice
#
# The usual mistake with such losses: a function that takes *scores* is given *probabilities*, and
# takes their softmax once more. Nothing crashes, and the loss falls. But how far? The best that a
# model can say is probability 1 for the right word.

# %%
sure = 50.0 * np.eye(V)[[3]]  # scores of a model that knows the word
right, _ = cross_entropy_forward(sure, np.array([3]))
twice, _ = cross_entropy_forward(softmax(sure), np.array([3]))
print(f"V = {V}: nothing known {np.log(V):.2f} nats; ", end="")
print(f"all known {right:.2f}, with softmax twice {twice:.2f}")

# %% [markdown]
# You see the trap: with the softmax taken twice no model gets below log(e + V − 1) − 1, for
# probabilities are at most 1 apart. That is one nat below ln V, whatever V is. A loss that stalls
# one nat below ln V has one softmax too many.
#
# ## In one line

# %%
alone, _, divergence = (found[:, -1].mean() for found in apart.values())
print(f"spaces apart: cross-entropy {alone:.2f}, divergence {divergence:.2f}, chance {chance:.2f}")

# %% [markdown]
# You see the lesson in three numbers.
#
# ## What you can now say
#
# A loss that forgives near misses asks the scores to be E_in u, and with that the spaces of both
# matrices to be one. Tying gives this for nothing. It is a reason, not a proof: the cross-entropy
# alone does not lead there.
#
# **The usual misconception:** "tying is a trick to save memory." **The cure:** here nothing was
# saved and nothing was tied, and one matrix came out of two. And its opposite, "tying is what
# training wants anyway": look at the line of the cross-entropy.
#
# ## Exercise
#
# Open `lessons/exercises/19_why_tying_falls_out.py` and run `tinytie exercise 19`: make the soft
# targets, then the gradient of the whole J by the scores.
#
# **Then read** `tinytie/ops/augmented.py` and `tinytie/measure/subspace.py`: the same loss with one
# array of scores, and the angles between two spaces. Sources: [BIBLIOGRAPHY](BIBLIOGRAPHY.md).
#
# **The last line of the run** should be
#
#     spaces apart: cross-entropy 0.93, divergence 0.72, chance 0.96
