"""The exceptions that carry a report."""

from __future__ import annotations

from whygrad.report.report import Report


class GradientFault(Exception):
    """Training has a gradient fault. `report` holds the findings; its text is the message."""

    def __init__(self, report: Report, title: str = "") -> None:
        self.report = report
        self.title = title or "the gradients of this training are wrong"
        super().__init__(self.title)

    def __str__(self) -> str:
        return f"{self.title}\n{self.report}"


class BrokenContract(GradientFault):
    """A loss does not train what it is declared to train, or trains what it is declared to leave alone."""

    def __init__(self, report: Report) -> None:
        names = list(dict.fromkeys(finding.contract for finding in report.findings if finding.contract))
        super().__init__(report, ", ".join(names))


for _kind in (GradientFault, BrokenContract):
    _kind.__module__ = "whygrad"  # where programs import it from, and so what a traceback should say
