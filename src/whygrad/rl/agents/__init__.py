"""One file for each algorithm."""
