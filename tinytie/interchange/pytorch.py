"""A model as a dict of arrays under PyTorch's names, and such a dict as a model.

The body's names are those of the matching module's `state_dict()`: nn.RNN, nn.GRU, nn.LSTM or
nn.TransformerEncoder. Beside them stand our letters: E, the one array of an `nn.Embedding` and an
`nn.Linear` that are tied, or E_in and E_out; c, the `nn.Linear`'s bias; P and p; pos.
Nothing here imports a framework.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from tinytie.errors import quoted
from tinytie.interchange import encoder, gpt2, recurrent
from tinytie.models import inputs
from tinytie.models.language_model import LanguageModel

LETTERS = ("E", "E_in", "E_out", "P", "p", "c", "pos")
KINDS: Any = {"torch": (recurrent, encoder), "gpt2": (gpt2,)}


def to_torch(model: LanguageModel, *, names: str = "torch") -> dict[str, np.ndarray]:
    """Name -> a copy of the array: the body's names of the matching module, and our letters.

    names="gpt2" gives those of a GPT-2 checkpoint. What is no array goes along by hand: heads,
    norm, activation, `embed_scale`; `from_torch` takes them as options. Raises ValueError where
    there is no such module, or where the model is no GPT-2.
    """
    inputs.one_of("names", names, [*KINDS])
    for module in KINDS[names]:
        if isinstance(model, module.MODEL):
            letters = [n for n in LETTERS if n in model.params and module is not gpt2]
            return {name: model.params[name].copy() for name in letters} | module.to_names(model)
    raise ValueError(
        f"a {type(model).__name__} has no counterpart among the names of {names}; an RNNLM has "
        "nn.RNN, nn.GRU or nn.LSTM, a TransformerLM has nn.TransformerEncoder or GPT-2"
    )


def from_torch(
    names: Mapping[str, Any], *, called: Mapping[str, str] | None = None,
    tied: bool | None = None, **options: Any,
) -> LanguageModel:  # fmt: skip
    """The model of arrays, or of tensors on the CPU, by name: what `to_torch` gives, a
    `state_dict()` with our letters beside it, or a GPT-2 checkpoint.

    A prefix before all of the body's names is dropped. called: their name -> our letter, such as
    {"emb.weight": "E"}; those of PyTorch's own example, encoder.weight and decoder.weight, are
    known. tied: None ties E_in and E_out where they are one memory (of a file: where they are
    equal), True where they are equal or E_in is alone. options: arguments of `RNNLM` or
    `TransformerLM` that no array tells, such as n_heads, norm, activation, embed_scale; and
    nearest=True, which carries a GRU's b_hn as nearly as can be.

    Half precision becomes float32. Raises ValueError or TypeError, in one sentence, on names or
    shapes that make no such model, and on what our model has no place for.
    """
    module, body, letters = sorted_out(names, called or {})
    matrices = token_matrices(letters, tied, equal_is_tied=module is gpt2)  # the largest first
    try:
        told, params = module.from_names(body, letters, **options)
    except KeyError as missing:
        raise ValueError(f"{missing.args[0]} is missing among the names") from None
    given = matrices | {name: letters[name] for name in letters if name not in LETTERS[:3]} | params
    sizes = [len(E) for E in matrices.values()]
    told |= {"vocab_size": sizes[0] if len(set(sizes)) == 1 else tuple(sizes)}
    told |= {"tied": "E" in matrices, "output_bias": "c" in given}
    dtype = np.result_type(*given.values())
    model = module.MODEL.sketch(**told | {"dtype": dtype})
    model.params = {name: np.asarray(array, dtype) for name, array in given.items()}
    inputs.check_params(model.params, model.shapes, model.dtype)
    model.params = {name: model.params[name] for name in model.shapes}
    return model


class Renamed(Mapping[str, np.ndarray]):
    """Arrays under other names, each copied when it is asked for: of a file, one at a time."""

    def __init__(self, arrays: Mapping[str, Any], names: dict[str, str]) -> None:
        self.arrays, self.names = arrays, names

    def __getitem__(self, name: str) -> np.ndarray:
        array = np.asarray(shown(self.arrays[self.names[name]])).copy()
        if array.dtype.kind != "f":
            raise TypeError(f"{self.names[name]} must hold real numbers, got dtype {array.dtype}")
        return array.astype(np.promote_types(array.dtype, np.float32), copy=False)

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)

    def one_memory(self, first: str, second: str) -> bool:
        """Whether two of the names stand for the same memory."""
        a, b = (np.asarray(shown(self.arrays[self.names[name]])) for name in (first, second))
        return a.shape == b.shape and np.shares_memory(a, b)


def shown(value):
    """An array, or a tensor without its history."""
    return value.detach() if hasattr(value, "detach") else value


def sorted_out(names, called):
    """The file of this folder that knows the names, those of the body, and those of the letters."""
    firsts = [(module, name) for kind in KINDS.values() for module in kind for name in names
              if name.endswith(module.FIRST)]  # fmt: skip
    if len(firsts) != 1:
        raise ValueError(
            f"among the names must be one of nn.RNN, nn.GRU, nn.LSTM, nn.TransformerEncoder or "
            f"GPT-2; found {len(firsts)} in {quoted(sorted(names))}"
        )
    module, first = firsts[0]
    prefix = first.removesuffix(module.FIRST)
    body, letters, unknown = {}, {}, []
    for name in names:
        short = name.removeprefix(prefix)
        letter = called.get(name, module.CALLED.get(name, module.CALLED.get(short, name)))
        if letter in LETTERS:
            letters[letter] = name
        elif module.NAME.fullmatch(short):
            body[short] = name
        elif not module.IGNORED.fullmatch(short):
            unknown.append(name)
    if unknown:
        raise ValueError(
            f"{quoted(unknown)} has no place in the model; leave it out, or say with called= "
            f"which of {', '.join(LETTERS)} it is"
        )
    return module, Renamed(names, body), Renamed(names, letters)


def token_matrices(letters, tied, equal_is_tied):
    """{"E": array} where one serves both sides, else E_in and E_out."""
    if "E" in letters:
        if tied is False or "E_in" in letters or "E_out" in letters:
            raise ValueError("E is the one matrix of both sides: give it alone, or E_in and E_out")
        return {"E": letters["E"]}
    if "E_in" not in letters:
        raise ValueError(
            f"no token matrix among the names; say with called= which of them is E, or E_in and "
            f"E_out: {quoted(sorted(letters.names.values()))}"
        )
    E_in = letters["E_in"]
    if "E_out" not in letters:
        if tied or (tied is None and equal_is_tied):
            return {"E": E_in}
        raise ValueError("E_in is there and E_out is not; with tied=True it serves both sides")
    if tied is None and not equal_is_tied:
        tied = letters.one_memory("E_in", "E_out")
    E_out = letters["E_out"]
    equal = np.array_equal(E_in, E_out)
    if tied and not equal:
        raise ValueError("tied=True, but E_in and E_out differ; tie_weights decides whose values")
    return {"E": E_in} if tied or (tied is None and equal) else {"E_in": E_in, "E_out": E_out}
