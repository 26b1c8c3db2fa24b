"""A Stable-Baselines3 callback: `model.learn(…, callback=WhyGrad())` explains the first updates.

With `watch=True` it watches all updates: those of the policy, or of actor, critic and entropy each by itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from stable_baselines3.common.callbacks import BaseCallback

from whygrad.background import FirstUpdates, OnFinding
from whygrad.interop.callback_watch import CallbackWatch, Watched, WatchOption
from whygrad.trace.session import DEPTH

_TARGET = "_target"
_PATIENCE = 2_000
"""Updates after which a target that stands is told of. One that is copied less often is not followed."""


class WhyGrad(BaseCallback):  # type: ignore[misc, unused-ignore]
    """Records the first `updates` of each optimizer and tells what it found.

    ```python
    model.learn(10_000, callback=WhyGrad(watch=True))
    ```

    `on_finding` is "print" (to standard error), "raise" (`whygrad.GradientFault`), or a function of the report. `watch`
    looks at the gradients of the whole training, as `whygrad.watch` does: True, or the folder of the run.
    """

    def __init__(
        self, updates: int = DEPTH, on_finding: OnFinding = "print", verbose: int = 0, *, watch: WatchOption = False
    ) -> None:
        super().__init__(verbose)
        self._first = FirstUpdates(updates, on_finding)
        self._watch = CallbackWatch(watch, tell=on_finding == "print", axis="step")
        self._trained = 0

    @property
    def report(self) -> Any:
        """What was found, once enough updates were seen."""
        return self._first.report

    @property
    def watching(self) -> Any:
        """The watch, with its `path` and `events`; None without `watch=`."""
        return self._watch.watching

    def _on_training_start(self) -> None:
        self._trained = getattr(self.model, "_n_updates", 0)
        self._watch.begin(lambda: _optimizers(self.model))

    def _on_rollout_end(self) -> None:
        """Training follows; the many rollouts before the first update need not be recorded."""
        if self.num_timesteps >= getattr(self.model, "learning_starts", 0):
            self._first.begin(policy=self.model.policy)

    def _on_rollout_start(self) -> None:
        self._first.look()
        self._log_losses()

    def _on_step(self) -> bool:
        self._first.look()
        if self._watch.live:
            ended = [info["episode"] for info in self.locals.get("infos", ()) if "episode" in info]
            if ended:  # those of several environments at one step are one number
                mean = {"return": "r", "length": "l"}
                values = {name: sum(float(one[key]) for one in ended) / len(ended) for name, key in mean.items()}
                self._watch.log(self.num_timesteps, values)
        return True

    def _on_training_end(self) -> None:
        self._first.tell()
        self._log_losses()
        self._watch.end()

    def _log_losses(self) -> None:
        """What the algorithm wrote down in its last training; its logger forgets it at the next dump."""
        done = getattr(self.model, "_n_updates", 0)
        if not self._watch.live or done == self._trained:
            return
        self._trained = done
        held = getattr(self.model.logger, "name_to_value", {})
        values = {name.removeprefix("train/"): value for name, value in held.items() if name.startswith("train/")}
        values.pop("n_updates", None)
        self._watch.log(self.num_timesteps, values)


class _Loose:
    """A variable that belongs to no network: the entropy's coefficient."""

    def __init__(self, names: dict[str, Any]) -> None:
        self._names = names

    def named_parameters(self) -> Iterator[tuple[str, Any]]:
        yield from self._names.items()


def _optimizers(model: Any) -> Iterator[Watched]:
    """All optimizers of an algorithm, also of one that is not in the library: they are where it keeps them."""
    import torch

    policy = model.policy
    found: dict[str, Any] = {}
    for name, network in (("policy", policy), *policy.named_children()):
        optimizer = getattr(network, "optimizer", None)
        if isinstance(optimizer, torch.optim.Optimizer) and all(optimizer is not one for one in found.values()):
            found[name] = optimizer
    targets = _targets(model)
    for name, optimizer in found.items():
        own = {key: net for key, net in targets.items() if key.removesuffix(_TARGET) in (name, f"{name}_net")}
        if name == "policy":
            own = targets
        yield Watched(name, policy, optimizer, own)
    for name, optimizer in vars(model).items():
        if isinstance(optimizer, torch.optim.Optimizer) and all(optimizer is not one for one in found.values()):
            yield Watched(name.removesuffix("_optimizer"), _Loose(_loose(model, optimizer)), optimizer)


def _loose(model: Any, optimizer: Any) -> dict[str, Any]:
    """The variables of an optimizer by the names under which the algorithm keeps them."""
    held = {id(p) for group in optimizer.param_groups for p in group["params"]}
    return {name: value for name, value in vars(model).items() if id(value) in held}


def _targets(model: Any) -> dict[str, Any]:
    if _updates_between_copies(model) > _PATIENCE // 2:
        return {}
    return {name: net for name, net in model.policy.named_children() if name.endswith(_TARGET)}


def _updates_between_copies(model: Any) -> float:
    """Updates after which a target is copied: DQN counts steps of the environment, the others follow a little each."""
    interval = float(getattr(model, "target_update_interval", 1))
    if not hasattr(model, "exploration_schedule"):
        return interval  # SAC counts updates
    frequency = getattr(model.train_freq, "frequency", model.train_freq)
    made = model.gradient_steps if model.gradient_steps > 0 else frequency
    return interval * float(made) / max(1.0, float(frequency))
