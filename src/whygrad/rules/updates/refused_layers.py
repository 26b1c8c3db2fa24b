"""JAX: layers that Flax NNX refuses, because the module keeps them where it does not look."""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.rules.case import Case
from whygrad.rules.finding import Finding, stations

_WORDS = {
    "layers in a plain container": (
        "keeps layers in a plain container, and Flax NNX refuses them",
        "Flax NNX takes a plain list, dict or tuple for a setting of the module and does not look into it: the layers "
        "would be no part of the model, and no optimizer and no checkpoint would get them. It raises an error instead.",
        "keep them in nnx.List([…]) or nnx.Dict({…}); any other container becomes a part of the model with "
        "nnx.data(…) at the assignment",
        "layers in here are invisible to the model",
    ),
    "layers marked as static": (
        "keeps layers that are marked as static, and Flax NNX refuses them",
        "What is static is a setting of the module, such as a size or a function, and no part of the model: no "
        "optimizer and no checkpoint would get the layers. Flax NNX raises an error instead.",
        "take nnx.static away; a list or a dict of layers becomes a part of the model with nnx.List([…]), "
        "nnx.Dict({…}) or nnx.data(…)",
        "static, and has weights",
    ),
    "layers where there were none": (
        "is given a layer after it was something else, and Flax NNX refuses it",
        "At the first assignment of an attribute Flax NNX decides whether it is a part of the model. What holds no "
        "array then (None, a number) is a setting of the module, and remains one: no optimizer and no checkpoint would "
        "get the layer. Flax NNX raises an error instead.",
        "make the layer at once, or say at the first assignment what will come: self.… = nnx.data(None)",
        "was no part of the model before",
    ),
}
"""What is the matter, why, what helps, and what the line does, by what was refused."""


def refused_layers(case: Case) -> Iterator[Finding]:
    """The line that keeps the layers: the assignment, which may have run long before the error."""
    failure = next((f for f in case.recording.failures if f.kind in _WORDS), None)
    raised = case.site(failure.stack) if failure is not None else None
    if failure is None or raised is None:
        return
    where = (case.site(failure.origin) if failure.origin is not None else None) or raised
    said, why, fix, label = _WORDS[failure.kind]
    way = [(where, "assignment", "kept here"), (raised, "refused", "the error is raised here")]
    yield Finding(
        code="W203", rule="unregistered", severity="error",
        message=f"`{failure.about}` {said}", why=why, fix=fix, variables=(), where=where, label=label,
        path=stations(*(way if raised != where else way[:1])),
    )  # fmt: skip
