"""JSON from a file that nobody has vouched for."""

import json
from collections import Counter
from typing import Any

from tinytie.errors import CheckpointError, quoted


def strict_json(text: bytes | str, what: str) -> Any:
    """The value of a JSON text in UTF-8. `what` names the text in the CheckpointError.

    Refused, though Python's reader takes them: a name that occurs twice in one object, NaN and
    Infinity. Nesting too deep for Python is the same error, not a RecursionError.
    """
    try:
        text = text.decode() if isinstance(text, bytes) else text
        return json.loads(text, object_pairs_hook=without_repeats, parse_constant=refuse_constant)
    except (ValueError, RecursionError) as error:
        raise CheckpointError(f"{what} is not valid JSON: {error}") from None


def without_repeats(pairs):
    """A dict; where a name came twice, one of the two values would be lost silently."""
    entries = dict(pairs)
    if len(entries) < len(pairs):
        repeated, _ = Counter(name for name, _ in pairs).most_common(1)[0]
        raise ValueError(f"the name {quoted(repeated)} occurs twice")
    return entries


def refuse_constant(text):
    raise ValueError(f"{text} is no JSON number")
