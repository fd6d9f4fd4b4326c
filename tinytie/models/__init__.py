"""Models: the files in which gradients of several uses are summed, in sight."""
