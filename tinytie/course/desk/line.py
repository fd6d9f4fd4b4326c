"""A conversation over the wire: a call goes out, and calls that come in meanwhile are served."""

import secrets
from collections.abc import Callable
from typing import Any

from tinytie.course.desk.wire import Garbled, packed, unpacked


class Refused(Exception):  # noqa: N818
    """The other side could not answer a call: a sentence."""


class Closed(Exception):  # noqa: N818
    """The other side says that a file is at its end: its serial number, and why."""


class Line:
    """One end of the wire: calls the other end, and serves its calls while it waits.

    receive(): the (header, body) that comes next. send(frame). serve(target, names, values): the
    result of a call that comes in; it raises Refused with a sentence where there is none.
    call: of the functions that come back, in the place of this line's own. makers: see `unpacked`.
    """

    def __init__(
        self, receive: Callable, send: Callable, serve: Callable,
        call: Callable | None = None, makers: bool = False,
    ) -> None:  # fmt: skip
        self.receive, self.send, self.serve = receive, send, serve
        self.ask, self.makers = call or self.call, makers
        self.functions: list[Callable] = []

    def number_of(self, function):
        self.functions.append(function)
        return len(self.functions) - 1

    def function_of(self, number):
        def remote(*values, **named):
            names = [*map(str, range(1, 1 + len(values))), *named]
            return self.ask(number, names, [*values, *named.values()])

        return remote

    def say(self, *message):
        self.send(packed(message, self.number_of))

    def hear(self):
        header, body = self.receive()
        self.size = len(header) + len(body)
        message = unpacked(header, body, self.function_of, self.makers)
        if message[0] == "closed":
            raise Closed(*message[1:])
        return message

    def call(self, target: Any, names: list, values: list) -> Any:
        """What the other end's function gives. Raises Refused with its sentence."""
        ticket = secrets.token_hex(8)
        self.say("call", ticket, target, names, values)
        while True:
            word, *rest = self.hear()
            if word == "call":
                self.answer(*rest)
            elif rest[:1] != [ticket]:
                raise Garbled("no answer to this call")
            elif word == "refused":
                raise Refused(rest[1])
            else:
                return rest[1]

    def answer(self, ticket, target, names, values):
        """Serve one call of the other end."""
        try:
            result = self.serve(target, names, values)
            frame = packed(("result", ticket, result), self.number_of)
        except Refused as refused:
            frame = packed(("refused", ticket, str(refused)), self.number_of)
        except (ValueError, TypeError, MemoryError, RecursionError) as error:
            sentence = f"what it returns cannot be read: {error}"
            frame = packed(("refused", ticket, sentence), self.number_of)
        self.send(frame)
