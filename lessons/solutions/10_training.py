"""Lesson 10: reference answers."""


def equal_budget(V, D):
    def parameters(width, matrices):
        return matrices * V * width + 2 * width**2 + width + V

    budget = parameters(D, 1)
    return min(range(1, D + 1), key=lambda width: abs(parameters(width, 2) - budget))


def true_at_half():
    return {1, 4}  # less text is harder for all, and hardest for who learns by heart
