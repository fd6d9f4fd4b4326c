"""Tying as an act: one matrix from two, and two from one. The model that is given stays."""

import copy
from typing import Any

import numpy as np

from tinytie.models import inputs
from tinytie.models.language_model import LanguageModel


def tie_weights(model: LanguageModel, source: str = "input") -> LanguageModel:
    """A copy of an untied model in which one matrix E serves both sides.

    source says whose values survive: "input" (E_in), "output" (E_out), or "mean". A row that is
    frozen in one of the two roles is frozen in the shared matrix, and so in both. A tied model is
    copied as it is. Raises ValueError where the two matrices differ in shape.
    """
    inputs.one_of("source", source, ("input", "output", "mean"))
    if is_tied(model):
        return copy.deepcopy(model)
    E_in, E_out = model.params["E_in"], model.params["E_out"]
    check_one_matrix(E_in.shape, E_out.shape)
    kept = {"input": E_in, "output": E_out, "mean": (E_in + E_out) / 2}
    other = converted(model, tied=True, matrices={"E": kept[source].copy()})
    both = frozen_in_either(model.frozen.get("E_in"), model.frozen.get("E_out"))
    if both is not None:
        other.frozen["E"] = both
    return other


def untie_weights(model: LanguageModel) -> LanguageModel:
    """A copy of a tied model with two equal matrices, E_in and E_out, that can now differ.

    What was frozen in E is frozen in both. An untied model is copied as it is.
    """
    if not is_tied(model):
        return copy.deepcopy(model)
    E = model.params["E"]
    other = converted(model, tied=False, matrices={"E_in": E.copy(), "E_out": E.copy()})
    if "E" in model.frozen:
        other.frozen |= {name: copy.copy(model.frozen["E"]) for name in ("E_in", "E_out")}
    return other


def is_tied(model):
    """Whether one matrix serves both sides of a language model."""
    if not hasattr(model, "tied"):
        raise TypeError(
            "only a language model can be tied or untied afterwards, got "
            f"{type(model).__name__}; a Translator is built with its tying"
        )
    return model.tied


def check_one_matrix(shape_in, shape_out):
    """Two matrices that one can replace: as many words, and as wide."""
    if shape_in[0] != shape_out[0]:
        raise ValueError(
            f"E_in has {shape_in[0]} rows and E_out {shape_out[0]}: unequal vocabularies cannot be "
            "tied, because row i of one matrix must stand for the same word on both sides"
        )
    if shape_in != shape_out:
        raise ValueError(
            f"E_in {shape_in} and E_out {shape_out} cannot be one matrix; build the untied model "
            "with projection=True, so that both are as wide as the embedding"
        )


def converted(model, tied, matrices):
    """A copy with other token matrices in front of the same remaining parameters."""
    other = copy.deepcopy(model)
    other.tied = tied
    for name in model.embedding_names:
        other.params.pop(name)
        other.frozen.pop(name, None)
    other.params = matrices | other.params
    return other


def frozen_in_either(one: Any, two: Any) -> Any:
    """The rows that one of two entries of `frozen` names; True, a whole matrix, covers all."""
    if one is None or two is None:
        return two if one is None else one
    if one is True or two is True:
        return True
    return np.union1d(one, two)
