"""The body of a Transformer: from token ids to the vectors that meet the scores."""

from typing import Any, NamedTuple

from tinytie.models.transformer_block import Block, BlockCache
from tinytie.ops.dropout import DropoutCache, dropout_backward, dropout_forward
from tinytie.ops.embedding import EmbeddingCache, embedding_forward
from tinytie.ops.layernorm import LayerNormCache, layernorm_backward, layernorm_forward
from tinytie.ops.positions import PositionsCache, positions_backward, positions_forward


class Rest(NamedTuple):
    """Every parameter but the embeddings; None where the model has no such array."""

    pos: Any
    blocks: list[Block]
    final: tuple | None = None  # (gain, shift) of the final norm
    c: Any = None

    @classmethod
    def of(cls, params, n_layers):
        """From a dict of names."""
        blocks = [
            Block(*(params[f"block{layer}.{name}"] for name in Block._fields))
            for layer in range(n_layers)
        ]
        final = None
        if "final.gain" in params:
            final = params["final.gain"], params["final.shift"]
        return cls(params.get("pos"), blocks, final, params.get("c"))

    def named(self):
        """Back to a dict of names."""
        gain, shift = self.final or (None, None)
        named = {"pos": self.pos}
        for layer, block in enumerate(self.blocks):
            named |= {f"block{layer}.{name}": array for name, array in block._asdict().items()}
        named |= {"final.gain": gain, "final.shift": shift, "c": self.c}
        return {name: array for name, array in named.items() if array is not None}


class HiddenCache(NamedTuple):
    looked: EmbeddingCache
    placed: PositionsCache
    dropped: DropoutCache
    blocks: list[BlockCache]
    normed: LayerNormCache | None


def hidden_forward(E_in, rest, x, pos, masks, past, norm, scale):
    """h = blocks(scale · E_in[x] + pos), normalized once more where there is a final norm.

    pos (max_len, d), learned or fixed; past a tuple with `KeysValues` or None for each block.
    Returns h (B, T, d) and the cache; its blocks know the keys and values of all places.
    """
    start = 0 if past[0] is None else past[0].k.shape[2]
    e, looked = embedding_forward(x, E_in, scale)
    h, placed = positions_forward(e, pos, start)
    h, dropped = dropout_forward(h, masks.embedding)
    blocks = []
    for block, mask, before in zip(rest.blocks, masks.blocks, past, strict=True):
        h, cache = norm.forward(h, block, mask, before)
        blocks.append(cache)
    normed = None
    if rest.final is not None:
        h, normed = layernorm_forward(h, *rest.final)
    return h, HiddenCache(looked, placed, dropped, blocks, normed)


def hidden_backward(dh, cache, norm):
    """The same lines in reverse. Returns de, the cache of the lookup, and dpos, dblocks, dfinal."""
    looked, placed, dropped, blocks, normed = cache
    dfinal = None
    if normed is not None:
        dh, *dfinal = layernorm_backward(dh, normed)
    dblocks: list[Block] = []
    for block in reversed(blocks):
        dh, dblock = norm.backward(dh, block)
        dblocks.insert(0, dblock)
    dh = dropout_backward(dh, dropped)
    de, dpos = positions_backward(dh, placed)
    return de, looked, dpos, dblocks, dfinal
