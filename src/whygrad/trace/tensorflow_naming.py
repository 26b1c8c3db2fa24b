"""What the user calls the variables of a TensorFlow program, and what is true of them while they live."""

from __future__ import annotations

from types import FrameType
from typing import TYPE_CHECKING

from whygrad.flow.site import Stack
from whygrad.flow.variables import Variable
from whygrad.trace import keras_names, names

if TYPE_CHECKING:
    from whygrad.trace.tensorflow_recorder import TensorFlowRecorder
    from whygrad.trace.tensorflow_variables import Store


class Naming:
    """Collects names at every update, because the frames that hold them come and go."""

    def __init__(self, recorder: TensorFlowRecorder) -> None:
        self.recorder = recorder
        self._named: dict[int, names.Named] = {}
        self._looks = 0
        self._found: dict[int, int] = {}

    def look_for_names(self, frame: FrameType) -> None:
        """Find what the user calls the variables, while the user's frames are there to look into."""
        with self.recorder.quiet():
            try:
                self.recorder.layers.catch_up()
                self._looks += 1
                for key, named in names.collect(keras_names.ADAPTER, frame).items():
                    if named.model:
                        self._found[key] = self._looks
                    known = self._named.get(key)
                    if known is None or named.rank < known.rank:
                        named.target = None
                        self._named[key] = named
                self._refresh_flags()
            except Exception as trouble:
                self.recorder.trouble(trouble)

    def _refresh_flags(self) -> None:
        """What is known of a variable only while it lives."""
        frozen, taken_in = self.recorder.layers.frozen, self.recorder.layers.taken_in()
        for number, variable in self.recorder.recording.variables.items():
            store = self.recorder.variables.numbered[number]
            target = store.reference() if store.reference is not None else None
            variable.copied, variable.created, variable.born = store.copied, store.created, store.born
            variable.taken_in = taken_in.get(store.handle)
            if target is None:
                continue
            floating = self.recorder.recording.values[self.recorder.variables.content(store)].floating
            variable.trainable = floating and bool(target.trainable) and store.handle not in frozen
            variable.frozen = frozen.get(store.handle, None if variable.trainable else store.created)

    def name_variables(self, stacks: list[Stack]) -> None:
        """Give every variable of the recording its name."""
        names.tell_apart(self._named.values())
        for number, variable in self.recorder.recording.variables.items():
            store = self.recorder.variables.numbered[number]
            named = self._named.get(store.handle)
            if named is None:
                self._name_after_layer(variable, store, stacks)
                continue
            variable.name, variable.network = named.name, named.network
            variable.owner, variable.registered = named.owner, named.registered
            variable.keeper, variable.model = named.keeper, named.model
            variable.found = self._found.get(store.handle, 0)

    def _name_after_layer(self, variable: Variable, store: Store, stacks: list[Stack]) -> None:
        """No name in user code leads to it: use the framework's own."""
        target = store.reference() if store.reference is not None else None
        layer = self.recorder.layers.layer_name.get(store.handle, "")
        own = self.recorder.layers.weight_name.get(store.handle) or _plain(getattr(target, "name", "") or "variable")
        variable.name = f"{layer}.{own}" if layer else own
        variable.network = "unnamed parameters"
        variable.owner = layer
        made_at = stacks[store.created] if store.created is not None else ()
        called = any(site.function.rpartition(".")[2] in ("call", "__call__") for site in made_at)
        variable.registered = not (store.layer_made and called)


def _plain(name: str) -> str:
    return name.partition(":")[0].rpartition("/")[2]
