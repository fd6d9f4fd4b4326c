"""Causal self-attention: each place reads itself and the places before it, and no later one.

q, k, v = W_qkv x + b_qkv            a query, a key and a value for each place, cut into heads
A = softmax(q kᵀ / √d_k + mask)      mask: −∞ where the key stands later than the query
o = A v                              what each place reads
y = W_o o + b_o                      the heads side by side, mixed

B batch, T places, d width, d_k = d / n_heads. Source: Vaswani et al. 2017, equation 1 and
section 3.2.2. Two pairs: `attention` is A and o, `multi_head` the whole.
"""

import math
from typing import NamedTuple

import numpy as np

from tinytie.ops.linear import linear_backward, linear_forward
from tinytie.ops.softmax import softmax


class AttentionCache(NamedTuple):
    q: np.ndarray  # (B, n_heads, T, d_k)
    k: np.ndarray  # (B, n_heads, S, d_k)
    v: np.ndarray  # (B, n_heads, S, d_k)
    A: np.ndarray  # (B, n_heads, T, S); each row sums to one


def attention_forward(q, k, v):
    """o = A v with A = softmax(q kᵀ / √d_k + mask). The T queries are the last T of S places.

    q (B, n_heads, T, d_k), k and v (B, n_heads, S, d_k) with S >= T; returns o like q.
    """
    T, S, d_k = q.shape[-2], k.shape[-2], k.shape[-1]
    A = softmax(q @ k.mT / math.sqrt(d_k) + causal_mask(T, S, q.dtype))
    return A @ v, AttentionCache(q, k, v, A)


def attention_backward(do, cache):
    """o = A v, so dv = Aᵀ do and dA = do vᵀ; then back through the softmax of each row,

        ds = A ∘ (dA − Σ_j A_j dA_j),

    and s = q kᵀ / √d_k, so dq = ds k / √d_k and dk = dsᵀ q / √d_k. Where A is 0, in the future,
    ds is 0 too: the mask needs no line of its own.
    do like q; returns dq, dk, dv.
    """
    q, k, v, A = cache
    dv = A.mT @ do
    dA = do @ v.mT
    ds = A * (dA - np.vecdot(A, dA)[..., None])
    ds /= math.sqrt(k.shape[-1])
    dq = ds @ k
    dk = ds.mT @ q
    return dq, dk, dv


def causal_mask(T, S, dtype):
    """0 where a query may look, −∞ where the key is later. The last query sees all keys. (T, S)"""
    return np.where(np.tri(T, S, S - T, dtype=bool), 0, -np.inf).astype(dtype)


class KeysValues(NamedTuple):
    """The keys and values of the places already read: what sampling keeps from step to step."""

    k: np.ndarray  # (B, n_heads, S, d_k)
    v: np.ndarray  # (B, n_heads, S, d_k)


class MultiHeadCache(NamedTuple):
    projected: NamedTuple  # the cache of the linear layer over q, k and v
    attended: AttentionCache
    mixed: NamedTuple  # the cache of the linear layer over the heads

    @property
    def kept(self):
        """All keys and values, those of the past and the new ones."""
        return KeysValues(self.attended.k, self.attended.v)


def multi_head_forward(x, Wqkv, bqkv, Wo, bo, n_heads, past=None):
    """The equations above. Head i uses the i-th d_k rows of each third of Wqkv.

    x (B, T, d), Wqkv (3d, d) in the order q, k, v, bqkv (3d,), Wo (d, d), bo (d,), past a
    `KeysValues` of the places before x, or None; returns y (B, T, d).
    """
    qkv, projected = linear_forward(x, Wqkv, bqkv)  # of all places and heads, in one product
    q, k, v = (split_heads(part, n_heads) for part in np.split(qkv, 3, axis=-1))
    if past is not None:
        k, v = np.concatenate([past.k, k], axis=2), np.concatenate([past.v, v], axis=2)
    o, attended = attention_forward(q, k, v)
    y, mixed = linear_forward(merge_heads(o), Wo, bo)
    return y, MultiHeadCache(projected, attended, mixed)


def multi_head_backward(dy, cache):
    """The same lines in reverse; the past is a constant.

    x is read three times, as query, as key and as value: dx = W_qᵀ dq + W_kᵀ dk + W_vᵀ dv, which
    is the one product W_qkvᵀ dqkv.
    dy (B, T, d); returns dx (B, T, d), dWqkv (3d, d), dbqkv (3d,), dWo (d, d), dbo (d,).
    """
    projected, attended, mixed = cache
    n_heads, T = attended.q.shape[1:3]
    do, dWo, dbo = linear_backward(dy, mixed)
    dq, dk, dv = attention_backward(split_heads(do, n_heads), attended)
    new = slice(attended.k.shape[2] - T, None)  # the places of x, after those of the past
    dqkv = np.concatenate([dq, dk[:, :, new], dv[:, :, new]], axis=1)
    dx, dWqkv, dbqkv = linear_backward(merge_heads(dqkv), projected)
    return dx, dWqkv, dbqkv, dWo, dbo


def split_heads(x, n_heads):
    """(B, T, d) -> (B, n_heads, T, d_k), a view."""
    B, T, d = x.shape
    return x.reshape(B, T, n_heads, d // n_heads).swapaxes(1, 2)


def merge_heads(x):
    """(B, n_heads, T, d_k) -> (B, T, d): the heads side by side."""
    B, n_heads, T, d_k = x.shape
    return x.swapaxes(1, 2).reshape(B, T, n_heads * d_k)
