"""Measuring: perplexity, parameter counts, path statistics, neighbours, word similarity."""
