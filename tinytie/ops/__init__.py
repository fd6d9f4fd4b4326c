"""Operations: pairs of pure functions, forward over backward, one idea a file."""
