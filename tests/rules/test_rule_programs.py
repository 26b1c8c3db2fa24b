"""House rule: every rule has, in each framework, programs that must fire and a neighbour that must stay quiet."""

from __future__ import annotations

from pathlib import Path

import pytest
from program_runner import marked, programs

from whygrad.rules.catalogue import CODES, RULES

FRAMEWORKS = ("torch", "tensorflow")
# Gradients are values in TensorFlow and cannot be cleared, pile up, or be missing at a step without an exception.
NOT_POSSIBLE = {("W301", "tensorflow"), ("W302", "tensorflow"), ("W304", "tensorflow")}
# Eager PyTorch traces nothing, and Keras on PyTorch runs eagerly.
NOT_POSSIBLE |= {("W506", "torch"), ("W506", "keras_torch")}
EVERY = [program for folder in (*FRAMEWORKS, "keras_torch", "jax") for program in programs(folder)]


@pytest.mark.parametrize("framework", FRAMEWORKS)
@pytest.mark.parametrize("code", [rule.code for rule in RULES])
def test_rule_has_two_broken_programs_and_a_healthy_neighbour(code: str, framework: str) -> None:
    if (code, framework) in NOT_POSSIBLE:
        pytest.skip("cannot happen there")
    own = code.lower()
    names = [program.stem for program in programs(framework)]
    assert len([name for name in names if name.startswith(own)]) >= 2
    assert [name for name in names if name.startswith(f"healthy_{own}")]


@pytest.mark.parametrize("code", [rule.code for rule in RULES])
def test_rule_has_a_program_in_keras_on_torch(code: str) -> None:
    if (code, "keras_torch") in NOT_POSSIBLE:
        pytest.skip("cannot happen there")
    assert [program for program in programs("keras_torch") if program.stem.startswith(code.lower())]


@pytest.mark.parametrize("program", EVERY, ids=lambda program: f"{program.parent.name}/{program.stem}")
def test_name_says_what_is_marked(program: Path) -> None:
    codes = [code for code, _ in marked(program)]
    assert set(codes) <= CODES.keys()
    if program.stem.startswith("healthy_"):
        assert codes == []
    elif program.stem.startswith("two_faults_"):
        assert sorted(codes) == sorted(part.upper() for part in program.stem.split("_")[2:])
    else:
        assert codes == [program.stem.split("_")[0].upper()]


@pytest.mark.parametrize("program", EVERY, ids=lambda program: f"{program.parent.name}/{program.stem}")
def test_program_is_small_and_says_what_it_is(program: Path) -> None:
    lines = program.read_text().splitlines()
    assert lines[0].startswith('"""') and lines[0].endswith('."""')
    assert len(lines) <= 55
    assert all(len(line) <= 120 for line in lines)
