"""Recordings in, findings out."""

from __future__ import annotations

from collections.abc import Iterable

from whygrad.flow.recording import Recording
from whygrad.flow.source import allowances, meant
from whygrad.rules.case import Case
from whygrad.rules.catalogue import CODES, RULES
from whygrad.rules.finding import ORDER, Finding


def diagnose(recordings: Iterable[Recording]) -> tuple[list[Finding], list[str]]:
    """Run every rule over every recording; the most harmful findings come first.

    A rule that crashes becomes a line in the notes, never a lost report.
    """
    findings: list[Finding] = []
    notes: list[str] = []
    for recording in recordings:
        case = Case(recording)
        for rule in RULES:
            try:
                findings.extend(rule.check(case))
            except Exception as error:  # whatever it is, the other rules still have something to say
                notes.append(
                    f"rule {rule.code} failed on the {recording.framework} program: {type(error).__name__}: {error}"
                )
        notes += _unknown_allowances(recording)
        notes += recording.notes
    kept = [finding for finding in findings if not _allowed(finding)]
    return sorted(_once(kept), key=_harm), notes


def _allowed(finding: Finding) -> bool:
    """`# whygrad: ok W102` on the line that the finding names, or on the line that switched recording off."""
    sites = [finding.where] + [step.site for step in finding.path if step.role == "recording is off from here"]
    for site in sites:
        codes = meant(site) if site is not None else set()
        if finding.code in codes or "*" in codes:
            return True
    return False


def _unknown_allowances(recording: Recording) -> list[str]:
    files = sorted({site.file for stack in recording.stacks for site in stack if site.own})
    return [
        f"{file}:{line}: `# whygrad: ok {code}` names no rule; `whygrad rules` lists them"
        for file in files
        for line, code in allowances(file)
        if code not in CODES
    ]


def _once(findings: list[Finding]) -> list[Finding]:
    """The same rule at the same place about the same variables is one finding."""
    seen = set()
    kept = []
    for finding in findings:
        key = (finding.code, finding.where, finding.variables)
        if key not in seen:
            seen.add(key)
            kept.append(finding)
    return kept


def _harm(finding: Finding) -> tuple[int, int, str, int]:
    line = finding.where.line if finding.where is not None else 0
    return ORDER.index(finding.severity), -len(finding.variables), finding.code, line
