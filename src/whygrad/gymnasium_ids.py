"""Makes the worlds known to Gymnasium, as `whygrad/Snake-v0` and so on. `import whygrad.rl` does it.

Imports neither Keras nor a framework: that happens when an environment is made.
"""

from __future__ import annotations

KINDS = {"whygrad/Snake-v0": "Snake", "whygrad/CartPole-v1": "CartPole", "whygrad/Pendulum-v1": "Pendulum"}
"""Ids, and how the classes of their environments begin."""


def register() -> None:
    """Register what is not registered yet. Time limits are settings of the worlds, so Gymnasium adds none."""
    from gymnasium.envs.registration import register as add
    from gymnasium.envs.registration import registry

    for name, kind in KINDS.items():
        if name not in registry:
            add(
                id=name,
                entry_point=f"whygrad.rl.worlds.gym_env:{kind}Env",
                vector_entry_point=f"whygrad.rl.worlds.gym_vector_env:{kind}VectorEnv",
            )
