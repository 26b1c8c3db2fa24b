"""Reading in the source whether a condition can ever change its mind: a counter that nothing counts, a fixed flag."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator

from whygrad.flow.syntax import Function, dotted, spoken_in


def decided(trees: list[ast.Module], test: ast.expr) -> bool:
    """Whether a condition is made of names that are given one value, or are settings from outside."""
    whole, flags = _names_in(test), _asks_flags(test)
    return bool(whole) and all(_fixed(trees, name) or (flags and _given_from_outside(trees, name)) for name in whole)


def conditions(tree: ast.Module, statement: ast.stmt) -> Iterator[ast.expr]:
    """The conditions that a statement stands under."""
    line = statement.lineno
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and any(p.lineno <= line <= (p.end_lineno or p.lineno) for p in node.body):
            yield node.test


def _names_in(test: ast.expr) -> list[str]:
    names = [dotted(n) for n in ast.walk(test) if isinstance(n, ast.Name | ast.Attribute)]
    return [n for n in names if n and not any(o.startswith(n + ".") for o in names)]


def stands_still(trees: list[ast.Module], test: ast.expr) -> str:
    """What a condition counts by, where that has one number for ever: `self.steps % self.every == 0`."""
    names = _names_in(test)
    counts = any(isinstance(n, ast.Mod | ast.Gt | ast.GtE | ast.Lt | ast.LtE) for n in ast.walk(test))
    if not counts or not all(_fixed(trees, name) for name in names):
        return ""
    return next((name for name in names if _one_number(trees, name)), "")


def _one_number(trees: list[ast.Module], name: str) -> bool:
    """Whether all that a name is ever given is a number that stands in the program."""
    last = name.rpartition(".")[2]
    given = [
        node.value
        for tree in trees
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and any(dotted(p).rpartition(".")[2] == last for p in node.targets)
    ]
    return bool(given) and all(isinstance(v, ast.Constant) and type(v.value) in (int, float) for v in given)


def _asks_flags(test: ast.expr) -> bool:
    """Whether a condition is made of plain names alone: `if self.soft and not self.frozen`."""
    plain = (ast.Name, ast.Attribute, ast.BoolOp, ast.UnaryOp, ast.boolop, ast.Not, ast.expr_context)
    return all(isinstance(node, plain) for node in ast.walk(test))


def _given_from_outside(trees: list[ast.Module], name: str) -> bool:
    """Whether the program never gives an attribute a value, nor computes it: a setting, by argparse or `**kwargs`."""
    last = name.rpartition(".")[2]
    for node in (node for tree in trees for node in ast.walk(tree)):
        if isinstance(node, Function) and node.name == last:
            return False
        if (
            isinstance(node, ast.Name | ast.Attribute)
            and isinstance(node.ctx, ast.Store)
            and dotted(node).endswith(last)
        ):
            return False
    return "." in name


def _fixed(trees: list[ast.Module], name: str) -> bool:
    """Whether an attribute or a global is given one value and never another: a counter that is only ever reset."""
    last = name.rpartition(".")[2]
    times, values = 0, list[ast.expr]()
    if "." not in name and any(name in _arguments(tree) for tree in trees):
        return False  # whoever calls the function may count
    for node in (node for tree in trees for node in ast.walk(tree)):
        if isinstance(node, ast.AugAssign | ast.For | ast.NamedExpr) and last in spoken_in(node.target):
            return False
        if isinstance(node, ast.Assign):
            times += sum(dotted(t).rpartition(".")[2] == last for p in node.targets for t in ast.walk(p))
            values += [node.value for p in node.targets if dotted(p).rpartition(".")[2] == last]
    same = {repr(value.value) if isinstance(value, ast.Constant) else "" for value in values}
    return times == 1 or (times > 1 and len(values) == times and len(same) == 1 and "" not in same)


@functools.lru_cache(maxsize=512)
def _arguments(tree: ast.Module) -> frozenset[str]:
    """What any function of a file is given by a name."""
    return frozenset(node.arg for node in ast.walk(tree) if isinstance(node, ast.arg))
