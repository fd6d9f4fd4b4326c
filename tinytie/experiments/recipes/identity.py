"""Which run is it? So that a record or a checkpoint of another one is never taken for this one."""

import hashlib
from pathlib import Path
from typing import Any

from tinytie.experiments.recipes.recipe import Row, Settings
from tinytie.files.strict_json import strict_json
from tinytie.text.corpora import Corpus


def identity(recipe: str, row: Row, settings: Settings, corpus: Corpus) -> dict[str, Any]:
    """What makes two runs the same run: the recipe, the row, the settings, and every token."""
    streams = corpus.train, corpus.valid, corpus.test
    digest = hashlib.sha256("\n".join(corpus.vocabulary.words).encode())
    for stream in streams:
        digest.update(stream.astype("<i8").tobytes())
    return {
        "recipe": recipe,
        "row": row.name,
        "settings": settings._asdict(),
        "text": {
            "name": corpus.name,
            "words": len(corpus.vocabulary),
            "tokens": [len(stream) for stream in streams],
            "sha256": digest.hexdigest(),
        },
    }


def check_same(found: dict[str, Any], wanted: dict[str, Any], path: Path) -> None:
    """Raises ValueError, naming what differs, where `path` holds another run."""
    names = [name for name in ("recipe", "row") if found.get(name) != wanted[name]]
    theirs, ours = found.get("settings", {}), wanted["settings"]
    names += [name for name in ours if theirs.get(name) != ours[name]]
    if found.get("text", {}).get("sha256") != wanted["text"]["sha256"]:
        names.append("text")
    if names:
        raise ValueError(
            f"{path} holds a run with another {', '.join(names)}; give the options of that run "
            "again, or another folder with --out"
        )


def read_record(path: Path) -> dict[str, Any]:
    """The record of a finished row. Raises ValueError on another file."""
    record = strict_json(path.read_bytes(), str(path))
    if not isinstance(record, dict) or "test" not in record:
        raise ValueError(f"{path} is not the record of a finished row; move it away")
    return record
