"""One contender at one shape in a process of its own: reads a number of steps, answers seconds.

python worker.py CONTENDER SHAPE THREADS
"""

import json
import os
import sys
import time


def main(contender, shape, threads):
    from steps import CONTENDERS, SHAPES

    if "torch" in contender.lower():
        import torch

        torch.set_num_threads(int(threads))
    step = CONTENDERS[contender](SHAPES[shape])
    losses = [step() for _ in range(3)]  # warm-up; the losses of the first steps are compared
    answer(losses)
    for line in sys.stdin:
        step()  # brings back the caches that the others used meanwhile
        start = time.perf_counter()
        for _ in range(int(line)):
            step()
        answer((time.perf_counter() - start) / int(line))


def answer(value):
    print(json.dumps(value), flush=True)


if __name__ == "__main__":
    for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[variable] = sys.argv[3]
    main(*sys.argv[1:])
