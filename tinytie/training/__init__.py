"""Training: optimizers, schedules, clipping, and the loop."""
