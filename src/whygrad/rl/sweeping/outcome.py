"""What came of one training of a sweep, and what was found to be wrong with it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from whygrad.faults import GradientFault
from whygrad.live.reading import BadRecord, Reading

DONE, STOPPED, FAILED = "done", "stopped", "failed"


@dataclass(frozen=True, slots=True)
class Found:
    """Something that went wrong: of an exception or of an event of the watch."""

    code: str
    """Of the rule (`whygrad explain CODE`); empty where no rule speaks of it."""
    kind: str
    text: str
    at: int | None = None
    """The update."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a training ended."""

    state: str
    """`done`: it ran to the end. `stopped`: its configuration was not worth more. `failed`: it raised an exception."""
    steps: int = 0
    run: str = ""
    """The name of its run folder, in the folder of its configuration."""
    found: tuple[Found, ...] = ()

    @classmethod
    def from_data(cls, kept: dict[str, Any]) -> Outcome:
        """What a file says."""
        return cls(**{**kept, "found": tuple(Found(**one) for one in kept["found"])})


def found_in(run: Path | None) -> tuple[Found, ...]:
    """The events of a run's watch."""
    try:
        events = Reading(run).events() if run is not None else []
    except BadRecord:
        return ()  # it was not watched, or ended before it was
    return tuple(Found(event.code, event.kind, event.text, event.at) for event in events)


def found_by(error: Exception) -> tuple[Found, ...]:
    """What an exception says: each finding of a report, or its sentence."""
    if isinstance(error, GradientFault) and error.report.findings:
        return tuple(
            Found(one.code, type(error).__name__, f"{one.message} {_where(one.where)}".strip(), one.first_update)
            for one in error.report.findings
        )
    return (Found("", type(error).__name__, " ".join(str(error).split()) or "it gave no reason"),)


def _where(site: Any) -> str:
    return "" if site is None else f"({Path(site.file).name}:{site.line})"
