"""Tying as an act: one matrix from two, and two from one. The model that is given stays."""

import copy

from tinytie.models.language_model import LanguageModel


def tie_weights(model: LanguageModel, source: str = "input") -> LanguageModel:
    """A copy of an untied model in which one matrix E serves both sides.

    source says whose values survive: "input" (E_in), "output" (E_out), or "mean". Raises
    ValueError where the two matrices differ in shape.
    """
    if model.tied:
        return copy.deepcopy(model)
    E_in, E_out = model.params["E_in"], model.params["E_out"]
    if E_in.shape != E_out.shape:
        raise ValueError(
            f"E_in {E_in.shape} and E_out {E_out.shape} cannot be one matrix; build the untied "
            "model with projection=True, so that both are as wide as the embedding"
        )
    kept = {"input": E_in, "output": E_out, "mean": (E_in + E_out) / 2}
    if source not in kept:
        raise ValueError(f"source must be one of {', '.join(map(repr, kept))}; got {source!r}")
    return converted(model, tied=True, matrices={"E": kept[source].copy()})


def untie_weights(model: LanguageModel) -> LanguageModel:
    """A copy of a tied model with two equal matrices, E_in and E_out, that can now differ."""
    if not model.tied:
        return copy.deepcopy(model)
    E = model.params["E"]
    return converted(model, tied=False, matrices={"E_in": E.copy(), "E_out": E.copy()})


def converted(model, tied, matrices):
    """A copy with other token matrices in front of the same remaining parameters."""
    other = copy.deepcopy(model)
    other.tied = tied
    rest = {name: a for name, a in other.params.items() if name not in model.embedding_names}
    other.params = matrices | rest
    frozen = {
        name: rows for name, rows in model.frozen.items() if name not in model.embedding_names
    }
    shared = [model.frozen[name] for name in model.embedding_names if name in model.frozen]
    other.frozen = {name: shared[0] for name in other.embedding_names if shared} | frozen
    return other
