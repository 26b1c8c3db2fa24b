"""What a rule says."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from whygrad.flow.site import Site

if TYPE_CHECKING:
    from whygrad.rules.case import Case

Severity = Literal["error", "warning", "note"]
ORDER: tuple[Severity, ...] = ("error", "warning", "note")


@dataclass(frozen=True, slots=True)
class PathStep:
    """One station on the way from a variable to the loss."""

    site: Site
    op: str
    role: str


def stations(*steps: tuple[Site | None, str, str]) -> tuple[PathStep, ...]:
    """The stations whose line is known, in this order: where, by which operation, and what happens there."""
    return tuple(PathStep(site, op, role) for site, op, role in steps if site is not None)


@dataclass(frozen=True, slots=True)
class Finding:
    """One fault. Answers: which rule, where, what was seen, why it matters, what to write instead."""

    code: str
    rule: str
    severity: Severity
    message: str
    why: str
    fix: str
    variables: tuple[str, ...]
    where: Site | None
    label: str = ""
    """What stands under the underlined expression."""
    loss: Site | None = None
    path: tuple[PathStep, ...] = ()
    first_update: int = 1
    seen: int = 1
    contract: str = ""
    """The declared contract that it breaks, where it breaks one."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule: its code, its name, and the function that looks for it. The module's docstring is its manual."""

    code: str
    name: str
    summary: str
    check: Callable[[Case], Iterable[Finding]]
    manual: str
