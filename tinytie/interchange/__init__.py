"""To other programs and back: the names of PyTorch's modules, and the files of GPT-2."""
