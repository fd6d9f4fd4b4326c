"""Real English without a download: the language reference that every CPython carries.

A Python without it, as in a browser, has our own docstrings, a sixth as many words.
"""

import ast
import importlib.resources
import re
from collections.abc import Iterator
from importlib.resources.abc import Traversable

import numpy as np

from tinytie.text.splits import SHARES


def topics_text(seed: int = 0) -> tuple[str, str, str]:
    """(train, valid, test): whole topics in random order, about 80, 10 and 10 % of the text.

    A line is one paragraph. The topics repeat each other (`compound` holds all of `if`, `for`,
    `try`), so a paragraph is kept only where it comes first; otherwise a model would be tested on
    what it was trained on. The text, and so every number, differs between versions of Python.
    """
    topics_left = [text for text in once_only(topics_of_python()[1]) if text]
    order = np.random.default_rng(seed).permutation(len(topics_left))
    return cut([topics_left[i] for i in order])


def topics_of_python() -> tuple[str, dict[str, str]]:
    """What the text is called, and its topics by name."""
    try:
        from pydoc_data.topics import topics
    except ImportError:
        own = dict(docstrings(importlib.resources.files("tinytie")))
        return "docstrings of tinytie, as this Python has no pydoc_data", own
    return "topics", topics


def docstrings(folder: Traversable) -> Iterator[tuple[str, str]]:
    """Each file of the package below the folder, and all that its docstrings say."""
    kinds = ast.Module, ast.ClassDef, ast.FunctionDef
    for part in folder.iterdir():
        if part.is_dir():
            yield from docstrings(part)
        elif part.name.endswith(".py"):
            nodes = ast.walk(ast.parse(part.read_text(encoding="utf-8")))
            said = [ast.get_docstring(node) for node in nodes if isinstance(node, kinds)]
            yield str(part), "\n\n".join(filter(None, said))


def once_only(topics):
    """Each topic as its paragraphs, one on each line, without those of an earlier topic."""
    seen: set[str] = set()
    for name in sorted(topics):
        new = [p for p in dict.fromkeys(paragraphs(topics[name])) if p not in seen]
        seen.update(new)
        yield "\n".join(new)


def paragraphs(text):
    """What stands between blank lines, each on one line, without rules such as ***** or -----."""
    for block in re.split(r"\n\s*\n", text):
        lines = [line.strip() for line in block.split("\n") if re.search(r"\w", line)]
        if lines:
            yield " ".join(lines)


def cut(topics):
    """Test and validation take topics until each has its share; the rest is for training."""
    total = sum(map(len, topics))
    left = list(topics)
    parts = []
    for share in (SHARES.test, SHARES.valid):
        part: list[str] = []
        while sum(map(len, part)) < share * total:
            part.append(left.pop())
        parts.append("\n".join(part))
    test, valid = parts
    return "\n".join(left), valid, test
