"""Lesson 05: write these two, then run `tinytie exercise 5`. About 25 minutes."""


def numeric_gradient(loss, array, step):
    """The central difference of loss(array) for every entry of the array. Same shape as array.

    loss takes an array of this shape and returns a number. The array must come back unchanged.
    The law: for a quadratic loss the result is exact, however large the step.
    """
    raise NotImplementedError("lesson 05, exercise 1: write the central difference")


def agrees(analytic, numeric):
    """Whether two gradients of the same array agree: True or False.

    The law: what differs by rounding (one part in 10⁹ of the largest entry) passes; what has one
    entry off by a hundredth of the largest fails; at every size of the gradient, 10⁻⁸ or 10⁴.
    """
    raise NotImplementedError("lesson 05, exercise 2: write the comparison")
