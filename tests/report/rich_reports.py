"""Reports with everything in them, and one whose every text is an attack."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from report_pages import ARGMAX, argmax, finding, report, site, write

from whygrad.flow.drawing import Drawing, Edge, Node
from whygrad.flow.ownership import Cell, LossRow, Network, OptimizerRow, Ownership
from whygrad.flow.site import Site
from whygrad.report.report import Report
from whygrad.rules.finding import PathStep

EVIL = (
    "</script><script>alert(1)</script><img src=x onerror=alert(2)>\"'`&lt;&#x27;</style></title></pre>"
    "\u202ebidi\u2066\x00\x1b[31m\x07\u2028\ud800<!--]]>{{7*7}}%0A::error::x javascript:alert(3)"
)


def table(name: str = "actor", where: Site | None = None) -> Ownership:
    """Two losses, three networks, every state."""
    cells = (Cell("applied", 6, (0,)), Cell("cleared", 4), Cell("stopped", 4))
    return Ownership(
        "torch",
        (
            LossRow(f"{name}_loss", where, 4, cells),
            LossRow("critic_loss", None, 4, (Cell("unused"), Cell("applied", 2, (1,)), Cell("unapplied", 4))),
        ),
        (
            Network(name, 6, "", False, (0,)),
            Network("critic", 4, "", False, (1,)),
            Network("target", 4, "critic", True),
        ),
        (OptimizerRow(f"{name}_opt", "Adam", where, 4), OptimizerRow("critic_opt", "Adam", None, 4)),
    )


def picture(name: str = "actor", cut: Site | None = None, loss: Site | None = None) -> Drawing:
    """A network, the cut, the loss, an optimizer, and a target beside them."""
    return Drawing(
        "torch",
        (
            Node("network", name, "6 variables"),
            Node("operation", "tf.argmax(q, axis=1)", "", cut, True, True),
            Node("loss", "loss", "", loss),
            Node("optimizer", f"{name}_opt", f"holds {name}"),
            Node("network", "target", "copy of critic"),
        ),
        (Edge(0, 1, "data"), Edge(1, 2, "gradient"), Edge(4, 2, "data"), Edge(2, 3, "update")),
    )


def rich(folder: Path) -> Report:
    """An error with its way, a warning in another file, a note, notes, a table, a drawing, an exception."""
    file = write(folder / "train.py", ARGMAX | {40: "# the critic", 42: "\tx = 'ünï' if q else 3.5e-2  # why", 45: ""})
    other = write(folder / "other.py", {3: "def f(x):", 4: "    return x.detach()"})
    error = argmax(file)
    cut, loss = error.where, error.loss
    warning = finding(
        site(other, 4, "x.detach()"), PathStep(site(file, 41, "actor(states)"), "linear", "called from here"),
        code="W102", rule="stopped", severity="warning", seen=3, first_update=2, variables=("net.0.weight",),
    )  # fmt: skip
    note = finding(site(file, 47, "loss"), code="W109", rule="frozen", severity="note", message="`trunk` is frozen")
    return report(
        error, warning, note, script=str(file), notes=("the tracer lost `sight` of a thread",),
        script_error="ValueError: x", ownership=(table(where=loss),), drawings=(picture(cut=cut, loss=loss),),
        folder=str(folder), root=str(folder),
    )  # fmt: skip


def hostile(folder: Path) -> Report:
    """Every text that a program can choose is an attack."""
    name = EVIL.replace("\x00", "").replace("/", "")[:80]
    file = write(
        folder / "evil.py",
        {2: "def f():", 3: f"    x = {EVIL!r} + y  # {EVIL}".replace("\x00", "").replace("\ud800", "")},
    )
    where = replace(site(file, 3, "x"), function=EVIL)
    one = finding(
        where, PathStep(where, EVIL, EVIL), PathStep(replace(where, line=2, end_line=2), EVIL, EVIL),
        rule=EVIL, message=EVIL, why=EVIL, fix=EVIL, label=EVIL, variables=(EVIL, EVIL), loss=where,
    )  # fmt: skip
    gone = finding(Site(f"/{name}", 1, 0, 1, 5, EVIL), severity="warning", message=EVIL, code="W102", variables=(EVIL,))
    note = finding(where, severity="note", message=EVIL)
    return report(
        one, gone, note, script=EVIL, notes=(EVIL,), script_error=EVIL, frameworks=(EVIL,),
        ownership=(table(EVIL, where),), drawings=(picture(EVIL, where, where),), folder=str(folder), root=str(folder),
    )  # fmt: skip
