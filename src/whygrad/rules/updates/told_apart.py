"""Which line of a call chain is to be named, where a helper serves several networks and only one use of it is wrong."""

from __future__ import annotations

from collections.abc import Iterable

from whygrad.flow.site import Site
from whygrad.rules.case import Case


def told_apart(case: Case, stack: int, others: Iterable[int]) -> Site | None:
    """The innermost line of a stack that none of the other stacks passes: a line that serves all says nothing."""
    passed = {site for number in set(others) - {stack} for site in case.stack(number)}
    return next((site for site in case.stack(stack) if site not in passed), case.site(stack))
