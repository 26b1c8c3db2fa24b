"""Sweeps: the same training with other settings and seeds, many at a time, and what came of each."""
