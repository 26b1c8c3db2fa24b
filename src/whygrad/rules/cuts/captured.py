"""JAX: a function that is differentiated uses parameters from outside of it, and not its argument."""

from __future__ import annotations

from dataclasses import replace

from whygrad.flow.site import Site
from whygrad.flow.source import put_together
from whygrad.rules.case import Case
from whygrad.rules.cuts.verdict import Verdict
from whygrad.rules.finding import Finding
from whygrad.rules.wording import from_verdict, quoted


def captured(case: Case, verdict: Verdict, name: str) -> Finding:
    """Told where the network is called, or where it is put together of parameters: there the argument is missing."""
    made = put_together(verdict.where) if verdict.where is not None else None
    verdict = replace(verdict, where=made or _inside(case, verdict) or verdict.where)
    text = quoted(verdict.where, "this line")
    return from_verdict(
        case,
        verdict,
        name,
        "put together of parameters of the enclosing scope, not of the argument that is differentiated"
        if made is not None
        else "computed from parameters of the enclosing scope, not from the argument that is differentiated",
        "jax.grad follows the argument of the function alone. The same arrays, taken from an outer variable, are "
        "constants to it, and the gradient is zero.",
        f"use the function's own argument in {text}",
    )


def _inside(case: Case, verdict: Verdict) -> Site | None:
    """The line of a function that the loss defines for itself, for each row of a batch, say."""
    outer = f"{verdict.where.function}.<locals>." if verdict.where is not None else ""
    return next((site for site in case.stack(verdict.op.stack) if outer and site.function.startswith(outer)), None)
