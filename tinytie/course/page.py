"""One page out of a student's own functions: a tied language model that trains and writes."""

import ast
import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from tinytie.course import reference

PARTS = {  # function -> the lesson whose exercise it is, in the order of the page
    "lookup": "02", "lookup_backward": "02", "softmax": "03", "scores": "03",
    "scores_backward": "03", "cross_entropy": "03", "cross_entropy_backward": "03", "step": "07",
    "step_backward": "07", "forward_through_time": "08", "backward_through_time": "08",
    "loss_and_grads": "09", "adam": "10",
}  # fmt: skip
END = Path(__file__).with_name("page_end.txt")
HEAD = '"""My tied language model: it needs NumPy, and english.txt beside it."""'


class Page(NamedTuple):
    source: str
    skipped: list[str]  # the functions that are the reference's, with their lesson
    borrowed: list[str]  # what it imports besides NumPy


def page_of(folder: Path) -> Page:
    """The page from the answers in a folder. What is not written there is the reference's.

    Raises ValueError where two files mean different things by one name, or one is no Python.
    """
    made: dict[str, str] = {}  # name -> its source, in order
    skipped, imports = [], {"import numpy as np", "from pathlib import Path"}
    own = {lesson: definitions(folder, lesson) for lesson in dict.fromkeys(PARTS.values())}
    theirs = Definitions(inspect.getsource(reference), "the reference")
    for name, lesson in PARTS.items():
        source = own[lesson]
        if name not in source.found or unwritten(source.found[name]):
            skipped.append(f"{name} (lesson {lesson})")
            source = theirs
        for part, text in source.needed_by(name):
            if text.startswith(("import ", "from ")):
                imports.add(text)
            elif made.setdefault(part, text) != text and part not in PARTS:
                raise ValueError(
                    f"{source.name} and another file both define {part}, in two ways; give one of "
                    "them another name"
                )
    borrowed = sorted(i for i in imports if i.split()[1].partition(".")[0] == "tinytie")
    order = [part for part in made if part not in PARTS] + [part for part in PARTS if part in made]
    body = "\n\n\n".join(made[part] for part in order)
    head = f"{HEAD}\n\n" + "\n".join(sorted(imports, reverse=True))
    return Page(f"{head}\n\n\n{body}\n\n\n{END.read_text('utf-8')}", skipped, borrowed)


class Definitions:
    """What stands at the top of one file: name -> its node."""

    def __init__(self, source: str, name: str) -> None:
        self.source, self.name = source, name
        self.found: dict[str, ast.stmt] = {}
        try:
            tree = ast.parse(source)
        except SyntaxError as error:
            raise ValueError(f"line {error.lineno} of {name} is no Python: {error.msg}") from None
        for node in tree.body:
            for made in names_made(node):
                self.found[made] = node

    def needed_by(self, name: str) -> Iterator[tuple[str, str]]:
        """(name, source) of a function and of all that it uses, those of other lessons left out."""
        waiting, seen = [name], set()
        while waiting:
            one = waiting.pop()
            if one in seen or one not in self.found or (one in PARTS and one != name):
                continue
            seen.add(one)
            node = self.found[one]
            if isinstance(node, ast.Import | ast.ImportFrom):
                yield one, import_line(node, one)
                continue
            yield one, ast.get_source_segment(self.source, node) or ""
            waiting += [n.id for n in ast.walk(node) if isinstance(n, ast.Name)]


def definitions(folder, lesson):
    """The file of a lesson in this folder; empty where there is none."""
    files = sorted(folder.glob(f"{lesson}_*.py"))
    source = files[0].read_text(encoding="utf-8") if files else ""
    return Definitions(source, files[0].name if files else lesson)


def names_made(node):
    """The names that a statement makes."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return [node.name]
    if isinstance(node, ast.Import | ast.ImportFrom):
        return [alias.asname or alias.name.partition(".")[0] for alias in node.names]
    stored = (n for n in ast.walk(node) if isinstance(n, ast.Name))
    return [n.id for n in stored if isinstance(n.ctx, ast.Store)]


def import_line(node, name):
    """The import of one name alone."""
    (alias,) = [a for a in node.names if (a.asname or a.name.partition(".")[0]) == name]
    renamed = f" as {alias.asname}" if alias.asname else ""
    before = f"from {node.module} " if isinstance(node, ast.ImportFrom) else ""
    return f"{before}import {alias.name}{renamed}"


def unwritten(node):
    """Whether a function still raises NotImplementedError, as its stub does, or is imported."""
    if isinstance(node, ast.Import | ast.ImportFrom):
        return True
    raised = [n.exc for n in getattr(node, "body", []) if isinstance(n, ast.Raise)]
    return any(
        isinstance(n, ast.Name) and n.id == "NotImplementedError"
        for exception in raised if exception for n in ast.walk(exception)
    )  # fmt: skip
