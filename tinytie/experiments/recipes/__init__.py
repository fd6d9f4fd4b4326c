"""Published recipes, to the letter: what was trained, how, and what came out."""
