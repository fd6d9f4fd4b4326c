"""How much of the scores' gradient passes the head?

The scores' gradient ds (N, V) comes back to the network as dh = ds E: only its part in the span of
E's D columns does anything there, the rest is multiplied by zero. Godey and Artzi 2026 call this a
gradient bottleneck.
"""

import numpy as np

from tinytie.measure.subspace import basis
from tinytie.ops.softmax import cross_entropy_backward, cross_entropy_forward


def share_that_passes(s: np.ndarray, y: np.ndarray, E: np.ndarray) -> float:
    """‖ds Q‖² / ‖ds‖², Q an orthonormal basis of the columns of E; chance is about D / V.

    s (..., V) scores, y (...) targets, E (V, D) the matrix that the scores were made with.
    """
    _, compared = cross_entropy_forward(s.astype(np.float64), y)
    ds = cross_entropy_backward(1.0, compared).reshape(-1, len(E))
    return float(np.sum((ds @ basis(E)) ** 2) / np.sum(ds**2))
