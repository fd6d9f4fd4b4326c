"""How the two kinds of model are called, and which copies of a shared matrix can be bumped."""

import copy

import numpy as np

from tinytie.models.language_model import LanguageModel
from tinytie.models.translator import TYINGS, Translator
from tinytie.models.tying import untie_weights


def arguments_of(model, x, y, state):
    """What `model.loss` takes: a translator has no state."""
    if not isinstance(model, Translator):
        return x, y, state
    if state is not None:
        raise ValueError("a translator carries no state from call to call: leave state=None")
    return x, y


def targets_of(model, y):
    """The ids that are predicted; a translator's target begins with <bos>."""
    return np.asarray(y)[:, 1:] if isinstance(model, Translator) else np.asarray(y)


def token_ids_of(model, name, x, y):
    """Which ids of the batch are rows of this token matrix, by what they are called."""
    if not isinstance(model, Translator):
        return {"among the inputs": x, "among the targets": y}
    source, target = {"in the source": x}, {"in the target": y}
    if model.tying == "three-way":
        return source | target
    return source if name == "E_source" else target


def equal_copies(model):
    """(twin, names): a copy of the model in which each use of a shared matrix has its own array.

    names: of these arrays, each with its place in `embedding_paths`; none where nothing is shared.
    """
    if isinstance(model, Translator):
        return translator_copies(model)
    if isinstance(model, LanguageModel) and model.tied:
        return untie_weights(model), {"E_in": 0, "E_out": 1}
    return model, {}


def translator_copies(model):
    """The same for the three uses of a translator's matrices."""
    roles = dict(zip(TYINGS["none"], TYINGS[model.tying], strict=True))
    twin = copy.deepcopy(model)
    twin.tying = "none"
    matrices = {role: model.params[name].copy() for role, name in roles.items()}
    rest = {name: a for name, a in twin.params.items() if name not in model.embedding_names}
    twin.params = matrices | rest
    return twin, {r: place for place, (r, name) in enumerate(roles.items()) if r != name}
