"""A report: everything there is to say about one run."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field

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
