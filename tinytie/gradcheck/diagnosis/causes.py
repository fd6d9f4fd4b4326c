"""The closed list of causes that a diagnosis may name, and the rule by which it names one.

Each cause says which wrong gradient it makes. A cause fits where that gradient explains the given
one: misfit = |given − made| / |given − right|, 0 where everything is explained and 1 where nothing
is. One is named only where its misfit is tiny and no other on the list fits as well.
"""

from typing import NamedTuple

CAUSES = {
    "input path missing": "the gradient through the lookup is not in it",
    "output path missing": "the gradient through the scores is not in it",
    "input path twice": "the gradient through the lookup is in it twice",
    "output path twice": "the gradient through the scores is in it twice",
    "paths overwritten": "rows that were looked up hold the lookup's gradient instead of the sum",
    "embedding scale": "the factor on the looked-up rows is forgotten, applied twice or misplaced",
    "repeated tokens lost": "only one place of a token that occurs more than once is counted",
    "rows shifted": "the gradient is written one row of the vocabulary too high or too low",
    "shifted by one step": "inputs or targets of the step before or after are used",
    "last step only": "only the last time step is counted",
    "first step only": "only the first time step is counted",
    "future gradient dropped": "what comes back from the next step (dh_next) is not added",
    "state cut inside": "the gradient stops at a step inside the sequence",
    "initial state missing": "the first step is treated as if the state before it were zero",
    "constant factor": "it is the right gradient times a constant",
    "wrong sign": "it is the right gradient times −1",
    "transposed": "it is the transpose of the right gradient",
    "lookup put at targets": "the lookup's gradient is put in the rows of the targets y",
    "lookup for hidden": "the scores' gradient is made with what was looked up instead of with o",
    "slope at the wrong point": "the slope of tanh is not taken as 1 − h²",
    "matrix not transposed": "a square matrix is used the wrong way round on the way back",
    "state wrapped": "the states are shifted so that the first step takes the last one's",
    "sum missing": "it holds one part for each place, whose sum is the right gradient",
    "all zero": "it holds only zeros, as if it was never filled in",
}

TINY = 1e-9  # the misfit that a cause may have, beside what the measurement itself may be off
TELLING = 1e-2  # measurement error, as a share of what is to be explained, above which all is vague


NOTHING = "nothing on the list of known mistakes makes this gradient"
NO_MORE = (
    "it is neither a constant times the right gradient nor its transpose; no more is tried here"
)
ODD = "a gradient that cannot be compared with the right one has no cause on the list"
SMALL = "what is wrong is too small beside rounding to tell the causes apart"
FEW = "it is a constant times the right gradient, but in too few entries to call that the cause"
KINK = "the loss has a kink along random directions, so that no cause can be confirmed"


class Fit(NamedTuple):
    """A cause that explains the whole of what is wrong."""

    cause: str
    detail: str


def chosen(fits: list[Fit], otherwise: str) -> tuple[str | None, str]:
    """The one cause that fits, and its explanation; or None, and why there is none.

    otherwise: what is said where no cause fits.
    """
    causes = list(dict.fromkeys(fit.cause for fit in fits))
    if not causes:
        return None, otherwise
    if len(causes) > 1:
        return None, "these cannot be told apart here: " + "; ".join(causes)
    details = list(dict.fromkeys(fit.detail for fit in fits if fit.detail))
    said = CAUSES[causes[0]]
    return causes[0], f"{said} ({' or '.join(details)})" if details else said
