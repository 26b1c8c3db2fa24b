"""Questions about the order of clear, backward, clip and step that several rules ask."""

from __future__ import annotations

from whygrad.flow.events import Backward, Step
from whygrad.flow.site import Site
from whygrad.flow.source import expression
from whygrad.flow.variables import Optimizer
from whygrad.rules.case import Case
from whygrad.rules.cuts.missing import missing_gradients


def steps_of(case: Case, optimizer: Optimizer) -> list[Step]:
    """The steps of one optimizer, in order."""
    return [step for step in case.recording.steps if step.optimizer == optimizer.id]


def idle(case: Case, optimizer: Optimizer) -> bool:
    """Whether an optimizer steps and never has a gradient to apply, now or later."""
    steps = steps_of(case, optimizer)
    later = optimizer.holds & case.recording.later_gradients
    return bool(steps) and not any(step.applied or step.error for step in steps) and not later and not optimizer.skipped


def passes(case: Case) -> list[Backward]:
    """The backward passes that put gradients into `.grad`."""
    return [b for b in case.recording.backwards if b.call == "backward" and b.error is None]


def optimizer_name(optimizer: Optimizer, site: Site | None, otherwise: str | None = None) -> str:
    """What the program calls an optimizer, as its step() says: `agent.opt` of `agent.opt.step()`."""
    text = expression(site, 200) if site is not None else ""
    head, dot, _ = text.partition(".step(")
    plain = bool(dot) and bool(head) and " " not in head and not head.endswith("scaler")
    return head if plain else optimizer.name if otherwise is None else otherwise


def loss_name(case: Case, backward: Backward) -> str:
    """`actor_loss` of `actor_loss.backward()`, in backticks; else "the loss"."""
    site = case.site(backward.stack)
    text = expression(site, 200) if site is not None else ""
    head, dot, _ = text.partition(".backward(")
    return f"`{head}`" if dot and head and len(head) <= 40 else "the loss"


def astray(case: Case) -> set[int]:
    """Stacks of backward passes whose gradient is cut off from what they are there to train.

    What such a loss leaves in other networks, and what is done to that, follows from the cut.
    """
    return {missing.backward.stack for missing in missing_gradients(case) if missing.cuts}
