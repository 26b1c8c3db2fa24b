"""Whole-number code as machine code: the same to the bit, and the list of operations wherever that cannot be had."""

from __future__ import annotations

import shutil

import keras
import pytest

if keras.backend.backend() != "torch":
    pytest.skip("captures are PyTorch's", allow_module_level=True)

import torch
import torch._inductor

from whygrad.rl.engine import torch_machine_code
from whygrad.rl.engine.torch_capture import capture
from whygrad.rl.engine.torch_machine_code import machine_code, once_it_pays
from whygrad.rl.engine.trees import leaves, planted
from whygrad.rl.worlds import games
from whygrad.rl.worlds.cartpole import CartPole
from whygrad.rl.worlds.snake import Snake

BOARDS = 32
needs_a_compiler = pytest.mark.skipif(shutil.which("g++") is None, reason="machine code needs a C++ compiler")


def stepping(world):
    """A world's step on flat lists, and what it begins with."""
    lanes = games.begin(world, list(range(BOARDS)))

    def step(*given):
        return leaves(games.step(world, planted(lanes, list(given[1:])), given[0]))

    return step, leaves(lanes)


@needs_a_compiler
def test_the_same_games():
    step, state = stepping(Snake(height=3, width=4, fruits=2, limit=20, view="full"))
    action = torch.randint(3, (BOARDS,), dtype=torch.int32, generator=torch.Generator().manual_seed(0))
    listed = capture(step, [action, *state], False)
    drawn = torch.get_rng_state()
    run = machine_code(listed, [action, *state])
    assert run is not None
    assert torch.equal(torch.get_rng_state(), drawn)
    for turn in range(60):
        expected = listed((action + turn * turn) % 3, *state)
        given = run((action + turn * turn) % 3, *state)
        assert all(torch.equal(a, b) for a, b in zip(expected, given, strict=True))
        state = expected[: len(state)]


def test_what_may_round_differently_stays_a_list():
    step, state = stepping(CartPole())
    example = [torch.zeros(BOARDS, dtype=torch.int32), *state]
    assert machine_code(capture(step, example, False), example) is None


def test_without_a_compiler(monkeypatch):
    monkeypatch.setattr(torch_machine_code, "PAYS_AFTER", 0.0)
    example = [torch.arange(4, dtype=torch.int32)]
    listed = capture(lambda x: [x * 2 + 1], example, False)
    with torch._inductor.config.patch({"cpp.cxx": ("/nowhere/g++",)}):
        assert machine_code(listed, example) is None
        run = once_it_pays(listed, example)
        assert [run(*example)[0].tolist() for _ in range(3)] == [[1, 3, 5, 7]] * 3


@needs_a_compiler
def test_once_it_pays(monkeypatch):
    monkeypatch.setattr(torch_machine_code, "PAYS_AFTER", 0.0)
    made = []
    monkeypatch.setattr(torch_machine_code, "machine_code", lambda *given: made.append(machine_code(*given)) or made[0])
    example = [torch.arange(6, dtype=torch.int32).reshape(2, 3)]
    run = once_it_pays(capture(lambda x: [x * 2 + 1], example, False), example)
    for given in (example[0], example[0] + 1, example[0].T.contiguous().T):  # the last is laid out differently
        assert torch.equal(run(given)[0], given * 2 + 1)
    assert len(made) == 1 and made[0] is not None
