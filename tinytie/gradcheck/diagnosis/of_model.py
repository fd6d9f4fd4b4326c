"""The diagnosis of a language model: each mistake on the list is tried, by differences alone."""

import numpy as np

from tinytie.gradcheck.diagnosis.causes import NO_MORE, NOTHING, Fit, chosen
from tinytie.gradcheck.diagnosis.meaning import token_ids_of
from tinytie.gradcheck.diagnosis.network import PLAIN, Network
from tinytie.gradcheck.diagnosis.notes import notes_of, step_notes
from tinytie.gradcheck.diagnosis.numbers import array_fits, probes_of, why_none
from tinytie.gradcheck.diagnosis.slips import slip_fits
from tinytie.gradcheck.diagnosis.variants import variants_of
from tinytie.gradcheck.ladder import extrapolated
from tinytie.gradcheck.numeric import roundoff

PROBES = 2  # of each wrong array, along which a hypothesis is tried
QUICK = 1e-6  # the step of the first, cheap test of a hypothesis: kinks may be near


@np.errstate(all="ignore")
def diagnose(model, batch, failed, numbers, measured, words):
    """(cause, explanation, notes) for the wrong arrays of a model; batch: x, y, state, masks."""
    x, y, state, masks = batch
    probes = probes_of(failed)
    network = faithful_network(model, x, y, state, masks)
    fits = all_fits(model, network, failed, probes, numbers)
    if not fits:
        fits = [Fit(*found) for found in slip_fits(model, x, y, state, masks, measured)]
    otherwise = why_none(failed, probes)
    if network is not None and probes:
        otherwise = NOTHING if otherwise == NO_MORE else otherwise
    cause, said = chosen(fits, otherwise)
    notes = notes_of(failed, measured, token_ids_of(model, x, y), words)
    if not fits:
        notes += step_notes(failed, network) + one_by_one(model, network, failed, numbers)
    return cause, said, notes


def all_fits(model, network, failed, probes, numbers):
    """Every cause that explains these arrays."""
    fits = array_fits(failed, probes, numbers)
    if network is None or not probes:
        return fits
    few = [probe for name in probes for probe in probes[name][:PROBES]]
    return fits + [
        Fit(variant.cause, variant.detail)
        for variant in variants_of(network, model)
        if explains(network, variant, few)
    ]


def one_by_one(model, network, failed, numbers):
    """Several mistakes at once: the causes that explain each wrong array by itself."""
    found = []
    for m in failed if len(failed) > 1 else []:
        fits = all_fits(model, network, [m], probes_of([m]), numbers)
        if causes := list(dict.fromkeys(fit.cause for fit in fits)):
            found.append(f"{m.row.name} alone: {' or '.join(causes)}")
    return tuple(found)


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
