"""Arrays of other frameworks that share memory with NumPy's; skipped where none is installed."""

import importlib.util

import numpy as np
import pytest

from tinytie import check_gradients

needs = lambda name: pytest.mark.skipif(
    importlib.util.find_spec(name) is None, reason=f"{name} is not installed"
)


@needs("torch")
def test_torch_parameters_are_bumped_through_the_memory_that_they_share():
    import torch

    layer = torch.nn.Linear(3, 2, dtype=torch.float64)
    x = torch.linspace(-1, 1, 12, dtype=torch.float64).reshape(4, 3)
    loss = lambda: torch.tanh(layer(x)).square().sum()
    loss().backward()
    params = {name: p.detach().numpy() for name, p in layer.named_parameters()}
    grads = {name: p.grad.numpy() for name, p in layer.named_parameters()}
    assert check_gradients(lambda _: loss().item(), params, grads)
    wrong = check_gradients(lambda _: loss().item(), params, {n: -g for n, g in grads.items()})
    assert wrong.cause == "wrong sign"
    with pytest.raises(TypeError, match="shares the memory"):
        check_gradients(lambda _: loss().item(), dict(layer.named_parameters()), grads)


@needs("jax")
def test_jax_functions_take_the_numpy_arrays_and_their_gradients_are_taken_as_they_are():
    import jax

    jax.config.update("jax_enable_x64", True)
    f = lambda p: jax.numpy.sum(jax.numpy.tanh(p["W"]) ** 2)
    params = {"W": np.linspace(-1, 1, 6).reshape(2, 3)}
    assert check_gradients(lambda p: float(f(p)), params, jax.grad(f))
