"""Deep-RL agents, written once on Keras 3 and trained on TensorFlow, PyTorch or JAX.

```python
from whygrad.rl import DQN, train

run = train(DQN(double=True), "CartPole-v1", steps=50_000)
```
"""

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from whygrad.gymnasium_ids import register as _register

if TYPE_CHECKING:
    from whygrad.rl.agents.a2c import A2C
    from whygrad.rl.agents.cql import CQL
    from whygrad.rl.agents.ddpg import DDPG
    from whygrad.rl.agents.dqn import DQN
    from whygrad.rl.agents.ppo import PPO
    from whygrad.rl.agents.reinforce import REINFORCE
    from whygrad.rl.agents.sac import SAC
    from whygrad.rl.agents.td3 import TD3
    from whygrad.rl.training import Trained, resume, train

__all__ = ["A2C", "CQL", "DDPG", "DQN", "PPO", "REINFORCE", "SAC", "TD3", "Trained", "resume", "train"]

with suppress(ImportError):  # without Gymnasium there is nothing to tell it
    _register()


def __getattr__(name: str) -> Any:
    """Imports on first use: a process that only steps an environment needs neither Keras nor a framework."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from whygrad.rl import catalogue, training

    return getattr(catalogue if hasattr(catalogue, name) else training, name)
