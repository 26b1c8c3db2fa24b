"""Live gradients of a training that somebody runs: computed where they are, thinned, stored, and told as events."""

import importlib.util

if importlib.util.find_spec("numpy") is None:
    raise ImportError("watching needs NumPy, which is not installed here: pip install 'whygrad[watch]'")
