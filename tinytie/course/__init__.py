"""The course's machinery: lessons as cells, a player for the terminal, and graded exercises."""
