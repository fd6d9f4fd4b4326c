"""Starting a model from pretrained word vectors, to be frozen or fine-tuned."""

import copy
from typing import NamedTuple

import numpy as np

from tinytie.models.language_model import LanguageModel
from tinytie.models.tying import frozen_in_either
from tinytie.text.vectors import Vectors


class Pretrained(NamedTuple):
    model: LanguageModel
    message: str  # what was done, in sentences for a person


def with_vectors(
    model: LanguageModel, vectors: Vectors, *, frozen: bool = False, rescale: bool = False
) -> Pretrained:
    """A copy of the model whose input embedding, E or E_in, starts from the vectors found.

    Words without a vector, and the padding row, keep the row that they have. frozen: the rows
    found are entered in `model.frozen`; where E is tied that freezes them in the scores too, and
    the message says so. rescale: all vectors are multiplied by the one number that makes their
    mean square that of the rows they replace, so that a tied model's first loss stays near ln V.

    Raises ValueError where the vectors are not of the model's vocabulary or width, none was
    found, or one is too large for the model's dtype.
    """
    name = model.embedding_names[0]
    check_fit(name, model.params[name].shape, vectors)
    rows = np.flatnonzero(vectors.found)
    rows = rows[rows != model.padding_id]
    if not len(rows):
        raise ValueError("no word of the vocabulary has a vector; are both in lower case?")
    other = copy.deepcopy(model)
    E, new = other.params[name], vectors.rows[rows]
    if rescale:
        new = new * root_mean_square(E[rows]) / (root_mean_square(new) or 1.0)
    if np.abs(new).max() > np.finfo(E.dtype).max:
        raise ValueError(f"a vector holds {np.abs(new).max():g}, too large for {E.dtype}")
    E[rows] = new
    if frozen:
        other.frozen[name] = frozen_in_either(other.frozen.get(name), rows)
    return Pretrained(other, told(other, name, vectors, len(rows), frozen, rescale))


def check_fit(name, shape, vectors):
    """One row for each word, and as wide as the embedding."""
    if vectors.rows.shape[0] != shape[0]:
        raise ValueError(
            f"the vectors were looked up for {vectors.rows.shape[0]} words, but {name} has "
            f"{shape[0]} rows; read them with the model's vocabulary"
        )
    if vectors.rows.shape[1] != shape[1]:
        raise ValueError(
            f"the vectors are {vectors.rows.shape[1]} wide, but {name} is {shape[1]} wide; build "
            f"the model with d_embed={vectors.rows.shape[1]}, where a tied model of another "
            "hidden width gets a projection"
        )


def root_mean_square(rows):
    return float(np.sqrt(np.mean(np.square(rows, dtype=np.float64))))


def told(model, name, vectors, n, frozen, rescale):
    """What was done, and what follows from the tie."""
    said = [f"{vectors}.", f"{n:,} rows of {name} start from them, the others as drawn."]
    if not frozen:
        said.append(f"{name} is fine-tuned.")
    elif model.tied:
        said.append(
            f"These rows are frozen. {name} is tied, so the output embedding of these words is "
            "frozen too; untie_weights first if only the input is to be frozen."
        )
    else:
        said.append(f"These rows are frozen in {name}; E_out still learns.")
    if model.tied and not rescale:
        said.append(
            f"{name} is tied, so their lengths enter the scores: where the first loss is far "
            "above ln V, rescale=True brings it back."
        )
    return " ".join(said)
