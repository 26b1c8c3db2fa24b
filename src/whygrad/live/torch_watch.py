"""Watching gradients in PyTorch, with hooks of the optimizer, and during a look with hooks of backward.

An update that is not looked at costs two calls of a hook. For one that is, the gradients are read at the end of
`backward`, where nothing has clipped them yet, and again in front of the step if something changed them since.
"""

from __future__ import annotations

import functools
import math
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch

from whygrad.live.budget import Budget
from whygrad.live.looks import Looks
from whygrad.live.spreads import Spread
from whygrad.live.store import Variable
from whygrad.live.torch_activations import Activations
from whygrad.live.torch_device_pass import DevicePass
from whygrad.live.torch_followed import roots, scalers
from whygrad.live.torch_host_pass import HostPass
from whygrad.live.torch_look import Look
from whygrad.live.watched_run import Group, WatchedRun

_UNKNOWN = -2


def _unseen(method: Callable[..., Any]) -> Callable[..., Any]:
    """What we compute is not part of the program: neither a recorder nor a mode of the user's sees it."""

    @functools.wraps(method)
    def hidden(*args: Any) -> Any:
        with torch._C.DisableTorchFunction():
            return method(*args)

    return hidden


class TorchWatch:
    """One optimizer under watch."""

    def __init__(
        self,
        run: WatchedRun,
        name: str,
        names: Mapping[int, tuple[str, str]],
        optimizer: torch.optim.Optimizer,
        budget: Budget,
        targets: Mapping[str, Any] | None = None,
        activations: Activations | None = None,
    ) -> None:
        self._run, self._optimizer, self._budget = run, optimizer, budget
        self._parameters = [p for held in optimizer.param_groups for p in held["params"]]
        variables = [_variable(p, place, names) for place, p in enumerate(self._parameters)]
        self.group: Group = run.group(name, variables, [not p.requires_grad for p in self._parameters])
        self._pass = _pass_for(self._parameters)
        self._targets = dict(targets or {})
        self._activations = activations
        self._lock = threading.Lock()
        self._seen: list[Look] = []
        self._scalars: list[tuple[str, int, Any]] = []
        self._updates = self._looked = 0
        self._armed: list[Any] = []
        self._looking = False
        self._look: Look | None = None
        self._queued = False
        self._root: Any = None
        self._loss: Any = None
        self._held = _UNKNOWN  # after which update the weights were as they are kept
        self._had: list[bool] | None = None
        self._cost = 0.0
        self._told = 0
        self._skips = False
        self._behind = 0.0
        self._hooks = [
            optimizer.register_step_pre_hook(self._before_step),
            optimizer.register_step_post_hook(self._after_step),
        ]
        run.store.source(self.collect)
        roots.follow(self)
        scalers.follow(self)
        self._arm()

    def skip(self) -> None:
        """Do not look at the update that is under way: what came before its step was not seen."""
        self._disarm()
        self._looking, self._skips = False, True

    @_unseen
    def close(self) -> None:
        """Take all hooks away."""
        self._disarm()
        while self._hooks:
            self._hooks.pop().remove()
        roots.leave(self)
        scalers.leave(self)

    # In the training's thread.

    def _gradients(self) -> list[Any]:
        return [p.grad for p in self._parameters]

    def _arm(self) -> None:
        self._looking = self._budget.due(self._updates)
        if not self._looking:
            self._disarm()
            return
        if self._activations is not None:
            self._activations.arm()
        if not self._armed:
            self._armed = [
                p.register_post_accumulate_grad_hook(self._gradient_came) for p in self._parameters if p.requires_grad
            ]

    def _disarm(self) -> None:
        while self._armed:
            self._armed.pop().remove()
        if self._activations is not None:
            self._activations.disarm()

    def _gradient_came(self, _parameter: Any) -> None:
        if self._queued:
            return
        self._queued, self._root = True, roots.now
        # Called when the whole of this backward is done; hooks come in the middle of it.
        torch.autograd.Variable._execution_engine.queue_callback(self._backward_ended)

    @_unseen
    def _backward_ended(self) -> None:
        began = time.perf_counter()
        root, self._root, self._queued = self._root, None, False
        self._read(self._gradients())
        # The last one before the step counts: an actor's loss, too, runs through the critic's parameters.
        self._loss = root.detach() if isinstance(root, torch.Tensor) and root.numel() == 1 else None
        self._cost += time.perf_counter() - began

    def _read(self, gradients: Sequence[Any]) -> None:
        self._look = self._pass.read(gradients)
        self._look.versions = _versions(gradients)

    @_unseen
    def unscaled(self, optimizer: Any) -> None:
        """A GradScaler divided the gradients: only now are they what backpropagation means."""
        if optimizer is self._optimizer and self._look is not None:
            self._read(self._gradients())

    @_unseen
    def _before_step(self, _optimizer: Any, _args: Any, _kwargs: Any) -> None:
        if self._skips:
            self._skips = False
            return
        gradients = self._gradients()
        changed = self._has_changed(gradients)  # also where a look is due: the next update is compared with this one
        self._looking = self._looking or changed or bool(self._pass.sentinel(gradients))
        if not self._looking:
            return
        began = time.perf_counter()
        scale = getattr(self._optimizer, "grad_scale", None)
        if scale is not None:  # a GradScaler leaves it to this step to divide
            gradients = [None if g is None else g / scale for g in gradients]
            self._read(gradients)
        elif self._look is None or self._look.there != [at for at, g in enumerate(gradients) if g is not None]:
            self._read(gradients)  # nobody went backward, or somebody cleared a gradient since
        elif self._look.versions != _versions(gradients):
            self._pass.applied(self._look, gradients)
        if self._held != self._updates - 1:
            self._pass.keep_weights(self._parameters)
        self._cost += time.perf_counter() - began

    @_unseen
    def _after_step(self, _optimizer: Any, _args: Any, _kwargs: Any) -> None:
        now = time.perf_counter()
        update, self._updates = self._updates, self._updates + 1
        cost = 0.0
        if self._looking:
            self._finish(update)
            cost, self._cost, before = self._cost, 0.0, now
            now = time.perf_counter()
            cost += now - before
        # What the other thread does for a look takes from this one, too: there may be one core, there is one lock.
        self._budget.ended(update, now, max(cost + self._behind, self._pass.cost) if cost else 0.0)
        self._arm()

    def _finish(self, update: int) -> None:
        look, self._look = self._look, None
        if look is None:
            return
        self._pass.moved(look, self._parameters)
        self._held = update
        look.update, look.time = update, time.time()
        if self._loss is not None:
            self._scalars.append((f"loss/{self.group.name}", update, self._loss))
            self._loss = None
        if self._activations is not None:
            self._scalars += [(name, update, share) for name, share in self._activations.take().items()]
        with self._lock:
            self._seen.append(look)
            self._looked += 1

    def _has_changed(self, gradients: Sequence[Any]) -> bool:
        """Whether a gradient is gone, or there is one more, since the update before."""
        before, self._had = self._had, [g is not None for g in gradients]
        return before is not None and before != self._had

    # In the store's thread.

    @_unseen
    def collect(self) -> None:
        """Hand over what was seen since the last time."""
        with self._lock:
            seen, self._seen = self._seen, []
            scalars, self._scalars = self._scalars, []
            updates, looked = self._updates, self._looked
        if seen:
            began = time.thread_time()
            rows, counts = self._pass.arrive(seen)
            looks = [Looks(look.update, look.update, 1, look.time, one) for look, one in zip(seen, rows, strict=True)]
            self._run.take(self.group, looks, Spread(looks[0].first, looks[-1].last, len(looks), counts))
            spent = (time.thread_time() - began) / len(seen)
            self._behind = spent if not self._behind else self._behind + 0.2 * (spent - self._behind)
            for target, network in self._targets.items():
                self._run.tell(self.group, self.group.targets[target].take(updates, _mark(network)))
        if updates != self._told:
            self._told = updates
            self._run.store.progress(self.group.id, updates, looked, self._budget.every)
        for name, update, value in scalars:
            self._run.store.scalar(name, update, _number(value))


def _variable(parameter: Any, place: int, names: Mapping[int, tuple[str, str]]) -> Variable:
    name, network = names.get(id(parameter), (f"parameter {place}", ""))
    return Variable(name, network, tuple(parameter.shape))


def _versions(gradients: Sequence[Any]) -> tuple[int, ...]:
    return tuple(-1 if g is None else g._version for g in gradients)


def _pass_for(parameters: Sequence[torch.Tensor]) -> Any:
    places = {p.device for p in parameters}
    # On several devices at once: copies come to the host, which is slow, and the budget sees to it.
    return (
        DevicePass(parameters)
        if len(places) == 1 and places.pop().type not in ("cpu", "meta")
        else HostPass(parameters)
    )


def _mark(network: Any) -> float:
    with torch.no_grad():
        return sum(_number(p.detach().double().sum()) for p in network.parameters())


def _number(tensor: Any) -> float:
    value = float(tensor)
    return value if math.isfinite(value) else math.nan
