"""The diagnosis of a language model: each mistake on the list is tried, by differences alone."""

import numpy as np

from tinytie.gradcheck.diagnosis.causes import NO_MORE, NOTHING, Fit, chosen
from tinytie.gradcheck.diagnosis.network import PLAIN, Network
from tinytie.gradcheck.diagnosis.numbers import array_fits, probes_of, why_none
from tinytie.gradcheck.diagnosis.variants import variants_of
from tinytie.gradcheck.ladder import extrapolated
from tinytie.gradcheck.numeric import roundoff

PROBES = 2  # of each wrong array, along which a hypothesis is tried
QUICK = 1e-6  # the step of the first, cheap test of a hypothesis: kinks may be near


@np.errstate(all="ignore")
def diagnose(model, x, y, state, masks, failed, numbers, measured, words):
    """(cause, explanation) for the wrong arrays of a model."""
    probes = probes_of(failed)
    fits, otherwise = array_fits(failed, probes, numbers), why_none(failed, probes)
    network = faithful_network(model, x, y, state, masks)
    if network is not None and probes:
        few = [probe for name in probes for probe in probes[name][:PROBES]]
        fits += [
            Fit(variant.cause, variant.detail)
            for variant in variants_of(network, model)
            if explains(network, variant, few)
        ]
        otherwise = NOTHING if otherwise == NO_MORE else otherwise
    return chosen(fits, otherwise)


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


def explains(network, variant, probes):
    """Whether the variant's gradient is the given one, along every probe."""
    return all(nearly(network, variant, probe) for probe in probes) and all(
        exactly(network, variant, probe) for probe in probes
    )


def nearly(network, variant, probe):
    """The cheap test: one central difference."""
    f = network.along(variant, probe.name, probe.v)
    above, below = f(QUICK), f(-QUICK)
    slope = (above - below) / (2 * QUICK)
    return abs(probe.given - slope) <= 1e-2 * probe.wrong + 4 * roundoff(above) / QUICK


def exactly(network, variant, probe):
    """The whole of what is wrong is explained, to the error of the measurement."""
    f = network.along(variant, probe.name, probe.v)
    return probe.explained_by(extrapolated(f, f(0.0)))
