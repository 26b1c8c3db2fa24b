"""A gradient that is asked of nothing.

TensorFlow: of an empty list, because the model tracks none of the layers that it uses. JAX: of a tree without arrays,
because a filter sets all of them aside, or because its numbers are Python's own.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from whygrad.flow import reach
from whygrad.flow.events import Backward
from whygrad.flow.site import Site
from whygrad.flow.syntax import dotted, site_of, tree_of
from whygrad.rules.case import Case
from whygrad.rules.cuts.creation import created_at
from whygrad.rules.finding import Finding, PathStep, stations
from whygrad.rules.wording import at_line, quoted, subject

SYMBOLIC = "KerasTensor"
"""What TensorFlow calls in its refusal the tensor that it cannot differentiate for."""


def asked_for_nothing(case: Case) -> Iterator[Finding]:
    """Where all that is on the way could learn, and nothing does: what was frozen is told by W109."""
    recording = case.recording
    done: set[int] = set()
    for backward in recording.backwards:
        empty = backward.tape is not None and not backward.wanted and not backward.asked_values
        if recording.framework != "tensorflow" or not empty or backward.implicit or backward.stack in done:
            continue
        if backward.loss not in recording.values or SYMBOLIC in (backward.error or ""):  # W106
            continue
        arrived = reach.gradient_reach(recording, case.slice(backward, reach.CERTAIN), backward.tape)
        on_way = {v for n in arrived if n in recording.values and (v := recording.values[n].variable) is not None}
        members = {v for v in on_way if recording.variables[v].parameter and recording.variables[v].trainable}
        if not members or members & case.trained or len(members) < len(on_way):
            continue
        done.add(backward.stack)
        where, made, loss = case.site(backward.stack), created_at(case, members), case.loss_site(backward)
        steps = [(made, "creation", "made here"), (where, backward.call, "asked for no variable")]
        yield Finding(
            code="W201", rule="not-in-optimizer", severity="error",
            message=f"{subject(case, members)} could learn from the loss{at_line(loss, where)}, and the list of "
            "variables that its gradient is asked for is empty",
            why=f"{quoted(where)} is given nothing to differentiate for: the model keeps none of the layers that it "
            "uses as its own.",
            fix="make the layers in __init__ and keep them as attributes of the model, or ask for the variables of the "
            "networks themselves",
            variables=case.names(members), where=where, label="asks for the gradient of nothing", loss=loss,
            path=tuple(PathStep(site, op, role) for site, op, role in steps if site is not None),
        )  # fmt: skip


def asked_of_no_array(case: Case) -> Iterator[Finding]:
    """JAX: what a loss is differentiated for has no array in it, each time that the line asks.

    W109 where the program divides its model into what learns and what is frozen; else W106.
    """
    recording = case.recording
    asked = [b for b in recording.backwards if recording.framework == "jax" and not b.implicit and not b.error]
    full = {b.stack for b in asked if b.wanted or b.asked_values or b.loss not in recording.values}
    empty = {b.stack: b for b in reversed(asked) if b.stack not in full}
    for stack, backward in empty.items():
        where, loss = case.site(stack), case.loss_site(backward)
        files = {site.file for sites in recording.stacks for site in sites if site.own}
        let_go = _marked_in_vain(files)
        if backward.plain and let_go is None:
            yield _of_plain_numbers(case, backward)
            continue
        frozen = let_go is not None or _set_aside(files)
        steps = [(let_go, "tree_at", "says what to train, and is dropped"), (where, "grad", "asked of nothing")]
        yield Finding(
            code="W109" if frozen else "W106", rule="frozen" if frozen else "not-watched", severity="error",
            message=f"the gradient of the loss{at_line(loss, let_go or where)} is asked for, and of no array at all"
            + (": all of them are frozen" if frozen else ""),
            why="jax.grad follows the arrays of the argument that it is given, and there is none: the filter sets all "
            "of them aside, so that nothing is trained."
            + (" eqx.tree_at changes no tree: it returns a new one, which is dropped here." if let_go else ""),
            fix=f"keep what {quoted(let_go)} returns" if let_go is not None
            else "let the filter select what is to learn: eqx.is_inexact_array, or a tree with True for those arrays",
            variables=(), where=let_go or where, loss=loss, seen=sum(b.stack == stack for b in asked),
            label="a new tree, which is dropped" if let_go is not None else "asks for the gradient of nothing",
            path=tuple(PathStep(site, op, role) for site, op, role in steps if site is not None),
        )  # fmt: skip


def _of_plain_numbers(case: Case, backward: Backward) -> Finding:
    """JAX: the model that is differentiated keeps its numbers as Python's own."""
    asked, loss = case.site(backward.stack), case.loss_site(backward)
    files = sorted({site.file for sites in case.recording.stacks for site in sites if site.own})
    where = next(_made(files, backward.plain.rpartition(".")[2]), asked)
    return Finding(
        code="W106", rule="not-watched", severity="error",
        message=f"the gradient of the loss{at_line(loss, where)} is asked for, and `{backward.plain}` has no array",
        why="A filtered gradient follows JAX's arrays alone. The numbers of this model are Python's or NumPy's own: to "
        "the gradient they are settings, and they keep their first values.",
        fix="give it arrays: jnp.asarray(1.0) in the place of 1.0, or a converter in the class, "
        "eqx.field(converter=jnp.asarray)",
        variables=(), where=where, label="made of plain numbers", loss=loss,
        seen=sum(b.stack == backward.stack for b in case.recording.backwards),
        path=stations((where, "creation", "made of plain numbers"), (asked, "grad", "asked of nothing")),
    )  # fmt: skip


def _made(files: Iterable[str], name: str) -> Iterator[Site]:
    """Where a class is called."""
    for file in files:
        tree = tree_of(file)
        for node in ast.walk(tree) if tree is not None else ():
            if isinstance(node, ast.Call) and dotted(node.func).rpartition(".")[2] == name:
                yield site_of(file, node)


def _set_aside(files: Iterable[str]) -> bool:
    """Whether the program divides its model into what learns and what is kept as it is."""
    trees = (tree for file in files if (tree := tree_of(file)) is not None)
    calls = (node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Call))
    return any(dotted(call.func).rpartition(".")[2] == "partition" for call in calls)


def _marked_in_vain(files: Iterable[str]) -> Site | None:
    """The one `eqx.tree_at(…)` of the program whose result nothing takes."""
    found: list[Site] = []
    for file in files:
        tree = tree_of(file)
        for node in ast.walk(tree) if tree is not None else ():
            call = node.value if isinstance(node, ast.Expr) else None
            if isinstance(call, ast.Call) and dotted(call.func).rpartition(".")[2] == "tree_at":
                found.append(site_of(file, call))
    return found[0] if len(found) == 1 else None
