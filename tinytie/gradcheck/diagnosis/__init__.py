"""Why a gradient is wrong, read from what the check measured. No verdict depends on it."""
