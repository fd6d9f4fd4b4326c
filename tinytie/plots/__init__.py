"""Figures, one function each; the only place that imports matplotlib."""
