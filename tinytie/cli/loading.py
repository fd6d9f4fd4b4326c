"""A saved model together with what turns text into its ids."""

from typing import NamedTuple

from tinytie.files.checkpoint import load_checkpoint
from tinytie.models.language_model import LanguageModel
from tinytie.text.tokenizers import EOS, find_tokenizer
from tinytie.text.vocabulary import Vocabulary


class Loaded(NamedTuple):
    model: LanguageModel
    vocabulary: Vocabulary
    tokenizer: str


def load_for_text(path: str) -> Loaded:
    """Raises ValueError where there is no such model, or one that cannot read text."""
    try:
        checkpoint = load_checkpoint(path)
    except FileNotFoundError:
        raise ValueError(f"there is no model {path!r}; `tinytie train` makes one") from None
    if checkpoint.vocabulary is None or checkpoint.tokenizer is None:
        raise ValueError(
            f"{path!r} was saved without a vocabulary or tokenizer, so it has no words"
        )
    if not isinstance(checkpoint.model, LanguageModel):
        raise ValueError(f"{path!r} holds a {type(checkpoint.model).__name__}, no language model")
    find_tokenizer(checkpoint.tokenizer)
    vocabulary = Vocabulary(checkpoint.vocabulary)
    if EOS not in vocabulary.ids:
        raise ValueError(f"the vocabulary of {path!r} has no {EOS}, where a text would start")
    return Loaded(checkpoint.model, vocabulary, checkpoint.tokenizer)
