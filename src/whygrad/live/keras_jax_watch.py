"""Watching a Keras optimizer on JAX: what is seen lies in one optimizer variable more (`jax_state`).

Keras gives the values of an optimizer's variables to a compiled step as a list and takes a list back. The value of ours
is a pytree of its own kind, so that it is met whenever JAX puts such a list together, in `fit` and in a program's own
loop. Files that Keras writes do not have it in them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import jax
import jax.numpy as jnp
import keras

from whygrad.live import jax_pass
from whygrad.live.budget import Budget
from whygrad.live.jax_state import met
from whygrad.live.jax_watch import JaxWatch, unrecorded
from whygrad.live.keras_parts import innermost, named, path_of, paths
from whygrad.live.store import Variable
from whygrad.live.watched_run import WatchedRun

Names = Callable[[], Mapping[int, tuple[str, str]]]
"""Name and network of variables, by their ids."""


class KerasJaxWatch:
    """One optimizer under watch. Its methods are replaced in the one object, past Keras' tracking."""

    def __init__(
        self,
        run: Callable[[], WatchedRun],
        name: str,
        names: Names,
        optimizer: Any,
        budget: Callable[[], Budget],
        every: int | None = None,
        targets: Mapping[str, Any] | None = None,
        trouble: Callable[[Exception], None] | None = None,
    ) -> None:
        """`trouble` hears of errors, without it they are raised."""
        values = {target: _values_of(held) for target, held in (targets or {}).items()}
        self._watch = JaxWatch(run, name, budget, every, values)
        self._names, self._trouble = names, trouble
        self._inside = innermost(optimizer)
        self._seen: Any = None
        self._key = ""
        self._clipped: list[Any] | None = None
        self._replaced: list[tuple[Any, str]] = []
        self._replace(self._inside, apply=self._apply, build=self._build, _clip_gradients=self._clip)
        self.enclosed(optimizer)
        if self._inside.built:
            self._begin()

    @property
    def inside(self) -> Any:
        """The optimizer that makes the steps."""
        return self._inside

    def enclosed(self, outer: Any) -> None:
        """From now on the program calls this optimizer, with ours in it."""
        self._outer = outer
        self._replace(outer, stateless_apply=self._stateless_apply)
        if outer is not self._inside:
            vars(self._inside).pop("stateless_apply", None)  # of what is inside, branches of a condition are made
        for each in {id(one): one for one in (outer, self._inside)}.values():
            files = {name: self._without_ours(each, name) for name in ("save_own_variables", "load_own_variables")}
            self._replace(each, **files)

    def close(self) -> None:
        """Give the optimizer its own methods back, and take our variable out of it."""
        for owner, method in self._replaced:
            vars(owner).pop(method, None)
        if self._seen is not None:
            # It was the last one: whoever still holds a list of all values finds the others in their places.
            self._inside._variables[:] = self._others()
        self._watch.close()

    def _replace(self, owner: Any, **methods: Any) -> None:
        vars(owner).update(methods)
        self._replaced.extend((owner, name) for name in methods)

    # In the place of the optimizer's own methods. Those of its class are looked up when they are called: a recorder
    # that began later has wrapped them there.

    def _build(self, variables: Any) -> Any:
        found = type(self._inside).build(self._inside, variables)
        self._guarded(self._begin)
        return found

    def _apply(self, grads: Any, trainable_variables: Any = None) -> Any:
        inside, grads = self._inside, list(grads)
        apply = type(inside).apply
        if not inside.built and trainable_variables is not None:
            trainable_variables = list(trainable_variables)
            inside.build(trainable_variables)
        held = list(inside._trainable_variables if trainable_variables is None else trainable_variables)
        before, self._clipped = [variable.value for variable in held], None
        found = apply(inside, grads, trainable_variables)
        if self._seen is not None:
            self._guarded(lambda: self._look(held, grads, before))
        return found

    def _clip(self, grads: Any) -> Any:
        after = type(self._inside)._clip_gradients(self._inside, grads)
        self._clipped = list(after) if after is not grads else None
        return after

    def _stateless_apply(self, optimizer_variables: Any, grads: Any, trainable_variables: Any) -> Any:
        given = [_array(value) for value in optimizer_variables]
        trained, state = type(self._outer).stateless_apply(self._outer, given, grads, trainable_variables)
        place = [variable is self._seen for variable in self._outer.variables]
        return trained, [Seen(value, self._key) if ours else value for value, ours in zip(state, place, strict=True)]

    def _without_ours(self, owner: Any, method: str) -> Callable[[Any], Any]:
        def call(store: Any) -> Any:
            held = self._inside._variables
            kept = list(held)
            held[:] = self._others()
            try:
                return getattr(type(owner), method)(owner, store)
            finally:
                held[:] = kept

        return call

    # Ours.

    def _others(self) -> list[Any]:
        return [variable for variable in self._inside._variables if variable is not self._seen]

    def _begin(self) -> None:
        """The optimizer knows its variables now."""
        if self._seen is not None:
            return
        names, trained = self._names(), [v for v in self._inside._trainable_variables if _counts(v)]
        called = [names.get(id(variable)) or named(path_of(variable)) for variable in trained]
        variables = [
            Variable(name, network, tuple(variable.shape))
            for (name, network), variable in zip(called, trained, strict=True)
        ]
        self._key = self._watch.key(variables, [jax_pass.size_of(variable.value) for variable in trained])
        self._watch.open()
        self._seen = _variable(self._watch.beginning(self._key), self._key)
        self._inside._variables.append(self._seen)

    def _look(self, held: list[Any], grads: list[Any], before: list[Any]) -> None:
        places = {id(variable): at for at, variable in enumerate(held)}
        trained = [variable for variable in self._inside._trainable_variables if _counts(variable)]
        if any(id(variable) not in places for variable in trained) or any(gradient is None for gradient in grads):
            return  # a part of the variables: what is told of one update is of all of them
        which = [places[id(variable)] for variable in trained]
        clipped = self._clipped if self._clipped is not None and len(self._clipped) == len(held) else None
        with unrecorded():
            gradients = [jax.lax.stop_gradient(jnp.asarray(grads[at])) for at in which]
            steps = [held[at].value - before[at] for at in which]
            applied = None if clipped is None else [clipped[at] for at in which]
            weights = [before[at] for at in which]
            self._seen.assign(
                self._watch.after(self._seen.raw(), gradients, lambda: (applied, steps, weights), self._key)
            )

    def _guarded(self, what: Callable[[], None]) -> None:
        try:
            what()
        except Exception as error:
            if self._trouble is None:
                raise
            self._trouble(error)


class Seen:
    """The value of our variable as a program holds it: JAX puts it together anew whenever it comes out of a step."""

    def __init__(self, array: Any, watch: str) -> None:
        self.array, self.watch = array, watch

    def __jax_array__(self) -> Any:
        return self.array

    def __getattr__(self, name: str) -> Any:
        # Keras asks values for their shape, their dtype and where they lie.
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.array, name)


jax.tree_util.register_pytree_node(
    Seen, lambda seen: ((seen.array,), seen.watch), lambda watch, parts: Seen(met(parts[0], watch), watch)
)


def _variable(beginning: Any, key: str) -> Any:
    class SeenVariable(keras.Variable):  # type: ignore[misc]
        """Shows its value as `Seen` where no step is being computed."""

        @property
        def value(self) -> Any:
            found = super().value
            return found if keras.src.backend.in_stateless_scope() else Seen(found, key)

        def raw(self) -> Any:
            return super().value

        def assign(self, value: Any) -> Any:
            return super().assign(met(_array(value), key))

    return SeenVariable(beginning, trainable=False, dtype="int32", name="whygrad_seen")


def _array(value: Any) -> Any:
    return value.array if isinstance(value, Seen) else value


def _counts(variable: Any) -> bool:
    return bool(jnp.issubdtype(variable.dtype, jnp.inexact))


def _values_of(target: Any) -> Any:
    """A function of none that gives the arrays of a target model, as they are then."""
    return lambda: [variable.value for variable, _ in paths(target)]


def names(model: Any) -> dict[int, tuple[str, str]]:
    """Of each variable of a model, or of a dict of them, by its id, its name and its network."""
    return {id(variable): named for variable, named in paths(model)}
