"""The program of a student's process: reads one file after the other, and forks for each.

The keeper's child runs the student's code; the others are ours:

    supervisor          reads a file's source off the wire, says when the file is closed
      guard             (Linux, where allowed) makes a new list of processes
        keeper          the first of that list: counts processes and memory, ends them all
          student       no rights, limits on everything; answers calls on the wire
"""

import contextlib
import json
import os
import signal
import sys
import time
from pathlib import Path

from tinytie.course.desk import fence
from tinytie.course.desk.answering import File, flush, without_package
from tinytie.course.desk.line import Line
from tinytie.course.desk.processes import descendants, kill_all, memory_of, remove
from tinytie.course.desk.wire import read_frame

MEMORY, PROCESSES = 97, 98
PROCESSOR = (getattr(signal, "SIGXCPU", None), 99)
WHY = {
    MEMORY: "it took more memory than the limit",
    PROCESSES: "it started more processes than the limit",
    PROCESSOR[1]: "it used more processor time than the limit: a loop without an end?",
}
ENDED = "it ends the Python process"


class Channel:
    """Standard input and output, taken away from whatever is printed."""

    def __init__(self):
        self.source, self.sink = os.dup(0), os.dup(1)
        nothing = os.open(os.devnull, os.O_RDWR)
        os.dup2(nothing, 0)
        os.dup2(2, 1)
        os.close(nothing)

    def read(self, n):
        return os.read(self.source, n)

    def send(self, frame):
        rest = memoryview(frame)
        while rest:
            rest = rest[os.write(self.sink, rest) :]

    def line(self, serve):
        return Line(lambda: read_frame(self.read), self.send, serve, makers=True)


def main() -> None:
    """Set up as the options of the command line say, then serve files until the judge goes."""
    options = json.loads(sys.argv[1])
    options["user"] = 1_000_000_000 + os.getpid()  # nobody else's: its processes are counted alone
    channel = Channel()
    if options["package"]:
        import tinytie

        tinytie.RNNLM  # noqa: B018 (loaded once here, and not again for every file)
    line = channel.line(None)
    line.say("ready", *prepared(options))
    while True:
        try:
            word, *rest = line.hear()
        except EOFError:
            return
        if word == "file":
            serial, name, source = rest
            why = one_file(channel, options, serial, name, source)
            os.write(2, f"\0{serial}\n".encode())
            line.say("closed", serial, why)


def prepared(options):
    """Fences in; a sentence where that failed, and what stays open."""
    if not options["fork"]:
        return "", ["nothing but the time: this system cannot fork"]
    fence.prctl(fence.SUBREAPER, 1)
    signal.signal(signal.SIGTERM, end_all)
    fence.prctl(fence.PDEATHSIG, signal.SIGTERM)
    if not options["rooms"]:
        if not fence.may_drop(options["user"], options["python"]):
            return "a superuser cannot be contained here; grade as an ordinary user", []
        return "", fence.open_ends()
    try:
        fence.own_root(Path(options["place"]), options["seen"], options["hidden"])
        if one_file(None, options, "", "", None) != ENDED:
            return "no processes of its own", []
    except OSError as error:
        return str(error), []
    return "", []


def one_file(channel, options, serial, name, source):
    """Run a file until it is closed; why it ended by itself, if it did."""
    if not options["fork"]:
        student(channel, options, serial, name, source)
    guard = os.fork()
    if guard == 0:
        with contextlib.suppress(BaseException):
            guarded(channel, options, serial, name, source)
        os._exit(1)
    _, status = os.waitpid(guard, 0)
    kill_all(os.getpid())
    code = os.waitstatus_to_exitcode(status)
    if not options["rooms"]:
        remove(desk_of(options))
    return "" if code == 0 else WHY.get(code, ENDED)


def guarded(channel, options, serial, name, source):
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    fence.die_with_parent()
    if options["rooms"]:
        fence.own_processes()
        keeper = os.fork()
        if keeper:
            _, status = os.waitpid(keeper, 0)
            code = os.waitstatus_to_exitcode(status)
            os._exit(code if code >= 0 else 1)
        fence.die_with_parent()
        fence.own_desk(options["disk"])
    else:
        fence.prctl(fence.SUBREAPER, 1)
        desk_of(options).mkdir()
        desk_of(options).chmod(0o777)
        os.chdir(desk_of(options))
    if source is None:  # only a try
        os._exit(1)
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD})
    pid = os.fork()
    if pid == 0:
        signal.pthread_sigmask(signal.SIG_SETMASK, set())
        with contextlib.suppress(BaseException):
            student(channel, options, serial, name, source)
        os._exit(1)
    code = keep(pid, options)
    kill_all(os.getpid())
    os._exit(code)


def desk_of(options):
    return Path(options["place"], "desk")


def keep(pid, options):
    """Wait for the student's process; an exit code that says why it was ended."""
    while True:
        with contextlib.suppress(ChildProcessError):
            while (ended := os.waitpid(-1, os.WNOHANG))[0]:
                if ended[0] == pid:
                    return code_of(ended[1])
        family = descendants(os.getpid())
        if len(family) > options["processes"]:
            return PROCESSES
        if sum(map(memory_of, family)) > options["megabytes"] << 20:
            return MEMORY
        wait_for_child(0.05)


def code_of(status):
    if os.WIFSIGNALED(status) and os.WTERMSIG(status) == PROCESSOR[0]:
        return PROCESSOR[1]
    return 0 if status == 0 else 1


def wait_for_child(seconds):
    if hasattr(signal, "sigtimedwait"):
        signal.sigtimedwait({signal.SIGCHLD}, seconds)
    else:
        time.sleep(seconds / 5)


def end_all(*_):
    kill_all(os.getpid())
    os._exit(0)


def student(channel, options, serial, name, source):
    """The student's own process: the file is run, and then answers calls."""
    if options["fork"]:
        os.setsid()
        fence.limit(options["seconds"], options["megabytes"], options["limit_processes"])
        fence.drop_rights(options["user"], options["python"])
        if not options["rooms"]:
            fence.write_only_here()
    else:
        desk_of(options).mkdir()
        os.chdir(desk_of(options))
    folder = os.getcwd()
    os.environ.clear()
    os.environ.update(options["environment"] | {"HOME": folder, "TMPDIR": folder})
    sys.argv = [name]
    if not options["package"]:
        without_package()
    Path(name).write_text(source, encoding="utf-8")
    file = File(Path(folder, name))
    line = channel.line(None)

    def serve(target, names, values):
        try:
            function = line.functions[target] if isinstance(target, int) else file.function(target)
            return file.ask(function, names, values)
        finally:
            flush()

    line.serve = serve
    problem = file.load(source)
    flush()
    line.say("loaded", serial, problem)
    while True:
        word, *rest = line.hear()
        if word != "call":
            os._exit(0)
        line.answer(*rest)
