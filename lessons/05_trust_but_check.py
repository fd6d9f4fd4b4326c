# %% [markdown]
# # 05 Trust, but check
#
# - **Question:** how small is small enough?
# - **Builds on:** lesson 04
# - **Reading:** 25 minutes, and 5 for what is headed *Further*
# - **Exercise:** 40 minutes
# - **Run:** 1 second
#
# **Predict before you run.** A finite difference gets better as the step gets
# smaller. Down to which step: 10⁻³, 10⁻⁵, 10⁻⁸, 10⁻¹⁶? And what happens below?

# %%
import numpy as np

from figures import difference_errors, save_figure
from tinytie.gradcheck.numeric import numeric_gradient
from tinytie.ops.embedding import embedding_backward, embedding_forward
from tinytie.ops.softmax import cross_entropy_backward, cross_entropy_forward

rng = np.random.default_rng(5)
E0, W = rng.normal(size=(7, 4)), rng.normal(size=(4, 4))  # (V, D), (H, D)
x, y = np.array([[0, 1, 0]]), np.array([[1, 0, 6]])  # (B, T) = (1, 3): the network of lesson 04


def loss(E):
    s = np.tanh(E[x] @ W.T) @ E.T  # (B, T, V)
    target = np.take_along_axis(s, y[..., np.newaxis], axis=-1)[..., 0]
    return np.mean(np.log(np.exp(s).sum(axis=-1)) - target)


print(f"loss {loss(E0):.6f} nats, a number for each E")

# %% [markdown]
# You see one loss. It is written with plain NumPy here, so that E may be of
# any number type; you will see why.
#
# ## The claim


# %%
def gradient(E, slope=True):
    e, looked = embedding_forward(x, E)
    h = np.tanh(e @ W.T)
    _, scored = cross_entropy_forward(h @ E.T, y)
    ds = cross_entropy_backward(1.0, scored)  # (B, T, V)
    dh = ds @ E
    da = (1 - h * h) * dh if slope else dh  # without the slope of tanh: a planted mistake
    dE_out = np.einsum("btv,btd->vd", ds, h)  # dsᵀ h, summed over all places b and t
    return embedding_backward(da @ W, looked) + dE_out


claim = gradient(E0)[0, 1]  # we follow one entry: row 0, column 1
print(f"the claimed derivative is {claim:.8f}")

# %% [markdown]
# You see a claim to be tested: that the loss moves this much per unit of E[0,
# 1]. (`einsum` names the axes: those that are missing after the arrow, here b
# and t, are summed over.)
#
# ## One side, or both
#
# Let g(a) be the loss as a function of that entry. Taylor's series, g(a + t) =
# g + t g′ + t² g″/2 + t³ g‴/6 + …, says
#
#     forward   (g(a + t) − g(a)) / t         =  g′ + t · g″/2 + …
#     central   (g(a + t) − g(a − t)) / 2t    =  g′ + t² · g‴/6 + …
#
# In the central one the g″ of both sides cancel. So ten times smaller a step
# should make the first ten times better, and the second a hundred times.


# %%
def bumped(E, t):
    E = E.copy().astype(np.result_type(E, t))
    E[0, 1] += t
    return E


def forward(t, E=E0):
    return (loss(bumped(E, t)) - loss(E)) / t


def central(t, E=E0):
    return (loss(bumped(E, t)) - loss(bumped(E, -t))) / (2 * t)


# %% [markdown]
# You see nothing yet: three functions. (A copy is bumped; E0 stays as it is.)

# %%
for name, method in (("forward", forward), ("central", central)):
    far, near = abs(method(1e-2) - claim), abs(method(1e-3) - claim)
    print(f"{name}: error {far:.1e} at step 0.01, {far / near:.0f} times smaller at 0.001")

# %% [markdown]
# You see 10 and 100, as Taylor says.
#
# ## And smaller still?

# %% tags=["answer"]
for t in (1e-5, 1e-9, 1e-13):
    print(f"step {t:.0e}: central error below 1e-9: {abs(central(t) - claim) < 1e-9}")

# %% [markdown]
# You see it get **worse**. A float64 carries 16 digits. g(a + t) and g(a − t)
# agree in most of them where t is tiny; the difference keeps the few that are
# left, and dividing by t blows them up. The rounding error is about 10⁻¹⁶ / t,
# the other about t²: they meet near t = 10⁻⁵, which is our step.
#
# ## Further: three more ways, for the picture
#
# **Richardson** combines two central differences so that t² cancels as well.
# The **complex step** puts i·t, with i² = −1, into the same series: g(a + i·t)
# = g + i·t g′ − t² g″/2 − …, whose imaginary part is t g′ up to t³. It takes
# no difference, so nothing can cancel. **float32** has 7 digits: there the
# best is poor.


# %%
def richardson(t):
    return (4 * central(t / 2) - central(t)) / 3


def complex_step(t):
    return loss(bumped(E0, 1j * t)).imag / t


def single(t):
    return float(central(np.float32(t), E0.astype(np.float32)))


steps = 10.0 ** np.arange(-15, 0)
methods = {"forward": forward, "central": central, "Richardson": richardson}
methods |= {"complex step": complex_step, "central, float32": single}
errors = {name: [abs(f(t) - claim) for t in steps] for name, f in methods.items()}

# %% [markdown]
# You see nothing: the numbers are for the picture below. But some facts can be
# said here.

# %%
best = {name: min(found) for name, found in errors.items()}
print("Richardson beats central at step 0.1:", errors["Richardson"][-1] < errors["central"][-1])
print("the complex step reaches 1e-14:", best["complex step"] < 1e-14)
print("float32 never reaches 1e-6:", best["central, float32"] > 1e-6)

# %% [markdown]
# You see three times `True`. So: check in float64, with central differences,
# at 10⁻⁵.
#
# ## The picture

# %%
figure = difference_errors(steps, errors)
print(save_figure(figure, "05_trust_but_check"))

# %% [markdown]
# You see every difference fall to the left, reach a bottom and climb again;
# only the complex step stays down.
#
# ## How small is small enough?
#
# Many checks ask for |claim − difference| < 0.00001. Here is a wrong gradient,
# the slope of tanh forgotten, on weights like those of a freshly made model:
# of size 0.01.


# %%
small = 0.01 * E0  # (V, D)
truth = numeric_gradient(lambda: loss(small), small)  # central differences, entry by entry
wrong = gradient(small, slope=False)  # (V, D), as truth
off = np.abs(wrong - truth).max()
print(f"the worst entry is off by {off:.1e}; the largest entry of dE is {np.abs(truth).max():.1e}")
verdicts = ["PASS" if off <= allowed else "FAIL" for allowed in (1e-5, 1e-6 * np.abs(truth).max())]
print(f"a fixed tolerance says {verdicts[0]}, a relative one says {verdicts[1]}")

# %% [markdown]
# You see a wrong gradient pass. With small weights h is small, 1 − h² is
# nearly 1, and the mistake nearly vanishes; it is still a mistake, and it will
# grow as the weights do. So `check_gradients` measures the worst entry against
# the array's **own** largest entry, 10⁻⁶ of it, and adds only what rounding
# can explain.
#
# What no gradient check can see: a loss that is itself wrong (add 1 to it, and
# every gradient stays right), and what does not happen at the point where you
# check (lesson 02: without a repeated word, `dE[x] += de` passes).
#
# ## What you can now say
#
# Central differences, float64, step 10⁻⁵; tolerance relative to the array; a
# batch in which things happen.
#
# **The usual misconception:** "the smaller the step, the better." **The
# cure:** the picture: below 10⁻⁵ you measure rounding.
#
# ## Exercise
#
# Open `lessons/exercises/05_trust_but_check.py` and run `tinytie exercise 5`:
# write the central difference, then a comparison that no wrong gradient passes
# and no right one fails. (`np.ndindex(array.shape)` walks through the indices
# of all entries.)
#
# **Then read** `tinytie/gradcheck/numeric.py` and
# `tinytie/gradcheck/check.py`: the differences, and the verdict.
#
# **The last line of the run** should be
#
#     a fixed tolerance says PASS, a relative one says FAIL
