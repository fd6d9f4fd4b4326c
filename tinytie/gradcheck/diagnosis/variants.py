"""The mistakes on the list that need a network: what would move, and what would stand still."""

from functools import partial

import numpy as np

from tinytie.gradcheck.diagnosis.network import Variant
from tinytie.gradcheck.diagnosis.places import (
    kept_places,
    not_in_rows,
    only,
    repeated_edge,
    without_edge,
)


def variants_of(network, model):
    """Every hypothesis that makes sense for this model and this batch."""
    found = [*path_variants(network, model), *lookup_variants(network), *shifted_variants(network)]
    if network.state is not None:
        found += [*state_variants(network), *step_variants(network)]
    return found


def path_variants(network, model):
    """Both paths of a tied E: one missing, twice, overwritten, or with a wrong factor."""
    x = network.x
    if not model.tied:
        return
    nothing = lambda v: 0 * v[x]  # noqa: E731
    yield Variant("input path missing", lookups=nothing)
    yield Variant("output path missing", scores=lambda v: 0 * v)
    yield Variant("input path twice", lookups=lambda v: 2 * v[x])
    yield Variant("output path twice", scores=lambda v: 2 * v)
    for tokens in (x,) if network.padding_id is None else (x, x[followed(network)]):
        elsewhere = partial(not_in_rows, tokens)
        yield Variant("paths overwritten", scores=elsewhere)
        for keep in kept_places(x).values():
            yield Variant("paths overwritten", scores=elsewhere, lookups=only(x, keep))
    yield from scale_variants(x, getattr(model, "embed_scale", 1.0))


def followed(network):
    """Which places a counted target follows: all others have no gradient through the lookup."""
    counted = network.y != network.padding_id
    return np.cumsum(counted[:, ::-1], axis=1)[:, ::-1] > 0


def scale_variants(x, scale):
    """The factor of the lookup: forgotten, twice, or on the scores."""
    if scale in (0.0, 1.0):
        return
    forgotten, doubled = (lambda v: v[x] / scale), (lambda v: v[x] * scale)
    yield Variant("embedding scale", "forgotten on the way back", lookups=forgotten)
    yield Variant("embedding scale", "applied twice", lookups=doubled)
    yield Variant("embedding scale", "applied to both paths", scores=lambda v: v * scale)
    yield Variant(
        "embedding scale", "applied to the scores instead", lookups=forgotten,
        scores=lambda v: v * scale,
    )  # fmt: skip


def lookup_variants(network):
    """The scatter of the lookup: places lost, or written into another row."""
    x, rows = network.x, len(network.E_in)
    for which, keep in kept_places(x).items():
        yield Variant("repeated tokens lost", f"only the {which}", lookups=only(x, keep))
    for by in (-1, 1):
        where = f"by {by:+d}"
        yield Variant("rows shifted", where, lookups=lambda v, by=by: v[(x + by) % rows])
        yield Variant("rows shifted", where, scores=lambda v, by=by: np.roll(v, by, axis=0))
        for shifted in (np.roll(x, by, axis=1), repeated_edge(x, by)):
            yield Variant("shifted by one step", "in the lookup", lookups=lambda v, s=shifted: v[s])
        yield Variant("shifted by one step", "in the lookup", lookups=partial(without_edge, x, by))
    yield Variant("lookup put at targets", lookups=lambda v: v[network.y])


def shifted_variants(network):
    """Inputs or targets of another step, or the inputs in the targets' place."""
    for by in (-1, 1):
        for shift in (partial(np.roll, axis=1), repeated_edge):
            yield Variant("shifted by one step", "in the inputs", x=shift(network.x, by))
            yield Variant("shifted by one step", "in the targets", y=shift(network.y, by))
    yield Variant("shifted by one step", "the inputs taken as targets", y=network.x)


def state_variants(network):
    """The state between steps and before the first, held constant."""
    steps, layers = network.x.shape[1], range(len(network.state))
    if steps > 1:
        for part, detach in detachments(network.state, layers).items():
            cuts = tuple(range(1, steps))
            yield Variant("future gradient dropped", part, cuts=cuts, detach=detach)
    for cut in range(1, steps):
        yield Variant("state cut inside", f"before step {cut}", cuts=(cut,), detach=constant)
    for size in range(2, steps // 2 + 1):
        cuts = tuple(range(size, steps, size))
        yield Variant("state cut inside", f"every {size} steps", cuts=cuts, detach=constant)
    yield Variant("initial state missing", "everywhere", state=network.zeros)
    if steps > 1:
        yield Variant("initial state missing", "in U", cuts=(1,), live=all_but_first_of_U)


def step_variants(network):
    """Only one step counted: in the loss, or in the sum over steps of a parameter."""
    steps = network.x.shape[1]
    if steps == 1:
        return
    cuts = tuple(range(1, steps))
    for name, at in (("last step only", steps - 1), ("first step only", 0)):
        yield Variant(name, "of the sum over steps", cuts=cuts, live=partial(live_at, at))
        for detail, rescale in (("of the loss", False), ("of the loss, as its mean", True)):
            weights = partial(only_weight, at, rescale)
            yield Variant(name, detail, cuts=cuts, weights=weights)


def constant(state, kept):
    """Hands on the state as it was without a bump."""
    return kept


def detachments(state, layers):
    """What may be held: all of the state, one layer of it, or one part of an LSTM's."""
    found = {"": constant}
    if len(state) > 1:
        found |= {f"in layer {layer}": partial(one_layer, layer) for layer in layers}
    if hasattr(state[0], "_fields"):
        found |= {f"of {part}": partial(one_part, part) for part in state[0]._fields}
    return found


def one_layer(layer, state, kept):
    """Holds the state of one layer."""
    return (*state[:layer], kept[layer], *state[layer + 1 :])


def one_part(part, state, kept):
    """Holds h or c of every layer."""
    return tuple(s._replace(**{part: getattr(k, part)}) for s, k in zip(state, kept, strict=True))


def all_but_first_of_U(name, piece, pieces):
    """U does not move in the first piece."""
    return not (name.startswith("U") and piece == 0)


def live_at(at, name, piece, pieces):
    """A parameter moves in one piece only."""
    return piece == at


def only_weight(at, rescale, shares):
    """The loss of one piece only, as a part of the mean or as a mean of its own."""
    return [(1.0 if rescale else share) if k == at else 0.0 for k, share in enumerate(shares)]
