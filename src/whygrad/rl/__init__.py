"""Deep-RL agents, written once on Keras 3 and trained on TensorFlow, PyTorch or JAX.

```python
from whygrad.rl import DQN, train

run = train(DQN(double=True), "CartPole-v1", steps=50_000)
```
"""

from contextlib import suppress
from importlib import import_module
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
    from whygrad.rl.sweeping.axes import between
    from whygrad.rl.sweeping.results import Swept
    from whygrad.rl.sweeping.sweep import resume_sweep, sweep
    from whygrad.rl.training import Trained, resume, train

__all__ = [
    "A2C", "CQL", "DDPG", "DQN", "PPO", "REINFORCE", "SAC", "TD3",
    "Swept", "Trained", "between", "resume", "resume_sweep", "sweep", "train",
]  # fmt: skip

_SWEEPS = {"between": "axes", "Swept": "results", "resume_sweep": "sweep", "sweep": "sweep"}
"""In which file of `sweeping`."""

with suppress(ImportError):  # without Gymnasium there is nothing to tell it
    _register()


def __getattr__(name: str) -> Any:
    """Imports on first use: a process that only steps an environment needs neither Keras nor a framework."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        if name in _SWEEPS:
            return getattr(import_module(f"whygrad.rl.sweeping.{_SWEEPS[name]}"), name)
        from whygrad.rl import catalogue, training
    except ModuleNotFoundError as error:
        if error.name is None or error.name.startswith("whygrad"):
            raise
        raise ImportError(_missing(error.name.partition(".")[0])) from error
    return getattr(catalogue if hasattr(catalogue, name) else training, name)


def _missing(module: str) -> str:
    if module in ("jax", "torch", "tensorflow"):
        return (
            f"Keras runs on {module} here, which is not installed: pip install 'whygrad[{module}]', or name another "
            "framework in the variable KERAS_BACKEND"
        )
    return f"the agents need {module}, which is not installed here: pip install 'whygrad[rl]'"
