"""Recordings in, findings out."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from whygrad.flow.drawing import Drawing
from whygrad.flow.ownership import Ownership
from whygrad.flow.recording import Recording
from whygrad.flow.source import allowances, meant
from whygrad.rules import contracts
from whygrad.rules.case import Case
from whygrad.rules.catalogue import CODES, RULES
from whygrad.rules.finding import ORDER, Finding
from whygrad.rules.ownership import ownership
from whygrad.rules.step_drawing import drawing


def diagnose(recordings: Iterable[Recording]) -> tuple[list[Finding], list[str]]:
    """Run every rule over every recording; the most harmful findings come first.

    A rule that crashes becomes a line in the notes, never a lost report.
    """
    findings: list[Finding] = []
    notes: list[str] = []
    for recording in recordings:
        case = Case(recording)
        before = len(findings)
        promised = _promised(case, notes)
        findings += promised
        for rule in RULES:
            try:
                findings.extend(f for f in rule.check(case) if not _settled(case, f, promised))
            except Exception as error:  # whatever it is, the other rules still have something to say
                notes.append(
                    f"rule {rule.code} failed on the {recording.framework} program: {type(error).__name__}: {error}"
                )
        if recording.earlier:
            later = (replace(f, first_update=recording.earlier + f.first_update) for f in findings[before:])
            findings[before:] = later
        notes += [note for note in _unknown_allowances(recording) if note not in notes]  # one file, two frameworks
        notes += recording.notes
    kept = [finding for finding in findings if not _allowed(finding)]
    return sorted(_once(kept), key=_harm), notes


def tables(recordings: Iterable[Recording], notes: list[str]) -> list[Ownership | None]:
    """For each recording which loss trains which network; None where nothing is trained, or where that failed."""
    found: list[Ownership | None] = []
    for recording in recordings:
        try:
            found.append(ownership(Case(recording)))
        except Exception as error:
            notes.append(f"the table of losses could not be made: {type(error).__name__}: {error}")
            found.append(None)
    return found


def drawings(
    recordings: Iterable[Recording], findings: list[Finding], tables: Iterable[Ownership | None], notes: list[str]
) -> tuple[Drawing, ...]:
    """The training step of each recording as a picture. No picture is better than no report."""
    found = []
    cases = [Case(recording) for recording in recordings]
    losses = [{case.loss_site(b) for b in case.recording.backwards} for case in cases]
    for case, own, table in zip(cases, losses, tables, strict=True):
        others = set().union(*losses) - own  # of another phase, or another framework
        try:
            found.append(drawing(case, [f for f in findings if f.loss not in others or f.loss is None], table))
        except Exception as error:
            notes.append(f"the training step could not be drawn: {type(error).__name__}: {error}")
    return tuple(one for one in found if one is not None and one.edges)


def _promised(case: Case, notes: list[str]) -> list[Finding]:
    """Contracts that the program has declared and does not keep."""
    if not case.recording.contracts:
        return []
    try:
        found = list(contracts.broken(case))
        notes += contracts.unchecked(case)
    except Exception as error:
        notes.append(f"the declared contracts could not be checked: {type(error).__name__}: {error}")
        return []
    return found


def _settled(case: Case, finding: Finding, promised: list[Finding]) -> bool:
    """A contract declares it to be meant, or says the same already."""
    if not case.recording.contracts:
        return False
    return contracts.meant(case, finding) or contracts.told_already(finding, promised)


def _allowed(finding: Finding) -> bool:
    """`# whygrad: ok W102` on the line that the finding names, or on the line that switched recording off."""
    if finding.contract:
        return False  # what is declared of the loss outranks what is said of a line
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
