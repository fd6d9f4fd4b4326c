"""Lesson 09: write these two, then run `tinytie exercise 9`. About 30 minutes."""


def suspects(failed):
    """The lines of the backward that may be the broken one: a set of names, as {"lookup"}.

    The backward walks these lines, and each gives the gradients of its own parameters:

        scores       E_out, c
        projection   P, p
        recurrence   W, U, b
        lookup       E_in

    failed: the set of parameters whose gradient the check rejects. Exactly one line is broken. A
    broken line gives wrong gradients to some or all of its own parameters, or it hands a wrong
    gradient down to the next line, or both. A line that is handed a wrong gradient gives wrong
    ones to all of its parameters, and hands a wrong one down.
    Nothing failed: the empty set, set().
    """
    raise NotImplementedError("lesson 09, exercise 1: walk back from the loss")


def smallest_failure(fails, sentence):
    """A part of `sentence`, a list of word ids, that still fails and cannot lose one word more.

    fails(part) is True where a check rejects a planted bug on this part; fails(sentence) is True.
    The words keep their order. The law: the part fails, and without any one of its words it passes.
    Hypothesis shrinks so, with `find`; a loop of your own will do. Do not try all parts: there
    are 2^n.
    """
    raise NotImplementedError("lesson 09, exercise 2: take words away as long as it fails")
