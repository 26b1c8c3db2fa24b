"""A saved report in the folder of a run, made by hand: an error whose texts are attacks, and a drawing with a cut."""

from __future__ import annotations

from pathlib import Path

from whygrad.flow.drawing import Drawing, Edge, Node
from whygrad.flow.site import Site
from whygrad.report import json_form
from whygrad.report.report import Report
from whygrad.rules.finding import Finding

SOURCE = "    value = net(x).detach()  # <img src=x onerror=alert(5)>"


def save_report(folder: Path) -> None:
    file = folder / "train.py"
    file.write_text("\n" * 11 + SOURCE + "\n")
    begin = SOURCE.index("net(x)")
    where = Site(str(file), 12, begin, 12, begin + len("net(x).detach()"), "train", True)
    error = Finding(
        code="W102",
        rule="stopped",
        severity="error",
        message="`actor` gets no gradient <script>alert(6)</script>",
        why="Because. <img src=x onerror=alert(7)>",
        fix="take it away",
        variables=("actor.0.weight", "actor.0.bias"),
        where=where,
        label="the gradient stops here",
    )
    drawing = Drawing(
        "torch",
        (
            Node("network", "actor", "6 variables"),
            Node("operation", "net(x).detach()", "", where, True, True),
            Node("network", "critic", "6 variables"),
            Node("loss", "critic_loss"),
            Node("optimizer", "Adam"),
        ),
        (Edge(0, 1, "data"), Edge(1, 3, "data"), Edge(2, 3, "gradient"), Edge(3, 4, "update")),
    )
    report = Report("train.py", ("torch",), 4, (error,), drawings=(drawing,), folder=str(folder))
    (folder / "report.json").write_text(json_form.as_text(report), encoding="utf-8")
