"""The Transformer body: positions, then blocks, then a last norm where asked for.

h⁰ = e + pos,   h^{l+1} = block^l(h^l),   o = LN(h) or h
"""

from typing import Any, NamedTuple

import numpy as np

from tinytie.models import inputs
from tinytie.models.body import Body
from tinytie.models.masks import Drop, no_masks
from tinytie.models.transformer_block import NORMS, Block, BlockCache, BlockMasks
from tinytie.ops.attention import KeysValues
from tinytie.ops.dropout import DropoutCache, dropout_backward, dropout_forward
from tinytie.ops.layernorm import LayerNormCache, layernorm_backward, layernorm_forward
from tinytie.ops.positions import (
    PositionsCache,
    positions_backward,
    positions_forward,
    sinusoids,
)


class TransformerMasks(NamedTuple):
    """One mask for each place where Vaswani et al. 2017, section 5.4, drop; None drops nothing."""

    embedding: Any  # (B, T, d), on the sum of embedding and position
    blocks: tuple[BlockMasks, ...]  # on what each attention and each feed-forward adds


class TransformerCache(NamedTuple):
    placed: PositionsCache | None  # None where there are no positions
    dropped: DropoutCache
    blocks: list[BlockCache]
    normed: LayerNormCache | None


class TransformerBody(Body):
    """See `TransformerLM`, whose options these are."""

    def __init__(
        self, d_model: int, n_heads: int, n_layers: int, max_len: int, *, d_ff: int, norm: str,
        final_norm: bool, positions: str, activation: str, dropout: float,
    ) -> None:  # fmt: skip
        self.d_in = self.d_out = self.d = d_model
        self.n_heads, self.n_layers, self.d_ff, self.context = n_heads, n_layers, d_ff, max_len
        self.norm, self.final_norm, self.positions = norm, final_norm, positions
        self.activation = activation
        drop = Drop(dropout, d_model)
        self.drops = TransformerMasks(drop, (BlockMasks(drop, drop),) * n_layers)

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """pos, the twelve arrays of each block, and those of the last norm."""
        d, d_ff = self.d, self.d_ff
        block = Block(
            Wqkv=(3 * d, d), bqkv=(3 * d,), Wo=(d, d), bo=(d,), gain1=(d,), shift1=(d,),
            W1=(d_ff, d), b1=(d_ff,), W2=(d, d_ff), b2=(d,), gain2=(d,), shift2=(d,),
        )  # fmt: skip
        pos = {"pos": (self.context, d)} if self.positions == "learned" else {}
        blocks = named_blocks([block] * self.n_layers)
        final = {"final.gain": (d,), "final.shift": (d,)} if self.final_norm else {}
        return pos | blocks | final

    def initial_state(self, batch_size, dtype):
        """None: a Transformer carries nothing from one call to the next."""

    def checked_state(self, state, batch_size, dtype):
        """There is none."""
        if state is not None:
            raise ValueError(
                "a Transformer carries no state from call to call: leave state=None, "
                f"got {inputs.describe(state)}"
            )

    def start(self, batch_size, dtype):
        """The memory of `step`: for each block the keys and values of the tokens read, yet none.

        Without them each new token would read the whole text again, to the same keys and values.
        """
        nothing = np.empty((batch_size, self.n_heads, 0, self.d // self.n_heads), dtype)
        return (KeysValues(nothing, nothing),) * self.n_layers

    def step(self, e, params, memory):
        """One more vector, (B, 1, d), beside the keys and values of those before."""
        past = self._checked_memory(memory, self.start(len(e), e.dtype))
        o, _, cache = self.forward(e, params, past, no_masks(self.drops))
        return o, tuple(block.attended.kept for block in cache.blocks)  # the past, and e

    def forward(self, e, params, past, masks):
        """The equations above. past: None, or a memory of `step`; no state comes back."""
        start = 0 if past is None else past[0].k.shape[2]
        h, placed = self._placed(e, params, start)
        h, dropped = dropout_forward(h, masks.embedding)
        blocks = []
        for layer, drop in enumerate(masks.blocks):
            block = Block(*(params[f"block{layer}.{name}"] for name in Block._fields))
            before = None if past is None else past[layer]
            h, cache = NORMS[self.norm].forward(
                h, block, drop, before, n_heads=self.n_heads, activation=self.activation
            )
            blocks.append(cache)
        normed = None
        if self.final_norm:
            h, normed = layernorm_forward(h, params["final.gain"], params["final.shift"])
        return h, None, TransformerCache(placed, dropped, blocks, normed)

    def backward(self, do, cache):
        """The same lines in reverse."""
        dh, pos, final = do, {}, {}
        if self.final_norm:
            dh, *dfinal = layernorm_backward(do, cache.normed)
            final = dict(zip(("final.gain", "final.shift"), dfinal, strict=True))
        dblocks: list[Block] = []
        for block in reversed(cache.blocks):
            dh, dblock = NORMS[self.norm].backward(dh, block)
            dblocks.insert(0, dblock)
        dh = dropout_backward(dh, cache.dropped)
        if self.positions == "learned":
            dh, pos["pos"] = positions_backward(dh, cache.placed)
        return dh, pos | named_blocks(dblocks) | final

    def _placed(self, e, params, start):
        """e with its positions, from `start` on."""
        places = start + e.shape[1]
        if places > self.context:
            raise ValueError(
                f"{places} tokens in a row are more than max_len, which is {self.context}; cut the "
                "text into shorter pieces, or build the model with a larger max_len"
            )
        if self.positions == "none":
            return e, None
        learned = self.positions == "learned"
        pos = params["pos"] if learned else sinusoids(places, self.d, e.dtype)
        return positions_forward(e, pos, start)

    def _checked_memory(self, memory, empty):
        """The memory, where it differs from an empty one in nothing but the tokens it holds."""
        B, n_heads, _, d_k = empty[0].k.shape
        if not all_fit(memory, empty):
            raise ValueError(
                f"memory must be what start({B}) or the step before returned: keys and values of "
                f"shape ({B}, {n_heads}, places, {d_k}) and dtype {empty[0].k.dtype} for each of "
                f"the {len(empty)} blocks; got {inputs.describe(memory)}"
            )
        return memory


def named_blocks(blocks):
    """`Block`s as a dict: block0.Wqkv, …"""
    return {
        f"block{layer}.{name}": value
        for layer, block in enumerate(blocks)
        for name, value in block._asdict().items()
    }


def all_fit(memory, empty):
    """Whether two memories differ in nothing but their places."""
    if not isinstance(memory, tuple) or len(memory) != len(empty):
        return False
    if not all(isinstance(kept, KeysValues) for kept in memory):
        return False
    B, n_heads, _, d_k = empty[0].k.shape
    shape = (B, n_heads, memory[0].k.shape[2], d_k)
    arrays = [array for kept in memory for array in kept]
    return all(array.shape == shape and array.dtype == empty[0].k.dtype for array in arrays)
