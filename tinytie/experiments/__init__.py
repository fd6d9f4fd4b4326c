"""Experiments: several models on one text, compared; the recipes of the papers; their records."""
