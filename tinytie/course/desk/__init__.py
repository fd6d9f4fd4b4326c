"""Where a student's file runs: a process of its own, fenced in, that only answers calls.

`wire` (what is said) and `line` (the conversation) are used on both sides of the pipe; the rest
runs on the student's side and imports nothing else of the package, which may be refused to it.
"""
