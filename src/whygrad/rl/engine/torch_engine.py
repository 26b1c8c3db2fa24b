"""Gradients and updates on PyTorch: each loss is captured once as a flat list of operations, forward and backward.

Keras' layers cost more Python time than the arithmetic of a small network. `make_fx` writes down the operations of a
loss and of its gradient; running that list again skips everything else and gives the same bits. The parameters are in
it by reference, so it stays true when they change. Only a network that draws random numbers in a way that such a list
would repeat for ever is run as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np
import torch

from whygrad.rl.agent import Agent, Loss, Spaces
from whygrad.rl.engine.interface import Report
from whygrad.rl.engine.keras_adam import moment_key, steps_key
from whygrad.rl.engine.modes import in_modes
from whygrad.rl.engine.naming import variable_names
from whygrad.rl.engine.torch_adam import fresh_moments, fused_step
from whygrad.rl.engine.torch_capture import capture
from whygrad.rl.engine.torch_program import compiled, program
from whygrad.rl.engine.torch_sharing import Together, buffers


class Engine:
    """The networks hold their own values; captured graphs point at the same tensors.

    `compiled` also has `torch.compile` make machine code of them.
    """

    def __init__(self, agent: Agent, networks: dict[str, Any], spaces: Spaces, *, compiled: bool = False) -> None:
        self.losses = agent.losses(spaces)
        self.networks = networks
        self.updates = 0
        self._targets = agent.targets(spaces)
        self._names = {name: variable_names(name, net) for name, net in networks.items()}
        self._tensors = {name: _tensors(net) for name, net in networks.items()}
        self._device = next(t.device for tensors in self._tensors.values() for t in tensors)
        self._held = {loss.name: self._trained(loss) for loss in self.losses}
        self._optimizers = {
            loss.name: torch.optim.Adam(self._trained(loss), lr=loss.learning_rate, eps=loss.epsilon, fused=True)
            for loss in self.losses
        }
        self._captures = not any(_has_own_seed(net) for net in networks.values())
        self._captured: dict[Any, Any] = {}
        self._compiled = compiled
        self.together: Together | None = None
        """The processes that share every update, where there are several."""
        self._blank: dict[Any, dict[str, Any]] = {}

    def call(self, function: Callable[..., Any], batch: Mapping[str, Any]) -> Any:
        """`function(networks, batch)`, compiled; a tensor or a dict of them as NumPy arrays."""
        tensors = {k: torch.as_tensor(v, device=self._device) for k, v in batch.items()}
        with torch.no_grad():
            given = self._run(function, lambda batch: function(in_modes(self.networks), batch), tensors)
        if isinstance(given, dict):
            return {k: v.cpu().numpy() for k, v in given.items()}
        return given.cpu().numpy()

    def update(self, batches: Mapping[str, Any], remaining: float = 1.0) -> Report:
        """One update for each entry of the batches' first axis: every loss that is due, then the targets."""
        tensors = {k: torch.as_tensor(v, device=self._device) for k, v in batches.items()}
        rounds = len(next(iter(batches.values())))
        left = torch.tensor(remaining, device=self._device)
        reports: dict[str, list[dict[str, Any]]] = {loss.name: [] for loss in self.losses}
        with torch.no_grad():
            for i in range(rounds):
                batch = {k: v[i] for k, v in tensors.items()}
                for name, report in self._one_update({**batch, "remaining": left}, remaining).items():
                    reports[name].append(report)
        return {name: {k: torch.stack([r[k] for r in rows]) for k in rows[0]} for name, rows in reports.items()}

    def _one_update(self, batch: dict[str, torch.Tensor], remaining: Any) -> dict[str, dict[str, Any]]:
        """One update on tensors; `remaining` is also in the batch, here it may be a number."""
        report = {}
        for loss in self.losses:
            due = self.updates % loss.every == loss.every - 1
            report[loss.name] = self._one_step(loss, remaining, batch) if due else self._skipped(loss, batch)
        self.updates += 1
        self._sync()
        if self.together is not None:  # what layers have seen of the batch, each has seen a part of
            held = buffers(t for net in self._tensors.values() for t in net)
            for tensor, mean in zip(held, self.together.mean(held), strict=True):
                tensor.copy_(mean)
        return report

    def program(self, function: Callable[..., Any], networks: bool = True) -> Callable[..., Any]:
        """Collecting and learning as one program; `torch_program` says what it sees."""
        return program(self, function)

    def _piece(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """`function(networks, given)` on trees of tensors, captured."""

        def on_networks(given: Any) -> Any:
            return function(in_modes(self.networks), given)

        return compiled(on_networks, self._compiled) if self._captures else on_networks

    def gradients(self, name: str, batch: Mapping[str, Any]) -> tuple[float, dict[str, Any]]:
        """One loss and its gradient for each variable it trains, before clipping; nothing is applied."""
        loss = next(loss for loss in self.losses if loss.name == name)
        tensors = {k: torch.as_tensor(v, device=self._device) for k, v in batch.items()}
        with self._undone(), torch.no_grad():
            value, _, grads = self._run(("gradient", name), partial(self._one_gradient, loss), tensors)
        return float(value), dict(zip(self.variable_names(name), [_array(g) for g in grads], strict=True))

    def demand(self, name: str, batch: Mapping[str, Any]) -> None:
        """Ask for a loss and its gradient as a plain program would, so that a recorder can follow it."""
        loss = next(loss for loss in self.losses if loss.name == name)
        tensors = {k: torch.as_tensor(v, device=self._device) for k, v in batch.items()}
        grads = self._clipped_gradient(loss, tensors)[1]
        for variable, grad in zip(self._held[loss.name], grads, strict=True):
            variable.grad = grad
        self._optimizers[loss.name].step()
        self._optimizers[loss.name].zero_grad()

    def held(self, network: str) -> Any:
        """A network in the form in which contracts know it."""
        return self.networks[network]

    def variable_names(self, name: str) -> list[str]:
        """The variables that a loss trains, in the order of `norms`."""
        loss = next(loss for loss in self.losses if loss.name == name)
        return [
            n
            for net in loss.trains
            for n, v in zip(self._names[net], self._tensors[net], strict=True)
            if v.requires_grad
        ]

    def state(self) -> dict[str, Any]:
        """Everything that updates change: networks, targets, optimizers, the count."""
        kept: dict[str, Any] = {"updates": np.int64(self.updates)}
        for net, names in self._names.items():
            kept.update({n: _array(t) for n, t in zip(names, self._tensors[net], strict=True)})
        for loss in self.losses:
            held = self._optimizers[loss.name].state
            for n, t in zip(self.variable_names(loss.name), self._trained(loss), strict=True):
                moments = held.get(t) or fresh_moments(t)
                kept[steps_key(loss)] = np.int64(moments["step"].item())
                kept[moment_key(loss, "first", n)] = _array(moments["exp_avg"])
                kept[moment_key(loss, "second", n)] = _array(moments["exp_avg_sq"])
        return kept

    def load(self, state: Mapping[str, Any]) -> None:
        """Put back what `state` gave, on this framework or another."""
        self.updates = int(state["updates"])
        with torch.no_grad():
            for net, names in self._names.items():
                for n, t in zip(names, self._tensors[net], strict=True):
                    t.copy_(torch.as_tensor(state[n]))
            for loss in self.losses:
                for n, t in zip(self.variable_names(loss.name), self._trained(loss), strict=True):
                    moments = self._optimizers[loss.name].state[t] = fresh_moments(t)
                    moments["step"].fill_(float(state[steps_key(loss)]))
                    moments["exp_avg"].copy_(torch.as_tensor(state[moment_key(loss, "first", n)]))
                    moments["exp_avg_sq"].copy_(torch.as_tensor(state[moment_key(loss, "second", n)]))

    def weights(self, networks: Iterable[str]) -> dict[str, Any]:
        """The values of some networks alone: what another process needs to act."""
        held = [(n, t) for net in networks for n, t in zip(self._names[net], self._tensors[net], strict=True)]
        return {n: _array(t) for n, t in held}

    def load_weights(self, weights: Mapping[str, Any]) -> None:
        """Take over what `weights` gave; everything else stays as it is."""
        with torch.no_grad():
            for net, names in self._names.items():
                for n, t in zip(names, self._tensors[net], strict=True):
                    if n in weights:
                        t.copy_(torch.from_numpy(np.array(weights[n])))  # a copy: what Ray gives cannot be written to

    def write_back(self) -> None:
        """Give the networks the values that the engine holds: here they hold them themselves."""

    def _sync(self) -> None:
        for target in self._targets:
            if self.updates % target.every == 0:
                copies, sources = _numbers(self._tensors[target.name]), _numbers(self._tensors[target.of])
                torch._foreach_lerp_(copies, sources, target.share)  # with a share of 1 exactly a copy

    def _one_step(self, loss: Loss, remaining: float, batch: dict[str, torch.Tensor]) -> dict[str, Any]:
        report, grads = self._reported(loss, batch)
        fused_step(self._optimizers[loss.name], self._held[loss.name], grads, _rate(loss, remaining))
        return report  # type: ignore[no-any-return]

    def _skipped(self, loss: Loss, batch: dict[str, torch.Tensor]) -> dict[str, Any]:
        key = _key(loss.name, batch)
        if key not in self._blank:  # only the loss itself knows what it reports
            with self._undone():
                report, _ = self._reported(loss, batch)
            self._blank[key] = {k: torch.full_like(v, torch.nan) for k, v in report.items()}
        return self._blank[key]

    def _reported(self, loss: Loss, batch: dict[str, torch.Tensor]) -> Any:
        """What there is to say of a loss, and the gradients to apply."""
        if self.together is not None:
            return self._shared_gradient(loss, batch, self.together)
        return self._run(loss.name, partial(self._clipped_gradient, loss), batch)

    def _clipped_gradient(self, loss: Loss, batch: dict[str, torch.Tensor]) -> Any:
        value, extra, grads = self._one_gradient(loss, batch)
        norms, grads = _clipped(loss, grads)
        return {**extra, "loss": value, **norms}, grads

    def _shared_gradient(self, loss: Loss, batch: dict[str, torch.Tensor], together: Together) -> Any:
        """The mean of what all processes have; `norms_each` says whose part was how large."""
        value, extra, grads = self._run(("gradient", loss.name), partial(self._one_gradient, loss), batch)
        each = together.rows(torch.stack(torch._foreach_norm(grads))[None])
        norms, grads = _clipped(loss, together.mean(grads))
        return {**together.merged({**extra, "loss": value}), **norms, "norms_each": each}, grads

    def _one_gradient(self, loss: Loss, batch: dict[str, torch.Tensor]) -> Any:
        with torch.enable_grad():
            value, extra = loss.of(in_modes(self.networks, loss.trains), batch)
            grads = torch.autograd.grad(value, self._trained(loss))
        return value.detach(), {k: v.detach() for k, v in extra.items()}, list(grads)

    def _run(self, name: Any, function: Callable[..., Any], batch: dict[str, torch.Tensor]) -> Any:
        if not self._captures:
            return function(batch)
        key, names = _key(name, batch), list(batch)
        run = self._captured.get(key)
        if run is None:

            def flat(*given: torch.Tensor) -> Any:
                return function(dict(zip(names, given, strict=True)))

            with self._undone():  # capturing computes everything once
                run = self._captured[key] = capture(flat, list(batch.values()), self._compiled)
        return run(*batch.values())

    @contextmanager
    def _undone(self) -> Iterator[None]:
        """What the block does to BatchNormalization's averages and to random numbers did not happen."""
        held = [t for tensors in self._tensors.values() for t in tensors if not t.requires_grad]
        kept, drawn = [t.clone() for t in held], torch.get_rng_state()
        try:
            yield
        finally:
            torch.set_rng_state(drawn)
            with torch.no_grad():
                for tensor, before in zip(held, kept, strict=True):
                    tensor.copy_(before)

    def _trained(self, loss: Loss) -> list[torch.Tensor]:
        return [t for net in loss.trains for t in self._tensors[net] if t.requires_grad]


def _key(name: Any, batch: dict[str, torch.Tensor]) -> Any:
    """A captured list of operations holds for these inputs, in this order, of these shapes and kinds."""
    return (name, *((n, t.shape, t.dtype) for n, t in batch.items()))


def _tensors(network: Any) -> list[torch.Tensor]:
    if hasattr(network, "variables"):
        return [v.value for v in network.variables]
    return [*network.parameters(), *network.buffers()]


def _numbers(tensors: list[torch.Tensor]) -> list[torch.Tensor]:
    return [t for t in tensors if t.is_floating_point()]  # a Dropout's state and a count are not averaged


def _has_own_seed(network: Any) -> bool:
    """Whether a layer makes a generator from a seed at each call: Keras' random layers do, Dropout does not."""
    if not hasattr(network, "variables"):
        return False
    layers = [network, *network._flatten_layers(include_self=False)]
    return any(
        generator._initial_seed is not None or type(layer).__name__ != "Dropout"
        for layer in layers
        for generator in getattr(layer, "_seed_generators", ())
    )


def _clipped(loss: Loss, grads: list[torch.Tensor]) -> tuple[dict[str, torch.Tensor], list[torch.Tensor]]:
    """Norms before clipping, and what it leaves."""
    norms = torch.stack(torch._foreach_norm(grads))
    norm = torch.linalg.vector_norm(norms)
    if loss.clip is not None:
        grads = torch._foreach_mul(grads, torch.clamp(loss.clip / (norm + 1e-6), max=1.0))
    return {"norm": norm, "norms": norms}, grads


def _array(tensor: torch.Tensor) -> Any:
    return tensor.detach().cpu().numpy().copy()


def _rate(loss: Loss, remaining: Any) -> float:
    return loss.learning_rate * float(remaining) if loss.decays else loss.learning_rate
