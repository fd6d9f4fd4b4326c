# %% [markdown]
# # 01 One matrix, two jobs
#
# - **Question:** what do a lookup and a row of scores have in common?
# - **Builds on:** matrix products in NumPy
# - **Reading:** 25 minutes, and 9 for what is headed *Further*
# - **Exercise:** 25 minutes
# - **Run:** 1 second
#
# **Predict before you run.** The matrix E below has seven rows, one a word.
# Looking up `the cat sat` reads how many of them? Scoring which word comes
# next reads how many?

# %%
import inspect

import numpy as np

from figures import one_matrix_two_jobs, save_figure
from tinytie.ops.embedding import embedding_forward, onehot
from tinytie.ops.softmax import scores_forward, softmax

words = ["the", "cat", "dog", "sat", "ran", "on", "mat"]
rng = np.random.default_rng(9)
E = rng.normal(size=(7, 4)).round(2)  # (V, D): a row a word, V = 7 words, D = 4 numbers each
print(f"E has the shape {E.shape}; the row of 'cat' is {E[1]}")

# %% [markdown]
# You see one row of four numbers, the **embedding** of `cat`. Nobody chose
# them: training will move them. Words become rows of E by their **token ids**:
# `the` is 0, `cat` is 1, and so on. Letters in brackets are shapes: V words, D
# numbers each and, below, B sentences of T places.
#
# ## Job one: a lookup

# %% tags=["answer"]
x = np.array([[0, 1, 3]])  # (B, T) = (1, 3): one sentence, "the cat sat"
e, _ = embedding_forward(x, E)  # (B, T, D)
print(f"ids {x.shape} become rows {e.shape}")
for t, word in enumerate(["the", "cat", "sat"]):
    print(f"{word:4} {e[0, t]}")

# %% [markdown]
# You see three rows of E, copied. A word is never multiplied with anything, so
# where is the matrix product that papers write, e_t = Eᵀ x_t? There, x_t is a
# **one-hot** column: zeros, and a single 1 at the word's id. Our arrays hold
# rows, so the same product reads onehot(x) @ E.

# %%
picks = onehot(x, 7)  # (B, T, V) = (1, 3, 7)
print(picks[0])
print(f"{picks.shape} @ {E.shape} -> {(picks @ E).shape}")
print("the product equals the lookup:", np.array_equal(picks @ E, e))

# %% [markdown]
# You see one 1 in each row, and `True`. A lookup **is** a product; the code
# only skips the zeros. Here it is, whole. (The second thing that each
# operation returns is what its gradient will need.)

# %%
print(inspect.getsource(embedding_forward))

# %% [markdown]
# You see that the work is one line, `e = E[x]`.
#
# ## Job two: scores
#
# A language model turns the words so far into one vector h, and asks: which
# word is next? It gives each word a **score**, the dot product of h with that
# word's row, s = E h. (Libraries call scores *logits*.) **Softmax** turns
# scores into probabilities, positive numbers that sum to 1:
#
#     ŷ_i = exp(s_i) / Σ_j exp(s_j)          in the code: p

# %% tags=["answer"]
h = np.array([0.5, -1.0, 0.25, 1.0])  # (D,): as wide as a row, or there is no dot product
s, _ = scores_forward(h, E)  # (V,)
p = softmax(s)  # (V,)
for word, score, chance in zip(words, s, p, strict=True):
    print(f"{word:4} score {score:6.3f}  probability {chance:.3f}")
print(f"the score of 'cat' by hand: {E[1] @ h:.3f}")

# %% [markdown]
# You see seven scores: every row was used, whether or not its word occurs in
# the sentence.
#
# So both jobs have a matrix with a row a word. In the lookup, a row says what
# a word **means as input**; in the scores, what to **expect before it comes**.
# Untied models keep two matrices, E_in and E_out. **Tying** is to pass the
# same array twice. Lesson 04 finds its gradient.
#
# ## Further: three sentences you may have read, and a number for each
#
# *"The dimensions only align if the output layer has no bias."* A bias c is
# added to the scores, after the product. It never touches the shape of E.

# %%
c = rng.normal(size=7)  # (V,): one number a word
with_bias, _ = scores_forward(h, E, c)
print(f"scores without a bias {s.shape}, with a bias {with_bias.shape}, E {E.shape} in both")

# %% [markdown]
# You see the same shapes. What must align is the width H of h with the width
# of a row: D = H. (Lesson 14 shows what to do where they differ.) To drop the
# bias is a choice: Press & Wolf (2017) tie and keep it, Inan et al. (2017) tie
# and drop it.
#
# *"EᵀE is the V × V similarity of the words."* With a row a word it is E Eᵀ.
# Its **rank**, the largest number of rows of which none is a mixture of the
# others, cannot be more than E has columns. (The rows (1, 0), (0, 1) and (1,
# 1) have rank 2: each is a mixture of the other two.)

# %%
print(f"EᵀE is {(E.T @ E).shape}, E Eᵀ is {(E @ E.T).shape}")
print(f"the rank of E Eᵀ is {np.linalg.matrix_rank(E @ E.T)}, not 7")

# %% [markdown]
# You see that only E Eᵀ has an entry for each pair of words.
#
# *"A lookup computes a similarity."* It computes nothing: it copies a row. Dot
# products are made at the other end, by the scores.
#
# *"The word whose row is most aligned with h wins."* A score is a dot product,
# so the length of the row counts as well as its direction.

# %%
lengths = np.linalg.norm(E, axis=1)  # (V,)
cosines = s / (lengths * np.linalg.norm(h))  # (V,): the direction alone
aligned, winner = cosines.argmax(), s.argmax()
for role, i in (("most aligned", aligned), ("most probable", winner)):
    print(f"{role:13} {words[i]:4} cosine {cosines[i]:.3f} length {lengths[i]:.3f} p {p[i]:.3f}")

# %% [markdown]
# You see two different words: a longer row beats a better direction.
#
# What does hold, without a bias: words with near rows get near probabilities,
#
#     |log p_i − log p_j|  =  |s_i − s_j|  =  |(e_i − e_j) · h|  ≤  ‖e_i − e_j‖ ‖h‖
#
# where e_i is row i. (Both words divide by the same sum, so it cancels in the
# difference. A dot product is at most the product of the lengths ‖·‖.)

# %%
apart = np.linalg.norm(E[:, None] - E[None, :], axis=2) * np.linalg.norm(h)  # (V, V)
ratio = np.abs(np.log(p)[:, None] - np.log(p)[None, :])  # (V, V)
pairs = np.triu_indices(7, k=1)
held = ratio[pairs] <= apart[pairs]
print(f"the law holds for {held.sum()} of {held.size} pairs of words")

# %% [markdown]
# You see all 21 pairs.
#
# ## What tying saves
#
# *"Tying halves the parameters."* It halves the **embedding** parameters. What
# that is worth depends on the rest. Two models, counted from their published
# sizes. (A block is what stands between lookup and scores, several times over;
# lesson 17 opens one. Here, only count.)

# %%
V_gpt, D = 50_257, 768  # GPT-2 small: 12 blocks, 1,024 learned positions, tied
gpt_other = 1024 * D + 12 * (12 * D**2 + 13 * D) + 2 * D  # positions, blocks, one last scaling
V_llama, D_llama, F = 32_000, 4096, 11_008  # LLaMA-7B: 32 blocks, untied
llama_other = 32 * (4 * D_llama**2 + 3 * D_llama * F + 2 * D_llama) + D_llama
gpt, llama = V_gpt * D, V_llama * D_llama
print(f"GPT-2 small: E {gpt:,} of {gpt + gpt_other:,} is {gpt / (gpt + gpt_other):.1%}")
untied = 2 * llama + llama_other
print(f"LLaMA-7B:    E {llama:,} of {untied:,} is {llama / untied:.1%}, not tied")
print(f"that one matrix in float32: {llama * 4 / 2**20:.0f} MiB")

# %% [markdown]
# You see why small models tie and very large ones often do not: nearly a
# third, against a fiftieth.
#
# ## The picture
#
# Every lesson has one. It is saved in the folder `pictures` beside the
# lesson's file.

# %%
figure = one_matrix_two_jobs(E, words, x, s)
print(save_figure(figure, "01_one_matrix_two_jobs"))

# %% [markdown]
# You see the same seven rows on both sides: three of them framed, all of them
# scored.

# %%
tied, untied_too = gpt + gpt_other, 2 * gpt + gpt_other
print(f"GPT-2 small has {tied:,} parameters tied, and would have {untied_too:,} untied")

# %% [markdown]
# You see what the second matrix would cost.
#
# ## The letters, here and elsewhere
#
# | | input matrix | output matrix | a word is | recurrent, input weights |
# | --- | --- | --- | --- | --- |
# | this course | E (V × D), or E_in | E, or E_out | a row | U, W |
# | course notes on recurrent models | E (d × V) | V, tied: Eᵀ | a column of E | U, W |
# | Press & Wolf 2017 | U (C × H) | V (C × H), tied: U | a row | inside the LSTM |
# | Inan et al. 2017 | L (d × V) | W (V × d), tied: Lᵀ | a column of L | inside the LSTM |
# | most libraries | embedding.weight (V, D) | linear.weight (V, D) | a row | names vary |
#
# Mind that V is the vocabulary's size in one source and a matrix in the next.
# Always ask for the shape.
#
# ## What you can now say
#
# A lookup is onehot(x) @ E and reads the rows that occur; scores are h @ Eᵀ
# and read every row.
#
# **The usual misconception:** "the embedding is a table, the output layer is a
# layer: two kinds of things." **The cure:** write both as products with the
# shapes, and find the same (V, D) matrix.
#
# ## Exercise
#
# Open `lessons/exercises/01_one_matrix_two_jobs.py`, write the three
# functions, and run `tinytie exercise 1`. The last one asks which share of the
# untied model tying saves; the two numbers of GPT-2 small above let you see
# whether yours can be right.
#
# **Then read** `tinytie/ops/embedding.py`: the lookup that you have printed,
# and what it keeps.
#
# **The last line of the run** should be
#
#     GPT-2 small has 124,439,808 parameters tied, and would have 163,037,184 untied
