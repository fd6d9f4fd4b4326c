"""Ctrl-C, between two steps: what is being done is finished first."""

import signal
from typing import Any, Self


class Interrupts:
    """While inside, the first Ctrl-C only sets `came`; a second one is raised at once.

    To be used in the main thread, where Python handles signals.
    """

    came = False

    def __enter__(self) -> Self:
        self.before = signal.signal(signal.SIGINT, self.note)
        return self

    def __exit__(self, *error: object) -> None:
        signal.signal(signal.SIGINT, self.before)

    def note(self, number: int, frame: Any) -> None:
        """The handler."""
        if self.came:
            raise KeyboardInterrupt
        self.came = True
