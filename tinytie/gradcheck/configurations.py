"""Which models `tinytie check` looks at, and the batches on which a wrong gradient cannot hide."""

from typing import Any, NamedTuple

import numpy as np

from tinytie.models.bodies import BODIES
from tinytie.models.language_model import LanguageModel

B, T, V = 2, 5, 9
PADDING = 8
SWITCHES: dict[str, dict[bool, dict[str, Any]]] = {  # what each adds to a model's arguments
    "scale": {True: {"embed_scale": 1.7}, False: {"embed_scale": 1.0}},
    "bias": {True: {"output_bias": True}, False: {"output_bias": False}},
    "dropout": {True: {"dropout": 0.3}, False: {"dropout": 0.0}},
    "padding": {True: {"padding_id": PADDING}, False: {"padding_id": None}},
}


WORDS = {"bias": "output bias"}


class Configuration(NamedTuple):
    """An example of a body, tied or untied, with some switches on."""

    model: str  # of BODIES
    example: str
    tied: bool
    switches: dict[str, bool]

    @property
    def title(self) -> str:
        """ "lstm, 2 layers, tied, dropout": what is there, in words."""
        on = [WORDS.get(name, name) for name, value in self.switches.items() if value]
        return ", ".join([self.example, "tied" if self.tied else "untied", *on])

    @property
    def arguments(self) -> dict[str, Any]:
        """Those of the model's class, but for the vocabulary."""
        arguments = BODIES[self.model].examples()[self.example] | {"tied": self.tied}
        for name, value in self.switches.items():
            arguments |= SWITCHES[name][value]
        return arguments

    def build(self, rng: Any) -> LanguageModel:
        """The model with standard normal numbers in every parameter: at zero, as biases begin, a
        wrong backward may look right.
        """
        model = BODIES[self.model].model(V, **self.arguments, rng=rng)
        for array in model.params.values():
            array[...] = rng.standard_normal(array.shape)
        return model


def configurations(**fixed: Any) -> list[Configuration]:
    """Every example of every body, tied and untied, with switches on in turn.

    Only those that have what is `fixed`: model, cell, n_layers, projection, tied, and the switches.
    Raises ValueError where none has it all.
    """
    found = [
        Configuration(name, example, tied, switches_of(name, 2 * number + tied, fixed))
        for name, kind in BODIES.items()
        for number, example in enumerate(kind.examples())
        for tied in (True, False)
    ]
    found = [c for c in found if fits(c, fixed)]
    if not found:
        asked = ", ".join(f"{name} {value}" for name, value in fixed.items())
        raise ValueError(f"no model that is checked has {asked}: leave one of these options out")
    return found


def switches_of(name, number, fixed):
    """Those that the body knows: each on in half of the cases, and any two together in some."""
    known = BODIES[name].model.OPTIONS
    return {
        switch: fixed.get(switch, bool((number >> place ^ number >> 1 + place) & 1))
        for place, switch in enumerate(SWITCHES)
        if SWITCHES[switch][True].keys() <= set(known)
    }


def fits(configuration, fixed):
    """Whether it has all that is fixed."""
    arguments = configuration.arguments
    has = configuration.switches | {
        "model": configuration.model,
        "tied": configuration.tied,
        "cell": arguments.get("cell", "rnn") if configuration.model == "rnn" else None,
        "n_layers": arguments.get("n_layers", 1),
        "projection": bool(arguments.get("projection")),
    }
    return all(has.get(name, False) == value for name, value in fixed.items())


def telling_batch(
    model: LanguageModel, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray, Any]:
    """(x, y, state): a token twice inside a step and again later, and a state that is not zero."""
    x, y = rng.integers(V, size=(2, B, T))
    x[1, 0] = x[0, -1] = x[0, 0]
    y[0, 0] = 0  # not padding, so that there is a loss
    return x, y, randomized(model.initial_state(B), rng)


def randomized(state, rng):
    """A state of the same structure, of random numbers."""
    if state is None:
        return None
    if not isinstance(state, tuple):
        return rng.standard_normal(state.shape)
    parts = [randomized(part, rng) for part in state]
    return type(state)(*parts) if hasattr(state, "_fields") else tuple(parts)
