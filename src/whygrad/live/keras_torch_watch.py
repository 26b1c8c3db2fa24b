"""Watching a Keras optimizer on PyTorch: its steps, told as those of an optimizer of PyTorch.

Keras takes gradients from its variables after `backward`, hands them to `apply`, and clips copies of them there. So
they are read at the end of `backward`, as PyTorch's are; what the clip returns, or what a program gave to `apply` in
their place, is what the optimizer gets.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import torch

from whygrad.live.budget import Budget
from whygrad.live.detecting import StandingTarget
from whygrad.live.keras_parts import innermost, paths
from whygrad.live.torch_watch import TorchWatch, _unseen
from whygrad.live.watched_run import WatchedRun


class KerasTorchWatch:
    """One optimizer under watch, from its first step on: only then is it known which variables it has."""

    def __init__(
        self,
        run: WatchedRun,
        name: str,
        names: Callable[[], dict[int, tuple[str, str]]],
        optimizer: Any,
        budget: Budget,
        targets: Mapping[str, Any] | None = None,
    ) -> None:
        self._run, self._name, self._names, self._budget = run, name, names, budget
        self._targets = dict(targets or {})
        self._optimizer = innermost(optimizer)
        self._scaled = self._optimizer is not optimizer
        self._watch: _Watch | None = None
        inside, clip = self._optimizer, self._optimizer._clip_gradients

        def apply(grads: Any, trainable_variables: Any = None) -> Any:
            # Looked up now and not before: a recorder that began later has wrapped it in its class.
            return self.step(grads, trainable_variables, lambda g, v: type(inside).apply(inside, g, v))

        def clip_gradients(grads: Any) -> Any:
            after = clip(grads)
            if after is not grads and self._watch is not None:
                self._watch.clipped(list(after))
            return after

        # Past Keras' tracking: nothing of it is saved with a model.
        vars(inside).update(apply=apply, _clip_gradients=clip_gradients)

    def close(self) -> None:
        """Give the optimizer its own methods back."""
        for method in ("apply", "_clip_gradients"):
            vars(self._optimizer).pop(method, None)
        if self._watch is not None:
            self._watch.close()

    def step(self, grads: Any, variables: Any, go_on: Callable[[Any, Any], Any]) -> Any:
        """One step of the optimizer, which `go_on` makes."""
        grads, inside = list(grads), self._optimizer
        held = inside._trainable_variables if variables is None else list(variables)
        steps = self._begun(held)
        steps.grad_scale = inside.loss_scale_factor
        steps.given = {id(variable.value): gradient for variable, gradient in zip(held, grads, strict=False)}
        steps.tell(steps.before)
        found = go_on(grads, variables)
        steps.tell(steps.after)
        return found

    def _begun(self, variables: list[Any]) -> _Steps:
        if self._watch is None:
            steps = self._steps = _Steps([variable.value for variable in variables], self._scaled)
            self._watch = _Watch(self._run, self._name, self._names(), steps, self._budget, self._targets)
            for target in self._targets:
                self._watch.group.targets[target] = StandingTarget(target)
        return self._steps


class _Watch(TorchWatch):
    """Follows `_Steps`."""

    @_unseen
    def _before_step(self, optimizer: Any, args: Any, kwargs: Any) -> None:
        given = optimizer.gradients()
        left = [_left(p, g) for p, g in zip(self._parameters, given, strict=True)]
        changed = any(one is not other for one, other in zip(given, left, strict=True))
        if changed and (optimizer.scaled or self._pass.sentinel(given)):
            # Those that `backward` left are not divided yet, or the program broke them itself.
            self._look, left, changed = None, given, False
        self._now = left
        try:
            super()._before_step(optimizer, args, kwargs)
        finally:
            self._now = None
        if changed and self._looking and self._look is not None and optimizer.grad_scale is None:
            self._pass.applied(self._look, given)

    @_unseen
    def clipped(self, after: list[Any]) -> None:
        """What the clip left, one for each gradient that there is."""
        if self._looking and self._look is not None and len(after) == len(self._look.there):
            held: list[Any] = [None] * len(self._parameters)
            for place, gradient in zip(self._look.there, after, strict=True):
                held[place] = gradient
            self._pass.applied(self._look, held)

    _now: list[Any] | None = None

    def _gradients(self) -> list[Any]:
        return super()._gradients() if self._now is None else self._now


class _Steps:
    """What `TorchWatch` wants of an optimizer: parameters, and hooks before and after a step."""

    def __init__(self, parameters: list[torch.Tensor], scaled: bool) -> None:
        self.param_groups = [{"params": parameters}]
        self.scaled, self.grad_scale = scaled, None
        self.given: dict[int, Any] = {}
        self.before: list[Any] = []
        self.after: list[Any] = []

    def gradients(self) -> list[Any]:
        return [self.given.get(id(parameter)) for parameter in self.param_groups[0]["params"]]

    def register_step_pre_hook(self, hook: Any) -> _Handle:
        return _Handle(self.before, hook)

    def register_step_post_hook(self, hook: Any) -> _Handle:
        return _Handle(self.after, hook)

    def tell(self, hooks: list[Any]) -> None:
        for hook in list(hooks):
            hook(self, (), {})


class _Handle:
    def __init__(self, hooks: list[Any], hook: Any) -> None:
        self._hooks, self._hook = hooks, hook
        hooks.append(hook)

    def remove(self) -> None:
        if self._hook in self._hooks:
            self._hooks.remove(self._hook)


def _left(parameter: torch.Tensor, given: Any) -> Any:
    """What `backward` left in the place of a gradient that was given."""
    return given if given is None or parameter.grad is None else parameter.grad


def names(model: Any) -> dict[int, tuple[str, str]]:
    """Of each variable of a model, or of a dict of them, by its value's id, its name and its network."""
    return {id(variable.value): named for variable, named in paths(model)}
