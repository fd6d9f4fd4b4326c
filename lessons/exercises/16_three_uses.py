"""Lesson 16: write these three, then run `tinytie exercise 16`. About 25 minutes."""


def collected(dE_encoder, dE_decoder, dE_output, tying):
    """What each token matrix of a translator collects: a dict of name -> gradient.

    Each argument is (V, D), the gradient through one use. The matrices, by tying:
        "none"        E_source (encoder), E_target (decoder), E_out (output)
        "decoder"     E_source (encoder), E (decoder and output)
        "three-way"   E (all three)
    The law: each gradient is the finite difference of the loss of a translator tied so.
    """
    raise NotImplementedError("lesson 16, exercise 1: add what belongs together")


def clashes(source_words, target_words):
    """How many ids name two different words, where the ids are the places in two lists.

    source_words, target_words: lists of words, maybe not equally long; an id that only one of the
    lists has cannot clash. These are the rows that three-way tying would share wrongly.
    """
    raise NotImplementedError("lesson 16, exercise 2: count the ids that clash")


def one_dictionary(source_words, target_words):
    """One dict of word -> id for both lists: the ids are 0 … n − 1 for n different words.

    A word of both lists has one id. In which order, you choose.
    """
    raise NotImplementedError("lesson 16, exercise 3: make one dictionary of two lists")
