"""A saved model together with what turns text into its ids."""

from typing import Any, NamedTuple

from tinytie.interchange.opening import Opened, open_model
from tinytie.models.language_model import LanguageModel
from tinytie.text.reading import Reader

MODEL = "what `tinytie train` has saved, or a GPT-2: the folder of its files"


class Loaded(NamedTuple):
    model: LanguageModel
    reader: Reader


def load_for_text(path: str) -> Loaded:
    """Raises ValueError where there is no such model, or one that cannot read text."""
    opened = opened_model(path)
    if not isinstance(opened.model, LanguageModel):
        raise ValueError(f"{path!r} holds a {type(opened.model).__name__}, no language model")
    try:
        return Loaded(opened.model, opened.reader())
    except ValueError as error:
        raise ValueError(f"{path!r}: {error}") from None


def opened_model(path: str, **options: Any) -> Opened:
    """Any model; options as of `open_model`. Raises ValueError where there is none."""
    try:
        return open_model(path, **options)
    except FileNotFoundError:
        raise ValueError(f"there is no model {path!r}; `tinytie train` makes one") from None
