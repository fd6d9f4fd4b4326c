# %% [markdown]
# # 10 Training, tied and untied
#
# - **Question:** same text: who learns faster, who overfits?
# - **Builds on:** lessons 03 and 09
# - **Reading:** 25 minutes, and 2 for what is headed *Further*
# - **Exercise:** 45 minutes
# - **Run:** 7 seconds
#
# **Predict before you run.** A tied and an untied model of the same width read
# the same short text. Which one gets the lower perplexity on that text? Which
# one on a text that it has not seen?

# %%
import numpy as np

from figures import save_figure, training_curves
from tinytie import RNNLM
from tinytie.measure.perplexity import predict
from tinytie.text.batches import Batches
from tinytie.text.classes import ClassLanguage
from tinytie.training.optimizers import Adam
from tinytie.training.schedules import Constant
from tinytie.training.trainer import Epoch, Trainer

language = ClassLanguage.make(n_classes=10, words_each=20, rng=0)
V = len(language.words)
floor = np.exp(language.entropy())
print(f"V = {V}, perplexity of the best possible model {floor:.2f}")
print(" ".join(language.words[i] for i in language.sample(8, np.random.default_rng(1))))

# %% [markdown]
# You see an invented language. Its words, `ba0` to `ba19`, `da0` to `da19` and
# so on, come in ten classes; classes follow classes by chance, and each class
# says its first words more often. We know the dice, so we know the
# **entropy**: the loss of someone who knows the true chances, the mean of −log
# p of each word given the one before. **No model can get below its
# exponential**, the perplexity printed here, on new text. With real text
# nobody knows that number.
#
# ## One step of training
#
# A step is: loss, gradients, a small move against them. Adam (Kingma and Ba
# 2015) divides each move by the gradient's usual size, so that rare rows move
# too. `Batches` cuts the text into 20 long rows that are read side by side,
# ten words a step; the state goes on from step to step (lesson 08). Here is
# one step, by hand.

# %%
text = language.sample(4000, np.random.default_rng(0))  # (4000,) word ids
batches = Batches(text, batch_size=20, steps=10)  # (x, y), each (20, 10); y is x one word on
model = RNNLM(V, 16, tied=True, rng=0)
E = model.params["E"]
before, (x, y) = E.copy(), batches[0]
result = model.loss_and_grads(x, y)
Adam(rate=0.01).step(model.params, result.grads, model.frozen)  # frozen: what must stay, here none
print(f"first loss {result.loss:.2f} nats, ln V = {np.log(V):.2f}")
print(
    f"still one E: {model.params['E'] is E}; largest move of an entry {abs(E - before).max():.4f}"
)

# %% [markdown]
# You see the loss of a model that knows nothing, and E moved once, by the
# rate. E has one entry in `params` and one gradient, the sum; an optimizer
# that got E twice would step it twice.
#
# ## Three models
#
# What is a fair comparison? Two answers, so we take both: an untied model of
# the **same width**, which has more parameters, and one with the **same
# budget** of parameters, which is narrower.

# %%
models = {"tied": (16, True), "untied, same width": (16, False), "untied, same budget": (9, False)}
for name, (width, is_tied) in models.items():
    arrays = RNNLM(V, width, tied=is_tied, rng=0).params
    print(f"{name:20} D = {width:2}: {sum(a.size for a in arrays.values()):,} parameters")

# %% [markdown]
# You see that tying halves the embedding, and that the rest of the model is
# small here.
#
# ## Thirty times through the text
#
# A text that happens to suit one model proves nothing. So: three texts of
# 4,000 words, three starts, and the same new text to test on. Once through the
# text is an **epoch**; the number that a generator starts from is a **seed**.

# %%
unseen = language.sample(4000, np.random.default_rng(1000))  # nobody trains on it


def curves(width, is_tied, seed):
    text = language.sample(4000, np.random.default_rng(seed))
    model = RNNLM(V, width, tied=is_tied, rng=seed)
    trainer = Trainer(
        model, Adam(), Constant(0.01), Batches(text, 20, 10),
        lambda model: predict(model, unseen, steps=100, batch_size=40).loss, epochs=30,
    )  # fmt: skip
    epochs = [event for event in trainer.run() if isinstance(event, Epoch)]
    return np.exp([[epoch.train_loss, epoch.valid_loss] for epoch in epochs])  # (30, 2)


# %% [markdown]
# You see nothing yet. `Trainer` is the loop around the step above, with a look
# at `unseen` after each epoch. Now all nine runs.

# %% tags=["answer"]
found = {name: np.stack([curves(*m, seed) for seed in range(3)]) for name, m in models.items()}
print("perplexity, mean of three runs:          after 5 epochs     best    (lowest … highest)")
for name, runs in found.items():  # (3 seeds, 30 epochs, train and unseen)
    best = runs[..., 1].min(axis=1)
    early = f"{runs[:, 4, 1].mean():14.1f} {best.mean():8.1f}"
    print(f"{name:40} {early}    ({best.min():.1f} … {best.max():.1f})")

# %% [markdown]
# You see the untied model of the same width learn **faster**, and the tied one
# end **lower**. Two matrices are free to move at once; the tied one must suit
# both jobs with every move. Given its time it is ahead of both rivals: with
# the same width it has half the numbers and predicts better, with the same
# budget it has the wider E.
#
# ## Who overfits?

# %% tags=["answer"]
for name, runs in found.items():
    read, new = runs[:, -1].mean(axis=0)
    print(f"{name:20} at the end: text it read {read:.1f}, new text {new:.1f}")
below = sum(runs[:, -1, 0].max() < floor for runs in found.values())
print(f"below the floor of {floor:.1f} on the text it read: {below} of 3 models, in every run")

# %% [markdown]
# You see all three **below the floor** on the text that they read. Nobody can
# predict the dice; what is below the floor has been learned by heart, and the
# model **overfits**: better on the text it reads, worse on new text. The
# untied model of the same width knows most by heart, and pays most on new
# text. Tying took away the room for that: it *regularizes*.
#
# Press and Wolf (2017) found the same two signs on newspaper text: with tying,
# the perplexity of new text falls, while that of the training text mostly
# rises.
#
# ## The picture

# %%
figure = training_curves(found, floor)
print(save_figure(figure, "10_training"))

# %% [markdown]
# You see the untied model of the same width (squares) lowest on the left, and
# on the right first lowest, then highest. The bands are the lowest and highest
# of three runs.
#
# ## Further: every text, or on average?

# %%
best = {name: runs[..., 1].min(axis=1) for name, runs in found.items()}  # (3,) each
rivals = np.minimum(best["untied, same width"], best["untied, same budget"])
print(f"tied is best with {np.sum(best['tied'] < rivals)} of 3 texts")

# %% [markdown]
# You see it win each time. But mind the language: its words come in classes,
# and a class decides both what comes before a word and what comes after. That
# is what one matrix for both sides assumes. Lesson 13 breaks the assumption.
#
# ## What you can now say
#
# Tied, the model has half the embedding, learns more slowly, fits the text it
# reads less closely and, where the text suits it, new text better. Say which
# comparison you made, same width or same budget, and how many seeds.
#
# **The usual misconception:** "it has fewer parameters, so it must be weaker."
# **The cure:** the floor. What the larger model gains on its own text beyond
# the floor is worth nothing elsewhere.
#
# ## Exercise
#
# Open `lessons/exercises/10_training.py` and run `tinytie exercise 10`: find
# the width of an equal budget, predict what happens with half the text, and
# write the step of Adam.
#
# With that your page is whole. `tinytie my-model` trains it beside the
# package's model for thirty steps from the same start (the losses agree to ten
# digits), and `python my_model.py` then reads the English of Python's manual
# for half a minute: from perplexity V = 1,489 to below 150, and you see what
# it writes before, after one epoch, and at the end.
#
# **Then read** `tinytie/training/optimizers.py` and
# `tinytie/training/trainer.py`: a step, and the loop around it.
#
# **The last line of the run** should be
#
#     tied is best with 3 of 3 texts
