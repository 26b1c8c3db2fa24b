"""Where a method keeps what it computes: in an attribute of its own, at once or by way of a local name."""

from __future__ import annotations

import ast

from whygrad.flow.site import Site
from whygrad.flow.syntax import around, at_node, dotted, spoken_in, tree_of


def keeps_own_state(site: Site) -> bool:
    """Whether a method reads at a site what it writes itself: `out, self.state = self.rnn(x, self.state)`."""
    statement, _, function = around(site)
    if statement is None or function is None:
        return False
    written = {
        dotted(node)
        for node in ast.walk(function)
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)
    }
    read = {dotted(node) for node in ast.walk(statement) if isinstance(node, ast.Attribute)}
    return bool((read & written) - {""})


def put_away(site: Site) -> Site | None:
    """The statement by which a method keeps what it computes at a site, and took from there by way of a local name.

    `w = self.state`, then `w = self.rnn(w)`, which is the site, and at last `self.state = w`.
    """
    statement, _, function = around(site)
    if not isinstance(statement, ast.Assign) or function is None:
        return None
    used, bound = spoken_in(statement.value), {name for target in statement.targets for name in spoken_in(target)}
    given = [node for node in ast.walk(function) if isinstance(node, ast.Assign)]
    taken = {
        dotted(part)
        for node in given
        if node.lineno < statement.lineno and any(spoken_in(target) & used for target in node.targets)
        for part in ast.walk(node.value)
        if isinstance(part, ast.Attribute)
    }
    for node in given:
        kept = {dotted(part) for target in node.targets for part in ast.walk(target) if isinstance(part, ast.Attribute)}
        if node.lineno > statement.lineno and kept & taken - {""} and spoken_in(node.value) & bound:
            return at_node(site, node)
    return None


def placed_at(site: Site) -> Site | None:
    """The statement that makes what a site computes a part of something: `head = Linear(…)`, then `net.head = head`."""
    statement, _, function = around(site)
    names = [dotted(target) for target in statement.targets] if isinstance(statement, ast.Assign) else []
    scope = function or tree_of(site.file)
    if not names or scope is None or statement is None or not all(name and "." not in name for name in names):
        return None
    for node in ast.walk(scope):
        if not isinstance(node, ast.Assign) or node.lineno <= statement.lineno:
            continue
        kept = [part for one in node.targets for part in (one.elts if isinstance(one, ast.Tuple) else [one])]
        given = node.value.elts if isinstance(node.value, ast.Tuple) else [node.value]
        if all(isinstance(part, ast.Attribute) for part in kept) and any(dotted(one) in names for one in given):
            return at_node(site, node)
    return None


def is_store(site: Site) -> bool:
    """Whether a site is a whole statement that puts something away in an attribute."""
    statement, _, _ = around(site)
    if not isinstance(statement, ast.Assign) or (statement.lineno, statement.col_offset) != (site.line, site.column):
        return False
    return all(isinstance(part, ast.Attribute | ast.Tuple) for part in statement.targets)
