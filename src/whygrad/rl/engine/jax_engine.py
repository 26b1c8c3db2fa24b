"""Gradients and updates on JAX: all updates of a round are one compiled program."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import keras
import numpy as np

from whygrad.rl.agent import Agent, Batch, Loss, Spaces, Target
from whygrad.rl.engine import keras_adam
from whygrad.rl.engine.convolutions import loops_well
from whygrad.rl.engine.interface import Report
from whygrad.rl.engine.jax_program import program
from whygrad.rl.engine.modes import in_modes
from whygrad.rl.engine.naming import variable_names

Values = dict[str, list[jax.Array]]


class Engine:
    """Holds the values of all variables between updates; of the Keras models only the structure is used.

    `compiled` is for PyTorch: here everything is.
    """

    def __init__(self, agent: Agent, networks: dict[str, Any], spaces: Spaces, *, compiled: bool = False) -> None:
        self.losses = agent.losses(spaces)
        self.networks = networks
        self.updates = 0
        self._targets = agent.targets(spaces)
        self._variables = {name: list(net.variables) for name, net in networks.items()}
        self._names = {name: variable_names(name, net) for name, net in networks.items()}
        self._optimizers = {loss.name: keras_adam.make(loss, self._trained(loss)) for loss in self.losses}
        # Copies: an update gives their memory away, and the models should stay usable.
        self.values: Values = {n: [jnp.array(v.value) for v in held] for n, held in self._variables.items()}
        self.moments = {n: [jnp.asarray(v.value) for v in o.variables] for n, o in self._optimizers.items()}
        self.loops = loops_well(networks.values(), jax.default_backend() == "cpu")
        self._calls: dict[Any, Any] = {}
        self._update = jax.jit(self._all_updates, donate_argnums=(0, 1))
        self._gradient = jax.jit(self._one_gradient, static_argnums=0)
        self.pieces: dict[Any, Any] = {}

    def call(self, function: Callable[..., Any], batch: Mapping[str, Any]) -> Any:
        """`function(networks, batch)`, compiled; a tensor or a dict of them as NumPy arrays."""
        compiled = self._calls.get(function)
        if compiled is None:
            compiled = self._calls[function] = jax.jit(lambda values, batch: self._forward(function, values, batch)[0])
        return jax.tree.map(np.asarray, compiled(self.values, dict(batch)))

    def update(self, batches: Mapping[str, Any], remaining: float = 1.0) -> Report:
        """One update for each entry of the batches' first axis: every loss that is due, then the targets."""
        rounds = len(next(iter(batches.values())))
        if rounds > 1 and not self.loops:
            parts = [self.update({k: v[i : i + 1] for k, v in batches.items()}, remaining) for i in range(rounds)]
            return jax.tree.map(lambda *rows: jnp.concatenate(rows), *parts)  # type: ignore[no-any-return]
        self.values, self.moments, report = self._update(
            self.values, self.moments, dict(batches), np.float32(remaining), np.int32(self.updates)
        )
        self.updates += rounds
        return report  # type: ignore[no-any-return]

    def program(self, function: Callable[..., Any], networks: bool = True) -> Callable[..., Any]:
        """Collecting and learning as one program; `jax_program` says what it sees."""
        return program(self, function, networks)

    def gradients(self, name: str, batch: Mapping[str, Any]) -> tuple[float, dict[str, Any]]:
        """One loss and its gradient for each variable it trains, before clipping; nothing is applied."""
        index = [loss.name for loss in self.losses].index(name)
        (value, _), grads = self._gradient(index, self.values, dict(batch))
        return float(value), dict(zip(self.variable_names(name), map(np.asarray, grads), strict=True))

    def demand(self, name: str, batch: Mapping[str, Any]) -> None:
        """Ask for a loss and its gradient as a plain program would, so that a recorder can follow it."""
        index = [loss.name for loss in self.losses].index(name)
        tensors = {k: jnp.asarray(v) for k, v in batch.items()}
        # A plain step instead of Adam's, compiled quickly instead of well: it is made once, for a recorder.
        options = {"xla_backend_optimization_level": 0, "xla_llvm_disable_expensive_passes": True}
        values = {net: [v.value for v in held] for net, held in self._variables.items()}
        jax.jit(partial(self._plain_step, index), compiler_options=options)(values, tensors)

    def held(self, network: str) -> Any:
        """A network in the form in which contracts know it."""
        return [variable.value for variable in self._variables[network] if variable.trainable]

    def variable_names(self, name: str) -> list[str]:
        """The variables that a loss trains, in the order of `norms`."""
        loss = next(loss for loss in self.losses if loss.name == name)
        return [
            n for net in loss.trains for n, v in zip(self._names[net], self._variables[net], strict=True) if v.trainable
        ]

    def state(self) -> dict[str, Any]:
        """Everything that updates change: networks, targets, optimizers, the count."""
        self.write_back()
        kept: dict[str, Any] = {"updates": np.int64(self.updates)}
        for net, names in self._names.items():
            kept.update({n: np.asarray(x) for n, x in zip(names, self.values[net], strict=True)})
        for loss in self.losses:
            for v, x in zip(self._optimizers[loss.name].variables, self.moments[loss.name], strict=True):
                v.assign(x)
            kept.update(keras_adam.state(loss, self._optimizers[loss.name], self.variable_names(loss.name)))
        return kept

    def load(self, state: Mapping[str, Any]) -> None:
        """Put back what `state` gave, on this framework or another."""
        self.updates = int(state["updates"])
        for net, names in self._names.items():
            self.values[net] = [jnp.asarray(state[n]) for n in names]
        for loss in self.losses:
            optimizer = self._optimizers[loss.name]
            keras_adam.load(loss, optimizer, self.variable_names(loss.name), state)
            self.moments[loss.name] = [jnp.asarray(v.value) for v in optimizer.variables]
        self.write_back()

    def weights(self, networks: Iterable[str]) -> dict[str, Any]:
        """The values of some networks alone: what another process needs to act."""
        held = [(n, x) for net in networks for n, x in zip(self._names[net], self.values[net], strict=True)]
        return {n: np.asarray(x) for n, x in held}

    def load_weights(self, weights: Mapping[str, Any]) -> None:
        """Take over what `weights` gave; everything else stays as it is."""
        for net, names in self._names.items():
            pairs = zip(names, self.values[net], strict=True)
            self.values[net] = [jnp.array(weights[n]) if n in weights else x for n, x in pairs]

    def write_back(self) -> None:
        """Give the Keras models the values that they have here."""
        for net, held in self._variables.items():
            for variable, value in zip(held, self.values[net], strict=True):
                variable.assign(jnp.array(value))

    def _all_updates(self, values: Any, moments: Any, batches: Any, remaining: Any, count: Any) -> Any:
        rounds = len(next(iter(batches.values())))
        body = partial(self._one_update, remaining)
        if rounds == 1:  # a loop of one costs more than none
            (values, moments, _), report = body((values, moments, count), jax.tree.map(lambda x: x[0], batches))
            return values, moments, jax.tree.map(lambda x: x[None], report)
        (values, moments, _), report = jax.lax.scan(body, (values, moments, count), batches)
        return values, moments, report

    def _one_update(self, remaining: Any, carry: Any, batch: Any) -> Any:
        values, moments, count = carry
        report = {}
        batch = {**batch, "remaining": remaining}
        for index, loss in enumerate(self.losses):
            step = partial(self._one_step, index, remaining, batch)
            if loss.every == 1:
                values, moments, report[loss.name] = step(values, moments)
            else:
                skip = partial(_skipped, jax.eval_shape(step, values, moments)[2])
                due = count % loss.every == loss.every - 1
                values, moments, report[loss.name] = jax.lax.cond(due, step, skip, values, moments)
        count = count + 1
        for target in self._targets:
            due = count % target.every == 0
            pairs = zip(values[target.name], values[target.of], strict=True)
            values = {**values, target.name: [_nearer(target, due, t, s) for t, s in pairs]}
        return (values, moments, count), report

    def _plain_step(self, index: int, values: Values, batch: Batch) -> Values:
        loss = self.losses[index]
        _, grads = self._one_gradient(index, values, batch)
        pairs = zip(self._pick(loss, values), grads, strict=True)
        return self._put(loss, values, [value - loss.learning_rate * grad for value, grad in pairs])

    def _one_step(self, index: int, remaining: Any, batch: Batch, values: Values, moments: Any) -> Any:
        loss = self.losses[index]
        (value, (extra, after)), grads = self._one_gradient(index, values, batch)
        norms = jnp.stack([jnp.sqrt(jnp.sum(jnp.square(g))) for g in grads])
        norm = jnp.sqrt(jnp.sum(jnp.square(norms)))
        if loss.clip is not None:
            scale = jnp.minimum(1.0, loss.clip / (norm + 1e-6))
            grads = [g * scale for g in grads]
        optimizer = self._optimizers[loss.name]
        held = list(moments[loss.name])
        if loss.decays:
            at = next(i for i, v in enumerate(optimizer.variables) if v is optimizer._learning_rate)
            held[at] = jnp.asarray(loss.learning_rate, held[at].dtype) * remaining
        new, held = optimizer.stateless_apply(held, grads, self._pick(loss, values))
        report = {**extra, "loss": value, "norm": norm, "norms": norms}
        return self._put(loss, {**values, **after}, new), {**moments, loss.name: list(held)}, report

    def _one_gradient(self, index: int, values: Values, batch: Batch) -> Any:
        loss = self.losses[index]

        names = self.variable_names(loss.name)

        def of(params: dict[str, Any]) -> Any:
            used = self._put(loss, values, [params[n] for n in names])
            (value, extra), after = self._forward(loss.of, used, batch, loss.trains)
            return value, (extra, after)

        trained = dict(zip(names, self._pick(loss, values), strict=True))  # by name, for the diagnoser's sake
        found, grads = jax.value_and_grad(of, has_aux=True)(trained)
        return found, [grads[n] for n in names]

    def _forward(
        self, function: Callable[..., Any], values: Values, batch: Batch, trained: tuple[str, ...] = ()
    ) -> Any:
        """What a function gives, and the networks that it changed: a BatchNormalization has seen the batch."""
        pairs = [(v, x) for net, held in self._variables.items() for v, x in zip(held, values[net], strict=True)]
        with keras.StatelessScope(state_mapping=pairs) as scope:
            given = function(in_modes(self.networks, trained), batch)
        after = {}
        for net, held in self._variables.items():
            found = [scope.get_current_value(v) for v in held]
            if any(new is not old for new, old in zip(found, values[net], strict=True)):
                after[net] = [jnp.asarray(new, old.dtype) for new, old in zip(found, values[net], strict=True)]
        return given, after

    def _trained(self, loss: Loss) -> list[Any]:
        return [v for net in loss.trains for v in self.networks[net].trainable_variables]

    def _pick(self, loss: Loss, values: Values) -> list[Any]:
        return [x for net in loss.trains for v, x in zip(self._variables[net], values[net], strict=True) if v.trainable]

    def _put(self, loss: Loss, values: Values, trained: list[Any]) -> Values:
        left = iter(trained)
        put = dict(values)
        for net in loss.trains:
            put[net] = [
                next(left) if v.trainable else x for v, x in zip(self._variables[net], values[net], strict=True)
            ]
        return put


def _nearer(target: Target, due: Any, old: Any, new: Any) -> Any:
    if not jnp.issubdtype(old.dtype, jnp.floating):
        return old  # the state of a Dropout: it has its own
    return jnp.where(due, new if target.share == 1.0 else old + target.share * (new - old), old)


def _skipped(shape: Any, values: Any, moments: Any) -> Any:
    return values, moments, jax.tree.map(lambda x: jnp.full(x.shape, jnp.nan, x.dtype), shape)
