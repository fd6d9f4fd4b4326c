"""The diagnosis of a language model: each mistake on the list is tried, by differences alone."""

from typing import NamedTuple

import numpy as np

from tinytie.gradcheck.causes import TELLING, TINY, Fit, chosen
from tinytie.gradcheck.diagnosis import array_fits
from tinytie.gradcheck.numeric import LADDER, RATIO, extrapolated
from tinytie.gradcheck.replay import PLAIN, Network
from tinytie.gradcheck.variants import variants_of

PROBES = 2  # random directions for each wrong array
WIDE = np.concatenate([LADDER[:2] * RATIO**2, LADDER])  # from 0.18: small slopes need it
QUICK = 1e-4  # the step of the first, cheap test of a hypothesis


class Probe(NamedTuple):
    """One direction of one wrong array: what was given along it, and what is right."""

    name: str
    v: np.ndarray
    given: float
    right: float
    error: float  # of `right`


@np.errstate(all="ignore")
def diagnose(model, x, y, state, masks, failed, numbers):
    """(cause, explanation) for the wrong arrays of a model."""
    fits, vague = array_fits(failed, numbers), False
    network = faithful_network(model, x, y, state, masks)
    comparable = all(is_gradient_of(model, m) for m in failed)
    if network is not None and comparable:
        probes = [probe for m in failed for probe in probes_of(network, m)]
        vague = any(p.error > TELLING / 3 * abs(p.given - p.right) for p in probes)
        fits += [
            Fit(variant.cause, variant.detail)
            for variant in variants_of(network, model)
            if explains(network, variant, probes)
        ]
    return chosen(fits, vague)


def is_gradient_of(model, m):
    """Whether it has the shape of its parameter and holds only numbers."""
    right_shape = m.analytic.shape == getattr(model.params.get(m.row.name), "shape", None)
    return right_shape and np.isfinite(m.analytic).all()


def faithful_network(model, x, y, state, masks):
    """The network that can be taken apart, where it gives the same loss as the model does."""
    try:
        network = Network(model, x, y, state, masks)
        name = model.embedding_names[0]
        loss = network.along(PLAIN, name, np.zeros_like(model.params[name]))(0.0)
    except (TypeError, ValueError, AttributeError, IndexError, KeyError):
        return None  # a model that computes its loss in another way
    kwargs = {} if masks is None else {"masks": masks}
    return network if np.isclose(loss, model.loss(x, y, state, **kwargs)[0], rtol=1e-12) else None


def probes_of(network, m):
    """Random directions of length 1, and the right slope along each."""
    rng = np.random.default_rng(0)
    for _ in range(PROBES):
        v = rng.standard_normal(m.analytic.shape)
        v /= np.linalg.norm(v)
        f = network.along(PLAIN, m.row.name, v)
        slope = extrapolated(f, f(0.0), WIDE)
        error = np.inf if slope.kink else slope.bound
        yield Probe(m.row.name, v, float(np.vdot(m.analytic, v)), slope.value, error)


def explains(network, variant, probes):
    """Whether the variant's gradient is the given one, along every probe."""
    return all(nearly(network, variant, probe) for probe in probes) and all(
        exactly(network, variant, probe) for probe in probes
    )


def nearly(network, variant, probe):
    """The cheap test: one central difference."""
    f = network.along(variant, probe.name, probe.v)
    slope = (f(QUICK) - f(-QUICK)) / (2 * QUICK)
    return abs(probe.given - slope) <= 1e-2 * abs(probe.given - probe.right) + 1e-8


def exactly(network, variant, probe):
    """The whole of what is wrong is explained, to the error of the measurement."""
    f = network.along(variant, probe.name, probe.v)
    slope = extrapolated(f, f(0.0), WIDE)
    error = probe.error + slope.bound + 1e-12 * abs(probe.given)
    wrong = abs(probe.given - probe.right)
    if slope.kink or error > TELLING * wrong:
        return False
    return abs(probe.given - slope.value) <= TINY * wrong + error
