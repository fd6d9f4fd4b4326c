"""Lesson 16: three uses of one matrix, and the one dictionary that they need."""

from functools import partial

import numpy as np

from tinytie.course.answers import Exercise, Wrong, numbers_of
from tinytie.course.evidence import law_of_gradient
from tinytie.models.translator import TYINGS, Translator

V, D = 7, 3
SOURCE = np.array([[3, 4, 3, 2], [5, 4, 2, 0]])
TARGET = np.array([[1, 4, 6, 2], [1, 3, 2, 0]])


def collected_law(answer):
    """Each gradient is the finite difference of the loss of a translator that is tied so."""
    for tying in TYINGS:
        model = Translator(V, D, tying=tying, padding_id=0, rng=answer.rng)
        for name in model.embedding_names:
            model.params[name] *= 4
        paths = model.loss_and_grads(SOURCE, TARGET).embedding_paths
        if paths is None:
            raise RuntimeError("a translator keeps its paths unless told not to")
        encoder, decoder, output = paths
        got = answer(dE_encoder=encoder, dE_decoder=decoder, dE_output=output, tying=tying)
        check_names(got, model, tying)
        for name in model.embedding_names:
            result = numbers_of(got[name], (V, D))
            loss = partial(model.loss, SOURCE, TARGET)
            suspects = partial(mistakes, paths)
            named = f"{tying}, {name}"
            law_of_gradient(result, loss, model.params[name], suspects, name=named)


def check_names(got, model, tying):
    """Raise Wrong unless it is a dict with the names of this way to tie."""
    if got is None:
        raise Wrong("it returns None: is a return missing?")
    if not isinstance(got, dict):
        raise Wrong(f"it must return a dict of name -> gradient, and returns {type(got).__name__}")
    wanted = set(model.embedding_names)
    if set(got) != wanted:
        raise Wrong(
            f'with tying="{tying}" the matrices are {", ".join(sorted(wanted))}, and you name '
            f"{', '.join(map(str, got)) or 'none'}"
        )


def mistakes(paths):
    """What each usual mistake would give."""
    encoder, decoder, output = paths
    return {
        "the encoder's use is missing": decoder + output,
        "the decoder's use is missing": encoder + output,
        "the output's use is missing": encoder + decoder,
        "only the encoder's use is there": encoder,
        "only the decoder's use is there": decoder,
        "only the output's use is there": output,
        "the encoder's use is here too, and it has a matrix of its own": sum(paths),
        "this is the mean of the three uses; by the chain rule they add": sum(paths) / 3,
        "this is the mean of two uses; by the chain rule they add": (decoder + output) / 2,
        "the decoder's use is counted twice": encoder + 2 * decoder + output,
        "the output's use is counted twice": encoder + decoder + 2 * output,
        "the encoder's use is counted twice": 2 * encoder + decoder + output,
    }


LISTS = [
    (["the", "cat", "table", "sat"], ["le", "chat", "table"]),  # clash, clash, same, only one
    (["a", "b", "c"], ["b", "c", "a"]),  # the same words, every id another one
    (["six", "taxi"], ["six", "taxi", "deux", "trois"]),
]


def drawn(rng):
    """Two lists of words, partly the same."""
    words = [f"w{i}" for i in range(20)]
    return tuple(rng.permutation(words)[:n].tolist() for n in rng.integers(6, 12, 2))


def clashes_law(answer):
    """The places where both lists have a word, and not the same."""
    for source, target in [*LISTS, drawn(answer.rng)]:
        got = answer.number(source_words=source, target_words=target)
        both = list(zip(source, target, strict=False))
        right = sum(a != b for a, b in both)
        if got == right:
            continue
        wrong = {
            "that counts the ids that agree": sum(a == b for a, b in both),
            "an id that only one list has cannot clash": right + abs(len(source) - len(target)),
            "that counts words; a word of both lists may still have two ids": len(
                set(source) ^ set(target)
            ),
            "that counts the words of one list that the other lacks; compare place by place": len(
                set(source) - set(target)
            ),
        }
        where = f" (for {source} and {target})"
        for sentence, number in wrong.items():
            if got == number:
                raise Wrong(sentence + where)
        raise Wrong(f"you count {got:g} clashes, and there are {right}{where}")


def dictionary_law(answer):
    """Every word has one id, and the ids are 0 … n − 1."""
    for source, target in [*LISTS, drawn(answer.rng)]:
        got = answer(source_words=source, target_words=target)
        words = {*source, *target}
        if not isinstance(got, dict):
            raise Wrong(f"it must return a dict of word -> id, and returns {type(got).__name__}")
        explain_dictionary(got, words, set(source) & set(target))


def explain_dictionary(got, words, shared):
    missing, more = sorted(words - set(got), key=str), sorted(set(got) - words, key=str)
    if missing:
        raise Wrong(f"the word {missing[0]!r} has no id")
    if more:
        raise Wrong(f"{more[0]!r} is in the dictionary, and in neither list")
    ids = sorted(got.values())
    if len(set(ids)) < len(ids):
        twice = next(i for i in ids if ids.count(i) > 1)
        named = [word for word in got if got[word] == twice]
        raise Wrong(f"id {twice} names {named[0]!r} and {named[1]!r}: two words would share a row")
    if ids == list(range(1, len(ids) + 1)):
        raise Wrong("the ids count from 1; rows count from 0")
    if ids != list(range(len(ids))):
        hint = f"; {sorted(shared)[0]!r} is in both lists: was it counted twice?" if shared else ""
        raise Wrong(f"{len(ids)} words have the ids {ids}, with holes{hint}")


EXERCISES = [
    Exercise("collected", collected_law),
    Exercise("clashes", clashes_law),
    Exercise("one_dictionary", dictionary_law),
]
