"""The line that lets a result fall: where a call's value goes to no name, or to a name that nothing reads."""

from __future__ import annotations

import ast

from whygrad.flow.site import Site, Stack
from whygrad.flow.source import is_statement
from whygrad.rules.sync_source import bound_at, function_of


def let_fall(stack: Stack) -> Site | None:
    """The first such line, outwards from where a value was computed; None where the source does not say."""
    for site in stack:
        if is_statement(site):
            return site
        names = {name for name in bound_at(site) if "." not in name}
        if names and not names <= _read(site):
            return site
    return None


def _read(site: Site) -> set[str]:
    function = function_of(site)
    nodes = ast.walk(function) if function is not None else ()
    return {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
