"""Where dropout acts in a Transformer, and the masks it draws there."""

from typing import NamedTuple

import numpy as np

from tinytie.models.transformer_block import BlockMasks
from tinytie.ops.dropout import dropout_mask


class TransformerMasks(NamedTuple):
    """One mask for each place where Vaswani et al. 2017, section 5.4, drop; None drops nothing."""

    embedding: np.ndarray | None  # (B, T, d), on the sum of embedding and position
    blocks: tuple[BlockMasks, ...]  # on what each attention and each feed-forward adds


def each_mask(f, masks):
    """f of every mask in its place: the embedding's, then block by block."""
    embedding = f(masks.embedding)
    return TransformerMasks(embedding, tuple(BlockMasks(*map(f, b)) for b in masks.blocks))


def no_masks(n_layers):
    """Masks that drop nothing."""
    return TransformerMasks(None, (BlockMasks(None, None),) * n_layers)


def draw_masks(rng, p, shape, n_layers, dtype):
    """New masks of this shape; with p = 0 there are none."""
    if p == 0:
        return no_masks(n_layers)
    return each_mask(lambda _: dropout_mask(rng, shape, p, dtype), no_masks(n_layers))


def check_masks(masks, shape, n_layers, dtype):
    """The masks to replay, each None or of this shape, in the model's dtype."""
    if not isinstance(masks, TransformerMasks):
        raise TypeError(
            f"masks must be TransformerMasks as loss_and_grads returns them, got {type(masks)}"
        )
    if len(masks.blocks) != n_layers:
        raise ValueError(f"masks hold {len(masks.blocks)} blocks, the model has {n_layers}")

    def check(mask):
        if mask is None:
            return None
        mask = np.asarray(mask, dtype)
        if mask.shape != shape:
            raise ValueError(f"a mask has shape {mask.shape}, expected {shape}")
        return mask

    return each_mask(check, masks)
