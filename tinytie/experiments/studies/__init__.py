"""Questions that the papers on tying leave open, each asked of small models with several seeds."""
