"""How far apart are the spaces that the columns of two matrices span?"""

import numpy as np


def principal_angles(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """The angles between span(A) and span(B) in radians, the smallest first.

    A (V, m), B (V, n) of full column rank; min(m, n) angles in [0, π/2]. With orthonormal bases
    Q_A and Q_B, the singular values of Q_Aᵀ Q_B are the cosines (Björck and Golub 1973).
    """
    cosines = np.linalg.svd(basis(A).T @ basis(B), compute_uv=False)
    return np.arccos(np.clip(cosines, 0.0, 1.0))


def subspace_distance(A: np.ndarray, B: np.ndarray) -> float:
    """√(mean sin² θ) over the principal angles: 0 for one space in the other, 1 for orthogonal.

    Times √n, it is the length of what is left of an orthonormal basis of the smaller space once
    its projection on the other is taken away.
    """
    return float(np.sqrt(np.mean(np.sin(principal_angles(A, B)) ** 2)))


def projection_residual(A: np.ndarray, B: np.ndarray) -> float:
    """min over S of ‖B − A S‖ / ‖B‖, Frobenius: what no mixture of A's columns gives of B.

    A (V, m), B (V, n); between 0 and 1. Unlike the angles, it weighs the directions in which B is
    large, and it is not symmetric.
    """
    Q, B = basis(A), B.astype(np.float64)
    return float(np.linalg.norm(B - Q @ (Q.T @ B)) / np.linalg.norm(B))


def chance_distance(V: int, m: int, n: int) -> float:
    """The root mean square of `subspace_distance` for two random spaces: √(1 − max(m, n) / V).

    A space of V directions or more is the whole one, and holds the other: 0.
    """
    return float(np.sqrt(max(0.0, 1 - max(m, n) / V)))


def basis(A):
    """Orthonormal columns that span what the columns of A span, in float64."""
    return np.linalg.qr(A.astype(np.float64))[0]
