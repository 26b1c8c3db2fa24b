"""W203 unregistered"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.flow.site import Site
from whygrad.rules.case import Case
from whygrad.rules.finding import Finding, PathStep
from whygrad.rules.replaced import unheld
from whygrad.rules.w105_loss_ignores import created_at
from whygrad.rules.wording import networks, subject, verb

CODE, NAME = "W203", "unregistered"
SUMMARY = "layers the model does not track: in a plain list, a dict, an object"


def check(case: Case) -> Iterator[Finding]:
    """Layers in use that the model's own list of parameters does not contain."""
    recording = case.recording
    hidden = {v for v in unheld(recording) - recording.hand_updated if not recording.variables[v].registered}
    for network, members in networks(case, hidden).items():
        group = set(members)
        where = _kept_at(case, group)
        torch = recording.framework == "torch"
        path = [PathStep(where, "creation", "made here")] if where is not None else []
        listed = f"{network}.parameters()" if torch else f"{network}.trainable_variables"
        fix = (
            "keep layers in nn.ModuleList([...]) or nn.ModuleDict({...}), parameters in nn.ParameterList"
            if torch
            else "make the layers in __init__ and keep them as attributes of the model (lists and dicts are tracked there)"
        )
        yield Finding(
            code=CODE, rule=NAME, severity="error",
            message=f"{subject(case, group)} {verb(group, case, 'is', 'are')} used by `{network}` but not registered with it",
            why=f"`{network}` does not look into plain containers, so {listed} leaves these out: no optimizer gets them, no "
            "checkpoint saves them.",
            fix=fix, variables=case.names(group), where=where, label="layers in here are invisible to the model",
            path=tuple(path),
        )  # fmt: skip


def _kept_at(case: Case, members: set[int]) -> Site | None:
    """The line in the model's own class that made the layers, else the line that made them."""
    for variable in sorted(members):
        keeper = case.variable(variable).keeper
        for site in case.stack(case.variable(variable).created):
            if keeper and site.function.startswith(f"{keeper}."):
                return site
    return created_at(case, members)
