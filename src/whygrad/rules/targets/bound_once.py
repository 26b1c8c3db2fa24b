"""Whether a target network could still be synced where nobody looked, told by the source.

A network that a function keeps under a local name is gone when the script ends. What its content was then is not seen;
but a name that is bound once, and handed to no call that has not run, has had no chance to change.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from whygrad.flow.syntax import spoken_in, tree_of

_MAKES = ("__init__", "__post_init__", "setup")


def given_once(files: Iterable[str], name: str) -> bool:
    """Whether a plain name is given a value in one place only, and nothing is stored into that value."""
    return name.isidentifier() and sum(name in spoken_in(place) for file in files for place in _places(file)) == 1


def _places(file: str) -> Iterator[ast.expr]:
    tree = tree_of(file)
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, ast.Assign):
            yield from node.targets
        elif isinstance(node, ast.AugAssign | ast.NamedExpr | ast.For | ast.AnnAssign):
            yield node.target


def bound_once(files: Iterable[str], ran: set[tuple[str, int]], name: str) -> bool:
    """Whether a plain name gets one value in the program, and every call that it is given to was seen to run."""
    if not name.isidentifier():
        return False  # a part of a state, which is replaced as a whole
    files = list(files)
    for file in files:
        tree = tree_of(file)
        for node in ast.walk(tree) if tree is not None else ():
            if isinstance(node, ast.Call):
                if any(keyword.arg == name for keyword in node.keywords):
                    return False  # state.replace(target=…)
                given = [*node.args, *(keyword.value for keyword in node.keywords)]
                lines = range(node.lineno, (node.end_lineno or node.lineno) + 1)
                if any(name in spoken_in(part) for part in given) and not any((file, line) in ran for line in lines):
                    return False
    return given_once(files, name) and not any(name in _kept_anew(file) for file in files)


def _kept_anew(file: str) -> set[str]:
    """Attributes that a method gives a value: it may be called again, other than what makes the object."""
    tree = tree_of(file)
    methods = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)] if tree is not None else []
    return {
        target.attr
        for method in methods
        if method.name not in _MAKES
        for node in ast.walk(method)
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Attribute)
    }
