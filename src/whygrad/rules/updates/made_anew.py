"""Where a function that is called in a loop is made anew at each pass: `step = jax.jit(…)`, a decorated `def`."""

from __future__ import annotations

import ast

from whygrad.flow.site import Site
from whygrad.flow.syntax import called_at, dotted, function_of


def made_anew(call: Site) -> Site | None:
    """The last place before a call, in its own function, that gives the called name a function; None where none does.

    A function that is only passed in, or made elsewhere, is not made here.
    """
    around = function_of(call)
    names = {called_at(call)} | _transformed(call, around) if around is not None else set()
    names.discard("")
    found: Site | None = None
    for node in ast.walk(around) if names and around is not None else ():
        made: ast.expr | None = None
        if isinstance(node, ast.Assign) and names & set(map(dotted, node.targets)) and isinstance(node.value, ast.Call):
            made = node.value
        elif isinstance(node, ast.FunctionDef) and node.name in names and node.decorator_list:
            made = node.decorator_list[0]
        if made is not None and made.lineno < call.line and (found is None or made.lineno > found.line):
            end = made.end_lineno or made.lineno
            found = Site(call.file, made.lineno, made.col_offset, end, made.end_col_offset or 0, call.function,
                         call.own, call.first_line)  # fmt: skip
    return found


def _transformed(call: Site, around: ast.AST) -> set[str]:
    """What a transformation is given whose result is called at once: `loss` of `jax.value_and_grad(loss)(params)`."""
    return {
        dotted(argument)
        for node in ast.walk(around)
        if isinstance(node, ast.Call) and (node.lineno, node.col_offset) == (call.line, call.column)
        if isinstance(node.func, ast.Call)
        for argument in node.func.args
    }
