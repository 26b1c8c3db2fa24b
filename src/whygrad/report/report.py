"""A report: everything there is to say about one run."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field

from whygrad.flow.drawing import Drawing
from whygrad.flow.ownership import Ownership
from whygrad.flow.source import line_text
from whygrad.rules.finding import Finding, Severity


@dataclass(frozen=True, slots=True)
class Report:
    """The findings of one run, with what is needed to read them."""

    script: str
    frameworks: tuple[str, ...]
    updates: int
    findings: tuple[Finding, ...]
    script_error: str | None = None
    notes: tuple[str, ...] = field(default_factory=tuple)
    ownership: tuple[Ownership, ...] = ()
    """For each framework that trained something: which loss trains which network, through which optimizer."""
    drawings: tuple[Drawing, ...] = ()
    """For each framework that trained something: the training step as a flow from networks to losses."""
    folder: str = ""
    """Where the program was started; paths are shown relative to it."""
    root: str = ""
    """The top folder of the project (its repository) that the folder lies in."""
    sources: Mapping[str, Mapping[int, str]] | None = field(default=None, repr=False, compare=False)
    """In a saved report, the lines of source that it is about. None: they are read from the files."""

    def line(self, file: str, number: int) -> str:
        """One line of the program, empty where it is not known."""
        if self.sources is None:
            return line_text(file, number)
        return self.sources.get(file, {}).get(number, "")

    def count(self, severity: Severity) -> int:
        """How many findings of one severity."""
        return sum(1 for finding in self.findings if finding.severity == severity)

    @property
    def clean(self) -> bool:
        """No error and no warning."""
        return not (self.count("error") or self.count("warning"))

    def __str__(self) -> str:
        from whygrad.report.terminal import Options, options_for, render

        stream = options_for(sys.stdout)  # where it is most likely printed; colours and widths are for `whygrad run`
        return render(self, Options(unicode=stream.unicode, encoding=stream.encoding))

    def _repr_html_(self) -> str:
        from whygrad.report.notebook import render

        return render(self)
