"""Files that forge, fill, fork, hang and hide: each has its verdict, and nothing is left behind."""

import os
import threading
import tracemalloc

import numpy as np
import pytest

from tinytie.course.answers import Exercise, Wrong
from tinytie.course.desk.processes import descendants
from tinytie.course.grading import File, Judged, Task, verdict
from tinytie.course.seat import Ended, Limits, Seat
from tinytie.course.shelf import lessons_folder

GOOD = "def square(x): return x * x"
BAD = "def square(x): return x"
RIGHT, LATE, ENDS = "", "did not come back within", "it ends the Python process"
OFF = "that is no square"
PIPE = "the pipe of the grader"
CONTAINED = (True, True)

# what a file does, then what its answer is: a verdict that holds these words, or "" where it passes
FILES = {
    # forging: a wrong answer stays wrong
    "writes a results file": (
        "import sys\nfor a in sys.argv: open('results', 'w').write(a)", BAD, OFF),
    "prints a verdict": ("print('pass'); print('{\"passed\": true}')", BAD, OFF),
    "exits with 0": ("import os\ndef square(x): os._exit(0)", "", ENDS),
    "exits at load with 0": ("import os\nos._exit(0)", BAD, ENDS),
    "raises SystemExit": ("def square(x): raise SystemExit(0)", "", "SystemExit"),
    "replaces __main__": ("import __main__\n__main__.verdict = lambda *a: ''", BAD, OFF),
    "patches numpy": (
        "import numpy as np\nnp.allclose = np.array_equal = lambda *a, **k: True", BAD, OFF),
    "patches numpy's asarray": ("import numpy as np\nnp.asarray = lambda *a, **k: 0", BAD, None),
    "patches the operations": (
        "import tinytie.ops.softmax as s\ns.softmax = lambda *a: 0\n"
        "import tinytie.gradcheck as g\ng.check_gradients = lambda *a, **k: None", BAD, OFF),
    "patches the course": (
        "import tinytie.course.desk.line as w\nw.packed = lambda *a: b'pass'", BAD, None),
    "patches json": ("import json\njson.dumps = lambda *a, **k: '[\"result\", true]'", BAD, PIPE),
    "patches builtins": ("import builtins\nbuiltins.abs = builtins.max = lambda *a: 0", BAD, OFF),
    "walks the stack": (
        "import sys\ndef square(x):\n    f = sys._getframe()\n    while f:\n"
        "        f.f_locals.update(passed=True, verdict=''); f = f.f_back\n    return x", "", OFF),
    "looks through all objects": (
        "import gc\nfor o in gc.get_objects():\n"
        "    if type(o).__name__ == 'Result': o.passed = True",
        BAD, OFF),
    "writes a frame": (
        "import os\ndef square(x):\n    for fd in range(3, 12):\n"
        "        try: os.write(fd, b'\\0' * 64)\n"
        "        except OSError: pass\n    return x * x", "", PIPE),
    "writes an answer of its own": (
        "import sys, inspect\ndef square(x):\n    f = sys._getframe(2)\n    while f:\n"
        "        line = f.f_locals.get('self')\n        if hasattr(line, 'say'):\n"
        "            line.say('result', f.f_locals['ticket'], x * 0); break\n        f = f.f_back\n"
        "    return x", "", PIPE),
    "says that it is closed": (
        "import gc\nfor o in gc.get_objects():\n    if type(o).__name__ == 'Line':\n"
        "        o.say('closed', 'x', '')", BAD, ENDS),
    "sends a huge length": (
        "import os\ndef square(x):\n    for fd in range(3, 12):\n"
        "        try: os.write(fd, b'\\xff' * 8)\n        except OSError: pass", "", PIPE),
    "floods the wire": (
        "import gc\nlines = [o for o in gc.get_objects() if type(o).__name__ == 'Line']\n"
        "def square(x):\n    while True: lines[0].say('call', 'x', 0, [], [])", "", LATE),
    "closes all files": ("import os\nos.closerange(0, 64)", GOOD, None),
    "reads the solutions": (
        "import os\nassert not os.path.exists(SOLUTIONS)", GOOD, RIGHT),
    "reads the laws": ("import tinytie.course.shelf as s\ns.laws_of('01')", GOOD, "it stops with"),
    "looks for a classmate": (
        "import os\nassert sorted(os.listdir('.')) == ['01_a.py']", GOOD, RIGHT),
    # writing outside
    "writes into the witness": ("open(WITNESS + '/forged', 'w')", GOOD, "it stops with"),
    "deletes the witness": ("import shutil\nshutil.rmtree(WITNESS)", GOOD, "it stops with"),
    "links to the witness": (
        "import os\nos.symlink(WITNESS, 'w')\nos.remove('w/kept')", GOOD, "stops"),
    "writes into the package": (
        "import tinytie\nopen(tinytie.__file__, 'a').write('#')", GOOD, "it stops with"),
    "writes into numpy": ("import numpy\nopen(numpy.__file__, 'a').write('#')", GOOD, "it stops"),
    "writes into /tmp": ("open('/tmp/tinytie-hostile', 'w')", GOOD, None),
    "writes into HOME": (
        "import os\nopen(os.path.expanduser('~/.hostile'), 'w').write('x')", GOOD, RIGHT),
    "mounts": (
        "import ctypes\nl = ctypes.CDLL(None)\nassert l.umount2(b'/desk', 2) and l.mount("
        "None, b'/', None, 4096 | 32, None)", GOOD, RIGHT),
    "remounts in a new room": (
        "import ctypes, os\nl = ctypes.CDLL(None)\nl.unshare(0x10020000)\n"
        "assert l.mount(None, b'/usr', None, 4096 | 32, None)", GOOD, RIGHT),
    "becomes root": ("import os\nos.setuid(0)", GOOD, "it stops with PermissionError"),
    # filling
    "takes 3 GB": ("import numpy as np\nbig = np.ones(400_000_000)", GOOD, "MemoryError"),
    "takes memory in children": (
        "import os, time\nfor _ in range(4):\n    if not os.fork():\n"
        "        b = bytearray(b'x') * 120_000_000; time.sleep(9)\ntime.sleep(9)",
        GOOD, "more memory than the limit"),
    "prints 20 MB": ("line = 'x' * 1_000_000\nfor _ in range(20): print(line)", GOOD, RIGHT),
    "prints control characters": ("print('\\x1b[2J\\x07')", GOOD, RIGHT),
    "fills the disk": (
        "for i in range(99): open(f'{i}', 'wb').write(b'x' * 5_000_000)",
        GOOD, "it stops with OSError"),
    "makes many files": ("for i in range(9_999): open(f'f{i}', 'w')", GOOD, None),
    "opens many files": ("a = [open('01_a.py') for _ in range(99)]", GOOD, "Too many open files"),
    "nests folders": (
        "import os\nfor _ in range(300): os.mkdir('d'); os.chdir('d')", GOOD, RIGHT),
    "locks a folder": ("import os\nos.makedirs('a/b'); os.chmod('a', 0)", GOOD, RIGHT),
    # forking
    "forks without end": (
        "import os\nwhile True:\n    try: os.fork()\n    except OSError: pass", GOOD, None),
    "leaves a grandchild": (
        "import os, time\nif not os.fork():\n    os.setsid()\n"
        "    if not os.fork(): time.sleep(99)\n"
        "    os._exit(0)", GOOD, RIGHT),
    "leaves a program": (
        "import subprocess, sys\n"
        "subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(99)'],"
        " start_new_session=True)", GOOD, RIGHT),
    "starts threads": (
        "import threading, time\nfor _ in range(2): threading.Thread(target=time.sleep, args=(99,))"
        ".start()", GOOD, RIGHT),
    "registers atexit": (
        "import atexit, time\natexit.register(lambda: time.sleep(99))", GOOD, RIGHT),
    "kills its parent": ("import os\nos.kill(os.getppid(), 9)", GOOD, None),
    "kills everybody": ("import os\nos.kill(-1, 9)", GOOD, None),
    "kills its group": ("import os, signal\nos.killpg(0, signal.SIGKILL)", GOOD, ENDS),
    "stops its parent": ("import os, signal\nos.kill(os.getppid(), signal.SIGSTOP)", GOOD, None),
    "stops itself": ("import os, signal\nos.kill(os.getpid(), signal.SIGSTOP)", GOOD, LATE),
    # hanging
    "loops at import": ("while True: pass", GOOD, LATE),
    "loops in the answer": ("def square(x):\n    while True: pass", "", LATE),
    "ignores signals": (
        "import signal\nfor s in range(1, 32):\n    try: signal.signal(s, signal.SIG_IGN)\n"
        "    except (OSError, ValueError): pass\nwhile True: pass", GOOD, LATE),
    "catches all": (
        "def square(x):\n    while True:\n        try: square(x)\n"
        "        except BaseException: pass",
        "", LATE),
    "waits for input": ("input()", GOOD, "EOFError"),
    "sleeps": ("import time\ntime.sleep(99)", GOOD, LATE),
    "overflows the stack": (
        "import sys\nsys.setrecursionlimit(10**9)\ndef f(): f()\nf()", GOOD, None),
    "crashes": ("import ctypes\nctypes.string_at(0)", GOOD, ENDS),
    "compiles for ever": ("x = 9 ** 9 ** 9", GOOD, LATE),
    # odd values
    "returns NaN": ("def square(x): return x * float('nan')", "", "NaN or infinity"),
    "returns objects": (
        "import numpy as np\ndef square(x): return np.array([object()] * 3)", "", "dtype object"),
    "returns text that is numbers": (
        "def square(x): return [str(v * v) for v in x]", "", "a list of"),
    "returns complex": ("def square(x): return x * x + 0j", "", "dtype complex128"),
    "returns float16": ("def square(x): return (x * x).astype('f2')", "", OFF),
    "returns a wrong shape": ("def square(x): return (x * x)[:, None]", "", "returns shape (3, 1)"),
    "returns itself": (
        "def square(x):\n    a = []; a.append(a)\n    return a", "", "nested deeper"),
    "returns a huge array": (
        "import numpy as np\ndef square(x): return np.zeros(9_000_000)", "", "too large"),
    "returns a huge number": ("def square(x): return [10 ** 4000] * 3", "", "it must return"),
    "returns without end": (
        "class L(list):\n    def __iter__(self):\n        while True: yield 1\n"
        "def square(x): return L()", "", None),
    "another array when read again": (
        "import numpy as np\nclass A:\n    n = 0\n    def __array__(self, *a, **k):\n"
        "        A.n += 1; return np.ones(3) * A.n\ndef square(x): return A()", "", "type A"),
    "a subclass that compares equal": (
        "import numpy as np\nclass A(np.ndarray):\n    def __eq__(self, o): return True\n"
        "    def __sub__(self, o): return 0\n    __rsub__ = __sub__\n"
        "def square(x): return x.view(A)", "", OFF),
    "pickles": (
        "class P:\n    def __reduce__(self): return print, ('executed',)\n"
        "def square(x): return P()", "", "type P"),
    "remembers the inputs": (
        "seen = {}\ndef square(x): return seen.setdefault(0, x * x)", "", OFF),
    "changes what it is given": ("def square(x):\n    x *= x\n    return x", "", "in place"),
    "an error that hides": (
        "class E(Exception):\n    def __str__(self): raise ValueError\n"
        "def square(x): raise E", "", None),
    "an error in colour": (
        "def square(x): raise ValueError('\\x1b[31mred\\x1b[0m\\n' * 999)", "", "\\x1b[31mred"),
    "no Python": ("def (", "", "is no Python"),
    "null bytes": ("x = 1\0", "", "01_a.py"),
    "a good answer": ("", GOOD, RIGHT),
}  # fmt: skip


def square_law(answer):
    for _ in range(2):
        x = answer.rng.standard_normal(3)
        if not np.allclose(answer.array((3,), x=x), x * x):
            raise Wrong(OFF)


@pytest.fixture
def exercise(monkeypatch):
    exercises = [Exercise("square", square_law)]
    monkeypatch.setattr("tinytie.course.grading.exercises_of", lambda lesson: exercises)


@pytest.fixture(scope="module")
def places():
    """A seat that all files take, one after the other, in rooms of their own or not at all."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Seat, "modes", [CONTAINED])
        with Seat(Limits(megabytes=384, processes=8, disk=32)) as seat:
            try:
                seat.open("01_a.py", "")
            except ValueError:
                pytest.skip("hostile files run only where they are fully contained")
            seat.close()
            yield seat


@pytest.fixture
def witness(tmp_path):
    """A file of somebody else, which stays as it is."""
    (tmp_path / "kept").write_text("mine")
    yield tmp_path
    assert [path.name for path in tmp_path.iterdir()] == ["kept"]
    assert (tmp_path / "kept").read_text() == "mine"


@pytest.mark.parametrize("what", FILES)
def test_a_hostile_file_gets_its_verdict_and_leaves_nothing(what, places, exercise, witness):
    does, answer, words = FILES[what]
    seconds = 1 if words in (LATE, None) else 60  # on a busy machine too, its own end comes first
    places.limits = places.limits._replace(seconds=seconds)
    source = f"{does}\n{answer}\n".replace("WITNESS", repr(str(witness)))
    source = source.replace("SOLUTIONS", repr(str(lessons_folder() / "solutions")))
    judged = Judged(places, File("01_a.py", source), 7, float("inf"))
    message = judged.message(Task("01", 1))
    printed = places.close()
    if words is None:
        assert answer == GOOD or message  # whatever happens, no wrong answer passes
    else:
        assert words in message if words else not message, message
    assert len(message) <= 600
    assert len(printed) <= 10_000
    assert not places.program or descendants(places.program.pid) == []


FINDS_LINE = (
    "import gc, numpy as np\nlines = [o for o in gc.get_objects() if type(o).__name__ == 'Line']\n"
)


@pytest.mark.parametrize("frame", ["lines[0].say(np.ones(3), 1)", "lines[0].say('closed')"])
def test_what_is_no_message_is_no_answer(frame, places, exercise):
    """Sent while the file is loaded, and in the place of an answer; see also test_wire."""
    for source in (f"{frame}\n{GOOD}", f"def square(x): {frame}; return x * x"):
        judged = Judged(places, File("01_a.py", FINDS_LINE + source), 7, float("inf"))
        assert PIPE in judged.message(Task("01", 1))
        places.close()


def asked(source, law, seat):
    """What the file is told by this law, and the next file, which is good."""
    assert seat.open("01_a.py", source) == ""
    try:
        first = verdict(seat, Exercise("f", law), np.random.default_rng())
    except Ended as ended:
        first = str(ended)
    seat.close()
    assert seat.open("01_a.py", "def f(): return 1.0") == ""
    second = verdict(seat, Exercise("f", lambda answer: answer.number()), np.random.default_rng())
    seat.close()
    return first, second


@pytest.mark.parametrize(
    ("body", "words"),
    [("os._exit(0)", ENDS), ("sum(iter(int, 1))", LATE), ("os.write(4, b'x' * 64)", PIPE)],
)
def test_a_function_that_a_file_returns_is_guarded_as_the_file_is(body, words, places):
    source = f"import os\ndef f(): return lambda: {body}"
    places.limits = places.limits._replace(seconds=5)
    first, second = asked(source, lambda answer: answer()(), places)
    assert words in first
    assert second == ""


def test_the_judge_makes_no_model_of_a_file(places):
    """What a file returns could else call any function of the package here, as `save`."""
    source = "from tinytie.course.desk.wire import Maker\ndef f(): return Maker('RNNLM', {}, {})"
    first, second = asked(source, lambda answer: answer()(), places)
    assert PIPE in first
    assert second == ""


def test_text_among_numbers_takes_no_memory(places):
    """NumPy would give every entry of such an array the width of the longest text."""
    source = "def f(): return ['x' * 100_000] + [1] * 900"
    tracemalloc.start()
    first, _ = asked(source, lambda answer: answer.array((901,)), places)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert "returns a list of 901 things" in first
    assert peak < 20_000_000


def test_a_flood_leaves_no_thread_and_no_frames_in_the_judge(places, exercise):
    source = FINDS_LINE + "while True: lines[0].say('loaded', 'x', 'y' * 99_999)"
    assert PIPE in Judged(places, File("01_a.py", source), 7, 9).message(Task("01", 1))
    places.close()
    places.leave()
    assert [t.name for t in threading.enumerate() if "listen" in t.name] == []


def test_at_the_end_nothing_is_left(places):
    """After all of the files above: no process and no file."""
    places.open("01_a.py", "")
    place, pid = places.program.place, places.program.pid
    assert list(place.iterdir()) == []
    places.leave()
    assert not place.exists()
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
