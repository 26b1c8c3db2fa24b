"""Zero, infinite, small and large: where in the arithmetic a number went wrong."""
