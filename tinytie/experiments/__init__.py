"""Experiments: models trained side by side and compared, and the recipes of the papers."""
