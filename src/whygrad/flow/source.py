"""Reading the user's source: the text of an expression, and what a comment says is meant."""

from __future__ import annotations

import ast
import functools
import linecache
import re
from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from whygrad.flow.site import Site
from whygrad.flow.syntax import around, at_node, tree_of

Read = Callable[[str, int], str]
"""Gives one line of a file: from the file itself, or from what a saved report kept of it."""

_TRAINS = frozenset({"fit", "train_on_batch", "train_step", "learn", "train"})
_OK = re.compile(r"#\s*whygrad:\s*ok\b[:\s]*([A-Za-z0-9,\s]*)")


def line_text(file: str, line: int) -> str:
    """One line of a file without its end, empty where it cannot be read."""
    return linecache.getline(file, line).rstrip("\n")


def is_given_back(site: Site) -> bool:
    """Whether a site stands in a lambda, or its line begins a `return`: what it computes is handed to the caller."""
    text = line_text(site.file, site.line).lstrip()
    return text.startswith("return ") or site.function.endswith("<lambda>")


def expression(site: Site, limit: int = 60, read: Read = line_text) -> str:
    """The source text of a site, on one line and shortened to `limit` characters."""
    first = read(site.file, site.line)
    if not first:
        return ""
    if site.end_line == site.line:
        # The interpreter counts columns in UTF-8 bytes; the text is in characters.
        text = _columns(first, site.column, site.end_column)
    else:
        parts = [_columns(first, site.column, None)]
        parts += [read(site.file, n).strip() for n in range(site.line + 1, site.end_line)]
        parts.append(_columns(read(site.file, site.end_line), 0, site.end_column).strip())
        text = " ".join(part.rstrip("\\") for part in parts)
    text = " ".join(text.split()) or first.strip()
    return text if len(text) <= limit else text[: limit - 1] + "…"


def first_argument(site: Site) -> Site | None:
    """The first argument of a call that is spread over several lines; None where call and argument begin together."""
    call = _call(site)
    return _within(site, call.args[0]) if call is not None and call.args else None


def named_argument(site: Site, ending: str) -> Site | None:
    """As above, the argument whose name ends so: `initializer` and `kernel_initializer`."""
    call = _call(site)
    given = (one.value for one in call.keywords if (one.arg or "").endswith(ending)) if call is not None else ()
    return next((found for value in given if (found := _within(site, value)) is not None), None)


def _call(site: Site) -> ast.Call | None:
    try:
        tree = ast.parse("(" + "\n".join(_lines(site)) + ")", mode="eval")
    except (SyntaxError, ValueError):
        return None
    return tree.body if isinstance(tree.body, ast.Call) else None


def _within(site: Site, part: ast.expr) -> Site | None:
    """Where a part of a call stands, if that is on a line of its own."""
    if part.lineno == 1:
        return None
    return replace(
        site,
        line=site.line + part.lineno - 1,
        column=part.col_offset,
        end_line=site.line + (part.end_lineno or part.lineno) - 1,
        end_column=part.end_col_offset or part.col_offset,
    )


def _lines(site: Site) -> list[str]:
    """The source text of a site, line by line; lines after the first keep their columns."""
    lines = [line_text(site.file, number) for number in range(site.line, site.end_line + 1)]
    if lines:
        lines[-1] = _columns(lines[-1], 0, site.end_column)
        lines[0] = _columns(lines[0], site.column, None)
    return lines


def _columns(text: str, begin: int, end: int | None) -> str:
    return text.encode()[begin:end].decode(errors="replace")


def meant(site: Site) -> set[str]:
    """Rule codes that `# whygrad: ok W102` allows on the lines of a site; `{"*"}` for a bare `ok`."""
    codes: set[str] = set()
    for line in range(site.line, min(site.end_line, site.line + 20) + 1):
        found = _OK.search(line_text(site.file, line))
        if found:
            named = {code.upper() for code in re.findall(r"[A-Za-z]+\d+", found.group(1))}
            codes |= named or {"*"}
    return codes


def allowances(file: str) -> list[tuple[int, str]]:
    """Every `# whygrad: ok CODE` comment in a file, as (line, code)."""
    found = []
    for number, text in enumerate(linecache.getlines(file), 1):
        match = _OK.search(text)
        if match:
            found += [(number, code.upper()) for code in re.findall(r"[A-Za-z]+\d+", match.group(1))]
    return found


def is_statement(site: Site) -> bool:
    """Whether a call stands alone on its lines, so that nothing takes its result."""
    first, last = line_text(site.file, site.line), line_text(site.file, site.end_line)
    after = _columns(last, site.end_column, None).strip()
    return not _columns(first, 0, site.column).strip() and (not after or after.startswith("#"))


@functools.lru_cache(maxsize=4096)
def renamed(site: Site) -> Site | None:
    """Where what a line computes gets the name under which its function returns it: `loss = q_loss`, `return loss`."""
    tree = tree_of(site.file)
    if tree is None:
        return None
    around = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef) and _spans(n, site.line)]
    if not around:
        return None
    inside = list(ast.walk(max(around, key=lambda n: n.lineno)))
    named = [
        n for n in inside if isinstance(n, ast.Assign) and len(n.targets) == 1 and isinstance(n.targets[0], ast.Name)
    ]
    first = {ast.unparse(n.targets[0]) for n in named if _spans(n, site.line)}
    returned = [n.value.elts[0] if isinstance(n.value, ast.Tuple) and n.value.elts else n.value
                for n in inside if isinstance(n, ast.Return) and n.value is not None]  # fmt: skip
    names = {node.id for node in returned if isinstance(node, ast.Name)}
    for node in named:
        alias = isinstance(node.value, ast.Name) and node.value.id in first and node.lineno > site.line
        if alias and ast.unparse(node.targets[0]) in names:
            end = node.end_lineno or node.lineno
            return Site(site.file, node.lineno, node.col_offset, end, node.end_col_offset or 0, site.function,
                        site.own, site.first_line)  # fmt: skip
    return None


def _spans(node: ast.stmt, line: int) -> bool:
    return node.lineno <= line <= (node.end_lineno or node.lineno)


@functools.lru_cache(maxsize=4096)
def assigned(site: Site) -> Site | None:
    """Where a loss was assigned: `loss = …` for `loss.mean().backward()` and for `tape.gradient(loss, …)`."""
    tree = tree_of(site.file)
    try:
        call: ast.expr = ast.parse(expression(site, limit=10_000), mode="eval").body
    except (SyntaxError, ValueError):
        return None
    if tree is None:
        return None
    if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr in _TRAINS:
        return None  # `model.fit(x, y)` names a model, no loss
    if (
        isinstance(call, ast.Call)
        and isinstance(call.func, ast.Attribute)
        and call.func.attr == "gradient"
        and call.args
    ):
        call = call.args[0]
    while isinstance(call, ast.Call | ast.Attribute | ast.Subscript):
        if isinstance(call, ast.Attribute) and isinstance(call.value, ast.Name) and call.value.id == "self":
            break
        call = call.func if isinstance(call, ast.Call) else call.value
    wanted = ast.unparse(call)
    best: ast.stmt | None = None
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign | ast.AugAssign) and node.lineno < site.line and node.lineno >= site.first_line:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if any(ast.unparse(target) == wanted for target in targets) and (best is None or node.lineno > best.lineno):
                best = node
    if best is None:
        return None
    end = best.end_col_offset or best.col_offset
    return Site(
        site.file,
        best.lineno,
        best.col_offset,
        best.end_lineno or best.lineno,
        end,
        site.function,
        site.own,
        site.first_line,
    )


@functools.lru_cache(maxsize=4096)
def returned(site: Site) -> Site | None:
    """The statement with which the function of a site returns, where there is just one after it."""
    tree = tree_of(site.file)
    if tree is None:
        return None
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            begin = min([node.lineno, *(d.lineno for d in node.decorator_list)])
            if begin == site.first_line:
                found = [one for one in _own(node, ast.Return) if one.lineno >= site.line and one.value is not None]
                return at_node(site, found[0]) if len(found) == 1 else None
    return None


def _puts_together(value: ast.expr) -> bool:
    """Whether an expression is a name or a sum; anything else computes a term of its own."""
    sums = isinstance(value, ast.BinOp) and isinstance(value.op, ast.Add | ast.Sub)
    return sums or isinstance(value, ast.Name | ast.Attribute | ast.Subscript)


@functools.lru_cache(maxsize=4096)
def bound_for_return(site: Site) -> Site | None:
    """The statement that puts together what the function of a site returns by a name."""
    end, tree = returned(site), tree_of(site.file)
    if end is None or tree is None:
        return None
    for node in ast.walk(tree):
        last = [one for one in _own(node, ast.Return) if one.lineno == end.line]
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and last and isinstance(last[0].value, ast.Name):
            name = last[0].value.id
            given = [one for one in _own(node, ast.Assign) if any(ast.unparse(t) == name for t in one.targets)]
            latest = max(given, key=lambda one: one.lineno, default=None)
            return at_node(site, latest) if latest is not None and _puts_together(latest.value) else None
    return None


def put_together(site: Site) -> Site | None:
    """Where what a site calls was made, in the same function: `model = merge(…)` of `model(x)`, `vmap(model)(x)`."""
    try:
        call = ast.parse(expression(site, limit=10_000), mode="eval").body
    except (SyntaxError, ValueError):
        return None
    named = call.func if isinstance(call, ast.Call) else None
    if isinstance(named, ast.Call):
        named = next(iter(named.args), None)
    function = around(site)[2]
    if not isinstance(named, ast.Name) or function is None:
        return None
    made = [one for one in _own(function, ast.Assign) if one.lineno < site.line and isinstance(one.value, ast.Call)]
    made = [one for one in made if any(isinstance(t, ast.Name) and t.id == named.id for t in one.targets)]
    latest = max(made, key=lambda one: one.lineno, default=None)
    return at_node(site, latest) if latest is not None else None


_Statement = TypeVar("_Statement", bound=ast.stmt)


def _own(function: ast.AST, kind: type[_Statement]) -> list[_Statement]:
    """The statements of one kind in a function, without those of functions inside it."""
    found: list[_Statement] = []
    todo = list(ast.iter_child_nodes(function))
    while todo:
        node = todo.pop()
        if isinstance(node, kind):
            found.append(node)
        elif not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef):
            todo.extend(ast.iter_child_nodes(node))
    return found
