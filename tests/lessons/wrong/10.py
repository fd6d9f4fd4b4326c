"""Wrong answers to lesson 10. Docstring: the exercise, and what the message must say."""


def count(V, D, matrices):
    return matrices * V * D + 2 * D * D + D + V


def half_the_width(V, D):
    """equal_budget: makes only the embeddings equal"""
    return D // 2


def the_same_width(V, D):
    """equal_budget: has V · D parameters more"""
    return D


def never_above(V, D):
    """equal_budget: the nearest may be above it"""
    return max((w for w in range(1, D + 1) if count(V, w, 2) <= count(V, D, 1)), default=1)


def one_wider(V, D):
    """equal_budget: another width comes nearer"""
    return 1 + min(range(1, D + 1), key=lambda w: abs(count(V, w, 2) - count(V, D, 1)))


def more_parameters_win():
    """true_at_half: claim 2: the runs say no: the larger model can learn even more"""
    return {1, 2, 4}


def tying_matters_less():
    """true_at_half: claim 3: the runs say no"""
    return {1, 3, 4}


def harder_to_fit():
    """true_at_half: claim 4: the runs say yes"""
    return {1}


def more_uncertain():
    """true_at_half: claim 5: the runs say no: entropy is a number of the language"""
    return {1, 4, 5}


def a_list():
    """true_at_half: it must return a set"""
    return [1, 4]
