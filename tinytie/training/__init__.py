"""Training: optimizers, schedules, the loop, checkpoints, recipes."""
