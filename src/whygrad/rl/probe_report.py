"""What probing found, as lines to read and as plain data."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from whygrad.rl.envs.probes import Probe


@dataclass(frozen=True, slots=True)
class Answer:
    """What an agent says at one observation, beside what is right. None: not known, or not asked."""

    observation: tuple[float, ...]
    right_value: float | None
    value: float | None
    right_action: float | None
    action: float | None
    value_fits: bool
    action_fits: bool


@dataclass(frozen=True, slots=True)
class Result:
    """How an agent did on one probe."""

    probe: Probe
    answers: tuple[Answer, ...]
    attempts: int
    """Trainings that it took; the answers are of the last."""
    seconds: float

    @property
    def asked(self) -> bool:
        """Whether there was anything to compare: an algorithm without values has nothing to say on some probes."""
        return any(a.right_value is not None or a.right_action is not None for a in self.answers)

    @property
    def passed(self) -> bool:
        """Whether every answer fits."""
        return all(answer.value_fits and answer.action_fits for answer in self.answers)


def lines(result: Result) -> list[str]:
    """One line for a probe, and when it failed what the agent said instead of what is right."""
    word = "passed" if result.passed else "FAILED"
    if not result.asked:
        word = "no answer"
    probe = result.probe
    first = f"{probe.name:<12} {probe.actions:<11} {word:<10} {result.seconds:5.1f} s  {probe.checks}"
    return [first, *(f"    {line}" for answer in result.answers for line in _wrong(answer, result))]


def _wrong(answer: Answer, result: Result) -> list[str]:
    seen = ", ".join(f"{number:g}" for number in answer.observation)
    said = []
    if not answer.value_fits:
        right, tolerance = answer.right_value, result.probe.value_tolerance
        said.append(f"at ({seen}): the value is {_number(answer.value)}, should be {right:g} ± {tolerance:g}")
    if not answer.action_fits:
        slack = "" if result.probe.actions == "discrete" else f" ± {result.probe.action_tolerance:g}"
        said.append(f"at ({seen}): the action is {_number(answer.action)}, should be {answer.right_action:g}{slack}")
    return said


def verdict(results: Sequence[Result]) -> str:
    """What all results together say about the agent."""
    failed = [result for result in results if not result.passed]
    silent = [result for result in results if not result.asked]
    if not failed:
        passed = len(results) - len(silent)
        without = f"; {len(silent)} had nothing to ask: the algorithm has no values" if silent else ""
        return f"{passed} of {passed} probes passed{without}."
    first = failed[0].probe
    others = ", ".join(f"{result.probe.name} ({result.probe.actions})" for result in failed[1:])
    after = f"\nFailed too, probably for the same reason: {others}." if others else ""
    return (
        f"{len(failed)} of {len(results) - len(silent)} probes failed. The first, {first.name} ({first.actions}), asks "
        f"an agent to {first.checks}.\nLikely broken: {first.broken}.{after}"
    )


def as_data(results: Sequence[Result]) -> list[dict[str, Any]]:
    """For JSON."""
    return [
        {
            "probe": result.probe.name,
            "actions": result.probe.actions,
            "passed": result.passed,
            "asked": result.asked,
            "checks": result.probe.checks,
            "likely_broken": None if result.passed else result.probe.broken,
            "attempts": result.attempts,
            "seconds": round(result.seconds, 3),
            "answers": [
                {
                    "observation": list(answer.observation),
                    "value": _finite(answer.value),
                    "right_value": answer.right_value,
                    "action": _finite(answer.action),
                    "right_action": answer.right_action,
                    "fits": answer.value_fits and answer.action_fits,
                }
                for answer in result.answers
            ],
        }
        for result in results
    ]


def _number(number: float | None) -> str:
    return "none" if number is None else f"{number:.3g}"


def _finite(number: float | None) -> float | None:
    """JSON has no word for what is not."""
    return number if number is not None and math.isfinite(number) else None
