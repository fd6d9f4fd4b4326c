"""Files that are safe to trust: safetensors, and checkpoints in that format."""
