"""JAX: layers, and numbers beside what learns, that a model keeps where JAX does not look."""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.flow import reach
from whygrad.flow.events import Backward
from whygrad.flow.site import Site
from whygrad.flow.syntax import declared_in
from whygrad.flow.variables import HiddenLayer
from whygrad.rules.case import Case
from whygrad.rules.finding import Finding, stations
from whygrad.rules.updates.plain_variables import PLACE, drawn

_SEEN = {
    "static field": "take static=True away: it is for what is no array, such as a size or a function",
    "static array": "take static=True away; if it is to stay as it is, stop its gradient where it is used",
    "plain container": "keep layers in nnx.List([…]) or nnx.Dict({…}), which Flax NNX does look into",
    "plain object": "keep the layer as an attribute of the model, or make the class of the object a module as well",
    "function": "keep the layer itself in the model, beside the function: what a function has taken in is no leaf",
}
"""What brings a layer into the tree, by what it is kept in."""


def hidden_layers(case: Case) -> Iterator[Finding]:
    """One finding for each that a loss would train, were it a part of the model."""
    recording = case.recording
    for layer in (one for one in recording.hidden if one.place != PLACE and _there_to_learn(case, one)):
        backward = next((b for b in recording.backwards if not b.implicit and _would_learn(case, layer, b)), None)
        if backward is not None:
            yield _finding(case, layer, backward)


def _there_to_learn(case: Case, hidden: HiddenLayer) -> bool:
    """A layer is. An array by itself may be a table; one of random numbers beside others that learn is a weight.

    So is one that begins with the same number everywhere, wherever it is kept in a model that learns: a table of that
    kind would be one number.
    """
    if hidden.place != "static array":
        return True
    known = [case.recording.values[v].numbers for v in hidden.values]
    filled = all(one is not None and one.size > 1 and one.low == one.high for one in known)
    learning = {case.variable(v).name for v in case.trained}
    if filled:
        return any(name.partition(".")[0] == hidden.name.partition(".")[0] for name in learning)
    return any(_keeper(name) == _keeper(hidden.name) for name in learning) and drawn(case, hidden)


def _keeper(name: str) -> str:
    return name.rpartition(".")[0]


def _would_learn(case: Case, layer: HiddenLayer, backward: Backward) -> bool:
    """Whether a loss would reach a layer, were it a part of the model. One that is stopped (a teacher) is kept so."""
    part = case.slice(backward)
    used = layer.values & part.values
    return bool(used and used & reach.smooth_to_loss(case.recording, part, None))


def _finding(case: Case, layer: HiddenLayer, backward: Backward) -> Finding:
    """JAX: a layer that is no part of the tree which is differentiated."""
    stack, loss = case.stack(layer.created), case.loss_site(backward)
    inside = [site for site in stack if site.function == f"{layer.keeper}.__init__"]
    made = next(iter((*inside, *stack)), loss)
    array = layer.place == "static array"
    where = (_declared(made, layer) if array or layer.place == "static field" else None) or made
    model = layer.name.partition(".")[0]
    place = "a static field" if array else f"a {layer.place}"
    used = f"is used by `{model}` but is no part of it" if layer.place != "function" else "is no part of the model"
    steps = [(made, "creation", "made here"), (loss, "loss", "the loss, to which it is a constant")]
    return Finding(
        code="W203", rule="unregistered", severity="warning" if array else "error",
        message=f"`{layer.name}` {used}: `{layer.keeper}` keeps it in {place}",
        why=f"JAX differentiates and updates the leaves of a tree, and does not look into {place}. "
        f"{'These numbers' if array else 'The weights of this layer'} are constants of the function: no "
        "gradient is asked for them, and they keep their first values.",
        fix=_SEEN[layer.place], variables=(layer.name,), where=where,
        label=f"JAX does not see this {'array' if array else 'layer'}", loss=loss,
        path=stations(*steps),
    )  # fmt: skip


def _declared(made: Site | None, layer: HiddenLayer) -> Site | None:
    """The field that says `static=True` of a layer, or of the list that it stands in."""
    below = layer.name.split(".")
    names = [name.partition("[")[0] for name in reversed(below[1:])]
    found = (declared_in(made.file, layer.keeper, name) for name in names) if made is not None else ()
    return next((site for site in found if site is not None), None)
