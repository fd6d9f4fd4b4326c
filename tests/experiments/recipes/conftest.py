"""A stand-in for the Penn Treebank: three small files of the same format."""

import numpy as np
import pytest

from tinytie.experiments.recipes.press_wolf import PRESS_WOLF
from tinytie.text.classes import ClassLanguage
from tinytie.text.treebank import FILES, treebank_corpus


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("stand-in")
    language = ClassLanguage.make()
    for seed, (name, n) in enumerate(zip(FILES, (2500, 700, 800), strict=True)):
        words = [language.words[i] for i in language.sample(n, np.random.default_rng(seed))]
        lines = [" ".join(words[i : i + 12]) for i in range(0, n, 12)]
        (folder / name).write_text("".join(f" {line} <unk> \n" for line in lines))
    return folder


@pytest.fixture(scope="session")
def corpus(folder):
    return treebank_corpus(folder)


@pytest.fixture(scope="session")
def small():
    """The recipe's settings at a width for tests, and two epochs."""
    return PRESS_WOLF.settings.changed(width=6, epochs=2)
