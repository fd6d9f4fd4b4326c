"""Where a student's file runs: a process of its own, fenced in, that only answers calls.

`wire` is spoken on both sides of the pipe; the rest runs on the student's side and imports nothing
else of the package, so that an answer may be refused the package.
"""
