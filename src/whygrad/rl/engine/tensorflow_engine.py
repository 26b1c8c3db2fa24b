"""Gradients and updates on TensorFlow: a tape inside one `tf.function` for all updates of a round."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

import numpy as np
import tensorflow as tf

from whygrad.rl.agent import Agent, Batch, Loss, Spaces, Target
from whygrad.rl.engine import keras_adam
from whygrad.rl.engine.convolutions import loops_well
from whygrad.rl.engine.interface import Report
from whygrad.rl.engine.modes import in_modes
from whygrad.rl.engine.naming import variable_names
from whygrad.rl.engine.tensorflow_program import program


class Engine:
    """The networks hold their own values.

    `compiled` is for PyTorch: here everything is.
    """

    def __init__(self, agent: Agent, networks: dict[str, Any], spaces: Spaces, *, compiled: bool = False) -> None:
        self.losses = agent.losses(spaces)
        self.networks = networks
        self.updates = 0
        self._targets = agent.targets(spaces)
        self._names = {name: variable_names(name, net) for name, net in networks.items()}
        self._optimizers = {loss.name: keras_adam.make(loss, self._trained(loss)) for loss in self.losses}
        self._calls: dict[Any, Any] = {}
        # Where XLA should not loop, only the single update is its own.
        self.loops = loops_well(networks.values(), not tf.config.list_physical_devices("GPU"))
        self._update = tf.function(self._all_updates, autograph=False, jit_compile=self.loops)
        self.one_update = self._one_update if self.loops else tf.function(self._one_update, jit_compile=True)

    def call(self, function: Callable[..., Any], batch: Mapping[str, Any]) -> Any:
        """`function(networks, batch)`, compiled; a tensor or a dict of them as NumPy arrays."""
        arrays = {k: np.asarray(v) for k, v in batch.items()}
        key = (function, *((k, v.shape, v.dtype) for k, v in arrays.items()))
        compiled = self._calls.get(key)
        if compiled is None:  # asking for the concrete function once spares matching the inputs to it at each call
            whole = tf.function(partial(function, in_modes(self.networks)), autograph=False, jit_compile=True)
            compiled = self._calls[key] = whole.get_concrete_function(_specs(arrays))
        return tf.nest.map_structure(lambda x: x.numpy(), compiled({k: tf.constant(v) for k, v in arrays.items()}))

    def update(self, batches: Mapping[str, Any], remaining: float = 1.0) -> Report:
        """One update for each entry of the batches' first axis: every loss that is due, then the targets."""
        tensors = {k: tf.convert_to_tensor(v) for k, v in batches.items()}
        count = self.updates
        self.updates += len(next(iter(batches.values())))
        return self._update(tensors, tf.constant(remaining, "float32"), tf.constant(count, "int32"))  # type: ignore[no-any-return]

    def program(self, function: Callable[..., Any], networks: bool = True) -> Callable[..., Any]:
        """Collecting and learning as one program; `tensorflow_program` says what it sees."""
        return program(self, function, networks)

    def gradients(self, name: str, batch: Mapping[str, Any]) -> tuple[float, dict[str, Any]]:
        """One loss and its gradient for each variable it trains, before clipping; nothing is applied."""
        loss = next(loss for loss in self.losses if loss.name == name)
        changing = [v for net in self.networks.values() for v in net.non_trainable_variables]
        before = [v.numpy() for v in changing]
        value, _, grads = self._one_gradient(loss, {k: tf.convert_to_tensor(v) for k, v in batch.items()})
        for variable, kept in zip(changing, before, strict=True):
            variable.assign(kept)  # a BatchNormalization has seen the batch
        return float(value), dict(zip(self.variable_names(name), [g.numpy() for g in grads], strict=True))

    def demand(self, name: str, batch: Mapping[str, Any]) -> None:
        """Ask for a loss and its gradient as a plain program would, so that a recorder can follow it."""
        loss = next(loss for loss in self.losses if loss.name == name)
        self._one_step(loss, tf.constant(1.0), {k: tf.convert_to_tensor(v) for k, v in batch.items()})

    def held(self, network: str) -> Any:
        """A network in the form in which contracts know it."""
        return self.networks[network]

    def variable_names(self, name: str) -> list[str]:
        """The variables that a loss trains, in the order of `norms`."""
        loss = next(loss for loss in self.losses if loss.name == name)
        return [
            n
            for net in loss.trains
            for n, v in zip(self._names[net], self.networks[net].variables, strict=True)
            if v.trainable
        ]

    def state(self) -> dict[str, Any]:
        """Everything that updates change: networks, targets, optimizers, the count."""
        kept: dict[str, Any] = {"updates": np.int64(self.updates)}
        for net, names in self._names.items():
            kept.update({n: v.numpy() for n, v in zip(names, self.networks[net].variables, strict=True)})
        for loss in self.losses:
            kept.update(keras_adam.state(loss, self._optimizers[loss.name], self.variable_names(loss.name)))
        return kept

    def load(self, state: Mapping[str, Any]) -> None:
        """Put back what `state` gave, on this framework or another."""
        self.updates = int(state["updates"])
        for net, names in self._names.items():
            for n, v in zip(names, self.networks[net].variables, strict=True):
                v.assign(state[n])
        for loss in self.losses:
            keras_adam.load(loss, self._optimizers[loss.name], self.variable_names(loss.name), state)

    def weights(self, networks: Iterable[str]) -> dict[str, Any]:
        """The values of some networks alone: what another process needs to act."""
        held = [(n, v) for net in networks for n, v in zip(self._names[net], self.networks[net].variables, strict=True)]
        return {n: v.numpy() for n, v in held}

    def load_weights(self, weights: Mapping[str, Any]) -> None:
        """Take over what `weights` gave; everything else stays as it is."""
        for net, names in self._names.items():
            for n, v in zip(names, self.networks[net].variables, strict=True):
                if n in weights:
                    v.assign(weights[n])

    def write_back(self) -> None:
        """Give the networks the values that the engine holds: here they hold them themselves."""

    def _all_updates(self, batches: Any, remaining: Any, count: Any) -> Any:
        rounds = next(iter(batches.values())).shape[0]
        body = partial(self.one_update, remaining)
        if rounds == 1:
            return tf.nest.map_structure(lambda x: x[None], body(tf.nest.map_structure(lambda x: x[0], batches), count))
        first = tf.nest.map_structure(lambda x: x[0], batches)
        shape = tf.function(body, autograph=False).get_concrete_function(first, count).structured_outputs
        signature = tf.nest.map_structure(lambda x: tf.TensorSpec(x.shape, x.dtype), shape)
        return tf.map_fn(
            lambda given: body(given[0], given[1]),
            (batches, count + tf.range(rounds)),
            fn_output_signature=signature,
            parallel_iterations=1,
        )

    def _one_update(self, remaining: Any, batch: Any, count: Any) -> Any:
        report: dict[str, Any] = {}
        batch = {**batch, "remaining": remaining}
        for loss in self.losses:
            step = partial(self._one_step, loss, remaining, batch)
            if loss.every == 1:
                report[loss.name] = step()
            else:
                shape = tf.function(step, autograph=False).get_concrete_function().structured_outputs
                due = count % loss.every == loss.every - 1
                report[loss.name] = tf.cond(due, step, partial(_skipped, shape))
        count = count + 1
        for target in self._targets:
            due = count % target.every == 0
            for t, s in zip(self.networks[target.name].variables, self.networks[target.of].variables, strict=True):
                if t.value.dtype.is_floating:  # not the state of a Dropout: it has its own
                    t.assign(tf.where(due, _nearer(target, t.value, s.value), t.value))
        return report

    def _one_step(self, loss: Loss, remaining: Any, batch: Batch) -> Any:
        value, extra, grads = self._one_gradient(loss, batch)
        norms = tf.stack([tf.sqrt(tf.reduce_sum(tf.square(g))) for g in grads])
        norm = tf.sqrt(tf.reduce_sum(tf.square(norms)))
        if loss.clip is not None:
            scale = tf.minimum(1.0, loss.clip / (norm + 1e-6))
            grads = [g * scale for g in grads]
        optimizer = self._optimizers[loss.name]
        if loss.decays:
            optimizer.learning_rate = loss.learning_rate * remaining
        optimizer.apply(grads, self._trained(loss))
        return {**extra, "loss": value, "norm": norm, "norms": norms}

    def _one_gradient(self, loss: Loss, batch: Batch) -> Any:
        trained = self._trained(loss)
        with tf.GradientTape(watch_accessed_variables=False) as tape:
            tape.watch([v.value for v in trained])
            value, extra = loss.of(in_modes(self.networks, loss.trains), batch)
        return value, extra, tape.gradient(value, [v.value for v in trained])

    def _trained(self, loss: Loss) -> list[Any]:
        return [v for net in loss.trains for v in self.networks[net].trainable_variables]


def _nearer(target: Target, old: Any, new: Any) -> Any:
    return new if target.share == 1.0 else old + target.share * (new - old)


def _skipped(shape: Any) -> Any:
    return tf.nest.map_structure(lambda x: tf.fill(x.shape, tf.constant(float("nan"), x.dtype)), shape)


def _specs(arrays: Mapping[str, Any]) -> dict[str, tf.TensorSpec]:
    return {k: tf.TensorSpec(v.shape, v.dtype) for k, v in arrays.items()}
