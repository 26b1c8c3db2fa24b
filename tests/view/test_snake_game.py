"""A game of the newest policy, played elsewhere."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from whygrad.view import snake_games
from whygrad.view.snake_games import SnakeGames

SOURCE = Path(__file__).resolve().parents[2] / "src"


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "checkpoints").mkdir()
    (tmp_path / "checkpoints" / "last.npz").write_bytes(b"")
    return tmp_path


def play(monkeypatch, code):
    monkeypatch.setattr(snake_games, "_COMMAND", [sys.executable, "-c", code])


def until_played(games, folder, shown=""):
    for _ in range(400):
        found = games.game(folder, shown)
        if not found["playing"]:
            return found
        time.sleep(0.05)
    raise AssertionError("it is still being played")


def test_a_game_is_played_once_for_each_checkpoint(monkeypatch, folder):
    play(monkeypatch, "import sys, json; print(json.dumps({'which': sys.argv[-1]}))")
    games = SnakeGames()
    assert games.game(folder)["playing"]
    found = until_played(games, folder)
    assert found["game"] == {"which": "last"}
    play(monkeypatch, "raise SystemExit('never')")
    assert games.game(folder)["game"] == {"which": "last"}
    assert games.game(folder, found["stamp"])["game"] is None  # the page has it already
    (folder / "checkpoints" / "best.npz").write_bytes(b"")
    os.utime(folder / "checkpoints" / "best.npz", (2e9, 2e9))
    again = games.game(folder)
    assert again["playing"]
    assert again["game"] == {"which": "last"}  # the one before, meanwhile
    assert until_played(games, folder)["trouble"] == "never"


def test_trouble_is_the_last_line(monkeypatch, folder):
    play(monkeypatch, "raise ValueError('the networks do not fit')")
    assert until_played(SnakeGames(), folder)["trouble"] == "ValueError: the networks do not fit"


def test_no_checkpoint(tmp_path):
    assert "no checkpoint" in SnakeGames().game(tmp_path)["trouble"]


def test_closing_ends_the_game(monkeypatch, folder):
    play(monkeypatch, "import time; time.sleep(600)")
    games = SnakeGames()
    games.game(folder)
    games.close()
    assert until_played(games, folder)["game"] is None


@pytest.mark.timeout(600)
def test_a_real_policy(tmp_path):
    pytest.importorskip("torch")
    pytest.importorskip("keras")
    environment = {**os.environ, "PYTHONPATH": str(SOURCE), "KERAS_BACKEND": "torch"}
    code = (
        "from whygrad.rl import DQN, train\n"
        "train(DQN(hidden=(8,), learning_starts=100), 'whygrad/Snake-v0', steps=300, evaluate_every=0, check=False, "
        f"root={str(tmp_path)!r})"
    )
    subprocess.run([sys.executable, "-c", code], env=environment, check=True, timeout=400, capture_output=True)
    (run,) = [path.parent for path in tmp_path.glob("*/settings.json")]
    found = until_real(run)
    game = found["game"]
    assert found["trouble"] == ""
    assert game["kind"] == "q"
    assert len(game["boards"]) == len(game["moves"]) + 1
    for move in game["moves"]:
        assert len(move["values"]) == 3
        assert move["values"][move["action"]] == pytest.approx(max(move["values"]))
    assert game["boards"][-1]["dead"] or len(game["moves"]) >= 300
    json.dumps(game, allow_nan=False)


def until_real(run):
    games = SnakeGames()
    for _ in range(400):
        found = games.game(run)
        if not found["playing"]:
            return found
        time.sleep(0.5)
    raise AssertionError("it is still being played")
