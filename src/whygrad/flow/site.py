"""Places in source code: a site, and the stack of sites that led to an operation."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Site:
    """One expression in a source file, as exactly as the interpreter knows it.

    Columns count characters from 0; `end_column` is one past the last one. `own` is false for code of an
    installed library (which can be wrong too, but is not what the user has open in the editor).
    """

    file: str
    line: int
    column: int
    end_line: int
    end_column: int
    function: str
    own: bool = True
    first_line: int = 0
    """Where the function begins (its first decorator, if it has one)."""


Stack = tuple[Site, ...]
"""Sites from the innermost frame outward, frameworks and the standard library left out."""


def shared_site(inner: Stack, outer: Stack) -> Site | None:
    """The site of `inner` that lies in the function where `outer` happened.

    An operation deep inside `Actor.forward`, run under a `no_grad` that `train` opened, is best shown as the
    call in `train`: that is the frame which both stacks share.
    """
    if not outer:
        return None
    place = outer[0]
    for site in reversed(inner):
        if site.file == place.file and site.function == place.function and site.first_line == place.first_line:
            return site
    return None
