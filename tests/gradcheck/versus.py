"""Head to head: checkers of gradients on the zoo, with false alarms, misses and seconds.

    python -m tests.gradcheck.versus

Each checker gets (loss, params, grads) and says whether it accepts them. What is not installed is
left out. The course checkers are written down here from their published rule.
"""

import importlib.util
import time
import warnings

import numpy as np

from tests.gradcheck.zoo import FAMILIES, SIZES, cases
from tinytie import check_gradients
from tinytie.gradcheck.numeric import numeric_gradient


def installed(name):
    return importlib.util.find_spec(name) is not None


def flat(arrays):
    return np.concatenate([np.ravel(a) for a in arrays.values()])


def shaped(vector, params):
    """The dict of arrays of which `vector` is the flat form."""
    cuts = np.cumsum([a.size for a in params.values()])[:-1]
    parts = np.split(np.asarray(vector, float), cuts)
    return {n: v.reshape(a.shape) for (n, a), v in zip(params.items(), parts, strict=True)}


def numeric(loss, params, step):
    return flat({n: numeric_gradient(lambda: loss(params), a, step) for n, a in params.items()})


def ours(loss, params, grads):
    return {"PASS": True, "FAIL": False}.get(check_gradients(loss, params, grads, rng=0).verdict)


def torch_gradcheck(loss, params, grads, fast=False):
    import torch

    class Given(torch.autograd.Function):
        @staticmethod
        def forward(ctx, *tensors):
            arrays = [t.detach().numpy() for t in tensors]
            value = loss(dict(zip(params, arrays, strict=True)))
            return torch.tensor(value, dtype=torch.float64)

        @staticmethod
        def backward(ctx, d):
            return tuple(d * torch.tensor(g) for g in grads.values())

    tensors = [torch.tensor(a, dtype=torch.float64, requires_grad=True) for a in params.values()]
    return torch.autograd.gradcheck(
        Given.apply, tensors, raise_exception=False, fast_mode=fast, nondet_tol=0.0
    )


def jax_check_vjp(loss, params, grads):
    import jax
    from jax.test_util import check_vjp

    jax.config.update("jax_enable_x64", True)
    names = list(params)
    f = lambda *arrays: np.float64(loss(dict(zip(names, map(np.asarray, arrays), strict=True))))
    f_vjp = lambda *arrays: (f(*arrays), lambda d: tuple(float(d) * grads[n] for n in names))
    try:
        check_vjp(f, f_vjp, tuple(params.values()))
    except AssertionError:
        return False
    return True


def scipy_check_grad(loss, params, grads):
    from scipy.optimize import check_grad

    x = flat(params)
    error = check_grad(lambda v: loss(shaped(v, params)), lambda v: flat(grads), x)
    return error <= 1e-6 * max(1.0, np.linalg.norm(flat(grads)))


def statsmodels_centered(loss, params, grads):
    from statsmodels.tools.numdiff import approx_fprime

    n = approx_fprime(flat(params), lambda v: loss(shaped(v, params)), centered=True)
    return np.allclose(n, flat(grads), rtol=1e-5, atol=1e-8)


def cs231n(loss, params, grads):
    """Relative error |a − n| / max(|a|, |n|) of every entry at most 1e-4, step 1e-5."""
    a, n = flat(grads), numeric(loss, params, 1e-5)
    return (np.abs(a - n) <= 1e-4 * np.maximum(np.maximum(np.abs(a), np.abs(n)), 1e-8)).all()


def deep_learning_specialization(loss, params, grads):
    """‖a − n‖ / (‖a‖ + ‖n‖) at most 2e-7, step 1e-7."""
    a, n = flat(grads), numeric(loss, params, 1e-7)
    return np.linalg.norm(a - n) <= 2e-7 * (np.linalg.norm(a) + np.linalg.norm(n))


def ufldl(loss, params, grads):
    """‖n − a‖ / ‖n + a‖ at most 1e-9, step 1e-4."""
    a, n = flat(grads), numeric(loss, params, 1e-4)
    return np.linalg.norm(n - a) <= 1e-9 * np.linalg.norm(n + a)


def minitorch(loss, params, grads):
    """One random entry of each argument within 1e-2, absolute and relative, step 1e-6."""
    rng = np.random.default_rng(0)
    for name, array in params.items():
        index = tuple(int(rng.integers(n)) for n in array.shape)
        kept = array[index]
        values = []
        for step in (1e-6, -1e-6):
            array[index] = kept + step
            values.append(loss(params))
        array[index] = kept
        n = (values[0] - values[1]) / 2e-6
        if not np.allclose(grads[name][index], n, 1e-2, 1e-2):
            return False
    return True


def autograd(loss, params, grads):
    """Along one random direction within 1e-4, absolute and relative, step 1e-6."""
    v = np.random.default_rng(0).standard_normal(flat(params).size)
    v /= np.linalg.norm(v)
    f = lambda h: loss(shaped(flat(params) + h * v, params))
    return np.allclose(flat(grads) @ v, (f(5e-7) - f(-5e-7)) / 1e-6, 1e-4, 1e-4)


def absolute(loss, params, grads):
    """What people write themselves: every entry within 1e-5, step 1e-5."""
    return np.allclose(flat(grads), numeric(loss, params, 1e-5), rtol=0, atol=1e-5)


CHECKERS = {
    "tinytie": ours,
    "torch.autograd.gradcheck": ("torch", torch_gradcheck),
    "the same, fast_mode": ("torch", lambda *a: torch_gradcheck(*a, fast=True)),
    "jax.test_util.check_vjp": ("jax", jax_check_vjp),
    "scipy.optimize.check_grad": ("scipy", scipy_check_grad),
    "statsmodels, centred, and allclose": ("statsmodels", statsmodels_centered),
    "CS231n's relative error": cs231n,
    "Deep Learning Specialization": deep_learning_specialization,
    "UFLDL tutorial": ufldl,
    "minitorch": minitorch,
    "HIPS autograd's rule": autograd,
    "a fixed absolute 1e-5": absolute,
}


def measured(check, zoo):
    """(false alarms, misses, undecided right, undecided wrong, seconds)"""
    counts, start = [0, 0, 0, 0], time.perf_counter()
    for _, _, loss, params, right, wrong in zoo:
        said = check(loss, params, right)
        counts[0] += said is not None and not said
        counts[2] += said is None
        for _, grads in wrong:
            said = check(loss, params, grads)
            counts[1] += said is not None and bool(said)
            counts[3] += said is None
    return (*counts, time.perf_counter() - start)


def main():
    warnings.simplefilter("ignore")
    zoo = list(cases())
    wrong = sum(len(w) for *_, w in zoo)
    print(f"{len(FAMILIES)} families at sizes {SIZES}: {len(zoo)} right gradients, {wrong} wrong\n")
    print("| checker | false alarms | misses | UNCHECKED: right, wrong | seconds |")
    print("| --- | ---: | ---: | ---: | ---: |")
    for name, check in CHECKERS.items():
        module, check = check if isinstance(check, tuple) else (None, check)
        if module is None or installed(module):
            with np.errstate(all="ignore"):
                alarms, misses, right, unsure, seconds = measured(check, zoo)
            print(
                f"| {name} | {alarms} | {misses} | {right}, {unsure} | {seconds:.1f} |", flush=True
            )


if __name__ == "__main__":
    main()
