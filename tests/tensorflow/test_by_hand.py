"""Updates that a program writes itself: that they count, and in which words their faults are told."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("tensorflow")

from program_runner import PROGRAMS, only, run, said

FOLDER = PROGRAMS / "tensorflow"


def test_each_round_is_an_update() -> None:
    assert run(FOLDER / "healthy_w201_by_hand_perturbation.py").updates == 6


def test_four_are_enough_where_functions_are_compiled() -> None:
    assert run(FOLDER / "healthy_w201_by_hand_own_adam.py").updates == 4


MESSAGES: dict[str, dict[str, Any]] = {
    "w201_by_hand_left_out": {
        "severity": "warning",
        "message": "`offset` gets a gradient that the update by hand does not apply",
        "label": "this update leaves out `offset`",
        "why": "The loss at line 27 depends on it and could train it, but no update ever reaches it: it keeps its "
        "first values.",
        "fix": "update it there as well, or do not ask for the gradient",
        "variables": ("offset",),
        "path": [(8, "made here"), (29, "left out here"), (27, "the loss, which gives them a gradient")],
    },
}


@pytest.mark.parametrize("name", list(MESSAGES))
def test_words(name: str) -> None:
    assert said(only(run(FOLDER / f"{name}.py"), name.split("_")[0].upper())) == MESSAGES[name]
