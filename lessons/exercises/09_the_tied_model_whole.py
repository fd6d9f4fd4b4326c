"""Lesson 09: write these three, then run `tinytie exercise 9`. About 30 minutes."""

# Here these are the reference's. `tinytie my-model` puts your own in their place, from lessons 02,
# 03 and 08, and says which ones you have not written yet.
from tinytie.course.reference import (
    backward_through_time,
    cross_entropy,
    cross_entropy_backward,
    forward_through_time,
    lookup,
    lookup_backward,
    scores,
    scores_backward,
)


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


def loss_and_grads(params, x, y, h0):
    """(loss, grads, h_T): the tied model, whole; grads has the seven names of params.

    params: E (V, D), W (H, D), U (H, H), b (H,), P (D, H), p (D,), c (V,); x and y (B, T) token
    ids; h0 (B, H) the state before the first word; h_T (B, H) the state after the last.

    Forward:  e = lookup,  h = the steps through time,  o = h Pᵀ + p,  s = o Eᵀ + c,  the loss.
    `scores` does both products: o is made of P and p as s is of E and c. It takes rows (N, H), so
    reshape h to (B·T, H), and its gradient back. The law: all seven gradients pass the check.
    """
    raise NotImplementedError("lesson 09, exercise 3: assemble the model from its functions")
