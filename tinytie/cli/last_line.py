"""The last line for machines, as of `--json`."""

import json
from typing import Any

from tinytie.experiments.record import finite


def print_json(found: Any) -> None:
    """One line of JSON. What is not finite, such as a perplexity that overflows, becomes null."""
    print(json.dumps(finite(found), allow_nan=False))
