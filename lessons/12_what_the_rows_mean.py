# %% [markdown]
# # 12 What the rows mean
#
# - **Question:** are input and output neighbours the same?
# - **Builds on:** lesson 10
# - **Reading:** 25 minutes
# - **Exercise:** 40 minutes
# - **Run:** 3 seconds
#
# **Predict before you run.** An untied model has learned E_in and E_out. Take a word's row in each.
# Do the two rows look alike? Do they have the same *neighbours*?

# %%
import numpy as np

from figures import maps_of_rows, save_figure
from tinytie import RNNLM
from tinytie.measure.neighbours import neighbours, unit_rows
from tinytie.measure.perplexity import predict
from tinytie.measure.similarity import distance_correlation
from tinytie.text.batches import Batches
from tinytie.text.classes import ClassLanguage
from tinytie.training.optimizers import Adam
from tinytie.training.schedules import Constant
from tinytie.training.trainer import Trainer

language = ClassLanguage.make(n_classes=10, words_each=8, rng=0)
V, words = len(language.words), language.words
unseen = language.sample(3000, np.random.default_rng(1000))


def trained(tied, seed):
    text = language.sample(6000, np.random.default_rng(seed))
    model = RNNLM(V, 12, tied=tied, rng=seed)
    validate = lambda model: predict(model, unseen, 100, 30).loss  # noqa: E731
    list(Trainer(model, Adam(), Constant(0.01), Batches(text, 20, 10), validate, epochs=20).run())
    return model.params


# %% [markdown]
# You see nothing yet. Again an invented language of ten classes, `ba0` to `ba7`, `da0` to `da7` and
# so on. In English nobody can say which words *should* be neighbours; here the classes are known.
#
# ## Three matrices


# %%
def matrices(seed):
    tied, untied = trained(True, seed), trained(False, seed)
    named = {"E": tied["E"], "E_in": untied["E_in"], "E_out": untied["E_out"]}
    return {name: E[1:] for name, E in named.items()}  # (80, 12) each: without the end of line


texts = [matrices(seed) for seed in range(3)]
rows = texts[0]
classes = language.class_of[1:]  # (80,)
print(f"{len(texts)} texts, matrices {', '.join(rows)}, each {rows['E'].shape}")

# %% [markdown]
# You see one matrix of a tied model and two of an untied one, for each of three texts.
#
# ## Neighbours
#
# Near means: a large cosine. Divide each row by its length, and all cosines are one product.


# %%
def cosines(E):
    unit = unit_rows(E)  # each row divided by its length
    return unit @ unit.T  # (80, 80)


for name, E in rows.items():
    nearest = [words[near.token + 1] for near in neighbours(E, words.index("ta0") - 1, count=4)]
    print(f"{name:5} nearest 4 of ta0 that are no ta: {sum(w[:2] != 'ta' for w in nearest)}")

# %% [markdown]
# You see 0 each time: the four nearest words of `ta0` are all of its own class. One word is an
# anecdote; let us ask all.
#
# ## Scores
#
# For every word: is its nearest neighbour of its own class? And over all pairs: take a pair of one
# class and a pair of two; how often has the first the larger cosine? (1 is always, 0.5 is chance.)


# %%
def nearest_in_class(E):
    others = cosines(E) - 2 * np.eye(len(E))  # a word is not its own neighbour
    return np.mean(classes[others.argmax(axis=1)] == classes)


def pairs_in_order(E):
    i, j = np.triu_indices(len(E), k=1)
    near, same = cosines(E)[i, j], classes[i] == classes[j]
    return np.mean(near[same][:, np.newaxis] > near[~same])


for name in rows:
    found = [[nearest_in_class(E[name]), pairs_in_order(E[name])] for E in texts]
    own, order = np.mean(found, axis=0)
    print(f"{name:5} nearest is of the same class {own:.2f}, pairs in order {order:.2f}")

# %% [markdown]
# You see that all three have found the classes, which nobody told them, and that E, which learned
# from both sides, has found them best. Of the untied two, E_out is ahead of E_in: every batch's
# gradient reaches every row of E_out, and of E_in only the rows looked up (lesson 11). With plain
# SGD no other row of E_in moves; Adam's running mean moves a row on when its batch has gone.
# Press and Wolf (2017) report the same order for English: the output embedding is the better one,
# and the tied one is nearer to it. The README has that table for the Penn Treebank. Whether rows
# all point one way, and whose doing it is, stands in [STUDIES](STUDIES.md).
#
# ## The picture

# %%
letters = [words[np.flatnonzero(language.class_of == one)[0]][0] for one in np.unique(classes)]
figure = maps_of_rows(rows, classes, letters)
print(save_figure(figure, "12_what_the_rows_mean"))

# %% [markdown]
# You see each matrix on the plane in which its rows spread most; each word is the first letter of
# its class. Words of one class lie together in all three, at different places: directions mean
# nothing from one matrix to another. The plane shows a part of twelve dimensions; classes that
# overlap in it may be far apart.
#
# ## Same places? Same neighbours?
#
# Two questions that are often mixed up. First: is the row of a word in E_in like its row in E_out?

# %% tags=["answer"]
direct = []
for E in texts:
    cosine = np.sum(unit_rows(E["E_in"]) * unit_rows(E["E_out"]), axis=1)  # (80,)
    direct.append(np.mean(cosine))
print(f"mean cosine of a word's two rows: below 0.2 in {np.sum(np.abs(direct) < 0.2)} of 3 texts")

# %% [markdown]
# You see no likeness at all. Of course not: nothing asks for it. Turn the space of E_in, and turn W
# against it, and the model says the same.

# %%
turn, _ = np.linalg.qr(np.random.default_rng(0).normal(size=(12, 12)))  # an orthogonal matrix
moved = rows["E_in"] @ turn
print(f"turned: entries moved by up to {np.abs(moved - rows['E_in']).max():.1f}, ", end="")
print(f"same cosines: {np.allclose(cosines(moved), cosines(rows['E_in']))}")

# %% [markdown]
# You see other numbers and the same neighbours. So compare two matrices by what a turn leaves
# alone, the cosines *within* each. The second question: do both matrices call the same pairs near?
# Rank all pairs by cosine in the one and in the other, and correlate the ranks (Spearman's
# correlation). The rank of a number says how many are smaller: 0.3, 0.9, 0.1 have the ranks 1, 2,
# 0. `np.corrcoef` correlates.

# %% tags=["answer"]
both = (("E", "E_in"), ("E", "E_out"), ("E_in", "E_out"))
found_in = {f"{a} with {b}": [distance_correlation(E[a], E[b]) for E in texts] for a, b in both}
print(", ".join(f"{name} {np.mean(values):.2f}" for name, values in found_in.items()))

# %% [markdown]
# You see three numbers between 0 (nothing in common) and 1 (the same order of all pairs). The tied
# matrix agrees more with the output side. E_in and E_out agree only in part: that words of one
# class belong together, they both know; which classes are near to each other is another question
# before a word than after it.
#
# ## What you can now say
#
# A row means something only beside the other rows of its own matrix. Input and output neighbours
# agree in part, and the tied E is nearer to the output's.
#
# **The usual misconception:** "a word's two rows have cosine 0, so E_in and E_out know different
# things." **The cure:** turn one of them. The cosine of a word's two rows is a matter of
# coordinates; neighbours are not.
#
# ## Exercise
#
# Open `lessons/exercises/12_what_the_rows_mean.py` and run `tinytie exercise 12`: write a
# similarity score and the correlation of distances.
#
# **Then read** `tinytie/measure/neighbours.py` and `tinytie/measure/similarity.py`: neighbours and
# correlations.
#
# **The last line of the run** should be
#
#     E with E_in 0.52, E with E_out 0.76, E_in with E_out 0.29
