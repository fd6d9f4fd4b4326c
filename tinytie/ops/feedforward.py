"""The feed-forward layer, y = W₂ f(W₁ x + b₁) + b₂, at each place alone. f is any activation.

Source: Vaswani et al. 2017, equation 2.
"""

from typing import NamedTuple

from tinytie.ops.activations import ACTIVATIONS
from tinytie.ops.linear import linear_backward, linear_forward


class FeedForwardCache(NamedTuple):
    widened: NamedTuple  # the cache of the linear layer W₁, b₁
    activated: NamedTuple  # the cache of f
    narrowed: NamedTuple  # the cache of the linear layer W₂, b₂
    activation: str


def feed_forward_forward(x, W1, b1, W2, b2, activation="relu"):
    """y = W₂ f(W₁ x + b₁) + b₂.

    x (B, T, d), W1 (d_ff, d), b1 (d_ff,), W2 (d, d_ff), b2 (d,); returns y (B, T, d).
    """
    a, widened = linear_forward(x, W1, b1)
    h, activated = ACTIVATIONS[activation].forward(a)
    y, narrowed = linear_forward(h, W2, b2)
    return y, FeedForwardCache(widened, activated, narrowed, activation)


def feed_forward_backward(dy, cache):
    """The three lines in reverse.

    dy (B, T, d); returns dx (B, T, d), dW1 (d_ff, d), db1 (d_ff,), dW2 (d, d_ff), db2 (d,).
    """
    widened, activated, narrowed, activation = cache
    dh, dW2, db2 = linear_backward(dy, narrowed)
    da = ACTIVATIONS[activation].backward(dh, activated)
    dx, dW1, db1 = linear_backward(da, widened)
    return dx, dW1, db1, dW2, db2
