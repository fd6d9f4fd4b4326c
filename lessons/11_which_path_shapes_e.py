# %% [markdown]
# # 11 Which path shapes E?
#
# - **Question:** who does the work, and when?
# - **Builds on:** lessons 04 and 10
# - **Reading:** 25 minutes, and 3 for what is headed *Further*
# - **Exercise:** 40 minutes
# - **Run:** 6 seconds
#
# **Predict before you run.** Two gradients push the rows of E. Which one is longer at the start of
# training? At the end? Do they pull the same way?

# %%
import numpy as np

from figures import paths_by_frequency, save_figure
from tinytie import RNNLM
from tinytie.measure.perplexity import predict
from tinytie.text.batches import Batches
from tinytie.text.classes import ClassLanguage
from tinytie.training.optimizers import Adam

language = ClassLanguage.make(n_classes=10, words_each=20, rng=0)  # the language of lesson 10
V = len(language.words)
text = language.sample(4000, np.random.default_rng(0))  # (4000,) word ids
by_rank = np.argsort(-np.bincount(text, minlength=V), kind="stable")  # the frequent words first
bands = {"10 most frequent": by_rank[:10], "next 50": by_rank[10:60], "rarest 141": by_rank[60:]}
for band, rows in bands.items():
    print(f"{band:16} {np.isin(text, rows).mean():.0%} of the text")

# %% [markdown]
# You see three bands of words. A row of a frequent word and a row of a rare one live different
# lives, so we shall look at rows, band by band, and not only at the whole matrix.
#
# ## Further: one batch, before training

# %%
model = RNNLM(V, 16, tied=True, rng=0)
x, y = Batches(text, 20, 10)[0]  # (B, T) = (20, 10) each
paths = model.loss_and_grads(x, y).embedding_paths  # input and output, (V, D) each
for name, path in zip(("lookup", "scores"), paths, strict=True):
    rows = np.linalg.norm(path, axis=1)  # (V,)
    print(f"{name}: {np.mean(rows > 0):.0%} of the rows, longest row {rows.max():.3f}")

# %% [markdown]
# You see a sparse path and a dense one (lesson 04), and that the longest row is the lookup's: the
# word that occurs most collects most. But that is one batch, of a model that knows nothing.
#
# ## All batches, all epochs
#
# For every row that a batch looks up: the length of both paths, and the cosine between them,
#
#     cosine  =  dE_in[i] · dE_out[i]  /  (‖dE_in[i]‖ ‖dE_out[i]‖)
#
# 1 where both pull the same way, −1 where they fight, 0 at right angles. Where a word is not looked
# up there is no cosine: dE_in[i] is zero and has no direction.


# %%
def row_facts(dE_in, dE_out):
    norm_in, norm_out = (np.linalg.norm(path, axis=1) for path in (dE_in, dE_out))  # (V,)
    dots = np.sum(dE_in * dE_out, axis=1)
    seen = norm_in > 0
    cosine = np.full(V, np.nan)
    cosine[seen] = dots[seen] / (norm_in[seen] * norm_out[seen])
    return np.stack([np.where(seen, norm_in, np.nan), np.where(seen, norm_out, np.nan), cosine])


# %% [markdown]
# You see nothing yet; NaN marks what is not there, so that no mean takes it for a zero.


# %%
def train(seed, scale_in=1.0, scale_out=1.0):
    text = language.sample(4000, np.random.default_rng(seed))
    model, adam, watched = RNNLM(V, 16, tied=True, rng=seed), Adam(0.01), []
    for _ in range(30):
        state = None
        for x, y in Batches(text, 20, 10):
            _, grads, state, paths, _ = model.loss_and_grads(x, y, state)
            dE = scale_in * paths.input + scale_out * paths.output  # 1 and 1: the true gradient
            adam.step(model.params, grads | {"E": dE}, model.frozen)
            watched.append((row_facts(*paths), *map(np.linalg.norm, paths)))
    return model, watched  # 30 epochs of 19 batches


# %% [markdown]
# You see the loop of lesson 10, written out, with two numbers that scale the paths. We leave them
# at 1 for now.

# %% tags=["answer"]
trained, watched = train(seed=0)
facts = np.stack([facts for facts, *_ in watched]).reshape(30, 19, 3, V)
whole = np.array([norms for _, *norms in watched]).reshape(30, 19, 2).mean(axis=1)  # (30, 2)
for epoch in (3, 10, 30):
    norm_in, norm_out = whole[epoch - 1]
    print(f"epoch {epoch:2}: ‖dE_in‖ is {norm_in / norm_out:.2f} of ‖dE_out‖")

# %% [markdown]
# You see the scores' path alone at work early, and both of about the same size at the end. Early
# the model learns which words are frequent, for which the lookup is of no use; what came before
# matters only once W and U can tell words apart.
#
# ## By row

# %% tags=["answer"]
end = facts[-5:]  # the last five epochs: (5, 19, 3, V)
for band, rows in bands.items():
    some = end[:, :, :, rows]
    touched = np.mean(~np.isnan(some[:, :, 0]))
    norm_in, norm_out, cosine = (np.nanmean(some[:, :, i]) for i in range(3))
    print(f"{band:16} looked up in {touched:4.0%} of the batches; ", end="")
    print(f"then ‖in‖ is {norm_in / norm_out:.1f} of ‖out‖, |cosine| < 0.1: {abs(cosine) < 0.1}")

# %% [markdown]
# You see equal lengths, nearly, in every band, and cosines whose mean is near 0. What differs is
# **how often**. A rare row gets the scores' push in every batch, mostly "less of you", and the
# lookup's push in one of four. So "the output path dominates" (arXiv 2603.26663 finds it of tied
# Transformers, early in training) is true early, and for rare words by number of pushes; it is not
# true of every row at all times.
#
# A mean near 0 says nothing of single rows, which may help here and fight there. How large is a
# cosine, whatever its sign? And how large would it be of two directions drawn at random?

# %%
spread = np.nanmean(np.abs(end[:, :, 2]))
one, other = np.random.default_rng(0).normal(size=(2, 5000, 16))
lengths = np.linalg.norm(one, axis=1) * np.linalg.norm(other, axis=1)
chance = np.mean(np.abs(np.sum(one * other, axis=1)) / lengths)
print(f"mean |cosine| {spread:.2f}, of random directions in 16 dimensions {chance:.2f}")

# %% [markdown]
# You see the same number, nearly: the two pushes on a row have as little to do with each other as
# chance would have it. That is not a right angle, which would be 0.
#
# ## The picture

# %%
by_epoch = {band: np.nanmean(facts[..., rows], axis=(1, 3)) for band, rows in bands.items()}
figure = paths_by_frequency(by_epoch)  # band -> (30 epochs, 3 facts)
print(save_figure(figure, "11_which_path_shapes_e"))

# %% [markdown]
# You see the dashed lines start far below the full ones and come close to them, in every band.
#
# ## Who does the work?
#
# Lengths are not work. The test is to take one path away: step E by the other one alone. Two texts,
# two starts.

# %%
unseen = language.sample(4000, np.random.default_rng(1000))
kept = {"both paths": (1, 1), "scores only": (0, 1), "lookup only": (1, 0)}
tested = {}
for name, scales in kept.items():
    models = [train(seed, *scales)[0] for seed in range(4)]
    tested[name] = [predict(model, unseen, 100, 40).perplexity for model in models]
    print(f"{name:12} on four texts: {', '.join(f'{value:.1f}' for value in tested[name])}")
print("new text: " + ", ".join(f"{name} {np.mean(found):.1f}" for name, found in tested.items()))

# %% [markdown]
# You see that this model does not miss the lookup's path (on new text it is even a little better
# without it, in all four; why, these runs do not say), and that it misses the scores' path badly.
# It does not follow that lookups do not matter: without their path, W still learns to read the rows
# that the scores have shaped. In this language a word's class is all there is to know, before it
# and after it, so rows that are good for the scores are good to read. It is one language, one size
# and one optimizer; measure your own.
#
# ## What you can now say
#
# The scores' path is dense and leads early; the lookup's path is sparse and catches up, row by
# row. Their directions have no more to do with each other than chance gives. Which one shapes E
# is a question for an experiment, not for a norm.
#
# **The usual misconception:** "the mean gradient of a row is small, so that path does little."
# **The cure:** ask over what the mean was taken: all batches, or those in which the row was
# touched.
#
# ## Exercise
#
# Open `lessons/exercises/11_which_path_shapes_e.py` and run `tinytie exercise 11`: measure the
# rows, then write the training loop that scales one path. What a dial on the lookup's path does to
# English stands in [STUDIES](STUDIES.md).
#
# **Then read** `tinytie/measure/paths.py`: both paths by word frequency, for any model.
#
# **The last line of the run** should be
#
#     new text: both paths 54.3, scores only 49.7, lookup only 68.3
