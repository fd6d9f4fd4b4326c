"""One block of a Transformer, with its two residual sums: the body of the model, n_layers times.

post-norm   x₁ = LN₁(x + attention(x)),        x₂ = LN₂(x₁ + feed_forward(x₁))
pre-norm    x₁ = x + attention(LN₁(x)),        x₂ = x₁ + feed_forward(LN₂(x₁))

Dropout acts on what the attention and the feed-forward add. A residual sum uses x twice, so on
the way back two gradients meet there and are added. Sources: Vaswani et al. 2017, sections 3.1 and
5.4 (post-norm, dropout); Xiong et al. 2020 (pre-norm).
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from tinytie.ops.attention import (
    KeysValues,
    MultiHeadCache,
    multi_head_backward,
    multi_head_forward,
)
from tinytie.ops.dropout import DropoutCache, dropout_backward, dropout_forward
from tinytie.ops.feedforward import FeedForwardCache, feed_forward_backward, feed_forward_forward
from tinytie.ops.layernorm import LayerNormCache, layernorm_backward, layernorm_forward


class Block(NamedTuple):
    """The parameters of one block, or their gradients."""

    Wqkv: Any
    bqkv: Any
    Wo: Any
    bo: Any
    gain1: Any
    shift1: Any
    W1: Any
    b1: Any
    W2: Any
    b2: Any
    gain2: Any
    shift2: Any

    @property
    def attention(self) -> tuple[Any, Any, Any, Any]:
        return self[0:4]

    @property
    def norm1(self) -> tuple[Any, Any]:
        return self[4:6]

    @property
    def feed_forward(self) -> tuple[Any, Any, Any, Any]:
        return self[6:10]

    @property
    def norm2(self) -> tuple[Any, Any]:
        return self[10:12]


class BlockMasks(NamedTuple):
    """The dropout masks of one block, each (B, T, d); None drops nothing."""

    attention: Any
    feed_forward: Any


class BlockCache(NamedTuple):
    attended: MultiHeadCache
    dropped1: DropoutCache
    normed1: LayerNormCache
    fed: FeedForwardCache
    dropped2: DropoutCache
    normed2: LayerNormCache


def post_norm_forward(
    x: np.ndarray, block: Block, masks: BlockMasks, past: KeysValues | None,
    n_heads: int, activation: str,
) -> tuple[np.ndarray, BlockCache]:  # fmt: skip
    """x (B, T, d) -> (B, T, d): each sum is normalized."""
    a, attended = multi_head_forward(x, *block.attention, n_heads=n_heads, past=past)
    a, dropped1 = dropout_forward(a, masks.attention)
    x, normed1 = layernorm_forward(x + a, *block.norm1)
    f, fed = feed_forward_forward(x, *block.feed_forward, activation=activation)
    f, dropped2 = dropout_forward(f, masks.feed_forward)
    x, normed2 = layernorm_forward(x + f, *block.norm2)
    return x, BlockCache(attended, dropped1, normed1, fed, dropped2, normed2)


def post_norm_backward(dx, cache):
    """The lines of the forward from the last to the first. Returns dx and a `Block`."""
    dx, *dnorm2 = layernorm_backward(dx, cache.normed2)
    df = dropout_backward(dx, cache.dropped2)
    dx_fed, *dfeed_forward = feed_forward_backward(df, cache.fed)
    dx = dx + dx_fed  # x₁ is used twice: it stays in the sum, and feeds the feed-forward
    dx, *dnorm1 = layernorm_backward(dx, cache.normed1)
    da = dropout_backward(dx, cache.dropped1)
    dx_read, *dattention = multi_head_backward(da, cache.attended)
    dx = dx + dx_read  # x is used twice: it stays in the sum, and is read by the attention
    return dx, Block(*dattention, *dnorm1, *dfeed_forward, *dnorm2)


def pre_norm_forward(
    x: np.ndarray, block: Block, masks: BlockMasks, past: KeysValues | None,
    n_heads: int, activation: str,
) -> tuple[np.ndarray, BlockCache]:  # fmt: skip
    """x (B, T, d) -> (B, T, d): what enters the attention and the feed-forward is normalized."""
    n, normed1 = layernorm_forward(x, *block.norm1)
    a, attended = multi_head_forward(n, *block.attention, n_heads=n_heads, past=past)
    a, dropped1 = dropout_forward(a, masks.attention)
    x = x + a
    n, normed2 = layernorm_forward(x, *block.norm2)
    f, fed = feed_forward_forward(n, *block.feed_forward, activation=activation)
    f, dropped2 = dropout_forward(f, masks.feed_forward)
    return x + f, BlockCache(attended, dropped1, normed1, fed, dropped2, normed2)


def pre_norm_backward(dx, cache):
    """The lines of the forward from the last to the first. Returns dx and a `Block`."""
    df = dropout_backward(dx, cache.dropped2)
    dn, *dfeed_forward = feed_forward_backward(df, cache.fed)
    dx_fed, *dnorm2 = layernorm_backward(dn, cache.normed2)
    dx = dx + dx_fed  # x₁ is used twice: it stays in the sum, and feeds the feed-forward
    da = dropout_backward(dx, cache.dropped1)
    dn, *dattention = multi_head_backward(da, cache.attended)
    dx_read, *dnorm1 = layernorm_backward(dn, cache.normed1)
    dx = dx + dx_read  # x is used twice: it stays in the sum, and is read by the attention
    return dx, Block(*dattention, *dnorm1, *dfeed_forward, *dnorm2)


class Norm(NamedTuple):
    forward: Callable
    backward: Callable


NORMS = {
    "post": Norm(post_norm_forward, post_norm_backward),
    "pre": Norm(pre_norm_forward, pre_norm_backward),
}
