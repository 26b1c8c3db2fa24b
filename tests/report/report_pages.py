"""What the report tests share: source files, findings on them made by hand, and a comparison that shows the page."""

from __future__ import annotations

import re
from pathlib import Path

from whygrad.flow.site import Site
from whygrad.report.excerpt import cells
from whygrad.report.report import Report
from whygrad.report.terminal import Options, render
from whygrad.rules.finding import Finding, PathStep

STOPS = "the gradient stops here: argmax returns an index, and an index has no derivative"
ARGMAX = {
    41: "    q = critic([states, actor(states)])",
    44: "    a = tf.argmax(q, axis=1)",
    47: "    loss = -tf.reduce_mean(tf.cast(a, tf.float32))",
}


def write(file: Path, lines: dict[int, str]) -> Path:
    """A source file with these lines, and blank ones between them."""
    text = "\n".join(lines.get(number, "") for number in range(1, max(lines) + 1))
    file.write_text(text + "\n", encoding="utf-8")
    return file


def site(file: Path, line: int, text: str, own: bool = True) -> Site:
    """The site of `text` on a line, its columns in UTF-8 bytes as the interpreter counts them."""
    source = file.read_text(encoding="utf-8").split("\n")[line - 1]
    column = len(source[: source.index(text)].encode())
    return Site(str(file), line, column, line, column + len(text.encode()), "train", own)


def finding(where: Site | None, *path: PathStep, **changes: object) -> Finding:
    """A plain finding; `changes` replace its parts."""
    parts: dict[str, object] = {
        "code": "W104",
        "rule": "not-differentiable",
        "severity": "error",
        "message": "`actor` gets no gradient",
        "why": "Because.",
        "fix": "use the value",
        "variables": (),
        "where": where,
        "label": "the gradient stops here",
        "path": path,
    }
    return Finding(**(parts | changes))  # type: ignore[arg-type]


def argmax(file: Path, **changes: object) -> Finding:
    """The finding of the design page."""
    where = site(file, 44, "tf.argmax(q, axis=1)")
    loss = site(file, 47, "-tf.reduce_mean(tf.cast(a, tf.float32))")
    parts: dict[str, object] = {
        "message": "`actor` (6 variables) gets no gradient from the loss at line 47",
        "why": "Which entry is the largest does not change when an entry moves a little; its value does.",
        "fix": "use the value, not its index, in place of `tf.argmax(q, axis=1)`, or gather the entry that was taken",
        "variables": tuple(f"actor.fc{n}.{kind}" for n in (1, 2, 3) for kind in ("weight", "bias")),
        "label": STOPS,
        "loss": loss,
    }
    steps = (
        PathStep(site(file, 41, "actor(states)"), "linear", "the output of `actor`"),
        PathStep(where, "argmax", "the gradient stops here"),
        PathStep(loss, "loss", "the loss"),
    )
    return finding(where, *steps, **(parts | changes))


def report(*findings: Finding, **changes: object) -> Report:
    """A report on train.py; `changes` replace its parts."""
    parts: dict[str, object] = {"script": "train.py", "frameworks": ("torch",), "updates": 4, "findings": findings}
    return Report(**(parts | changes))  # type: ignore[arg-type]


def page(one: Report, **options: object) -> list[str]:
    """The lines of a rendered report, checked for what holds on every page."""
    chosen = Options(**options)  # type: ignore[arg-type]
    lines = render(one, chosen).split("\n")
    for line in lines:
        plain = re.sub(r"\x1b\[[0-9;]*m", "", line)
        assert plain == plain.rstrip()
        assert chosen.quiet or "-->" in line or cells(plain) <= chosen.width, line
    return lines


def same(lines: list[str], expected: str) -> None:
    """Compare line by line with a page written down in a test: without the line breaks around it, not dedented."""
    wanted = expected.strip("\n").split("\n")
    assert lines == wanted, "\n".join(["the page is", *lines])


def block(one: Finding, **options: object) -> list[str]:
    """The excerpt of a finding: its page from the first position line up to the paragraphs."""
    lines = page(report(one), **options)
    begin = next(index for index, line in enumerate(lines) if line.startswith("  -->"))
    end = next(index for index, line in enumerate(lines) if re.match(r"  (variables|why): ", line))
    return lines[begin:end]
