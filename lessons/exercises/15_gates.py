"""Lesson 15: write these two, then run `tinytie exercise 15`. About 25 minutes."""


def forget_gate_backward(dh, dc_later, f, o, c, c_prev):
    """da_f (B, H), the gradient of a_f in one step of an LSTM; every argument is (B, H).

    f = σ(a_f),  c = f ∘ c_prev + i ∘ g,  h = o ∘ tanh(c)
    dh is the loss's gradient with respect to h, dc_later what comes back to c from the next step.
    The law: bump a_f, which moves f, so c, so h and what the next step sees.
    """
    raise NotImplementedError("lesson 15, exercise 1: derive the forget gate's gradient")


def update_gate_backward(dh, z, n, h_prev):
    """da_z (B, H), the gradient of a_z in one step of a GRU; every argument is (B, H).

    z = σ(a_z),  h = (1 − z) ∘ n + z ∘ h_prev
    The law: bump a_z, which moves z, so both parts of h.
    """
    raise NotImplementedError("lesson 15, exercise 2: derive the update gate's gradient")
