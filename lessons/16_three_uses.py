# %% [markdown]
# # 16 Three uses
#
# - **Question:** one matrix in a translator?
# - **Builds on:** lessons 04, 06 and 10
# - **Reading:** 25 minutes, and 4 for what is headed *Further*
# - **Exercise:** 40 minutes
# - **Run:** 30 seconds
#
# **Predict before you run.** A translator looks up words of the source, looks up the target's words
# so far, and scores the next one. How many token matrices can it have, one, two or three? And what
# must be true of the words before one is enough?

# %%
import numpy as np

from figures import save_figure, three_tyings
from tinytie import Translator, check_gradients, count_parameters
from tinytie.measure.bleu import bleu_words, corpus_bleu
from tinytie.measure.perplexity import perplexity
from tinytie.text.bpe import BPE, shared_subwords
from tinytie.text.numbers import english, french
from tinytie.text.pairs import PairBatches, encode_pairs, padded
from tinytie.training.optimizers import Adam

numbers = np.random.default_rng(16).permutation(1000).tolist()
pairs = [(english(n), french(n)) for n in numbers]
print(" = ".join(pairs[0]))
bpe = BPE.learn([text for pair in pairs for text in pair], 120)  # of both languages together
sentence = bpe.encode(french(83))
print(f"{bpe.vocab_size} subwords; {' '.join(bpe.spell(i) for i in sentence)}: {sentence}")

# %% [markdown]
# You see a pair of our little corpus, numbers in words, and how French is cut into **subwords**:
# pieces that occur often (␣ is a space), learned from both languages at once. So there is **one
# dictionary**: an id means one piece, whichever language it stands in.

# %%
encoded = encode_pairs(pairs, bpe)
test, train = encoded[:200], encoded[200:]
both = shared_subwords([pair.source for pair in train], [pair.target for pair in train])
print(f"{both:.0%} of the subwords in use are used by both languages")

# %% [markdown]
# You see a small share: the two have few words in common. One matrix needs one dictionary; it does
# not need equal words.
#
# ## Three uses, three gradients
#
# A translator is two recurrent networks: the **encoder** reads the source, and its last state is
# the first one of the **decoder**, a language model of the target. (It may also look back at the
# states that the encoder went through on its way: a weighted mean of them, which lesson 17 explains
# and which changes nothing here.) It is written once, for three matrices:
# `loss(E_source, E_target, E_out, rest)`.
#
#     none         three matrices
#     decoder      E_target and E_out are one, E_source is another
#     three-way    all three are one:   dE = dE_encoder + dE_decoder + dE_output

# %% tags=["answer"]
model = Translator(bpe.vocab_size, 4, tying="three-way", padding_id=0, rng=3)
source = padded([pair.source for pair in test[:3]])  # (B, S), 0 where a sentence has ended
target = padded([pair.target for pair in test[:3]])  # (B, T + 1)
result = model.loss_and_grads(source, target)
for use, path in result.embedding_paths._asdict().items():
    print(f"{use:8} {path.shape}: rows that are not zero {path.any(axis=1).sum()}")
print("their sum is the gradient:", np.allclose(result.grads["E"], sum(result.embedding_paths)))

# %% [markdown]
# You see two sparse paths and a dense one. Only the third one reaches every row.
#
# What if one of three is forgotten? The other two still train E, and nothing crashes.

# %%
encoder, decoder, output = result.embedding_paths  # (V, D) each
some = {"E": model.params["E"]}
for rule, claim in {
    "decoder + output": decoder + output,
    "encoder + output": encoder + output,
    "encoder + decoder + output": encoder + decoder + output,
}.items():
    report = check_gradients(lambda _: model.loss(source, target), some, {"E": claim}, rng=0)
    print(f"{rule:27} {report.verdict}")

# %% [markdown]
# You see one PASS.
#
# ## Further: without one dictionary
#
# Row i serves all three places, so id i must name the same thing in all of them. Two vocabularies
# of different sizes are refused:

# %%
try:
    Translator((300, 400), 32, tying="three-way")
except ValueError as error:
    print(error)

# %% [markdown]
# You see it said. But two vocabularies of **equal** size fit, and that is worse.

# %% tags=["answer"]
two = [BPE.learn([pair[side] for pair in pairs], 60) for side in (0, 1)]
merged = range(259, 259 + 60)  # below: bytes, the same in every dictionary
same = sum(two[0].spell(i) == two[1].spell(i) for i in merged)
print(f"{two[0].vocab_size} subwords each; of 60 learned ids {same} name the same piece")
print(f"id 270 is {two[0].spell(270)!r} in one and {two[1].spell(270)!r} in the other")

# %% [markdown]
# You see sizes that agree and ids that do not. Tie these, and the row of one word is pushed about
# by another; it trains, badly, and no error says why. The size is not the dictionary.
#
# ## Does it hurt?
#
# Three models, one for each way to tie, on 800 of the numbers; 200 are kept for the test. Each is
# trained twice, with the sentences in two random orders.


# %%
def trained(tying, seed):
    model = Translator(bpe.vocab_size, 32, tying=tying, padding_id=0, rng=0)
    batches, optimizer = PairBatches(train, 16, seed=seed), Adam()
    for epoch in range(30):
        optimizer.rate = 0.004 if epoch < 22 else 0.001
        batches.shuffle(epoch)
        for source, target in batches:
            found = model.loss_and_grads(source, target, paths=False)
            optimizer.step(model.params, found.grads, model.frozen)
    return model


unseen = [padded([getattr(pair, side) for pair in test]) for side in ("source", "target")]

# %% [markdown]
# You see nothing yet; the next cell takes a while.

# %%
asked = [bleu_words(french(n)) for n in numbers[:200]]
results = {}
for tying in ("none", "decoder", "three-way"):
    runs = [trained(tying, seed) for seed in (1, 2)]
    values = [perplexity(run.loss(*unseen)) for run in runs]
    found = [run.translate(unseen[0]).ids.tolist() for run in runs]
    texts = [[bleu_words(bpe.decode(row)) for row in rows] for rows in found]
    bleus = [corpus_bleu(text, asked, max_n=2).score for text in texts]
    size = count_parameters(runs[0])["total"]
    results[tying] = (size, values, bleus)
    print(f"{tying:9} {size:,} parameters, perplexity {values[0]:.1f} and {values[1]:.1f}")

# %% [markdown]
# You see the parameters fall to about a half, and two perplexities each, on numbers that were not
# seen. Look at the difference between two runs of one model before you compare two models: this
# little corpus cannot say which way to tie is better, nor what half of the parameters are worth.
# On large texts Press & Wolf could: three-way tying saves much and costs little.
#
# ## The picture

# %%
figure = three_tyings(results)
print(save_figure(figure, "16_three_uses"))

# %% [markdown]
# You see one clear difference, in the parameters. BLEU-2 says how much of the translations is
# right, in words and pairs of words; none of these has learned enough to be a good translator.

# %%
ways = {len(set(map(id, Translator(9, 4, tying=tying).embeddings()))) for tying in results}
print("encoder, decoder and output read one E" if 1 in ways else "there are always two")

# %% [markdown]
# You see it once more: three-way tying passes one array three times.
#
# ## What you can now say
#
# Three uses, three gradients, one sum. One matrix needs one dictionary: id i means one thing
# everywhere. Subwords learned from both languages give it.
#
# **The usual misconception:** "the languages must be alike", or "the sizes must agree".
# **The cure:** ask what row 270 stands for, in each of its places.
#
# ## Exercise
#
# Open `lessons/exercises/16_three_uses.py` and run `tinytie exercise 16`: collect the gradients of
# each way to tie, count the ids that clash, and make one dictionary of two.
#
# **Then read** `tinytie/models/translator.py` and `tinytie/text/bpe.py`: three contributions in
# sight, and the subwords.
#
# **The last line of the run** should be
#
#     encoder, decoder and output read one E
